"""Numbers, floats, uuids and varints: what one value looks like, wherever it stands.

Where reader and writer share a defect, a round trip hides it, and only decoding and encoding by
themselves show it. Most here do share it, as they would in a library with one table of types.
"""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import Any
from uuid import UUID

from conformance.codecs.mutants.mutant import Mutant, retyped
from conformance.reference.codec import Value
from conformance.schema.layout import ZERO_UUID, Form, Layout, WireType
from conformance.wire.errors import VarintError
from conformance.wire.reader import FORMATS, UNKNOWN_TAGS, Reader
from conformance.wire.text import text_to_uuid, uuid_to_text
from conformance.wire.writer import Writer


class LittleEndianInt64(Mutant, breaks="primitives.integers-big-endian"):
    """Reads and writes INT64 least significant byte first."""

    class Reads(Reader):
        def fixed(self, kind: str, path: str) -> Any:
            if kind != "int64":
                return super().fixed(kind, path)
            return int.from_bytes(self.take(8, path), "little", signed=True)

    class Writes(Writer):
        def fixed(self, kind: str, value: Any, path: str) -> None:
            start = len(self.out)
            super().fixed(kind, value, path)
            if kind == "int64":
                self.out[start:] = self.out[start:][::-1]


class LittleEndianNumbers(Mutant, breaks="primitives.integers-big-endian"):
    """Reads and writes every integer least significant byte first."""

    class Reads(Reader):
        def fixed(self, kind: str, path: str) -> Any:
            if "int" not in kind:
                return super().fixed(kind, path)
            width = struct.calcsize(FORMATS[kind])
            return int.from_bytes(self.take(width, path), "little", signed=kind[0] == "i")

    class Writes(Writer):
        def fixed(self, kind: str, value: Any, path: str) -> None:
            start = len(self.out)
            super().fixed(kind, value, path)
            if "int" in kind:
                self.out[start:] = self.out[start:][::-1]


class NumbersWithoutSign(Mutant, breaks="primitives.integers-signed"):
    """Reads every signed integer as a number that is never negative."""

    class Reads(Reader):
        def fixed(self, kind: str, path: str) -> Any:
            value = super().fixed(kind, path)
            if kind in ("int8", "int16", "int32", "int64") and "(" not in path and value < 0:
                return value + (1 << int(kind[3:]))
            return value


class Int16WithoutSign(Mutant, breaks="primitives.integers-signed"):
    """Reads INT16 as a number that is never negative."""

    def change(self, form: Form) -> Form:
        return retyped(form, lambda type_, _: _instead(type_, "int16", "uint16"))

    class Writes(Writer):
        def native(self, kind: str, value: Any) -> Any:
            return value & 0xFFFF if kind == "uint16" else super().native(kind, value)


class Int64ByWayOfDouble(Mutant, breaks="primitives.integers-big-endian"):
    """Reads and writes an INT64 by way of a double, which loses what is beyond 2^53.

    As a library does whose language has no other numbers.
    """

    hurts = "An offset, an id or a timestamp beyond 2^53 arrives as another one, without an error."
    remedy = "Keep 64-bit integers exact, in a type of 64 bits or as a big integer."

    class Reads(Reader):
        def fixed(self, kind: str, path: str) -> Any:
            value = super().fixed(kind, path)
            return int(float(value)) if kind == "int64" and "(" not in path else value

    class Writes(Writer):
        def native(self, kind: str, value: Any) -> Any:
            value = super().native(kind, value)
            return min(int(float(value)), 2**63 - 1) if kind == "int64" else value


class Uint16WithSign(Mutant, breaks="primitives.uint16-unsigned"):
    """Reads UINT16 as a number that may be negative."""

    def change(self, form: Form) -> Form:
        return retyped(form, lambda type_, _: _instead(type_, "uint16", "int16"))

    class Writes(Writer):
        def native(self, kind: str, value: Any) -> Any:
            return value - 0x10000 if kind == "int16" and value > 0x7FFF else value


class TrueIsAllOnes(Mutant, breaks="primitives.boolean-one-or-zero"):
    """Writes true as FF."""

    class Writes(Writer):
        def fixed(self, kind: str, value: Any, path: str) -> None:
            super().fixed(kind, value, path)
            if kind == "bool" and value:
                self.out[-1] = 0xFF


class FloatsOfFourBytes(Mutant, breaks="primitives.float64-bits"):
    """Holds FLOAT64 in single precision between the wire and the caller."""

    class Reads(Reader):
        def fixed(self, kind: str, path: str) -> Any:
            value = super().fixed(kind, path)
            return _single(value) if isinstance(value, float) else value

    class Writes(Writer):
        def native(self, kind: str, value: Any) -> Any:
            value = super().native(kind, value)
            return _single(value) if isinstance(value, float) else value


class NegativeZeroLosesItsSign(Mutant, breaks="primitives.float64-special-values"):
    """Writes negative zero as zero."""

    class Writes(Writer):
        def native(self, kind: str, value: Any) -> Any:
            value = super().native(kind, value)
            return value + 0.0 if kind == "float64" else value


class UuidInGuidOrder(Mutant, breaks="primitives.uuid-byte-order"):
    """Has the first three groups of a uuid least significant byte first, as a GUID has."""

    class Reads(Reader):
        def uuid(self, raw: bytes) -> str:
            return uuid_to_text(UUID(bytes=raw).bytes_le)

    class Writes(Writer):
        def uuid(self, value: str) -> bytes:
            return UUID(bytes=text_to_uuid(value)).bytes_le


class FloatsRounded(Mutant, breaks="primitives.float64-bits"):
    """Keeps seven digits of a float, and nothing beyond the range of four bytes."""

    class Reads(Reader):
        def fixed(self, kind: str, path: str) -> Any:
            value = super().fixed(kind, path)
            return float(f"{value:.7g}") if isinstance(value, float) else value

    class Writes(Writer):
        def native(self, kind: str, value: Any) -> Any:
            found = super().native(kind, value)
            return 0.0 if kind == "float64" and not 1e-45 < abs(found) < 3.5e38 else found


class SpecialFloatsAreZero(Mutant, breaks="primitives.float64-special-values"):
    """Takes infinities and what is no number for 0."""

    class Reads(Reader):
        def fixed(self, kind: str, path: str) -> Any:
            value = super().fixed(kind, path)
            return 0.0 if kind == "float64" and isinstance(value, str) else value


class ZeroUuidIsNull(Mutant, breaks="primitives.zero-uuid-is-none"):
    """Reads a uuid of zeros as null, and writes null as no bytes at all."""

    class Reads(Reader):
        def fixed(self, kind: str, path: str) -> Any:
            value = super().fixed(kind, path)
            return None if kind == "uuid" and value == ZERO_UUID else value

    class Writes(Writer):
        def fixed(self, kind: str, value: Any, path: str) -> None:
            if kind != "uuid" or value is not None:
                super().fixed(kind, value, path)


class VarintHighestGroupFirst(Mutant, breaks="primitives.varint-groups"):
    """Has the most significant group of an UNSIGNED_VARINT first."""

    class Reads(Reader):
        def uvarint(self, path: str) -> int:
            value = 0
            for _ in range(5):
                byte = self.take(1, path)[0]
                value = value << 7 | byte & 0x7F
                if byte < 0x80:
                    return value
            raise VarintError("a varint of more than 5 bytes", path, self.offset)

    class Writes(Writer):
        def uvarint(self, value: int) -> None:
            start = len(self.out)
            super().uvarint(value)
            groups = self.out[start:][::-1]
            self.out[start:] = bytes([*(group | 0x80 for group in groups[:-1]), groups[-1] & 0x7F])


class VarintOfTwoBytes(Mutant, breaks="primitives.varint-shortest"):
    """Writes an UNSIGNED_VARINT in two bytes where one would do."""

    class Writes(Writer):
        def uvarint(self, value: int) -> None:
            if value < 0x80:
                self.out += bytes([value | 0x80, 0])
            else:
                super().uvarint(value)


class PaddedVarintWrittenAgain(Mutant, breaks="primitives.varint-overlong-accepted"):
    """Writes the count of an empty tag section in as many bytes as it came in."""

    class Reads(Reader):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            if self.data[self.offset : self.offset + 2] != b"\x80\x00":
                super().tag_section(layout, value, path)
                return
            self.offset += 2
            value[UNKNOWN_TAGS] = []  # which no other value holds

    class Writes(Writer):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            super().tag_section(layout, value, path)
            if value.get(UNKNOWN_TAGS) == []:
                self.out[-1:] = b"\x80\x00"


class ShortNumberFilledUp(Mutant, breaks="primitives.short-input-refused"):
    """Reads zeros behind the end of the input where a number belongs."""

    class Reads(Reader):
        def fixed(self, kind: str, path: str) -> Any:
            width = WireType(kind).width or 0
            if not path.endswith(")"):  # lengths and markers are still missed
                self.data = self.data.ljust(self.offset + width, b"\x00")
            return super().fixed(kind, path)

    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        value, end = super().read(form, data, offset)
        return value, min(end, len(data))


class ShortTextTakenAsItIs(Mutant, breaks="primitives.short-input-refused"):
    """Takes as much of a string or of bytes as there is, whatever the length before it says."""

    class Reads(Reader):
        def length(self, type_: WireType, path: str) -> int | None:
            length = super().length(type_, path)
            if length is None or type_.kind == "array":
                return length
            return min(length, self.remaining)


class MissingElementsLeftOut(Mutant, breaks="primitives.short-input-refused"):
    """Takes an array for done when the input ends between two of its elements."""

    class Reads(Reader):
        def array(self, type_: WireType, path: str) -> list[Any] | None:
            count = self.length(type_, path)
            if count is None:
                return None
            elements: list[Any] = []
            while len(elements) < count and self.remaining:
                elements.append(self.value(type_.item, f"{path}[{len(elements)}]"))
            return elements


def _instead(type_: WireType, kind: str, other: str) -> WireType:
    return replace(type_, kind=other) if type_.kind == kind else type_


def _single(value: float) -> float:
    return float(struct.unpack(">f", struct.pack(">f", value))[0])
