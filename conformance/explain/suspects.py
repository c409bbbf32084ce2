"""The count or length that may be the culprit where bytes can't be read to their end.

A wrong count is noticed only behind it, at a byte that is right by itself. Each count and length up
to there is tried with other values; it is named if exactly one change makes all bytes readable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from conformance.explain.explainer import HEADER, LENGTH, Explainer
from conformance.explain.explanation import Explanation
from conformance.wire.annotated import Row
from conformance.wire.byte_reader import ENDS_HERE

_ENDINGS = ("(length)", "(count)")
_WIDTHS = {"int16": 2, "int32": 4}
_SEVEN_BITS = 0x7F
_FARTHEST = 16
"""The largest distance of a value from the right one: numbers farther apart are seldom mixed up."""
_MOST_BYTES = 4096
_MOST_TRIED = 32


def with_suspect(found: Explanation, release: str, *, lenient: bool) -> Explanation:
    """Return an explanation with a note on the only count that makes all readable, if one does."""
    data = b"".join(row.data for row in found.rows)
    if not found.wrong or found.form is None or len(data) > _MOST_BYTES or _is_cut(found):
        return found
    has_length = found.rows[0].path == LENGTH
    explainer = Explainer(release, lenient=lenient, length=has_length)
    fitting = []
    for row in _counts(found):
        for value in _others(row):
            changed = data[: row.offset] + _written(row, value) + data[row.end :]
            if _is_right(_again(explainer, found, changed)):
                fitting.append(f"if {row.path} at byte {row.offset} were {value}")
                if len(fitting) > 1:
                    return found
    if not fitting:
        return found
    return replace(found, notes=(*found.notes, f"{fitting[0]}, all would be read"))


def _is_cut(found: Explanation) -> bool:
    return any(row.says.startswith(ENDS_HERE) for row in found.wrong)


def _counts(found: Explanation) -> Iterator[Row]:
    """Yield the counts and lengths up to the first fault, the nearest ones if they are many."""
    first = found.wrong[0].offset
    rows = [
        row
        for row in found.rows
        if row.path.endswith(_ENDINGS) and row.path != LENGTH and row.offset <= first and row.data
    ]
    yield from rows[-_MOST_TRIED:]


def _others(row: Row) -> Iterator[int]:
    """Yield the values near one that its bytes have room for, without null."""
    if not isinstance(row.value, int) or row.place is not None:
        return
    is_compact = row.type == "uvarint" and row.path.endswith(_ENDINGS[0])
    said = row.value - is_compact
    most = _SEVEN_BITS - is_compact if row.type == "uvarint" else said + _FARTHEST
    if row.type not in (*_WIDTHS, "uvarint") or len(row.data) != _WIDTHS.get(row.type, 1):
        return
    for value in range(max(said - _FARTHEST, 0), min(said + _FARTHEST, most) + 1):
        if value != said:
            yield value


def _written(row: Row, value: int) -> bytes:
    if row.type == "uvarint":
        return bytes([value + row.path.endswith(_ENDINGS[0])])
    return value.to_bytes(_WIDTHS[row.type], "big")


def _again(explainer: Explainer, found: Explanation, data: bytes) -> Explanation:
    """Explain changed bytes as what they were explained as."""
    form = found.form
    assert form is not None
    if not any(row.path.startswith(f"{HEADER}.") for row in found.rows):
        return explainer.body(data, form.message, form.version)
    if form.type == "request":
        return explainer.request(data, form.message, form.version)
    return explainer.response(data, form.message, form.version)


def _is_right(found: Explanation) -> bool:
    return not found.wrong and not found.undecided and found.is_printable
