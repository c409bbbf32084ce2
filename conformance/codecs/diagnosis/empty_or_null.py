"""Null taken for empty, or of another width, and a last tag section that is left out.

Many languages have one value for null and for empty, so that a codec confuses them wherever its
author did not think of it: in some messages, on one side, in one direction. A mutant that confuses
them everywhere is contradicted by all other messages, but the answers show the confusion.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from conformance.codecs.cases.case import Writes, reads_of, writes_of
from conformance.codecs.diagnosis.shown import (
    Failed,
    Find,
    and_more,
    differences_of,
    failed_of,
    of_all,
)
from conformance.codecs.judge.compare import Difference, differences
from conformance.reporting.findings import Cause
from conformance.reporting.observed import Observed
from conformance.reporting.sorts import Sort
from conformance.schema.layout import Layout
from conformance.wire.errors import DecodeError
from conformance.wire.reader import Reader, annotate

_CONFUSED = re.compile(r': expected (?P<due>null|\[\]|""), got (?P<got>null|\[\]|"")$')
_NULL = b"\xff\xff"
_INDEX = re.compile(r"\[\d+\]")
_LAST_SECTION = re.compile(r"\(_tags\(count\), uvarint\): expected \w\w, got the end$")
_LEADS = {
    (True, "array"): ("primitives.null-array", "compact.null-is-zero"),
    (True, "string"): ("primitives.null-string", "compact.null-is-zero"),
    (True, "bytes"): ("primitives.null-bytes", "compact.null-is-zero"),
    (False, "array"): ("primitives.empty-array-not-null", "compact.empty-is-one"),
    (False, "string"): ("primitives.empty-string-not-null", "compact.empty-is-one"),
    (False, "bytes"): ("primitives.empty-bytes-not-null", "compact.empty-is-one"),
}
"""The rules on the plain and on the compact form, by whether null is given, and by type."""
_EMPTY = {"array": "an empty array", "string": "an empty string", "bytes": "empty bytes"}


class _Confusion(NamedTuple):
    """Null or empty, given in a field of a type, which the codec takes for the other."""

    is_null: bool
    type: str


def empty_or_null(sorts: Mapping[Sort, Cause], find: Find) -> dict[Sort, Observed]:
    """Return the sorts whose answers are right but for null that is empty, or the reverse."""
    failed = list(failed_of(sorts, find))
    confused: dict[_Confusion, set[Sort]] = defaultdict(set)
    for confusion in dict.fromkeys(filter(None, map(_confusion, failed))):
        confused[confusion] = of_all(failed, partial(_differs_so, confusion))
    found: dict[Sort, Observed] = {}
    for confusion, own in confused.items():
        if own:
            of_own = [each for each in failed if each.sort in own]
            found |= dict.fromkeys(own, _observed(confusion, of_own))
    return found


def wide_nulls(sorts: Mapping[Sort, Cause], find: Find) -> dict[Sort, Observed]:
    """Return the sorts whose bytes are right but for null strings, which have four bytes."""
    failed = list(failed_of(sorts, find))
    own = of_all(failed, _has_wide_nulls)
    if not own:
        return {}
    messages = sorted({each.verdict.message for each in failed if each.sort in own})
    said = f"writes a null string as the INT32 -1, in {and_more(messages)}"
    remedy = "Write a null string as the INT16 -1: two bytes FF, and nothing after them."
    return dict.fromkeys(own, Observed(said, "primitives.null-string", remedy=remedy))


def _has_wide_nulls(each: Failed) -> bool:
    """True if the bytes of an answer are right once each null string has four bytes."""
    writes, actual = writes_of(each.case), each.verdict.actual
    if writes is None or not isinstance(actual, str):
        return False
    due = writes.options[0]
    parts, _ = annotate(writes.layouts, due)
    nulls = [one for one in parts if one.kind == "int16" and one.path.endswith("(length)")]
    wide = bytearray(due)
    for one in reversed(nulls):
        if due[one.offset : one.offset + one.length] == _NULL:
            wide[one.offset : one.offset] = _NULL
    return len(wide) > len(due) and actual == wide.hex()


def no_last_section(sorts: Mapping[Sort, Cause], find: Find) -> dict[Sort, Observed]:
    """Return the sorts of the one message whose bytes are right but for the section at their end.

    If several messages lack it, or the message fails otherwise as well, it is left to the search.
    """
    failed = list(failed_of(sorts, find))
    own = of_all(failed, _lacks_last_section)
    messages = {each.verdict.message for each in failed if each.sort in own}
    if len(messages) != 1:
        return {}
    [message] = messages
    if any(each.verdict.message == message and each.sort not in own for each in failed):
        return {}
    said = f"leaves out the tag section at the end of {message}"
    return dict.fromkeys(own, Observed(said, "tags.section-ends-struct"))


def _differs_so(confusion: _Confusion, each: Failed) -> bool:
    return _confusion(each) == confusion


def _confusion(each: Failed) -> _Confusion | None:
    """Return the one confusion in which an answer differs, None if it differs otherwise."""
    reads, writes = reads_of(each.case), writes_of(each.case)
    if writes is not None:
        layout, found = writes.layouts[-1], _written(writes, each.verdict.actual)
    elif reads is not None:
        layout, found = reads.layout, differences_of(each)
    else:
        return None
    confusions = {_of_difference(layout, one) for one in found}
    return next(iter(confusions)) if len(confusions) == 1 else None


def _written(writes: Writes, actual: Any) -> list[Difference]:
    """Return all places where the value of written bytes differs, none if they are malformed."""
    if not isinstance(actual, str):
        return []
    try:
        due, came = (Reader(data) for data in (writes.options[0], bytes.fromhex(actual)))
        pairs = [(each, due.struct(each), came.struct(each)) for each in writes.layouts]
    except (DecodeError, ValueError):
        return []
    return [] if came.remaining else [one for pair in pairs for one in differences(*pair)]


def _of_difference(layout: Layout, one: Difference) -> _Confusion | None:
    """Return the confusion at one place, None if the place differs otherwise."""
    said, type_ = _CONFUSED.search(one.text), _type_at(layout, one)
    if said is None or type_ not in _EMPTY or said["due"] == said["got"]:
        return None
    return _Confusion(said["due"] == "null", type_)


def _type_at(layout: Layout | None, one: Difference) -> str:
    """Return the kind of the type of the field that differs, "" if it is not found."""
    kind = ""
    for name in _INDEX.sub("", one.text.partition(":")[0]).split("."):
        fields = (*layout.fields, *layout.tagged) if layout else ()
        item = next((item for item in fields if item.name == name), None)
        if item is None:
            return ""
        kind = item.type.kind
        inner = item.type.element or item.type
        layout = inner.struct
    return kind


def _observed(confusion: _Confusion, failed: Sequence[Failed]) -> Observed:
    sides = {each.verdict.op.partition("-")[0] for each in failed}
    verbs = [verb for op, verb in (("decode", "reads"), ("encode", "writes")) if op in sides]
    empty = _EMPTY[confusion.type]
    given, got = ("null", empty) if confusion.is_null else (empty, "null")
    messages = sorted({each.verdict.message for each in failed})
    counts = Counter(rule for each in failed for rule in each.sort[0])
    lead = max(_LEADS[confusion], key=lambda rule: counts[rule])
    said = f"{' and '.join(verbs) or 'reads or writes'} {given} as {got}, in {and_more(messages)}"
    return Observed(said, lead)


def _lacks_last_section(each: Failed) -> bool:
    """True if the bytes of an answer end where the tag section of the message begins."""
    verdict = each.verdict
    due = str(verdict.expected).removeprefix("refused, or ")
    is_short = due.startswith(str(verdict.actual))
    return is_short and bool(_LAST_SECTION.search(verdict.first_difference or ""))
