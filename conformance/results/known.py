"""Known failures: what a target is expected to get wrong, so that only news fails a run.

A TOML file of `[[known]]` tables: `rule` and `verdict`, optionally `message` and `version` (one, or
a list of them), a `reason` and an `issue`. Listed cases still run. One that passes now, or an entry
that matches nothing, is news as well, unless the entry says that it fails `sometimes`: where the
target's own dice decide.

An entry speaks of many cases: those of a rule on each message and version that it names, or on all
where it names none. It is kept as long as one case fails as listed on every one of those.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from conformance.errors import ConformanceError
from conformance.results.lines import BROKEN, Verdict
from conformance.rules import catalogue
from conformance.rules.retired import retired_rules


class Known(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """One entry. An entry without `message` or `version` matches all."""

    rule: str
    verdict: Literal["fail", "crash", "hang"]
    message: str = ""
    version: int | list[int] | None = None
    sometimes: bool = False
    reason: str = ""
    issue: str = ""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    known: list[Known] = []


class Place(NamedTuple):
    """What a verdict is about, and what an entry lists: "" is any message, -1 any version."""

    rule: str
    message: str
    version: int
    verdict: str

    def __str__(self) -> str:
        version = "any version" if self.version == ANY_VERSION else f"version {self.version}"
        return f"{self.verdict} of {self.rule} on {self.message or 'any message'}, {version}"


ANY_VERSION = -1


class KnownError(ConformanceError):
    """A known-failures file that can't be read."""


def read_known(path: Path) -> list[Known]:
    """The entries of a file. Raises KnownError."""
    try:
        entries = msgspec.convert(tomllib.loads(path.read_text("utf-8")), _File).known
    except OSError as error:
        raise KnownError(f"{path}: {error.strerror}", "--update-known makes one") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise KnownError(
            f"{path}: {error}",
            "[[known]] tables of rule, verdict, message, version, sometimes, reason, issue",
        ) from None
    for entry in entries:
        if entry.rule not in catalogue() and entry.rule not in retired_rules():
            near = get_close_matches(entry.rule, catalogue(), n=1)
            meant = f"did you mean {near[0]}?" if near else "`kafka-conformance rules list` has all"
            raise KnownError(f"{path}: there is no rule {entry.rule!r}", meant)
    return entries


class Expectations:
    """Holds the verdicts of a run against the entries of a known-failures file."""

    def __init__(self, entries: Iterable[Known]) -> None:
        listed = list(entries)
        self._named = {entry.rule for entry in listed}
        self._entries = {
            place: entry
            for entry in listed
            if entry.rule in catalogue()
            for place in _places(entry)
        }
        self._rules = {place.rule for place in self._entries}
        self._judged: set[Place] = set()
        self._broken: set[Place] = set()
        self._seen: set[Place] = set()

    def take(self, verdict: Verdict) -> bool:
        """Count one verdict; whether it is a failure that is not listed."""
        broken = verdict.verdict in BROKEN
        place = Place(verdict.rule, verdict.message, verdict.version, verdict.verdict)
        if broken:
            self._broken.add(place)
        if broken or verdict.verdict == "pass":
            self._seen.add(place._replace(verdict=""))
        if verdict.rule not in self._rules:
            return broken
        listed = [place for place in _around(verdict) if place in self._entries]
        self._judged.update(listed)
        return broken and verdict.verdict not in {place.verdict for place in listed}

    def outdated(self) -> list[str]:
        """A line for each rule that is listed and gone, or has another class and fails no more."""
        ended = self._named - {place.rule for place in self._broken}
        return [
            f"{name}: {retired_rules()[name]}" for name in sorted(ended) if name in retired_rules()
        ]

    def stale(self, partial: bool) -> list[Place]:
        """What is listed and did not fail so, unless its rule is another one now.

        A partial run judged a selection, or was cut short: what it never came by is not stale.
        """
        stale = self._stale(partial)
        return [place for place in stale if place.rule not in retired_rules()]

    def _stale(self, partial: bool) -> list[Place]:
        failed = {place for known in self._broken for place in _lists(known)}
        return [
            place
            for place in self._entries
            if place not in failed
            and (place in self._judged or not partial)
            and not self._entries[place].sometimes
        ] + [
            place._replace(verdict=near.verdict)
            for place in sorted(self._passed())
            for near in _entries_of(place)
            if near in self._entries and near in failed and not self._entries[near].sometimes
        ]

    def updated(self, partial: bool) -> str:
        """The text of a file that lists what failed now, with the reasons given before.

        It keeps what fails sometimes, and after a partial run what that run never came by.
        """
        kept = {place for place, entry in self._entries.items() if entry.sometimes}
        if partial:
            kept |= self._entries.keys() - self._judged
        tables: dict[tuple[str, str, str, bool, str, str], set[int]] = defaultdict(set)
        for place in (self._broken if partial else self._widest()) | kept:
            entry = self._entry(place)
            notes = (entry.sometimes, entry.reason, entry.issue) if entry else (False, "", "")
            tables[place.rule, place.message, place.verdict, *notes].add(place.version)
        return "\n".join(_table(*key, tables[key]) for key in sorted(tables))

    def _entry(self, place: Place) -> Known | None:
        """The nearest entry that lists a place."""
        return next((self._entries[p] for p in _lists(place) if p in self._entries), None)

    def _passed(self) -> set[Place]:
        """Where every case passed."""
        return self._seen - {place._replace(verdict="") for place in self._broken}

    def _widest(self) -> set[Place]:
        """What failed, told once for all versions or messages where it failed everywhere.

        What has a reason of its own stays as it is.
        """
        noted = {
            p
            for p in self._broken
            if (e := self._entry(p)) and (e.reason or e.issue or e.sometimes)
        }
        places = self._broken - noted
        for wide in ({"version": ANY_VERSION}, {"version": ANY_VERSION, "message": ""}):
            narrow = {place._replace(**wide) for place in self._passed()}
            wider = {place: place._replace(**wide) for place in places}
            places = {
                place if wider[place]._replace(verdict="") in narrow else wider[place]
                for place in places
            }
        return places | noted


def _entries_of(place: Place) -> list[Place]:
    """The places of entries that list this one, whatever they expect of it."""
    return [near._replace(verdict=name) for near in _lists(place) for name in sorted(BROKEN)]


def _places(entry: Known) -> list[Place]:
    given = [entry.version] if isinstance(entry.version, int) else entry.version
    versions = given or [ANY_VERSION]
    return [Place(entry.rule, entry.message, version, entry.verdict) for version in versions]


def _lists(place: Place) -> list[Place]:
    """The places of entries that list this one, the nearest first."""
    return [
        Place(place.rule, message, version, place.verdict)
        for message in dict.fromkeys((place.message, ""))
        for version in dict.fromkeys((place.version, ANY_VERSION))
    ]


def _around(verdict: Verdict) -> list[Place]:
    """The places of entries that speak of this verdict's case, whatever they expect of it."""
    return _entries_of(Place(verdict.rule, verdict.message, verdict.version, ""))


def _table(
    rule: str,
    message: str,
    verdict: str,
    sometimes: bool,
    reason: str,
    issue: str,
    versions: set[int],
) -> str:
    content: dict[str, Any] = {"rule": rule, "message": message, "verdict": verdict}
    if ANY_VERSION not in versions:
        content["version"] = sorted(versions)
    content |= {"sometimes": sometimes, "reason": reason, "issue": issue}
    given = {name: msgspec.json.encode(value).decode() for name, value in content.items() if value}
    return "[[known]]\n" + "".join(f"{name} = {text}\n" for name, text in given.items())
