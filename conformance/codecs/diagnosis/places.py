"""The kind of place at which an answer differs from the expected one: an INT64, a length, a tag.

A diagnosis has to fit that place. If nothing differs but values of one type, the cause is in that
type, whatever rules the cases were made for.
"""

from __future__ import annotations

import re
from typing import Any

from conformance.codecs.cases.case import Case, Reads, RefusesOrReads, RefusesOrWrites, Writes
from conformance.codecs.judge.compare import END, PART, Difference, differences, written_differences
from conformance.results.lines import Verdict
from conformance.wire.byte_reader import FORMATS

_ALONE = frozenset({*FORMATS, "string", END})
"""The kinds that have one cause if nothing else differs.

Lengths, counts and parts of tags are left out: many defects change them.
"""
_PLACE = re.compile(r"^offset \d+ \((?P<path>.*), (?P<kind>\w+)\)|^(?P<field>[^:]+):")
"""A first difference: of bytes, with its path and type, or of a value, with its path."""
_INDEX = re.compile(r"\[\d+\]")
"""The number of an element in a path."""


def only_kind(case: Case, verdict: Verdict) -> str:
    """Return the one kind of value in which an answer differs, "" for several or none."""
    kinds = _kinds(case, verdict)
    return next(iter(kinds)) if len(kinds) == 1 and kinds <= _ALONE else ""


def is_at_another_place(one: str | None, other: str | None) -> bool:
    """True if two first differences are known and are at different kinds of places.

    In bytes a kind is a type, a length or a part of a tag; in values it is the path of a field.
    """
    places = [_place(each) for each in (one, other) if each]
    return len(places) == 2 and all(places) and places[0] != places[1]


def _place(difference: str) -> str:
    """Return the kind of place of a first difference, "" if its words have none."""
    found = _PLACE.match(difference)
    if found is None:
        return ""
    if found["field"]:
        return _INDEX.sub("[]", found["field"])
    part = PART.search(found["path"])
    return f"{found['kind']} {part[0] if part else ''}"


def fields_that_differ(case: Case, verdict: Verdict) -> frozenset[str]:
    """Return the paths of all fields that differ, none if the answer is no readable value."""
    found = _differences(case, verdict)
    return frozenset(_INDEX.sub("[]", each.text.partition(":")[0]) for each in found)


def _kinds(case: Case, verdict: Verdict) -> frozenset[str]:
    """Return the kinds of all places that differ, none if the answer is no readable value."""
    return frozenset(each.kind for each in _differences(case, verdict))


def _differences(case: Case, verdict: Verdict) -> list[Difference]:
    """Return all places that differ, none if the answer is no readable value."""
    if verdict.outcome != "value" or verdict.verdict != "fail":
        return []
    match case.expects:
        case Reads() as reads:
            return _of_values(reads, verdict.actual)
        case RefusesOrReads(reads=reads):
            return _of_values(reads, verdict.actual)
        case Writes() as writes:
            return written_differences(writes, _written(verdict.actual))
        case RefusesOrWrites(writes=writes):
            return written_differences(writes, _written(verdict.actual))
    return []


def _of_values(expects: Reads, actual: Any) -> list[Difference]:
    """Return the places in which a decoded header and value differ."""
    found: list[Difference] = []
    if expects.header_layout is not None:
        if not isinstance(actual, dict) or actual.keys() != {"header", "value"}:
            return found
        header, actual = actual["header"], actual["value"]
        found += differences(expects.header_layout, expects.header, header)
    return [*found, *differences(expects.layout, expects.value, actual, expects.keeps_tags)]


def _written(actual: Any) -> bytes:
    """Return the bytes that a target wrote, none if its answer is no bytes."""
    return bytes.fromhex(actual) if isinstance(actual, str) else b""
