"""The few annotated bytes around the place where an answer went wrong, for the report's reader.

For an answer in bytes: the expected bytes beside the actual ones, by offset, around the first byte
that differs. For an answer as a value: the bytes that were sent, around the field that differs. If
no place is known, all bytes that were sent, if they are few.
"""

from __future__ import annotations

from typing import NamedTuple

from conformance.codecs.cases.case import (
    Case,
    Expectation,
    Family,
    Reads,
    RefusesOrReads,
    RefusesOrWrites,
    Writes,
)
from conformance.codecs.judge.compare import first_telling, is_checksum
from conformance.results.lines import BEHIND, Annotated
from conformance.schema.layout import Layout
from conformance.testee_protocol import Outcome
from conformance.wire.annotated import Row, rows, value_text
from conformance.wire.errors import DecodeError
from conformance.wire.reader import UNKNOWN_TAGS, BytePart, Reader

AROUND = 2
MOST_ROWS = 8
_BYTES = 12
_BEFORE = 4
_TEXT = 40


_Layouts = tuple[tuple[Layout, str], ...]


class _Read(NamedTuple):
    """Bytes as rows without their texts, of which few are shown: the first are these parts."""

    rows: list[Row]
    parts: list[BytePart]

    def text(self, index: int) -> str:
        """Return the value of a row as short text."""
        return _short(value_text(self.parts[index])) if index < len(self.parts) else ""


class Excerpts:
    """The excerpts of a family, many of whose cases are about the same bytes."""

    def __init__(self, family: Family) -> None:
        self._family = family
        self._read: dict[tuple[bytes, tuple[int, ...]], _Read] = {}

    def of(self, case: Case, outcome: Outcome, difference: str | None) -> list[Annotated]:
        """Return at most eight rows; none if the bytes are not at hand, or say nothing."""
        expects = case.expects
        writes = expects.writes if isinstance(expects, RefusesOrWrites) else expects
        if isinstance(writes, Writes) and outcome.bytes is not None:
            paths = ("header", "") if len(writes.layouts) > 1 else ("",)
            layouts = tuple(zip(writes.layouts, paths, strict=True))
            expected = writes.options[0]
            return _beside(expected, outcome.bytes, self._rows(expected, layouts))
        if not case.request.bytes:
            return []
        cases = self._family.cases
        control_case = cases[case.control_cases[0]].expects if case.control_cases else None
        layouts = _layouts(expects) or _layouts(control_case)
        data = case.request.bytes
        return _sent(data, self._rows(data, layouts), outcome, difference)

    def _rows(self, data: bytes, layouts: _Layouts) -> _Read:
        which = data, tuple(id(layout) for layout, _ in layouts)  # which live as long as the family
        if which not in self._read:
            self._read[which] = _read(data, layouts)
        return self._read[which]


def _layouts(expects: Expectation | None) -> _Layouts:
    """Return the layouts that the bytes consist of, each with the path of its fields."""
    match expects:
        case Reads(header_layout=None):
            return ((expects.layout, ""),)
        case Reads(header_layout=Layout() as header):
            return ((header, "header"), (expects.layout, ""))
        case Writes():
            paths = ("header", "") if len(expects.layouts) > 1 else ("",)
            return tuple(zip(expects.layouts, paths, strict=True))
        case RefusesOrWrites():
            return _layouts(expects.writes)
        case RefusesOrReads():
            return _layouts(expects.reads)
    return ()


def _beside(expected: bytes, actual: bytes, read: _Read) -> list[Annotated]:
    """Return expected and actual bytes of the fields around the first byte that differs."""
    checksums = [range(row.offset, row.end) for row in read.rows if is_checksum(row)]
    at = first_telling(expected, actual, checksums)
    found = list(read.rows)
    end = len(expected)
    if len(actual) > end:
        found.append(Row(end, b"", BEHIND))
    index = _index_at(found, at)
    return [
        Annotated(
            offset=row.offset,
            bytes=_hex(row.data, row.offset, at),
            actual=_hex(actual[row.offset : row.end if row.data else None], row.offset, at),
            path=row.path,
            type=row.type,
            value=read.text(place),
            differs=place == index,
        )
        for place, row in _around(found, index)
    ]


def _sent(data: bytes, read: _Read, outcome: Outcome, difference: str | None) -> list[Annotated]:
    """The bytes that were sent, around the field that was read wrongly or the byte left unread."""
    found = read.rows
    index: int | None = None
    if difference:
        index = _index_of(found, difference)
    elif outcome.remaining and outcome.remaining > 0:
        index = _index_at(found, len(data) - outcome.remaining)
    else:
        index = next((i for i, row in enumerate(found) if row.state == "wrong"), None)
    if index is None and len(found) > MOST_ROWS:
        return []
    shown = enumerate(found) if index is None else _around(found, index)
    at = -1 if index is None else found[index].offset
    return [
        Annotated(
            offset=row.offset,
            bytes=_hex(row.data, row.offset, at),
            path=row.path or f"({row.state})",
            type=row.type,
            value=_short(row.says) if row.state == "wrong" else read.text(place),
            differs=place == index,
        )
        for place, row in shown
    ]


def _read(data: bytes, layouts: _Layouts) -> _Read:
    parts: list[BytePart] = []
    reader = Reader(data, 0, parts)
    try:
        for layout, path in layouts:
            reader.struct(layout, path)
    except DecodeError as error:
        return _Read(rows(data, parts, 0, error, text_of=_no_text), parts)
    return _Read(rows(data, parts, text_of=_no_text), parts)


def _no_text(part: BytePart) -> str:  # noqa: ARG001
    return ""


def _around(found: list[Row], index: int) -> list[tuple[int, Row]]:
    first = max(index - AROUND, 0)
    return list(enumerate(found[first : index + AROUND + 1], first))


def _index_at(found: list[Row], offset: int) -> int:
    """The row that holds the byte at an offset, else the last."""
    holders = (i for i, row in enumerate(found) if row.offset <= offset < row.end)
    return next(holders, len(found) - 1)


def _index_of(found: list[Row], difference: str) -> int | None:
    """The row of the field that a difference in words begins with."""
    path, _, _ = difference.removeprefix("header ").partition(": ")
    path = path.replace(UNKNOWN_TAGS, "_tags")
    if difference.startswith("header "):
        path = f"header.{path}"
    for ending in ("", "(length)", "(marker)"):
        for index, row in enumerate(found):
            if row.path == path + ending:
                return index
    inside = (i for i, row in enumerate(found) if row.path.startswith(path))
    return next(inside, None)


def _hex(raw: bytes, offset: int, at: int) -> str:
    """A dozen bytes, from a little before the place that matters if that is among them."""
    start = max(at - offset - _BEFORE, 0) if offset <= at < offset + len(raw) else 0
    start = min(start, max(len(raw) - _BYTES, 0))
    piece = raw[start : start + _BYTES].hex(" ")
    before = "… " if start else ""
    return f"{before}{piece} …" if start + _BYTES < len(raw) else before + piece


def _short(text: str) -> str:
    return text if len(text) <= _TEXT else f"{text[: _TEXT - 1]}…"
