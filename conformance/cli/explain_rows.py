"""Rows of bytes as lines of text that are no wider than a terminal.

If whole paths have no room, a field stands below the element of an array that contains it, which
has a line of its own. Text that has no room beside the bytes goes below them, in lines that are
broken at blanks.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from conformance.explain import Explanation
from conformance.explain.names import unknown_tag
from conformance.wire.annotated import Row
from conformance.wire.byte_reader import ENDS_HERE

WIDTH = 80
"""The number of columns if no terminal reports its own."""
_LONG_LINE = 16
_SHORT_LINE = 8
_LAYOUTS = ((_LONG_LINE, False), (_SHORT_LINE, False), (_SHORT_LINE, True))
"""The bytes of a line, and if fields stand below their structs; the first that fits is used."""
_LINES = 4
_UNREAD_LINES = 64
"""The lines of bytes that could not be read, which a reader of the output has to look at."""
_LETTERS = 60
_BASE64_AND_TEXT = re.compile(r'"(?P<base64>[0-9A-Za-z+/=_-]*)" \((?P<text>.*)\)')
_TEXT_AND_BASE64 = re.compile(r'"(?P<text>.*)" \(base64 (?P<base64>[0-9A-Za-z+/=_-]*)\)')
_BASE64_LETTERS = 16
_NAME = 24
_INSIDE = "in the decompressed records, with offsets there:"
_OUTSIDE = "after the compressed records:"
_GAP = "  "
_NO_BREAK = "\u00a0"
_STRUCT = re.compile(r"(?P<struct>.*\])\.(?P<field>[^\]]*(?:\[\d+\](?:\(\w+\))?)?)")


class Span(NamedTuple):
    """Text and its role: a column's name, "title", "note", "struct" or a row's state."""

    text: str
    style: str = ""


Line = list[Span]


@dataclass(frozen=True, slots=True)
class _Shown:
    """The cells of a row."""

    row: Row
    offset: str
    raw: list[str]
    struct: str
    field: str
    value: str
    remark: str


def lines(explanation: Explanation, *, full: bool, width: int = WIDTH) -> Iterator[Line]:
    """Yield all lines of an explanation: its title, its notes, its rows, and its faults."""
    yield from _titles(explanation.title, width)
    for note in explanation.notes:
        yield from _wrapped(note, width, "note")
    yield from row_lines(explanation.rows, full=full, width=width)
    for line in closing(explanation):
        yield from _wrapped(line, width, "wrong" if explanation.wrong else "forgiven")


def plain_lines(explanation: Explanation, full: bool, width: int = WIDTH) -> Iterator[str]:
    """Yield aligned columns without colours, no wider than `width`."""
    for line in lines(explanation, full=full, width=width):
        yield "".join(span.text for span in line).rstrip()


def row_lines(rows: Sequence[Row], *, full: bool, width: int = WIDTH) -> Iterator[Line]:
    """Yield the rows in columns."""
    for bytes_a_line, relative in _LAYOUTS:
        cells = [_shown(row, full, bytes_a_line, relative=relative) for row in rows]
        columns = _Columns(cells, width, whole=full)
        if columns.fits(cells):
            break
    struct, is_inside = "", False
    for cell in cells:
        if (cell.row.place is None) == is_inside:
            is_inside = not is_inside
            yield from _wrapped(_INSIDE if is_inside else _OUTSIDE, width, "note")
            struct = ""
        if cell.struct != struct and cell.struct:
            yield from _wrapped(f"{cell.struct}:", width, "struct")
        struct = cell.struct
        yield from columns.lines(cell)


def closing(explanation: Explanation) -> Iterator[str]:
    """Yield a line for each byte or field that is wrong or special."""
    names = {"forgiven": "forgiven", "left over": "left over", "wrong": "malformed"}
    for state, name in names.items():
        for row in explanation.rows:
            if row.state == state:
                word = "cut" if _is_cut(row) else name
                yield f"{word}: {_place(row)}, {row.path or 'message'}: {row.says}"


def _is_cut(row: Row) -> bool:
    """True if a row is where bytes that were cut end."""
    return row.state == "wrong" and row.says.startswith(ENDS_HERE)


def _place(row: Row) -> str:
    if row.place is None:
        return f"offset {row.offset}"
    return f"in the decompressed records, offset {row.place}"


def _titles(title: str, width: int) -> Iterator[Line]:
    """Yield a title, broken at its commas if it is too long."""
    whole = ", ".join(part.replace(" ", _NO_BREAK) for part in title.split(", "))
    for line in _wrapped(whole, width, "title"):
        yield [Span(span.text.replace(_NO_BREAK, " "), span.style) for span in line]


def _wrapped(text: str, width: int, style: str) -> Iterator[Line]:
    for line in textwrap.wrap(text, width, subsequent_indent="  ") or [""]:
        yield [Span(line, style)]


class _Columns:
    """The widths of the columns of some rows."""

    def __init__(self, cells: Sequence[_Shown], width: int, *, whole: bool) -> None:
        self.width = width
        self.whole = whole
        self.offset = max((len(cell.offset) for cell in cells), default=0)
        self.raw = max((len(line) for cell in cells for line in cell.raw), default=0)
        longest = max((len(cell.field) for cell in cells), default=0)
        self.field = min(longest, _NAME)
        self.type = max((len(cell.row.type) for cell in cells), default=0)
        self.indent = self.offset + len(_GAP) + self.raw + len(_GAP)

    def fits(self, cells: Sequence[_Shown]) -> bool:
        """True if each row is one line, no wider than the width."""
        return all(not self._said(cell)[1] for cell in cells)

    def lines(self, cell: _Shown) -> Iterator[Line]:
        """Yield the lines of a row: one, and more below for text that has no room in it."""
        first, *more = cell.raw
        beside, below = self._said(cell)
        yield self._spans(cell, first, beside)
        style = _style(cell, "value")
        for index in range(max(len(more), len(below))):
            raw = more[index] if index < len(more) else ""
            text = below[index] if index < len(below) else ""
            yield [
                Span(" " * (self.offset + len(_GAP))),
                Span(f"{raw:<{self.raw}}", _style(cell, "bytes")),
                Span(f"{_GAP}  {text}" if text else "", style),
            ]

    def _said(self, cell: _Shown) -> tuple[str, list[str]]:
        """Return the text beside a field and its type, and the lines below for the rest."""
        said = "  ".join(filter(None, (cell.value, cell.remark)))
        if self._has_room(cell, said):
            return said, []
        if self._has_room(cell, cell.value):
            return cell.value, self._broken(cell.remark)
        return "", [*self._broken(cell.value), *self._broken(cell.remark)]

    def _has_room(self, cell: _Shown, said: str) -> bool:
        spans = self._spans(cell, cell.raw[0], said)
        return sum(len(span.text) for span in spans) <= self.width

    def _broken(self, text: str) -> list[str]:
        room = max(self.width - self.indent - len(_GAP), 20)
        return textwrap.wrap(text, room, break_on_hyphens=False, break_long_words=not self.whole)

    def _spans(self, cell: _Shown, raw: str, said: str) -> Line:
        field = f"{cell.field:<{self.field}}"
        line = [
            Span(f"{cell.offset:>{self.offset}}{_GAP}", _style(cell, "offset")),
            Span(f"{raw:<{self.raw}}{_GAP}", _style(cell, "bytes")),
            Span(f"{field}{_GAP}", _style(cell, "field")),
            Span(f"{cell.row.type:<{self.type}}{_GAP}", _style(cell, "type")),
            Span(said, _style(cell, "value")),
        ]
        while line and not line[-1].text.strip():
            line.pop()
        line[-1] = Span(line[-1].text.rstrip(), line[-1].style)
        return line


def _style(cell: _Shown, column: str) -> str:
    return column if cell.row.state == "read" else cell.row.state


def _shown(row: Row, full: bool, bytes_a_line: int, *, relative: bool) -> _Shown:
    found = _STRUCT.fullmatch(row.path) if relative else None
    struct, field = (found["struct"], f".{found['field']}") if found else ("", row.path)
    states = {"read": "", "wrong": "WRONG", "not read": ""}
    mark = "CUT" if _is_cut(row) else states.get(row.state, row.state)
    says = row.says or unknown_tag(row)
    remark = f"<- {': '.join(filter(None, (mark, says)))}" if mark or says else ""
    is_unread = row.state not in ("read", "forgiven")
    text = _text_first(row.text)
    return _Shown(
        row,
        str(row.offset if row.place is None else row.place),
        _hex(row.data or row.plain, full, bytes_a_line, _UNREAD_LINES if is_unread else _LINES),
        struct,
        field or f"({row.state})",
        text if full else _cut(text),
        remark,
    )


def _hex(raw: bytes, full: bool, bytes_a_line: int, lines: int) -> list[str]:
    """Return hex in lines; of many lines only the first few."""
    starts = range(0, len(raw), bytes_a_line)
    found = [raw[at : at + bytes_a_line].hex(" ") for at in starts] or [""]
    most = lines * _LONG_LINE // bytes_a_line
    if full or len(found) <= most:
        return found
    return [*found[:most], f"and {len(raw) - most * bytes_a_line} bytes more"]


def _text_first(text: str) -> str:
    """Return bytes as text with their base64 behind it, if they are text; else as they are."""
    both = _BASE64_AND_TEXT.fullmatch(text)
    if not both:
        return text
    return f"{json.dumps(both['text'], ensure_ascii=False)} (base64 {both['base64']})"


def _cut(text: str) -> str:
    """Return a text cut to a length; of text with its base64, less of the base64."""
    if len(text) <= _LETTERS:
        return text
    if both := _TEXT_AND_BASE64.fullmatch(text):
        words, base64 = both["text"], both["base64"]
        if len(words) > _LETTERS:
            words = f"{words[:_LETTERS]}… {len(both['text'])} letters"
        more = "…" if len(base64) > _BASE64_LETTERS else ""
        return f'"{words}" (base64 {base64[:_BASE64_LETTERS]}{more})'
    return f"{text[:_LETTERS]}… ({len(text)} letters)"
