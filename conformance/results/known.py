"""Known failures: what a target is expected to get wrong, so that only new failures fail a run.

A TOML file of `[[known]]` tables: `rule`, `verdict` and the `cases` that fail so (`known_cases` has
their lines), a `reason` and an `issue`. Listed cases still run. A listed case that passes now, or
an entry that matches nothing, fails the run as well, unless the entry says that it fails
`sometimes`: at random, by the target's own choice.

A rule that ends the target again and again is asked of a limited number of cases, and which cases
those are depends on the other cases of the run. Its entry says `not_all_asked`, and no failure of
that rule is new.

Older files have no `cases`: an entry names a `message` and a `version` (one, or a list), or matches
all. Such entries are read, hide all other failures there, and are reported as outdated.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

import msgspec

from conformance.errors import ConformanceError
from conformance.results.known_cases import (
    ANY_VERSION,
    KnownPlace,
    lines_of,
    place_of,
    read_cases,
    wrapped,
)
from conformance.results.lines import BROKEN, NOT_ASKED, Verdict
from conformance.results.publish import HARMFUL
from conformance.rules import catalogue


class Known(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """One entry. Without `cases` it matches all of its message and version, or of any."""

    rule: str
    verdict: Literal["fail", "crash", "hang"]
    cases: str = ""
    not_all_asked: bool = False
    message: str = ""
    version: int | list[int] | None = None
    sometimes: bool = False
    reason: str = ""
    issue: str = ""

    def places(self) -> list[KnownPlace]:
        """Return the places that it lists. Raises ValueError."""
        if self.cases:
            return list(read_cases(self.rule, self.verdict, self.cases))
        given = [self.version] if isinstance(self.version, int) else self.version
        versions = given or [ANY_VERSION]
        return [KnownPlace(self.rule, self.message, version, self.verdict) for version in versions]

    @property
    def is_wide(self) -> bool:
        """True if it hides other failures without need."""
        return not (self.cases or self.not_all_asked or self.sometimes)


class _File(msgspec.Struct, forbid_unknown_fields=True):
    known: list[Known] = []


class KnownError(ConformanceError):
    """A known-failures file can't be read."""


def read_known(path: Path) -> list[Known]:
    """Return the entries of a file. Raises KnownError."""
    try:
        entries = msgspec.convert(tomllib.loads(path.read_text("utf-8")), _File).known
        for entry in entries:
            _check(entry)
    except OSError as error:
        raise KnownError(f"{path}: {error.strerror}", "--update-known makes one") from None
    except (
        ValueError,
        msgspec.ValidationError,
    ) as error:  # errors of tomllib and UTF-8 are ValueErrors
        raise KnownError(
            f"{path}: {error}", "[[known]] tables of rule, verdict, cases, sometimes, reason, issue"
        ) from None
    for entry in entries:
        if entry.rule not in catalogue():
            near = get_close_matches(entry.rule, catalogue(), n=1)
            meant = f"did you mean {near[0]}?" if near else "`kafka-conformance rules list` has all"
            raise KnownError(f"{path}: there is no rule {entry.rule!r}", meant)
    return entries


def _check(entry: Known) -> None:
    """Raise ValueError for mistakes that the types can't show."""
    entry.places()
    if entry.cases and (entry.message or entry.version is not None):
        raise ValueError(f"an entry of {entry.rule} has `cases` beside `message` or `version`")


class Listed:
    """The entries of a known-failures file, indexed by the places that they list."""

    def __init__(self, entries: Iterable[Known]) -> None:
        self.entries = list(entries)
        self.places = {place: entry for entry in self.entries for place in entry.places()}
        self.not_all_asked = {e.rule: e for e in self.entries if e.not_all_asked}

    def entry(self, verdict: Verdict) -> Known | None:
        """Return the nearest entry that lists a failure, None if no entry does."""
        near = (self.places.get(place) for place in _around(verdict))
        listed = next((entry for entry in near if entry is not None), None)
        return listed or self.not_all_asked.get(verdict.rule)


class Expectations:
    """A comparison of a run's verdicts with the entries of a known-failures file.

    `elsewhere` are entries of another file, which is maintained separately: they are not reported
    as wide or stale, and not written again.
    """

    def __init__(self, entries: Iterable[Known], elsewhere: Iterable[Known] = ()) -> None:
        given = list(entries)
        self._elsewhere = Listed(elsewhere)
        self._listed = Listed(given)
        self._of_case = {_no_way(place) for place in self._listed.places if place.case}
        self._judged: set[KnownPlace] = set()
        self._broken: dict[KnownPlace, Known | None] = {}
        self._happened: set[KnownPlace] = set()
        self._skipped: set[str] = set()

    def take(self, verdict: Verdict) -> bool:
        """Count one verdict; return True if it is a failure that is not listed."""
        if verdict.detail.startswith(NOT_ASKED):
            self._skipped.add(verdict.rule)
        elif self._of_case and (asked := _no_way(place_of(verdict))) in self._of_case:
            self._judged.add(asked)
        if verdict.verdict not in BROKEN:
            return False
        if self._elsewhere.entry(verdict):
            return False
        entry, place = self._listed.entry(verdict), place_of(verdict)
        self._broken[_of_operation(verdict) if place.verdict in HARMFUL else place] = entry
        self._happened.update(_around(verdict))
        return entry is None

    def outdated(self) -> list[str]:
        """Return one line about entries that are wider than necessary, if there are any."""
        wide = sum(entry.is_wide for entry in self._listed.entries)
        said = f"{wide} of the entries have no `cases`, and hide whatever else fails there"
        return [said] if wide else []

    def stale(self, partial: bool) -> list[KnownPlace]:
        """Return the places that are listed and did not fail so.

        A partial run judged a selection, or was cut short: it reports only cases that it judged.
        """
        return [
            place
            for place, entry in self._listed.places.items()
            if not entry.sometimes
            and not self._has_happened(place, entry)
            and (_no_way(place) in self._judged if partial else not self._may_be_skipped(place))
        ]

    def _has_happened(self, place: KnownPlace, entry: Known) -> bool:
        if entry.not_all_asked:
            return any(broken.rule == place.rule for broken in self._broken)
        return place in self._happened

    def _may_be_skipped(self, place: KnownPlace) -> bool:
        return place.rule in self._skipped and _no_way(place) not in self._judged

    def updated(self, partial: bool) -> str:
        """Return the text of a file that lists what failed now, with the reasons given before.

        It keeps entries that fail sometimes and, after a partial run, cases that the run did not
        judge.
        """
        kept = self._kept(partial)
        found: defaultdict[_Notes, set[KnownPlace]] = defaultdict(set)
        for place, entry in self._broken.items():
            if entry not in kept and not self._ends(place):
                found[_notes(place, entry)].add(place)
        if partial:
            for place, entry in self._listed.places.items():
                if entry.cases and not entry.sometimes and _no_way(place) not in self._judged:
                    found[_notes(place, entry)].add(place)
        for rule in sorted({place.rule for place in self._broken if self._ends(place)}):
            kept = [entry for entry in kept if entry.rule != rule or entry.cases]
            kept.append(self._not_all_asked(rule))
        tables = [_table(*notes, cases=places) for notes, places in found.items()]
        return "\n".join(sorted([*tables, *map(_as_it_was, kept)]))

    def _kept(self, partial: bool) -> list[Known]:
        """Return the entries that stay unchanged, since a partial run can't narrow them."""
        return [
            entry
            for entry in self._listed.entries
            if entry.sometimes or (partial and not entry.cases)
        ]

    def _ends(self, place: KnownPlace) -> bool:
        """True if it is one of the failures after which the rest of its rule was skipped."""
        return place.rule in self._skipped and place.verdict in HARMFUL

    def _not_all_asked(self, rule: str) -> Known:
        """Return the entry for a rule with skipped cases, with the notes on its earlier entries."""
        ends = [place.verdict for place in self._broken if place.rule == rule and self._ends(place)]
        noted = [entry for entry in self._listed.entries if entry.rule == rule and not entry.cases]
        return Known(
            rule=rule,
            verdict="crash" if "crash" in ends else "hang",
            not_all_asked=True,
            sometimes=any(entry.sometimes for entry in noted),
            reason=next((entry.reason for entry in noted if entry.reason), ""),
            issue=next((entry.issue for entry in noted if entry.issue), ""),
        )


_Notes = tuple[str, str, bool, str, str]
"""The common data of the places of one entry: rule, verdict, `sometimes`, reason and issue."""


def _notes(place: KnownPlace, entry: Known | None) -> _Notes:
    given = (entry.sometimes, entry.reason, entry.issue) if entry else (False, "", "")
    return place.rule, place.verdict, *given


def _no_way(place: KnownPlace) -> KnownPlace:
    """Return the place without the verdict and the way in which the case failed."""
    return place._replace(verdict="", way="")


def _of_operation(verdict: Verdict) -> KnownPlace:
    """Return the place of a harmful failure: any case of an operation."""
    return place_of(verdict)._replace(case=verdict.op, way="")


def _around(verdict: Verdict) -> list[KnownPlace]:
    """Return the places that list a failure, the nearest first."""
    place = place_of(verdict)
    narrow = [place, _of_operation(verdict)] if verdict.verdict in HARMFUL else [place]
    return narrow + [
        KnownPlace(place.rule, message, version, place.verdict)
        for message in dict.fromkeys((place.message, ""))
        for version in dict.fromkeys((place.version, ANY_VERSION))
    ]


def _as_it_was(entry: Known) -> str:
    places = set(entry.places()) if entry.cases else set()
    versions = [entry.version] if isinstance(entry.version, int) else entry.version
    return _table(
        *_notes(KnownPlace(entry.rule, "", ANY_VERSION, entry.verdict), entry),
        cases=places,
        more={
            "message": entry.message,
            "version": versions,
            "not_all_asked": entry.not_all_asked,
        },
    )


def _table(
    rule: str,
    verdict: str,
    sometimes: bool,
    reason: str,
    issue: str,
    *,
    cases: Iterable[KnownPlace],
    more: dict[str, Any] | None = None,
) -> str:
    content = {"rule": rule, "verdict": verdict, **(more or {}), "sometimes": sometimes}
    content |= {"reason": reason, "issue": issue}
    given = {name: msgspec.json.encode(value).decode() for name, value in content.items() if value}
    text = "[[known]]\n" + "".join(f"{name} = {told}\n" for name, told in given.items())
    lines = [part for line in lines_of(cases) for part in wrapped(line)]
    return text + ("cases = '''\n" + "\n".join(lines) + "\n'''\n" if lines else "")
