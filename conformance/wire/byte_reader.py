"""The position of a reader: its bytes, its offset, and the notes that it takes.

Every reader needs these, for a layout or for a batch of records: the next bytes, or an error that
says where they ended, and a note of the value that they hold.

If bytes were cut off, lengths may point beyond the last byte. They are held against the bytes that
were there before the cut: a right one is read, and the reader fails where the bytes end, with the
type `Truncated`.
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

from conformance.wire.errors import Truncated
from conformance.wire.text import float_to_text, uuid_to_text

FORMATS = {
    "bool": ">?",
    "int8": ">b",
    "int16": ">h",
    "int32": ">i",
    "int64": ">q",
    "uint16": ">H",
    "uint32": ">I",
    "float64": ">d",
    "uuid": ">16s",
}
_STRUCTS = {kind: struct.Struct(text) for kind, text in FORMATS.items()}


class BytePart(NamedTuple):
    """A run of bytes with one meaning: `kind` is a type, or what the bytes say of other bytes."""

    offset: int
    length: int
    path: str
    kind: str
    value: Any


class ByteReader:
    """Reads from `data` at `offset` on; notes every part in `parts` where that is a list."""

    def __init__(self, data: bytes, offset: int = 0, parts: list[BytePart] | None = None) -> None:
        self.data = data
        self.offset = offset
        self.parts = parts

    @property
    def remaining(self) -> int:
        """Bytes not read yet."""
        return len(self.data) - self.offset

    def fixed(self, kind: str, path: str) -> Any:
        """A value of a fixed width, big-endian."""
        form = _STRUCTS[kind]
        (value,) = form.unpack(self.take(form.size, path))
        if kind == "uuid":
            value = self.uuid(value)
        elif kind == "float64":
            value = float_to_text(value)
        return self.note(form.size, path, kind, value)

    def uuid(self, raw: bytes) -> str:
        """The JSON form of a uuid's 16 bytes."""
        return uuid_to_text(raw)

    def take(self, length: int, path: str) -> bytes:
        """The next `length` bytes. Raises Truncated."""
        begin, data = self.offset, self.data
        end = begin + length
        if end > len(data):
            left = len(data) - begin
            raise Truncated(f"{length} bytes expected, {left} left", path, len(data))
        self.offset = end
        return data[begin:end]

    def note(self, length: int, path: str, kind: str, value: Any) -> Any:
        """Record that the last `length` bytes were this; returns the value."""
        if self.parts is not None:
            self.parts.append(BytePart(self.offset - length, length, path, kind, value))
        return value


def join(path: str, name: str) -> str:
    """The path of a field of the struct at `path`."""
    return f"{path}.{name}" if path else name


ENDS_HERE = "the bytes end here"
"""The text of a row of no bytes at the end of bytes that were cut."""


class Cut(ByteReader):
    """Reads bytes of which the last `missing` were cut off."""

    missing = 0

    @property
    def remaining(self) -> int:
        """Bytes not read yet, with those that were cut off."""
        return len(self.data) - self.offset + self.missing
