"""Writers that go wrong on values that no caller ought to give them: they accept or forget too
much.

All of them write every value correctly that its version has room for.
"""

from __future__ import annotations

import struct
from typing import Any

from conformance.api_keys import API_VERSIONS
from conformance.codecs.mutants.mutant import Mutant
from conformance.reference.codec import Value
from conformance.schema.layout import Form, Layout, WireField, WireType
from conformance.schema.releases import wire_forms
from conformance.wire.errors import DecodeError, EncodeError
from conformance.wire.reader import UNKNOWN_TAGS, Reader
from conformance.wire.text import text_to_bytes
from conformance.wire.writer import MAX_STRING_BYTES, Writer


class NullWrittenAsMinusOne(Mutant, breaks="primitives.null-not-written"):
    """Writes null as the length -1 where the field is not nullable."""

    class Writes(Writer):
        def null(self, type_: WireType, path: str) -> None:
            _null_as(self, type_, path, compact=False, length=-1)


class NullWrittenAsEmpty(Mutant, breaks="primitives.null-given-refused"):
    """Writes null as the length 0 where the field is not nullable."""

    class Writes(Writer):
        def null(self, type_: WireType, path: str) -> None:
            _null_as(self, type_, path, compact=False, length=0)


class CompactNullWrittenAsNull(Mutant, breaks="compact.null-not-written"):
    """Writes null as the compact length 0 where the field is not nullable."""

    class Writes(Writer):
        def null(self, type_: WireType, path: str) -> None:
            _null_as(self, type_, path, compact=True, length=-1)


class CompactNullWrittenAsEmpty(Mutant, breaks="compact.null-given-refused"):
    """Writes null as the compact length 1 where the field is not nullable."""

    class Writes(Writer):
        def null(self, type_: WireType, path: str) -> None:
            _null_as(self, type_, path, compact=True, length=0)


class NullStructMarked(Mutant, breaks="nullable-structs.null-not-written"):
    """Writes the marker of null where the struct is not nullable."""

    class Writes(Writer):
        def struct_value(self, type_: WireType, value: Any, path: str) -> None:
            if value is None and not type_.nullable:
                self.marker(present=False)
            else:
                super().struct_value(type_, value, path)


class NullStructWrittenAsDefaults(Mutant, breaks="nullable-structs.null-given-refused"):
    """Writes null as a struct of defaults where the struct is not nullable."""

    class Writes(Writer):
        def struct_value(self, type_: WireType, value: Any, path: str) -> None:
            if value is None and not type_.nullable:
                value = type_.layout.default_value()
            super().struct_value(type_, value, path)


class LongStringWrapped(Mutant, breaks="primitives.long-string-not-written"):
    """Writes a string of any length, and of its length the lower sixteen bits."""

    class Writes(Writer):
        def sized(self, type_: WireType, value: Any, path: str) -> None:
            if not _is_long(type_, value) or type_.compact:
                super().sized(type_, value, path)
                return
            raw = value.encode()
            self.out += struct.pack(">H", len(raw) & 0xFFFF) + raw


class LongStringCut(Mutant, breaks="primitives.long-string-not-written"):
    """Writes the first 32767 bytes of a longer string."""

    class Writes(Writer):
        def sized(self, type_: WireType, value: Any, path: str) -> None:
            if _is_long(type_, value) and not type_.compact:
                value = value.encode()[:MAX_STRING_BYTES].decode(errors="ignore")
            super().sized(type_, value, path)


class LongCompactStringWritten(Mutant, breaks="compact.long-string-not-written"):
    """Writes a compact string of any length."""

    class Writes(Writer):
        def sized(self, type_: WireType, value: Any, path: str) -> None:
            if _is_long(type_, value) and type_.compact:
                _any_length(self, type_, value)
            else:
                super().sized(type_, value, path)


class CompactStringLimitOfCharacters(Mutant, breaks="compact.long-string-not-written"):
    """Refuses a compact string of more than 32767 characters, and writes one of as many bytes."""

    class Writes(Writer):
        def sized(self, type_: WireType, value: Any, path: str) -> None:
            if _is_long(type_, value) and type_.compact and len(value) <= MAX_STRING_BYTES:
                _any_length(self, type_, value)
            else:
                super().sized(type_, value, path)


class AbsentFieldForgotten(Mutant, breaks="versions.absent-field-refused"):
    """Drops a value for a field of another version, ignorable or not."""

    class Writes(Writer):
        def absent_field(self, item: WireField, given: Any, here: str) -> None:
            pass


class AbsentNestedFieldForgotten(Mutant, breaks="versions.absent-field-refused"):
    """Drops a value for a field of another version in a nested struct, ignorable or not."""

    class Writes(Writer):
        def absent_field(self, item: WireField, given: Any, here: str) -> None:
            if "." not in here:
                super().absent_field(item, given, here)


class IgnorableFieldRefused(Mutant, breaks="versions.absent-ignorable-dropped"):
    """Refuses a value for any field of another version, be it ignorable."""

    class Writes(Writer):
        def absent_field(self, item: WireField, given: Any, here: str) -> None:
            if given != item.default:
                raise EncodeError("this version lacks the field", here)


class AbsentFieldWritten(Mutant, breaks="versions.only-fields-of-version"):
    """Writes text for a field that the version has not and may not ignore, before all others."""

    class Writes(Writer):
        def absent_field(self, item: WireField, given: Any, here: str) -> None:
            if not item.ignorable:
                raw = str(given).encode()
                self.out += struct.pack(">h", len(raw)) + raw


class IgnorableFieldWritten(Mutant, breaks="versions.only-fields-of-version"):
    """Writes a number for an ignorable field that the version has not, behind all others."""

    class Writes(Writer):
        def struct(self, layout: Layout, value: Any, path: str = "") -> None:
            super().struct(layout, value, path)
            for item in layout.absent:
                if item.ignorable and isinstance((value or {}).get(item.name), int):
                    self.out += struct.pack(">q", value[item.name])


class TagOfOtherVersionWritten(Mutant, breaks="tags.of-other-version-not-written"):
    """Writes tagged fields that the version has not, each as text and under its tag."""

    class Writes(Writer):
        def absent_field(self, item: WireField, given: Any, here: str) -> None:
            pass

        def known_tags(
            self, layout: Layout, value: dict[str, Any], path: str
        ) -> list[tuple[int, bytes]]:
            given = [item.name for item in layout.absent if item.name in value]
            more = zip(sorted(layout.other_tags), given, strict=False)
            return [
                *super().known_tags(layout, value, path),
                *((tag, str(value[name]).encode()) for tag, name in more),
            ]


class TagOfOtherVersionForgotten(Mutant, breaks="tags.of-other-version-given-refused"):
    """Drops values for fields of other versions in structs that have tags there."""

    class Writes(Writer):
        def check_names(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            if layout.other_tags:
                absent = {item.name for item in layout.absent}
                value = {name: item for name, item in value.items() if name not in absent}
            super().check_names(layout, value, path)


class UnknownTagsForgotten(Mutant, breaks="tags.unknown-in-inflexible-refused"):
    """Drops unknown tags in a version that has no tag sections."""

    class Writes(Writer):
        def check_names(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            if not layout.flexible:
                value = {name: item for name, item in value.items() if name != UNKNOWN_TAGS}
            super().check_names(layout, value, path)


class UnknownTagsAsGiven(Mutant, breaks="tags.unknown-given-out-of-order"):
    """Writes unknown tags in the order in which they are given."""

    class Writes(Writer):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            entries = self.known_tags(layout, value, path) + self.unknown_tags(layout, value, path)
            self.tag_count(len(entries))
            for number, raw in entries:
                self.tag(number, raw)


class LastOfTwoUnknownTags(Mutant, breaks="tags.unknown-given-twice-refused"):
    """Keeps the last of two unknown tags of one number."""

    class Writes(Writer):
        def unknown_tags(
            self, layout: Layout, value: dict[str, Any], path: str
        ) -> list[tuple[int, bytes]]:
            given = {entry["tag"]: entry for entry in value.get(UNKNOWN_TAGS, [])}
            return super().unknown_tags(layout, {UNKNOWN_TAGS: list(given.values())}, path)


class BothUnknownTagsWritten(Mutant, breaks="tags.unknown-given-twice-refused"):
    """Writes two unknown tags of one number."""

    class Writes(Writer):
        def unknown_tags(
            self, layout: Layout, value: dict[str, Any], path: str
        ) -> list[tuple[int, bytes]]:
            given = value.get(UNKNOWN_TAGS, [])
            return [(entry["tag"], text_to_bytes(entry["bytes"])) for entry in given]


class ManyTagsRefused(Mutant, breaks="tags.unknown-by-the-thousand"):
    """Refuses more than a hundred tagged fields in one section."""

    class Reads(Reader):
        def tag_count(self, here: str) -> int:
            count = super().tag_count(here)
            if count > 100:
                raise DecodeError(f"{count} tagged fields", here, self.offset)
            return count


class OneTableOfTags(Mutant, breaks="tags.numbers-per-struct"):
    """Takes a tag in an inner struct for an unknown one if its number is one of the message's."""

    class Reads(Reader):
        known: frozenset[int] = frozenset()

        def struct(self, layout: Layout, path: str = "") -> dict[str, Any]:
            if not path:
                self.known = frozenset(layout.by_tag)
            value = super().struct(layout, path)
            if path:
                for item in layout.tagged:
                    if item.tag in self.known:
                        value.pop(item.name, None)
            return value


class NearestVersionTaken(Mutant, breaks="versions.unknown-refused"):
    """Takes the nearest version that there is for one that there is not."""

    messages = ("FetchRequest", "MetadataResponse")

    def form(self, message: str, version: int) -> Form:
        if message in self.messages:
            known = wire_forms(message)
            version = max(min(known), min(version, max(known)))
        return super().form(message, version)


class FallbackNotTold(Mutant, breaks="api-versions.unsupported-version-read-as-v0"):
    """Reads version 0 in an answer to a later one, and says that it is of that later one."""

    messages = ("ApiVersionsResponse",)

    def decode_response(
        self, message: str, version: int, data: bytes
    ) -> tuple[Value, Value, int, int]:
        header, value, remaining, _ = super().decode_response(message, version, data)
        return header, value, remaining, version


class AnyErrorFallsBack(Mutant, breaks="api-versions.other-errors-in-own-version"):
    """Reads an ApiVersions response with any error code as one of version 0."""

    messages = ("ApiVersionsResponse",)

    def decode_response(
        self, message: str, version: int, data: bytes
    ) -> tuple[Value, Value, int, int]:
        if self.form(message, version).api_key == API_VERSIONS and data[4:6] != b"\0\0":
            version = 0
        return super().decode_response(message, version, data)


def _null_as(writer: Writer, type_: WireType, path: str, compact: bool, length: int) -> None:
    if type_.nullable or type_.compact != compact:
        Writer.null(writer, type_, path)
    else:
        writer.length(type_, length)


def _is_long(type_: WireType, value: Any) -> bool:
    text = isinstance(value, str) and type_.kind == "string"
    return text and len(value.encode()) > MAX_STRING_BYTES


def _any_length(writer: Writer, type_: WireType, value: str) -> None:
    raw = value.encode()
    writer.length(type_, len(raw))
    writer.out += raw
