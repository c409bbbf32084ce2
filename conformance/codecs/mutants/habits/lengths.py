"""Habits: mistakes that codecs make everywhere and a mutant makes in one place.

A mutant has its defect in as few places as will show it, since that is what proves a rule. An
author who misreads a KIP makes the mistake throughout. A failing codec is compared with both.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.codecs.mutants.compact import plain_lengths as plain_where_never_null
from conformance.codecs.mutants.habits.drafts import Habit
from conformance.codecs.mutants.mutant import Spot, retyped
from conformance.codecs.mutants.strings import empty_as_null, null_as_empty
from conformance.schema.layout import Form, Layout, WireField, WireType
from conformance.wire.reader import Reader
from conformance.wire.writer import Writer


def plain_lengths(*kinds: str) -> tuple[type[Reader], type[Writer]]:
    """A reader and a writer of N for N + 1 before compact values of these kinds, 0 for null too."""

    class Reads(Reader):
        def length(self, type_: WireType, path: str) -> int | None:
            if not type_.compact or type_.kind not in kinds:
                return super().length(type_, path)
            return self.uvarint(f"{path}(length)")

    class Writes(Writer):
        def length(self, type_: WireType, length: int) -> None:
            if type_.compact and type_.kind in kinds:
                self.uvarint(max(length, 0))
            else:
                super().length(type_, length)

    return Reads, Writes


class CompactLengthsPlain(Habit):
    """Has N for N + 1 before all compact strings, bytes, records and arrays."""

    led_by = "compact.string-length"
    Reads, Writes = plain_lengths("string", "bytes", "records", "array")


class CompactStringsPlain(Habit):
    """Has N for N + 1 before all compact strings."""

    led_by = "compact.string-length"
    Reads, Writes = plain_lengths("string")


class CompactStringsPlainUnlessNullable(Habit):
    """Has N for N + 1 before compact strings that can't be null."""

    led_by = "compact.string-length"
    Reads, Writes = plain_where_never_null("string", anywhere=True)


class CompactArraysPlain(Habit):
    """Has N for N + 1 before all compact arrays."""

    led_by = "compact.array-count"
    Reads, Writes = plain_lengths("array")


class CompactZeroIsNull(Habit):
    """Has N for N + 1 before all compact values, and takes 0 for null where null is legal."""

    led_by = "compact.string-length"

    class Reads(Reader):
        def length(self, type_: WireType, path: str) -> int | None:
            if not type_.compact:
                return super().length(type_, path)
            length = self.uvarint(f"{path}(length)")
            return None if type_.nullable and not length else length

    Writes = CompactLengthsPlain.Writes


class CompactLengthsSigned(Habit):
    """Has N + 1 with zig-zag before all compact values."""

    led_by = "compact.string-length"

    class Reads(Reader):
        def compact_length(self, path: str) -> int:
            number = self.uvarint(f"{path}(length)")
            return (number >> 1 ^ -(number & 1)) - 1

    class Writes(Writer):
        def compact_length(self, length: int) -> None:
            self.uvarint(2 * (length + 1))


class CompactNowhere(Habit):
    """Has INT16 and INT32 lengths in flexible versions as well, though it has tag sections."""

    led_by = "compact.string-length"

    def change(self, form: Form) -> Form:
        def inflexible(type_: WireType, _spot: Spot) -> WireType:
            return replace(type_, compact=False)

        return retyped(form, inflexible)


class NoTagSections(Habit):
    """Has no tag section at the end of any struct, though its lengths are compact."""

    led_by = "tags.section-ends-struct"

    class Reads(Reader):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            pass

    class Writes(Writer):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            pass


class NestedTagsForgotten(Habit):
    """Has a tag section at the end of the message alone, and none in nested structs."""

    led_by = "tags.section-ends-struct"

    class Reads(Reader):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            if not path:
                super().tag_section(layout, value, path)

    class Writes(Writer):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            if not path:
                super().tag_section(layout, value, path)


class SectionsAreOneByte(Habit):
    """Takes each tag section for one byte, whatever is in it, and writes 0 there."""

    led_by = "tags.section-layout"

    class Reads(Reader):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            self.take(1, path)

    class Writes(Writer):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            self.out += b"\x00"


class KnownTagsNotWritten(Habit):
    """Writes no tagged field of its own, whatever the value."""

    led_by = "tags.non-default-written"

    class Writes(Writer):
        def written(self, item: WireField, given: Any) -> bool:
            return False


class EveryUnknownTagForgotten(Habit):
    """Skips unknown tags and forgets them, though it says that it keeps them."""

    led_by = "tags.unknown-kept"

    class Reads(Reader):
        def unknown_tag(self, number: int, size: int, value: dict[str, Any], here: str) -> None:
            self.take(size, here)


class UnknownTagsNotWritten(Habit):
    """Reads unknown tags and writes none of them, though it says that it keeps them."""

    led_by = "tags.unknown-kept"

    class Writes(Writer):
        def unknown_tags(
            self, layout: Layout, value: dict[str, Any], path: str
        ) -> list[tuple[int, bytes]]:
            return []


class EveryNullIsEmpty(Habit):
    """Reads null as the empty value and writes it so, wherever null is legal."""

    led_by = "compact.empty-is-one"
    hurts = "An absent value and an empty one cannot be told apart any more: null arrives as empty."
    remedy = "Keep null and empty apart: read null as null, and write null where null is given."
    Reads, Writes = null_as_empty(lambda type_: type_.nullable)


class EveryEmptyIsNull(Habit):
    """Writes null for what is empty and reads it so, wherever null is legal."""

    led_by = "compact.empty-is-one"
    hurts = "An absent value and an empty one cannot be told apart any more: empty arrives as null."
    remedy = (
        "Keep null and empty apart: write a length of 0 for what is empty, and read it as empty."
    )
    Reads, Writes = empty_as_null(lambda type_: type_.nullable)


class VarintsOfOneByte(Habit):
    """Takes every UNSIGNED_VARINT for one byte, so that it is wrong above 127."""

    led_by = "primitives.varint-groups"

    class Reads(Reader):
        def uvarint(self, path: str) -> int:
            return int(self.take(1, path)[0])

    class Writes(Writer):
        def uvarint(self, value: int) -> None:
            self.out.append(value & 0xFF)


class VarintsOfTwoBytes(Habit):
    """Reads and writes no more than two bytes of an UNSIGNED_VARINT, so that it ends at 16383."""

    led_by = "primitives.varint-groups"

    class Reads(Reader):
        def uvarint(self, path: str) -> int:
            first = self.take(1, path)[0]
            return first if first < 0x80 else first & 0x7F | self.take(1, path)[0] << 7

    class Writes(Writer):
        def uvarint(self, value: int) -> None:
            if value < 0x80:
                self.out.append(value)
            else:
                self.out += bytes((value & 0x7F | 0x80, value >> 7 & 0x7F))


class LatinText(Habit):
    """Reads every string as Latin-1."""

    led_by = "primitives.string-plain-utf8"

    class Reads(Reader):
        def text(self, raw: bytes, path: str, begin: int) -> str:
            return raw.decode("latin-1")


class TextMended(Habit):
    """Reads what is not UTF-8 with the replacement character in its place."""

    led_by = "primitives.invalid-utf8"

    class Reads(Reader):
        def text(self, raw: bytes, path: str, begin: int) -> str:
            return raw.decode("utf-8", "replace")


class LastElementLost(Habit):
    """Reads an array's last element, and drops it."""

    led_by = "compact.array-count"

    class Reads(Reader):
        def array(self, type_: WireType, path: str) -> list[Any] | None:
            found = super().array(type_, path)
            return found[:-1] if found else found


class Int16AsUnsigned(Habit):
    """Reads INT16 and INT32 as numbers that are never negative."""

    led_by = "primitives.integers-signed"

    class Reads(Reader):
        def fixed(self, kind: str, path: str) -> Any:
            value = super().fixed(kind, path)
            bits = {"int16": 16, "int32": 32}.get(kind, 0)
            is_length = path.endswith("(length)")
            return value % 2**bits if bits and not is_length else value
