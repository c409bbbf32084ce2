"""Habits with numbers in groups of 7 bits, and with the length of a text: one function of a codec.

A codec has one function for VARINT and VARLONG, often for UNSIGNED_VARINT as well, and one for
strings. What is wrong with it is wrong wherever it is called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.codecs.mutants.habits.drafts import Habit
from conformance.codecs.mutants.primitives import VarintHighestGroupFirst
from conformance.schema.layout import WireType
from conformance.wire.errors import LengthError, VarintError
from conformance.wire.reader import Reader
from conformance.wire.records.zigzag import zigzag_bytes
from conformance.wire.writer import Writer

ZIGZAG = "records.varint-zigzag"


class _ReadsHighestFirst(Reader):
    def groups(self, path: str, kind: str, most: int) -> int:
        start, value = self.offset, 0
        for _ in range(most):
            byte = self.take(1, path)[0]
            value = value << 7 | byte & 0x7F
            if byte < 0x80:
                return value
        raise VarintError(f"a {kind} of more than {most} bytes", path, start)


class _WritesHighestFirst(Writer):
    def zigzag(self, value: int, bits: int, path: str) -> None:
        start = len(self.out)
        super().zigzag(value, bits, path)
        groups = [group & 0x7F for group in self.out[start:]][::-1]
        self.out[start:] = bytes([*(group | 0x80 for group in groups[:-1]), groups[-1]])


class SignedVarintsHighestFirst(Habit):
    """Has the most significant group of every VARINT and VARLONG first."""

    led_by = ZIGZAG
    Reads, Writes = _ReadsHighestFirst, _WritesHighestFirst


class EveryVarintHighestFirst(Habit):
    """Has the most significant group of every varint first, signed or unsigned."""

    led_by = "primitives.varint-groups"

    class Reads(_ReadsHighestFirst, VarintHighestGroupFirst.Reads):
        """Reads both kinds so."""

    class Writes(_WritesHighestFirst, VarintHighestGroupFirst.Writes):
        """Writes both kinds so."""


class SignedVarintsPlain(Habit):
    """Has every VARINT and VARLONG in two's complement, without zig-zag."""

    led_by = ZIGZAG

    class Reads(Reader):
        def unzigzag(self, raw: int, kind: str) -> int:
            bits = 32 if kind == "varint" else 64
            return raw - (raw >> bits - 1 << bits)

    class Writes(Writer):
        def to_zigzag(self, value: int, bits: int) -> int:
            return value & ((1 << bits) - 1)

        def integer(self, kind: str, value: Any, path: str) -> None:
            if kind == "uvarint":
                super().integer(kind, value, path)
            else:
                self.out += zigzag_bytes(int(value) % 2 ** (32 if kind == "varint" else 64))


class SignedVarintsAlwaysOf64Bits(SignedVarintsPlain):
    """Has every VARINT and VARLONG in two's complement of 64 bits, without zig-zag."""

    led_by = ZIGZAG

    class Reads(Reader):
        def groups(self, path: str, kind: str, most: int) -> int:
            return int(super().groups(path, kind, 10)) % 2**64

        def beyond_bits(self, value: int, bits: int, path: str, start: int) -> int:
            return value

        def unzigzag(self, raw: int, kind: str) -> int:
            return raw - (raw >> 63 << 64)

    class Writes(Writer):
        def to_zigzag(self, value: int, bits: int) -> int:
            return value % 2**64

        def integer(self, kind: str, value: Any, path: str) -> None:
            if kind == "uvarint":
                super().integer(kind, value, path)
            else:
                self.out += zigzag_bytes(int(value) % 2**64)


class _ByCharacter(Reader):
    def character(self, path: str, start: int) -> str:
        """The character that begins here. Raises LengthError where none does."""
        for width in (1, 2, 3, 4):
            try:
                found = bytes(self.data[self.offset : self.offset + width]).decode()
            except UnicodeDecodeError:
                continue
            if found:
                self.offset += width
                return found
        raise LengthError("a string beyond the end", path, start)


def counted_in(size: Callable[[str], int]) -> tuple[type[Reader], type[Writer]]:
    """A reader and a writer that count a string's length in other units than bytes."""

    class Reads(_ByCharacter):
        def sized(self, type_: WireType, path: str) -> str | None:
            if type_.kind != "string":
                return super().sized(type_, path)
            units = self.length(type_, path)
            if units is None:
                return None
            start, text = self.offset, ""
            while size(text) < units:
                text += self.character(path, start)
            return text

    class Writes(Writer):
        def sized(self, type_: WireType, value: Any, path: str) -> None:
            if type_.kind != "string" or value is None:
                super().sized(type_, value, path)
            else:
                self.length(type_, size(value))
                self.out += self.raw("string", value, path)

    return Reads, Writes


class StringsCountedInCharacters(Habit):
    """Takes the length of every string for the number of its characters."""

    led_by = "primitives.string-counts-bytes"
    Reads, Writes = counted_in(len)


class StringsCountedInUtf16(Habit):
    """Takes the length of every string for the number of its UTF-16 code units."""

    led_by = "primitives.string-counts-bytes"
    Reads, Writes = counted_in(lambda text: len(text.encode("utf-16-le")) // 2)


class StringsCutToTheirCharacters(Habit):
    """Writes the number of a string's characters as its length, and of its bytes so many alone.

    As `struct.pack` does it with a format made of the text's length.
    """

    led_by = "primitives.string-counts-bytes"

    class Writes(Writer):
        def raw(self, kind: str, value: Any, path: str) -> bytes:
            raw = super().raw(kind, value, path)
            return raw[: len(value)] if kind == "string" else raw
