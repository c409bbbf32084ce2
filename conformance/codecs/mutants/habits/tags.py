"""Habits with tag sections, with headers, and with structs that may be null."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.codecs.mutants.habits.drafts import Habit
from conformance.reference.codec import PlainCodec
from conformance.schema.layout import Form, Layout, WireType
from conformance.wire.byte_reader import join
from conformance.wire.reader import UNKNOWN_TAGS, Reader
from conformance.wire.writer import Writer


def _sections(has_one: Callable[[Layout, str], bool]) -> tuple[type[Reader], type[Writer]]:
    """A reader and a writer of tag sections at the end of some structs, given their paths."""

    class Reads(Reader):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            if has_one(layout, path):
                super().tag_section(layout, value, path)

    class Writes(Writer):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            if has_one(layout, path):
                super().tag_section(layout, value, path)

    return Reads, Writes


class SectionsWhereTagsAre(Habit):
    """Has a tag section at the end of structs alone for which the version defines tagged fields."""

    led_by = "tags.section-ends-struct"
    Reads, Writes = _sections(lambda layout, _: bool(layout.tagged))


class SectionsOfElementsForgotten(Habit):
    """Has no tag section at the end of the elements of arrays."""

    led_by = "tags.section-ends-struct"
    Reads, Writes = _sections(lambda _, path: not path.endswith("]"))


class SectionsOfFieldsForgotten(Habit):
    """Has no tag section at the end of structs that are fields, and one behind elements."""

    led_by = "tags.section-ends-struct"
    Reads, Writes = _sections(lambda _, path: not path or path.endswith("]"))


class SectionOfMessageForgotten(Habit):
    """Has a tag section at the end of nested structs, and none at the end of the message."""

    led_by = "tags.section-ends-struct"
    Reads, Writes = _sections(lambda _, path: bool(path))


class TaggedStructsWithoutSection(Habit):
    """Has no tag section at the end of a struct that is a tagged field itself."""

    led_by = "tags.section-ends-struct"

    class Reads(Reader):
        def tagged_value(self, type_: WireType, path: str) -> Any:
            return super().tagged_value(_without_section(type_), path)

    class Writes(Writer):
        def tagged_value(self, type_: WireType, value: Any, path: str) -> None:
            super().tagged_value(_without_section(type_), value, path)


def _without_section(type_: WireType) -> WireType:
    if type_.kind != "struct":
        return type_
    return replace(type_, struct=replace(type_.layout, flexible=False))


class KnownTagsWithoutSize(Habit):
    """Has no size before the tagged fields that it knows."""

    led_by = "tags.section-layout"

    class Reads(Reader):
        def tag(self, layout: Layout, value: dict[str, Any], previous: int, path: str) -> int:
            begin = self.offset
            number = self.uvarint(f"{join(path, '_tags')}(tag)")
            known = layout.by_tag.get(number)
            if known is None:
                self.offset = begin
                return super().tag(layout, value, previous, path)
            value[known.name] = self.tagged_value(known.type, join(path, known.name))
            return max(number, previous)

    class Writes(Writer):
        known: frozenset[int] = frozenset()

        def known_tags(
            self, layout: Layout, value: dict[str, Any], path: str
        ) -> list[tuple[int, bytes]]:
            entries = super().known_tags(layout, value, path)
            self.known = frozenset(layout.by_tag)
            return entries

        def tag(self, number: int, raw: bytes) -> None:
            if number not in self.known:
                super().tag(number, raw)
                return
            self.uvarint(number)
            self.out += raw


class UnknownTagsWithoutSize(Habit):
    """Leaves out the size of an unknown tagged field that it writes."""

    led_by = "tags.size-is-plain-length"

    class Writes(Writer):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            known = self.known_tags(layout, value, path)
            unknown = self.unknown_tags(layout, value, path)
            self.tag_count(len(known) + len(unknown))
            for number, raw in sorted([*known, *unknown], key=lambda entry: entry[0]):
                if number in layout.by_tag:
                    self.tag(number, raw)
                else:
                    self.uvarint(number)
                    self.out += raw


class TagsAsInt32(Habit):
    """Has tag and size of a tagged field as INT32."""

    led_by = "tags.section-layout"

    class Reads(Reader):
        def uvarint(self, path: str) -> int:
            if path.endswith(("(tag)", "_tags(size)")):
                return int(self.fixed("int32", path))
            return super().uvarint(path)

    class Writes(Writer):
        def tag(self, number: int, raw: bytes) -> None:
            self.fixed("int32", number, "")
            self.fixed("int32", len(raw), "")
            self.out += raw


class UnknownTagsNotCounted(Habit):
    """Counts the tagged fields that it knows alone, though it writes the unknown ones as well."""

    led_by = "tags.unknown-kept"

    class Writes(Writer):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            known = self.known_tags(layout, value, path)
            self.tag_count(len(known))
            unknown = self.unknown_tags(layout, value, path)
            for number, raw in sorted([*known, *unknown], key=lambda entry: entry[0]):
                self.tag(number, raw)


class TagsWithZigZag(Habit):
    """Has tag and size of a tagged field as signed varints, with zig-zag."""

    led_by = "tags.section-layout"

    class Reads(Reader):
        def uvarint(self, path: str) -> int:
            number = super().uvarint(path)
            if path.endswith(("(tag)", "_tags(size)")):
                return (number >> 1 ^ -(number & 1)) % (1 << 32)
            return number

    class Writes(Writer):
        def tag(self, number: int, raw: bytes) -> None:
            self.uvarint(2 * number)
            self.uvarint(2 * len(raw))
            self.out += raw


class TagCountTakenForSize(Habit):
    """Takes the number of tagged fields for the size of the section in bytes, and skips these."""

    led_by = "tags.section-layout"

    class Reads(Reader):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            self.take(self.tag_count(join(path, "_tags")), path)


class TagCountPlusOne(Habit):
    """Has N + 1 for N before the tagged fields of a section, as arrays have."""

    led_by = "tags.count-matches-entries"

    class Reads(Reader):
        def tag_count(self, here: str) -> int:
            return max(0, self.uvarint(f"{here}(count)") - 1)

    class Writes(Writer):
        def tag_count(self, count: int) -> None:
            super().tag_count(count + 1)


class UnknownTagsKeptAtTheTop(Habit):
    """Keeps the unknown tags of the message, and forgets those of nested structs."""

    led_by = "tags.unknown-kept"

    class Reads(Reader):
        def struct(self, layout: Layout, path: str = "") -> dict[str, Any]:
            value = super().struct(layout, path)
            if path:
                value.pop(UNKNOWN_TAGS, None)
            return value


class UnknownTagsKeptInTheFirst(Habit):
    """Keeps the first unknown tag of a section, and forgets the others."""

    led_by = "tags.unknown-kept"

    class Reads(Reader):
        def unknown_tag(self, number: int, size: int, value: dict[str, Any], here: str) -> None:
            super().unknown_tag(number, size, value, here)
            del value[UNKNOWN_TAGS][1:]


class TagsSortedAsText(Habit):
    """Writes tagged fields in the order of their numbers as text, 10 before 2."""

    led_by = "tags.unknown-merged-in-order"

    class Writes(Writer):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            entries = [
                *self.known_tags(layout, value, path),
                *self.unknown_tags(layout, value, path),
            ]
            self.tag_count(len(entries))
            for number, raw in sorted(entries, key=lambda entry: str(entry[0])):
                self.tag(number, raw)


class TagCountOfTwoBytes(Habit):
    """Has an INT16 for the number of tagged fields in each section."""

    led_by = "tags.section-layout"

    class Reads(Reader):
        def tag_count(self, here: str) -> int:
            return int(self.fixed("int16", f"{here}(count)"))

    class Writes(Writer):
        def tag_count(self, count: int) -> None:
            self.fixed("int16", count, "")


class DefinedTagsCounted(Habit):
    """Counts all tagged fields that the version defines, whether they follow or not."""

    led_by = "tags.count-matches-entries"

    class Writes(Writer):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            known = self.known_tags(layout, value, path)
            unknown = self.unknown_tags(layout, value, path)
            self.tag_count(len(layout.tagged) + len(unknown))
            for number, raw in sorted([*known, *unknown], key=lambda entry: entry[0]):
                self.tag(number, raw)


class TaggedValuesInflexible(Habit):
    """Has INT16 and INT32 lengths, and no tag sections, inside of tagged values."""

    led_by = "tags.values-compact"

    class Reads(Reader):
        def tagged_value(self, type_: WireType, path: str) -> Any:
            return super().tagged_value(_inflexible(type_), path)

    class Writes(Writer):
        def tagged_value(self, type_: WireType, value: Any, path: str) -> None:
            super().tagged_value(_inflexible(type_), value, path)


def _inflexible(type_: WireType) -> WireType:
    element = type_.element and _inflexible(type_.element)
    struct = type_.struct and replace(
        type_.struct,
        flexible=False,
        fields=tuple(replace(item, type=_inflexible(item.type)) for item in type_.struct.fields),
    )
    return replace(type_, compact=False, element=element, struct=struct)


class AnyStructMarked(Habit):
    """Takes any marker but 0 for a struct that is present, and writes 1 and 0."""

    led_by = "nullable-structs.null-marker"

    class Reads(Reader):
        def present(self, path: str) -> bool:
            return bool(self.fixed("int8", f"{path}(marker)"))

    class Writes(Writer):
        def marker(self, present: bool) -> None:
            self.out += b"\x01" if present else b"\x00"


class StructsNeverMarked(Habit):
    """Has no marker before structs that may be null."""

    led_by = "nullable-structs.present-marker"

    class Reads(Reader):
        def present(self, path: str) -> bool:
            return True

        def tagged_present(self, path: str) -> bool:
            return True

    class Writes(Writer):
        def marker(self, present: bool) -> None:
            pass

        def tagged_value(self, type_: WireType, value: Any, path: str) -> None:
            if type_.kind == "struct" and type_.nullable and value is not None:
                self.struct(type_.layout, value, path)
            elif value is not None:
                super().tagged_value(type_, value, path)


class ApiVersionsRequestWithoutTags(Habit):
    """Has request header version 1 before ApiVersions requests, as if KIP-511 meant those too."""

    led_by = "request-header.flexible-adds-tags"
    messages = ("ApiVersionsRequest",)

    def header_form(self, form: Form) -> Form:
        true = PlainCodec.header_form(self, form)
        if form.message != "ApiVersionsRequest" or true.version != 2:
            return true
        return PlainCodec.form(self, true.message, 1)
