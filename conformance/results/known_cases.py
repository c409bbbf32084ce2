"""The lines of an entry in a known-failures file: cases, where they fail, and in which way.

    empty-nested/decode empty-nested/roundtrip [members.id]: SyncGroupRequest 3-6,9, VoteRequest 1

This line has two cases, each in five versions of one message and in one of another, that differ
from the expected result at `members.id`. The brackets hold the way in which a case fails: the first
field that differs, `refused`, `taken` or `unsupported`; there are no brackets where the way does
not distinguish failures, as with brokers and clients. A failure that ends or stalls a target is
listed by its operation alone, so that a published file does not show how to cause it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from textwrap import wrap
from typing import NamedTuple

from conformance.results.lines import Verdict
from conformance.results.publish import HARMFUL
from conformance.results.text import runs

ANY_VERSION = -1
WIDTH = 118
_LINE = re.compile(r"(?P<cases>\S+(?: \S+)*?)(?: \[(?P<way>[^\s\]]+)\])?: (?P<where>\w.*)")
_WHERE = re.compile(r"(?P<message>\w+)(?: (?P<versions>\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*))?")
_UNTOLD = re.compile(r"\[[^\]]*\]|[^\w.()-]")
_REFUSALS = {"rejected": "refused", "unsupported": "unsupported"}


class KnownPlace(NamedTuple):
    """A known failure: a rule, a case in one version of a message, and the way that it failed.

    `case` is a name without message and version.
    `case` "" is any case of the message and version; `message` "" is any message, `version` -1 any.
    """

    rule: str
    message: str
    version: int
    verdict: str
    case: str = ""
    way: str = ""


def place_of(verdict: Verdict) -> KnownPlace:
    """Return the case that a verdict is about, and how it failed."""
    name = verdict.case.removeprefix(verdict.message)
    name = name.removeprefix(f"-v{verdict.version}").lstrip("-/")
    kind = verdict.verdict
    return KnownPlace(
        verdict.rule, verdict.message, verdict.version, kind, name, _how_failed(verdict)
    )


def entry_lines(places: Iterable[KnownPlace]) -> list[str]:
    """Return a line for each entry that lists these places, or would list them."""
    alike: defaultdict[tuple[str, str], list[KnownPlace]] = defaultdict(list)
    for place in places:
        alike[place.verdict, place.rule].append(place)
    return [
        f"{verdict} of {rule} on {line}"
        for (verdict, rule), found in alike.items()
        for line in [*_wide(found), *lines_of(place for place in found if place.case)]
    ]


def _wide(places: Iterable[KnownPlace]) -> Iterator[str]:
    for place in places:
        version = "any version" if place.version == ANY_VERSION else f"version {place.version}"
        if not place.case:
            yield f"{place.message or 'any message'}, {version}"


def lines_of(places: Iterable[KnownPlace]) -> list[str]:
    """Return the lines that list these places, which are of one rule and verdict."""
    fails: defaultdict[tuple[str, str], set[tuple[str, int]]] = defaultdict(set)
    for place in places:
        fails[place.case, place.way].add((place.message, place.version))
    cases: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for (case, way), found in sorted(fails.items()):
        cases[f" [{way}]" * bool(way), _where(found)].append(case)
    return [f"{' '.join(names)}{way}: {where}" for (way, where), names in cases.items()]


def wrapped(line: str) -> list[str]:
    """Return a line broken into several, all but the first indented."""
    return wrap(line, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def read_cases(rule: str, verdict: str, text: str) -> Iterator[KnownPlace]:
    """Yield the places that an entry's lines list. Raises ValueError with the first wrong line."""
    for line in re.sub(r"\n[ \t]+", " ", text).strip().splitlines():
        found = _LINE.fullmatch(line)
        if found is None:
            raise ValueError(f"no line of CASES [HOW]: MESSAGE VERSIONS, ...: {line!r}")
        for message, version in _read_where(found["where"]):
            for case in found["cases"].split():
                yield KnownPlace(rule, message, version, verdict, case, found["way"] or "")


def _how_failed(verdict: Verdict) -> str:
    """Return how a codec's case failed; "" for crashes, hangs, and targets of other kinds."""
    if verdict.verdict in HARMFUL:
        return ""
    if verdict.outcome != "value":
        return _REFUSALS.get(verdict.outcome, "")
    if isinstance(verdict.expected, str) and verdict.expected.startswith("refused:"):
        return "taken"
    row = next((row for row in verdict.annotated if row.differs), None)
    path = row.path if row else (verdict.first_difference or "").partition(":")[0]
    return _UNTOLD.sub("", path)


def _where(found: Iterable[tuple[str, int]]) -> str:
    """Return text like `SyncGroupRequest 0-3,5, VoteRequest 1`; -1 adds no version."""
    versions: defaultdict[str, list[int]] = defaultdict(list)
    for message, version in sorted(found):
        versions[message] += [version] if version != ANY_VERSION else []
    return ", ".join(f"{message} {_ranges(each)}".rstrip() for message, each in versions.items())


def _read_where(text: str) -> Iterator[tuple[str, int]]:
    for part in text.split(", "):
        found = _WHERE.fullmatch(part)
        if found is None:
            raise ValueError(f"no MESSAGE VERSIONS, such as SyncGroupRequest 0-3,5: {part!r}")
        yield from ((found["message"], version) for version in _versions(found["versions"]))


def _ranges(versions: Iterable[int]) -> str:
    """Return versions as ranges, such as `0-3,5`."""
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in runs(versions))


def _versions(text: str | None) -> Iterator[int]:
    if text is None:
        yield ANY_VERSION
        return
    for part in text.split(","):
        low, _, high = part.partition("-")
        yield from range(int(low), int(high or low) + 1)
