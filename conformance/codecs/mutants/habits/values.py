"""Habits with numbers, text, nulls and arrays: one defect wherever a type is read or written."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

from conformance.codecs.mutants.habits.drafts import Habit
from conformance.codecs.mutants.habits.lengths import plain_lengths
from conformance.codecs.mutants.mutant import Spot, retyped
from conformance.codecs.mutants.strings import empty_as_null, null_as_empty
from conformance.schema.layout import Form, WireType
from conformance.wire.reader import Reader
from conformance.wire.text import text_to_uuid, uuid_to_text
from conformance.wire.writer import Writer


class CompactBytesPlain(Habit):
    """Has N for N + 1 before all compact bytes."""

    led_by = "compact.bytes-length"
    Reads, Writes = plain_lengths("bytes")


class CompactRecordsPlain(Habit):
    """Has N for N + 1 before all compact records."""

    led_by = "compact.records-length"
    Reads, Writes = plain_lengths("records")


class CompactStringLengthOfOneByte(Habit):
    """Has one byte for the length of every compact string, so that it is wrong above 126."""

    led_by = "compact.string-length"

    class Reads(Reader):
        def length(self, type_: WireType, path: str) -> int | None:
            if not type_.compact or type_.kind != "string":
                return super().length(type_, path)
            length = self.take(1, path)[0] - 1
            return None if length < 0 else length

    class Writes(Writer):
        def length(self, type_: WireType, length: int) -> None:
            if type_.compact and type_.kind == "string":
                self.out.append((length + 1) & 0xFF)
            else:
                super().length(type_, length)


class VarintThirdByteForgotten(Habit):
    """Ends an UNSIGNED_VARINT after two bytes, though the second says that one follows."""

    led_by = "primitives.varint-groups"

    class Reads(Reader):
        def uvarint(self, path: str) -> int:
            first = self.take(1, path)[0]
            return first if first < 0x80 else first & 0x7F | (self.take(1, path)[0] & 0x7F) << 7


class VarintsOneByteShort(Habit):
    """Writes 128 and 16384 as an UNSIGNED_VARINT of one byte too few."""

    led_by = "primitives.varint-groups"

    class Writes(Writer):
        def uvarint(self, value: int) -> None:
            while value > 0x80:
                self.out.append(value & 0x7F | 0x80)
                value >>= 7
            self.out.append(value)


class _Inflexible(Habit):
    """A codec that has the lengths of inflexible versions before some compact values."""

    def change(self, form: Form) -> Form:
        def plain(type_: WireType, _: Spot) -> WireType:
            return replace(type_, compact=False) if self.has_plain(type_) else type_

        return retyped(form, plain)

    def has_plain(self, type_: WireType) -> bool:
        return False


class StringsNeverCompact(_Inflexible):
    """Has an INT16 before strings in flexible versions as well."""

    led_by = "compact.string-length"

    def has_plain(self, type_: WireType) -> bool:
        return type_.kind == "string"


class BytesNeverCompact(_Inflexible):
    """Has an INT32 before bytes and records in flexible versions as well."""

    led_by = "compact.bytes-length"

    def has_plain(self, type_: WireType) -> bool:
        return type_.kind in ("bytes", "records")


class ArraysNeverCompact(_Inflexible):
    """Has an INT32 before arrays in flexible versions as well."""

    led_by = "compact.array-count"

    def has_plain(self, type_: WireType) -> bool:
        return type_.kind == "array"


class ArraysOfPrimitivesNeverCompact(_Inflexible):
    """Has an INT32 before arrays of numbers, strings and uuids in flexible versions as well."""

    led_by = "compact.array-count"

    def has_plain(self, type_: WireType) -> bool:
        return type_.kind == "array" and type_.item.kind != "struct"


class PlainLengthsUnsigned(Habit):
    """Reads the INT16 and INT32 lengths of inflexible versions unsigned, so that -1 is a number."""

    led_by = "primitives.null-string"

    class Reads(Reader):
        def plain_length(self, type_: WireType, path: str) -> int:
            length = super().plain_length(type_, path)
            return length % (1 << 16 if type_.kind == "string" else 1 << 32)


class PlainCountsUnsigned(Habit):
    """Reads the INT32 count of inflexible arrays unsigned, so that -1 is a number."""

    led_by = "primitives.null-array"

    class Reads(Reader):
        def plain_length(self, type_: WireType, path: str) -> int:
            length = super().plain_length(type_, path)
            return length % (1 << 32) if type_.kind == "array" else length


def _nullable(kind: str) -> Any:
    return lambda type_: type_.nullable and type_.kind == kind


class NullStringsAreEmpty(Habit):
    """Takes every null string for an empty one."""

    led_by = "compact.null-is-zero"
    hurts = "An absent value and an empty one cannot be told apart any more: null arrives as empty."
    remedy = "Keep null and empty apart: read null as null, and write null where null is given."
    Reads, Writes = null_as_empty(_nullable("string"))


class NullArraysAreEmpty(Habit):
    """Takes every null array for an empty one."""

    led_by = "compact.null-is-zero"
    hurts = "An absent value and an empty one cannot be told apart any more: null arrives as empty."
    remedy = "Keep null and empty apart: read null as null, and write null where null is given."
    Reads, Writes = null_as_empty(_nullable("array"))


class NullByteFieldsAreEmpty(Habit):
    """Takes null bytes and records for empty ones."""

    led_by = "compact.null-is-zero"
    hurts = "An absent value and an empty one cannot be told apart any more: null arrives as empty."
    remedy = "Keep null and empty apart: read null as null, and write null where null is given."
    Reads, Writes = null_as_empty(
        lambda type_: type_.nullable and type_.kind in ("bytes", "records")
    )


class EmptyStringsAreNull(Habit):
    """Takes every empty string that may be null for null."""

    led_by = "compact.empty-is-one"
    hurts = "An absent value and an empty one cannot be told apart any more: empty arrives as null."
    remedy = (
        "Keep null and empty apart: write a length of 0 for what is empty, and read it as empty."
    )
    Reads, Writes = empty_as_null(_nullable("string"))


class EmptyArraysAreNull(Habit):
    """Takes every empty array that may be null for null."""

    led_by = "compact.empty-is-one"
    hurts = "An absent value and an empty one cannot be told apart any more: empty arrives as null."
    remedy = (
        "Keep null and empty apart: write a length of 0 for what is empty, and read it as empty."
    )
    Reads, Writes = empty_as_null(_nullable("array"))


class EmptyByteFieldsAreNull(Habit):
    """Takes empty bytes and records that may be null for null."""

    led_by = "compact.empty-is-one"
    hurts = "An absent value and an empty one cannot be told apart any more: empty arrives as null."
    remedy = (
        "Keep null and empty apart: write a length of 0 for what is empty, and read it as empty."
    )
    Reads, Writes = empty_as_null(
        lambda type_: type_.nullable and type_.kind in ("bytes", "records")
    )


def _always_null(*kinds: str) -> type[Writer]:
    """A writer of null for all empty values of these kinds, and for null, whatever may be null."""

    class Writes(Writer):
        def value(self, type_: WireType, value: Any, path: str) -> None:
            if type_.kind in kinds and not value:
                self.length(type_, -1)
            else:
                super().value(type_, value, path)

    return Writes


class EmptyStringsAlwaysNull(Habit):
    """Writes every empty string as null, also where it may not be null."""

    led_by = "primitives.empty-string-not-null"
    hurts = (
        "The peer refuses the message where null is not allowed, and takes it for null elsewhere."
    )
    remedy = "Test for null and not for emptiness: write a length of 0 for what is empty."
    Writes = _always_null("string")


class EmptyArraysAlwaysNull(Habit):
    """Writes every empty array as null, also where it may not be null."""

    led_by = "primitives.empty-array-not-null"
    hurts = (
        "The peer refuses the message where null is not allowed, and takes it for null elsewhere."
    )
    remedy = "Test for null and not for emptiness: write a length of 0 for what is empty."
    Writes = _always_null("array")


class EmptyByteFieldsAlwaysNull(Habit):
    """Writes empty bytes and records as null, also where they may not be null."""

    led_by = "compact.empty-is-one"
    hurts = (
        "The peer refuses the message where null is not allowed, and takes it for null elsewhere."
    )
    remedy = "Test for null and not for emptiness: write a length of 0 for what is empty."
    Writes = _always_null("bytes", "records")


class _Number(Reader):
    """A reader that reads the numbers of one kind in another way."""

    kind = ""

    def fixed(self, kind: str, path: str) -> Any:
        value = super().fixed(kind, path)
        return self.number(value) if kind == self.kind and "(" not in path else value

    def number(self, value: Any) -> Any:
        return value


class Int64CutTo32Bits(Habit):
    """Keeps the lower 32 bits of an INT64, with their sign."""

    led_by = "primitives.integers-signed"

    class Reads(_Number):
        kind = "int64"

        def number(self, value: int) -> int:
            return (value + 2**31) % 2**32 - 2**31

    class Writes(Writer):
        def native(self, kind: str, value: Any) -> Any:
            value = super().native(kind, value)
            return (value + 2**31) % 2**32 - 2**31 if kind == "int64" else value


class Int64LowHalfSigned(Habit):
    """Adds the lower half of an INT64 with a sign, so that the upper half is one too few."""

    led_by = "primitives.integers-signed"

    class Reads(_Number):
        kind = "int64"

        def number(self, value: int) -> int:
            return value - 2**32 if value & 2**31 else value


class Int8WithoutSign(Habit):
    """Reads INT8 as a number that is never negative."""

    led_by = "primitives.integers-signed"

    class Reads(_Number):
        kind = "int8"

        def number(self, value: int) -> int:
            return value % 256


class Int32WithoutSign(Habit):
    """Reads INT32 as a number that is never negative."""

    led_by = "primitives.integers-signed"

    class Reads(_Number):
        kind = "int32"

        def number(self, value: int) -> int:
            return value % 2**32


class Int64WithoutSign(Habit):
    """Reads INT64 as a number that is never negative."""

    led_by = "primitives.integers-signed"

    class Reads(_Number):
        kind = "int64"

        def number(self, value: int) -> int:
            return value % 2**64


def _little(*kinds: str) -> tuple[type[Reader], type[Writer]]:
    """A reader and a writer of these kinds with the least significant byte first."""

    class Reads(Reader):
        def fixed(self, kind: str, path: str) -> Any:
            if kind not in kinds or "(" in path:
                return super().fixed(kind, path)
            begin = self.offset
            super().fixed(kind, path)
            raw, kept = self.data[begin : self.offset], (self.data, self.offset)
            self.data, self.offset = raw[::-1], 0
            try:
                return super().fixed(kind, path)
            finally:
                self.data, self.offset = kept

    class Writes(Writer):
        def fixed(self, kind: str, value: Any, path: str) -> None:
            begin = len(self.out)
            super().fixed(kind, value, path)
            if kind in kinds:
                self.out[begin:] = self.out[begin:][::-1]

    return Reads, Writes


class LittleEndianInt16(Habit):
    """Has INT16 and UINT16 least significant byte first, lengths apart."""

    led_by = "primitives.integers-big-endian"
    Reads, Writes = _little("int16", "uint16")


class LittleEndianInt32(Habit):
    """Has INT32 least significant byte first, lengths apart."""

    led_by = "primitives.integers-big-endian"
    Reads, Writes = _little("int32", "uint32")


class LittleEndianFloat(Habit):
    """Has FLOAT64 least significant byte first."""

    led_by = "primitives.float64-bits"
    Reads, Writes = _little("float64")


class UuidReversed(Habit):
    """Has the sixteen bytes of a uuid least significant byte first."""

    led_by = "primitives.uuid-byte-order"
    Reads, Writes = _little("uuid")


class UuidHalvesSwapped(Habit):
    """Has the lower eight bytes of a uuid before the upper eight."""

    led_by = "primitives.uuid-byte-order"

    class Reads(Reader):
        def uuid(self, raw: bytes) -> str:
            return uuid_to_text(raw[8:] + raw[:8])

    class Writes(Writer):
        def uuid(self, value: str) -> bytes:
            raw = text_to_uuid(value)
            return raw[8:] + raw[:8]


class UuidHalvesReversed(Habit):
    """Has each half of a uuid least significant byte first."""

    led_by = "primitives.uuid-byte-order"

    class Reads(Reader):
        def uuid(self, raw: bytes) -> str:
            return uuid_to_text(raw[7::-1] + raw[:7:-1])

    class Writes(Writer):
        def uuid(self, value: str) -> bytes:
            raw = text_to_uuid(value)
            return raw[7::-1] + raw[:7:-1]


class _Text(Reader):
    def text(self, raw: bytes, path: str, begin: int) -> str:
        return self.changed(super().text(raw, path, begin))

    def changed(self, text: str) -> str:
        return text


class TextEndsAtZero(Habit):
    """Reads text up to its first U+0000."""

    led_by = "primitives.string-plain-utf8"

    class Reads(_Text):
        def changed(self, text: str) -> str:
            return text.partition("\0")[0]


class TextBeyondAsciiLost(Habit):
    """Reads every byte beyond ASCII as the replacement character."""

    led_by = "primitives.string-plain-utf8"

    class Reads(Reader):
        def text(self, raw: bytes, path: str, begin: int) -> str:
            return raw.decode("ascii", "replace")


class BytesAsText(Habit):
    """Reads bytes as UTF-8, with the replacement character for what is none."""

    led_by = "primitives.bytes-length-int32"

    class Reads(Reader):
        def sized(self, type_: WireType, path: str) -> str | None:
            value = super().sized(type_, path)
            if value is None or type_.kind == "string":
                return value
            text = base64.b64decode(value).decode("utf-8", "replace")
            return base64.b64encode(text.encode()).decode()


class _Array(Reader):
    def array(self, type_: WireType, path: str) -> list[Any] | None:
        found = super().array(type_, path)
        return self.elements(type_.item, found) if found else found

    def elements(self, type_: WireType, found: list[Any]) -> list[Any]:
        return found


class ElementsOnce(Habit):
    """Reads an array of numbers, strings or uuids as a set, in which each value stands once."""

    led_by = "compact.array-count"

    class Reads(_Array):
        def elements(self, type_: WireType, found: list[Any]) -> list[Any]:
            return found if type_.kind == "struct" else list(dict.fromkeys(found))


class ElementsSorted(Habit):
    """Reads an array of numbers, strings or uuids as a sorted one."""

    led_by = "compact.array-count"

    class Reads(_Array):
        def elements(self, type_: WireType, found: list[Any]) -> list[Any]:
            return found if type_.kind == "struct" else sorted(found)


class NumbersAsSortedSet(Habit):
    """Reads an array of numbers as a sorted set, in which each number stands once."""

    led_by = "compact.array-count"
    hurts = "Numbers that go by position belong to other elements, and those given twice are lost."
    remedy = "Keep the elements of an array in a list, in their order, with those that are equal."

    class Reads(_Array):
        def elements(self, type_: WireType, found: list[Any]) -> list[Any]:
            return sorted(set(found)) if isinstance(found[0], int) else found


class ElementsReversed(Habit):
    """Reads an array from its last element to the first."""

    led_by = "compact.array-count"

    class Reads(_Array):
        def elements(self, type_: WireType, found: list[Any]) -> list[Any]:
            return found[::-1]


class FirstElementAlone(Habit):
    """Reads all of an array, and keeps its first element."""

    led_by = "compact.array-count"

    class Reads(_Array):
        def elements(self, type_: WireType, found: list[Any]) -> list[Any]:
            return found[:1]


class ElementsAllTheLast(Habit):
    """Gives every element of an array of structs the values of the last."""

    led_by = "compact.array-count"

    class Reads(_Array):
        def elements(self, type_: WireType, found: list[Any]) -> list[Any]:
            return [found[-1]] * len(found) if type_.kind == "struct" else found
