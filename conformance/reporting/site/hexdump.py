"""Bytes in two columns: expected and received ones, field beside field.

The caller passes in a function that finds the fields: this package knows results, and nothing of
the protocol. Fields of one path stand side by side even if different numbers of bytes precede them.
The first wrong byte is the first that differs, or the one that the judge or the reader points at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any, Literal

Kind = Literal["body", "request", "response", "requests", "responses"]

MOST_ROWS = 160
_MOST_BYTES = 96
_BEFORE = 24
_LONG_TEXT = 160
_LINE = 16


@dataclass(frozen=True)
class DumpedField:
    """A run of bytes: its field, its value, and its fault."""

    offset: int
    data: bytes
    path: str = ""
    type: str = ""
    value: str = ""
    says: str = ""
    wrong: bool = False


@dataclass(frozen=True)
class Dumped:
    """Bytes whose fields may be known: of this message, read in this way."""

    data: bytes
    kind: Kind
    message: str
    version: int
    definitions: str


Annotate = Callable[[Dumped], list[DumpedField]]
"""The fields of bytes, without gap from the first to the last; none if they are unknown."""

Pair = tuple[DumpedField | None, DumpedField | None]


@dataclass(frozen=True)
class Dump:
    """Rows of two columns, or of one. `first` is the offset of the first wrong byte, or None."""

    left: str
    right: str
    rows: list[Pair]
    first: int | None
    left_out: int = 0

    def data(self) -> dict[str, Any]:
        """Return the data for a page; a row is offset, hex, bytes left out, …, path, type, …."""
        return {
            "kind": "bytes",
            "left": self.left,
            "right": self.right,
            "first": self.first,
            "leftOut": self.left_out,
            "rows": [self._row(*pair) for pair in self.rows],
        }

    def _row(self, left: DumpedField | None, right: DumpedField | None) -> list[Any]:
        named = left or right
        assert named is not None
        row = [*self._bytes(left), *self._bytes(right)]
        texts = (named.path, named.type, left.value if left else "", right.value if right else "")
        says = "; ".join(dict.fromkeys(each.says for each in (left, right) if each and each.says))
        wrong = any(each and each.wrong for each in (left, right))
        return [*row, *(text[:_LONG_TEXT] for text in (*texts, says)), int(wrong)]

    def _bytes(self, field: DumpedField | None) -> tuple[int, str, int]:
        """Return offset, hex, and how many bytes are left out after them."""
        if field is None:
            return -1, "", 0
        start = 0
        if self.first is not None and field.offset <= self.first < field.offset + len(field.data):
            start = max(0, self.first - field.offset - _BEFORE)
        shown = field.data[start : start + _MOST_BYTES]
        return field.offset + start, shown.hex(), len(field.data) - start - len(shown)


def beside(titles: tuple[str, str], left: list[DumpedField], right: list[DumpedField]) -> Dump:
    """Return a dump of expected and received bytes, field by field."""
    one, other = _data(left), _data(right)
    first = None if one == other else _first_difference(one, other)
    rows = list(_aligned(left, right))
    return _cut(Dump(*titles, rows, first))


def alone(title: str, fields: list[DumpedField], first: int | None) -> Dump:
    """Return a dump of one column; `first` defaults to the first field marked as wrong."""
    if first is None:
        first = next((field.offset for field in fields if field.wrong), None)
    return _cut(Dump(title, "", [(field, None) for field in fields], first))


def unnamed(data: bytes, like: Sequence[DumpedField] = ()) -> list[DumpedField]:
    """Return bytes as unnamed fields: in lines, or cut like the fields to compare with."""
    edges = [field.offset + len(field.data) for field in like] or list(
        range(_LINE, len(data), _LINE)
    )
    inner = sorted({edge for edge in edges if 0 < edge < len(data)})
    starts = [0, *inner] if data else []
    names = {field.offset: field for field in like}
    return [
        replace(
            names.get(start, DumpedField(start, b"")), offset=start, data=data[start:end], value=""
        )
        for start, end in zip(starts, [*inner, len(data)], strict=False)
    ]


def _data(fields: list[DumpedField]) -> bytes:
    return b"".join(field.data for field in fields)


def _first_difference(one: bytes, other: bytes) -> int:
    pairs = zip(one, other, strict=False)
    shorter = min(len(one), len(other))
    return next((at for at, (a, b) in enumerate(pairs) if a != b), shorter)


def _aligned(left: list[DumpedField], right: list[DumpedField]) -> Iterator[Pair]:
    if max(len(left), len(right)) > 4 * MOST_ROWS:  # too many to be aligned by their names
        yield from _paired(left, right)
        return
    matcher = SequenceMatcher(None, _names(left), _names(right), autojunk=False)
    for _, left_start, left_end, right_start, right_end in matcher.get_opcodes():
        yield from _paired(left[left_start:left_end], right[right_start:right_end])


def _names(fields: list[DumpedField]) -> list[tuple[str, str]]:
    return [(field.path, field.type) for field in fields]


def _paired(left: list[DumpedField], right: list[DumpedField]) -> Iterator[Pair]:
    """Yield the fields side by side if both sides have as many, else one side above the other."""
    if len(left) == len(right):
        yield from zip(left, right, strict=True)
        return
    yield from ((field, None) for field in left)
    yield from ((None, field) for field in right)


def _cut(dump: Dump) -> Dump:
    """Return the dump with only the rows around the first wrong byte, if there are too many."""
    if len(dump.rows) <= MOST_ROWS:
        return dump
    at = 0
    if dump.first is not None:
        at = next((n for n, pair in enumerate(dump.rows) if _holds(pair, dump.first)), 0)
    start = max(0, min(at - MOST_ROWS // 2, len(dump.rows) - MOST_ROWS))
    rows = dump.rows[start : start + MOST_ROWS]
    return replace(dump, rows=rows, left_out=len(dump.rows) - len(rows))


def _holds(pair: Pair, offset: int) -> bool:
    return any(each and each.offset <= offset < each.offset + len(each.data) for each in pair)
