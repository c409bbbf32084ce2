"""Tag sections: their place, their form, what is in them, and what is done with unknown tags.

Several are early drafts of KIP-482 or texts that were proposed for it and turned down; peers have
been built after them. Those of unknown tags differ only in where such a tag stands, because readers
have one loop for the end of the message and another for every struct in it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.codecs.mutants.mutant import Mutant, Spot, retyped
from conformance.schema.layout import Form, Layout, WireField, WireType
from conformance.wire.errors import TagError
from conformance.wire.reader import UNKNOWN_TAGS, Reader
from conformance.wire.text import bytes_to_text
from conformance.wire.writer import Writer

ZEROS: dict[str, Any] = {"string": "", "bytes": "", "array": [], "bool": False}


class SectionBeforeFields(Mutant):
    """Has the tag section of the message itself before its other fields."""

    breaks = "tags.section-ends-struct"

    class Reads(Reader):
        def struct(self, layout: Layout, path: str = "") -> dict[str, Any]:
            if path or not layout.flexible:
                return super().struct(layout, path)
            tagged: dict[str, Any] = {}
            self.tag_section(layout, tagged, path)
            return super().struct(replace(layout, flexible=False), path) | tagged

    class Writes(Writer):
        def struct(self, layout: Layout, value: Any, path: str = "") -> None:
            if path or not layout.flexible:
                super().struct(layout, value, path)
                return
            self.tag_section(layout, value, path)
            names = {item.name for item in layout.fields}
            plain = {name: given for name, given in value.items() if name in names}
            super().struct(replace(layout, flexible=False), plain, path)


class EmptySectionLeftOut(Mutant):
    """Writes nothing for the tag section of a message that has no tagged field to write."""

    breaks = "tags.empty-section-is-zero-byte"

    class Writes(Writer):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            super().tag_section(layout, value, path)
            if not path and not value.keys() - {item.name for item in layout.fields}:
                del self.out[-1:]


class MissingSectionIsEmpty(Mutant):
    """Takes the end of the input for an empty tag section."""

    breaks = "tags.section-required"

    class Reads(Reader):
        def tag_count(self, here: str) -> int:
            return super().tag_count(here) if self.remaining else 0


class NoFieldsNoBytes(Mutant):
    """Writes a message without fields as no bytes at all."""

    breaks = "tags.message-without-fields"

    class Writes(Writer):
        def struct(self, layout: Layout, value: Any, path: str = "") -> None:
            if path or value or layout.fields:
                super().struct(layout, value, path)


class TagAndSizePacked(Mutant):
    """Writes a tag and its size as one number, the tag in the bits from the 32nd on."""

    breaks = "tags.section-layout"

    class Writes(Writer):
        def tag(self, number: int, raw: bytes) -> None:
            self.uvarint(number << 32 | len(raw))
            self.out += raw


class SizeBeforeTag(Mutant):
    """Has the size of a tagged field before its tag."""

    breaks = "tags.section-layout"

    class Reads(Reader):
        size = 0

        def uvarint(self, path: str) -> int:
            if path.endswith("(tag)"):
                self.size = super().uvarint(path)
            return super().uvarint(path)

        def tag_size(self, here: str) -> int:
            return self.size

    class Writes(Writer):
        def tag(self, number: int, raw: bytes) -> None:
            self.uvarint(len(raw))
            self.uvarint(number)
            self.out += raw


class TagSizePlusOne(Mutant):
    """Takes the size of a tagged field for N + 1, as the lengths of compact types are."""

    breaks = "tags.size-is-plain-length"

    class Reads(Reader):
        def tag_size(self, here: str) -> int:
            return max(super().tag_size(here) - 1, 0)

    class Writes(Writer):
        def tag_size(self, size: int) -> None:
            super().tag_size(size + 1)


class TagsDescending(Mutant):
    """Writes the known tags of a section from the highest to the lowest."""

    breaks = "tags.ascending"

    class Writes(Writer):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            known = self.known_tags(layout, value, path)
            unknown = self.unknown_tags(layout, value, path)
            _write_tags(self, [*reversed(known), *unknown])


class DefaultsWritten(Mutant):
    """Writes tagged fields that hold their defaults, structs apart."""

    breaks = "tags.default-left-out"

    class Writes(Writer):
        def written(self, item: WireField, given: Any) -> bool:
            return item.type.kind != "struct" or super().written(item, given)

        def known_tags(
            self, layout: Layout, value: dict[str, Any], path: str
        ) -> list[tuple[int, bytes]]:
            plain = {i.name: i.default for i in layout.tagged if i.type.kind != "struct"}
            return super().known_tags(layout, plain | value, path)


class DefaultStructsWritten(Mutant):
    """Writes tagged structs that hold nothing but defaults."""

    breaks = "tags.default-struct-left-out"

    class Writes(Writer):
        def written(self, item: WireField, given: Any) -> bool:
            return item.type.kind == "struct" or super().written(item, given)

        def known_tags(
            self, layout: Layout, value: dict[str, Any], path: str
        ) -> list[tuple[int, bytes]]:
            structs = {i.name: i.default for i in layout.tagged if i.type.kind == "struct"}
            return super().known_tags(layout, structs | value, path)


class ZerosLeftOut(Mutant):
    """Leaves out a tagged field that holds the zero or empty value of its type."""

    breaks = "tags.non-default-written"

    class Writes(Writer):
        def written(self, item: WireField, given: Any) -> bool:
            return super().written(item, given) and bool(given)


class AbsentReadsZero(Mutant):
    """Reads an absent tagged field as the zero of its type, whatever its default is."""

    breaks = "tags.absent-reads-default"

    class Reads(Reader):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            super().tag_section(layout, value, path)
            for item in layout.tagged:
                if item.type.kind not in ("struct", "uuid"):
                    value.setdefault(item.name, ZEROS.get(item.type.kind, 0))


class ExplicitDefaultRefused(Mutant):
    """Refuses a tagged field that is written though it holds its default."""

    breaks = "tags.explicit-default-read"

    class Reads(Reader):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            start = self.offset
            super().tag_section(layout, value, path)
            for item in _at_default(layout, value):
                raise TagError(f"tag {item.tag} holds its default", path, start)


class ExplicitDefaultKeptAsUnknown(Mutant):
    """Takes a tagged field that holds its default for an unknown one, and keeps it as such."""

    breaks = "tags.explicit-default-read"

    class Reads(Reader):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            super().tag_section(layout, value, path)
            for item in _at_default(layout, value):
                writer = Writer()
                writer.tagged_value(item.type, value.pop(item.name), path)
                entry = {"tag": item.tag, "bytes": bytes_to_text(bytes(writer.out))}
                value.setdefault(UNKNOWN_TAGS, []).append(entry)


class ExplicitDefaultReadAsZero(Mutant):
    """Reads a tagged field that holds its default as the zero of its type."""

    breaks = "tags.explicit-default-read"

    class Reads(Reader):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            super().tag_section(layout, value, path)
            for item in _at_default(layout, value):
                if item.type.kind not in ("struct", "uuid"):
                    value[item.name] = ZEROS.get(item.type.kind, 0)


class TaggedStringsInflexible(Mutant):
    """Has INT16 lengths before strings inside of tagged values, of sizes that fit them."""

    breaks = "tags.values-compact"

    def change(self, form: Form) -> Form:
        def retype(type_: WireType, spot: Spot) -> WireType:
            tagged = spot.in_tag and type_.kind == "string"
            return replace(type_, compact=False) if tagged else type_

        return retyped(form, retype)


class UnknownTagRefused(Mutant):
    """Refuses an unknown tag at the end of the message itself."""

    breaks = "tags.unknown-skipped"

    class Reads(Reader):
        def unknown_tag(self, number: int, size: int, value: dict[str, Any], here: str) -> None:
            if here == "_tags":
                raise TagError(f"tag {number} is unknown", here, self.offset)
            super().unknown_tag(number, size, value, here)


class UnknownTagNotSkippedInStruct(Mutant):
    """Reads tag and size of an unknown tag in a nested struct, and does not skip its value."""

    breaks = "tags.unknown-skipped-in-struct"

    class Reads(Reader):
        def unknown_tag(self, number: int, size: int, value: dict[str, Any], here: str) -> None:
            if here == "_tags" or here.endswith("]._tags"):
                super().unknown_tag(number, size, value, here)


class UnknownTagNotSkippedInElement(Mutant):
    """Reads tag and size of an unknown tag in an array's element, and does not skip its value."""

    breaks = "tags.unknown-skipped-in-element"

    class Reads(Reader):
        def unknown_tag(self, number: int, size: int, value: dict[str, Any], here: str) -> None:
            if not here.endswith("]._tags"):
                super().unknown_tag(number, size, value, here)


class UnknownTagRefusedInElement(Mutant):
    """Refuses an unknown tag in an array's element."""

    breaks = "tags.unknown-skipped-in-element"

    class Reads(Reader):
        def unknown_tag(self, number: int, size: int, value: dict[str, Any], here: str) -> None:
            if here.rpartition(".")[0].endswith("]"):
                raise TagError(f"tag {number} is unknown", here, self.offset)
            super().unknown_tag(number, size, value, here)


class EmptyUnknownTagRefused(Mutant):
    """Refuses an unknown tag of size 0."""

    breaks = "tags.unknown-empty-value"

    class Reads(Reader):
        def unknown_tag(self, number: int, size: int, value: dict[str, Any], here: str) -> None:
            if not size:
                raise TagError(f"tag {number} has no value", here, self.offset)
            super().unknown_tag(number, size, value, here)


class TagOfSixteenBits(Mutant):
    """Refuses an unknown tag that takes more than sixteen bits."""

    breaks = "tags.unknown-high-tag"

    class Reads(Reader):
        def unknown_tag(self, number: int, size: int, value: dict[str, Any], here: str) -> None:
            if number > 0xFFFF:
                raise TagError(f"tag {number} is no 16-bit number", here, self.offset)
            super().unknown_tag(number, size, value, here)


class UnknownTagsDropped(Mutant):
    """Skips unknown tags and forgets them, though it says that it keeps them."""

    breaks = "tags.unknown-kept"

    class Reads(Reader):
        def unknown_tag(self, number: int, size: int, value: dict[str, Any], here: str) -> None:
            self.take(size, here)


class UnknownTagsFirst(Mutant):
    """Writes the unknown tags of a struct before its known ones."""

    breaks = "tags.unknown-merged-in-order"

    class Writes(Writer):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            known = self.known_tags(layout, value, path)
            unknown = self.unknown_tags(layout, value, path)
            _write_tags(self, [*unknown, *known])


class UnknownTagsDescending(Mutant):
    """Writes unknown tags behind the known ones, the highest first."""

    breaks = "tags.unknown-merged-in-order"

    class Writes(Writer):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            known = self.known_tags(layout, value, path)
            unknown = self.unknown_tags(layout, value, path)
            _write_tags(self, [*known, *sorted(unknown, reverse=True)])


class CountOfTagsPlusOne(Mutant):
    """Counts the end of the section as one more tag where it writes any that it knows."""

    breaks = "tags.count-matches-entries"

    class Writes(Writer):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            known = self.known_tags(layout, value, path)
            unknown = self.unknown_tags(layout, value, path)
            more = len(known) + len(unknown) + 1
            _write_tags(self, [*known, *unknown], count=more if known else None)


class CountOfDefinedTags(Mutant):
    """Writes the number of tags that the version defines as the number of those that it writes."""

    breaks = "tags.count-matches-entries"

    class Writes(Writer):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            known = self.known_tags(layout, value, path)
            unknown = self.unknown_tags(layout, value, path)
            _write_tags(self, [*known, *unknown], count=len(layout.tagged) if known else None)


def _at_default(layout: Layout, value: dict[str, Any]) -> list[WireField]:
    """The tagged fields of a struct that were written though they hold their defaults."""
    return [item for item in layout.tagged if value.get(item.name, ...) == item.default]


def _write_tags(writer: Writer, entries: list[tuple[int, bytes]], count: int | None = None) -> None:
    writer.tag_count(len(entries) if count is None else count)
    for number, raw in entries:
        writer.tag(number, raw)
