"""Bytes as rows, so that each of them is in exactly one: read, wrong, not read, or left over.

A reader notes what it could read. Here the rest gets its place: the bytes of a value that is not
complete, the byte that is wrong and what was expected in its stead, all that was not read because
of it, and what stands behind the last field.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from conformance.wire.errors import DecodeError, TextError, Truncated, VarintError
from conformance.wire.reader import VARINT_BYTES, BytePart

State = Literal["read", "forgiven", "incomplete", "wrong", "not read", "left over"]


@dataclass(frozen=True, slots=True)
class Row:
    """A run of bytes: which field it is of, what it says, and how reading it went.

    `text` is the value in words. `says` is what is wrong with the bytes or special about them, ""
    where nothing is. A value of no bytes has a row too, as has an end that came too early.

    `place` is the offset among decompressed bytes, and `plain` are those of the row: it has no
    `data` then. `place` is None for a row of the bytes themselves.
    """

    offset: int
    data: bytes
    path: str = ""
    type: str = ""
    value: Any = None
    text: str = ""
    state: State = "read"
    says: str = ""
    place: int | None = None
    plain: bytes = b""

    @property
    def end(self) -> int:
        """The offset behind the last byte."""
        return self.offset + len(self.data)


class Forgiven(DecodeError):
    """A flaw that the lenient reader accepted; it is never raised."""


def rows(
    data: bytes,
    parts: Iterable[BytePart],
    start: int = 0,
    error: DecodeError | None = None,
    forgiven: Sequence[Forgiven] = (),
    text_of: Callable[[BytePart], str] | None = None,
) -> list[Row]:
    """Rows that cover `data` from `start` to its end without gap or overlap.

    `parts` are those that a reader noted from `start` on before it ended with `error`, and are the
    first rows. `text_of` makes their texts, which takes longer than all else; by default
    `value_text` does.
    """
    words = text_of or value_text
    found = [_row(data, part, words(part)) for part in parts]
    end = found[-1].end if found else start
    if error is None:
        found += _rest(data, end, "left over", "behind the last field")
    elif error.offset < end:
        _mark(found, error, "wrong")
        found += _rest(data, end, "not read", "")
    else:
        found += _wrong(data, end, error)
    for item in forgiven:
        _mark(found, item, "forgiven")
    return found


def value_text(part: BytePart) -> str:
    """A part's value in words: null and lengths for what they are, text as JSON."""
    shown = printable(json.dumps(part.value, ensure_ascii=False))
    if part.path.endswith("(length)"):
        length = part.value - 1 if part.kind == "uvarint" else part.value
        if length < 0:
            return f"{shown} (null)"
        return f"{shown} (length {length})" if length != part.value else shown
    if part.path.endswith("(marker)"):
        null = part.value < 0 or (part.kind == "uvarint" and part.value == 0)
        return f"{shown} ({'null' if null else 'present'})"
    return shown


def printable(text: str) -> str:
    """Text that does nothing to a terminal: what can't be printed, as Python would escape it."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _row(data: bytes, part: BytePart, text: str) -> Row:
    raw = data[part.offset : part.offset + part.length]
    return Row(part.offset, raw, part.path, part.kind, part.value, text)


def _mark(found: list[Row], error: DecodeError, state: State) -> None:
    """Give the row that an error is about what the error says."""
    for index, row in enumerate(found):
        if row.offset <= error.offset < row.end:
            kept = row.state if row.state in ("wrong", "left over") else state
            says = "; ".join(filter(None, (row.says, error.reason)))
            found[index] = replace(row, state=kept, says=says)
            return


def _wrong(data: bytes, end: int, error: DecodeError) -> list[Row]:
    """Return rows for the bytes from `end` on, after a value that could not be read whole."""
    at = error.offset
    kind = "string" if isinstance(error, TextError) else ""
    found = _rest(data[:at], end, "incomplete", "", error.path, kind)
    if isinstance(error, Truncated):
        wrong = b""
    elif isinstance(error, VarintError):
        wrong, kind = _varint(data, at), "uvarint"
    else:
        wrong = data[at : at + 1]
    found.append(Row(at, wrong, error.path, kind, state="wrong", says=error.reason))
    return found + _rest(data, at + len(wrong), "not read", "")


def _varint(data: bytes, start: int) -> bytes:
    """The bytes of a varint, as many as one may have."""
    raw = data[start : start + VARINT_BYTES]
    last = next((i for i, byte in enumerate(raw) if byte < 0x80), len(raw))
    return raw[: last + 1]


def _rest(
    data: bytes, start: int, state: State, says: str, path: str = "", kind: str = ""
) -> list[Row]:
    if start >= len(data):
        return []
    return [Row(start, data[start:], path, kind, state=state, says=says)]
