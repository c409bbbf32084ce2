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


class SectionBeforeFields(Mutant, breaks="tags.section-ends-struct"):
    """Has the tag section of the message itself before its other fields."""

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


class EmptySectionLeftOut(Mutant, breaks="tags.empty-section-is-zero-byte"):
    """Writes nothing for the tag section of a message that has no tagged field to write."""

    class Writes(Writer):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            super().tag_section(layout, value, path)
            if not path and not value.keys() - {item.name for item in layout.fields}:
                del self.out[-1:]


class MissingSectionIsEmpty(Mutant, breaks="tags.section-required"):
    """Takes the end of the input for an empty tag section."""

    class Reads(Reader):
        def tag_count(self, here: str) -> int:
            return super().tag_count(here) if self.remaining else 0


class NoFieldsNoBytes(Mutant, breaks="tags.message-without-fields"):
    """Writes a message without fields as no bytes at all."""

    class Writes(Writer):
        def struct(self, layout: Layout, value: Any, path: str = "") -> None:
            if path or value or layout.fields:
                super().struct(layout, value, path)


class TagAndSizePacked(Mutant, breaks="tags.section-layout"):
    """Writes a tag and its size as one number, the tag in the bits from the 32nd on."""

    class Writes(Writer):
        def tag(self, number: int, raw: bytes) -> None:
            self.uvarint(number << 32 | len(raw))
            self.out += raw


class SizeBeforeTag(Mutant, breaks="tags.section-layout"):
    """Has the size of a tagged field before its tag."""

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


class TagSizePlusOne(Mutant, breaks="tags.size-is-plain-length"):
    """Takes the size of a tagged field for N + 1, as the lengths of compact types are."""

    class Reads(Reader):
        def tag_size(self, here: str) -> int:
            return max(super().tag_size(here) - 1, 0)

    class Writes(Writer):
        def tag_size(self, size: int) -> None:
            super().tag_size(size + 1)


class TagsDescending(Mutant, breaks="tags.ascending"):
    """Writes the known tags of a section from the highest to the lowest."""

    class Writes(Writer):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            known = self.known_tags(layout, value, path)
            unknown = self.unknown_tags(layout, value, path)
            _write_tags(self, [*reversed(known), *unknown])


class DefaultsWritten(Mutant, breaks="tags.default-left-out"):
    """Writes tagged fields that hold their defaults, structs apart."""

    class Writes(Writer):
        def written(self, item: WireField, given: Any) -> bool:
            return item.type.kind != "struct" or super().written(item, given)

        def known_tags(
            self, layout: Layout, value: dict[str, Any], path: str
        ) -> list[tuple[int, bytes]]:
            plain = {i.name: i.default for i in layout.tagged if i.type.kind != "struct"}
            return super().known_tags(layout, plain | value, path)


class DefaultStructsWritten(Mutant, breaks="tags.default-struct-left-out"):
    """Writes tagged structs that hold nothing but defaults."""

    class Writes(Writer):
        def written(self, item: WireField, given: Any) -> bool:
            return item.type.kind == "struct" or super().written(item, given)

        def known_tags(
            self, layout: Layout, value: dict[str, Any], path: str
        ) -> list[tuple[int, bytes]]:
            structs = {i.name: i.default for i in layout.tagged if i.type.kind == "struct"}
            return super().known_tags(layout, structs | value, path)


class ZerosLeftOut(Mutant, breaks="tags.non-default-written"):
    """Leaves out a tagged field that holds the zero or empty value of its type."""

    class Writes(Writer):
        def written(self, item: WireField, given: Any) -> bool:
            return super().written(item, given) and bool(given)


class AbsentReadsZero(Mutant, breaks="tags.absent-reads-default"):
    """Reads an absent tagged field as the zero of its type, whatever its default is."""

    class Reads(Reader):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            super().tag_section(layout, value, path)
            for item in layout.tagged:
                if item.type.kind not in ("struct", "uuid"):
                    value.setdefault(item.name, ZEROS.get(item.type.kind, 0))


class ExplicitDefaultRefused(Mutant, breaks="tags.explicit-default-read"):
    """Refuses a tagged field that is written though it holds its default."""

    class Reads(Reader):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            start = self.offset
            super().tag_section(layout, value, path)
            for item in _at_default(layout, value):
                raise TagError(f"tag {item.tag} holds its default", path, start)


class ExplicitDefaultKeptAsUnknown(Mutant, breaks="tags.explicit-default-read"):
    """Takes a tagged field that holds its default for an unknown one, and keeps it as such."""

    class Reads(Reader):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            super().tag_section(layout, value, path)
            for item in _at_default(layout, value):
                writer = Writer()
                writer.tagged_value(item.type, value.pop(item.name), path)
                entry = {"tag": item.tag, "bytes": bytes_to_text(bytes(writer.out))}
                value.setdefault(UNKNOWN_TAGS, []).append(entry)


class ExplicitDefaultReadAsZero(Mutant, breaks="tags.explicit-default-read"):
    """Reads a tagged field that holds its default as the zero of its type."""

    class Reads(Reader):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            super().tag_section(layout, value, path)
            for item in _at_default(layout, value):
                if item.type.kind not in ("struct", "uuid"):
                    value[item.name] = ZEROS.get(item.type.kind, 0)


class TaggedStringsInflexible(Mutant, breaks="tags.values-compact"):
    """Has INT16 lengths before strings inside of tagged values, of sizes that fit them."""

    def change(self, form: Form) -> Form:
        def retype(type_: WireType, spot: Spot) -> WireType:
            tagged = spot.in_tag and type_.kind == "string"
            return replace(type_, compact=False) if tagged else type_

        return retyped(form, retype)


class UnknownTagRefused(Mutant, breaks="tags.unknown-skipped"):
    """Refuses an unknown tag at the end of the message itself."""

    class Reads(Reader):
        def unknown_tag(self, number: int, size: int, value: dict[str, Any], here: str) -> None:
            if here == "_tags":
                raise TagError(f"tag {number} is unknown", here, self.offset)
            super().unknown_tag(number, size, value, here)


class UnknownTagNotSkippedInStruct(Mutant, breaks="tags.unknown-skipped-in-struct"):
    """Reads tag and size of an unknown tag in a nested struct, and does not skip its value."""

    class Reads(Reader):
        def unknown_tag(self, number: int, size: int, value: dict[str, Any], here: str) -> None:
            if here == "_tags" or here.endswith("]._tags"):
                super().unknown_tag(number, size, value, here)


class UnknownTagNotSkippedInElement(Mutant, breaks="tags.unknown-skipped-in-element"):
    """Reads tag and size of an unknown tag in an array's element, and does not skip its value."""

    class Reads(Reader):
        def unknown_tag(self, number: int, size: int, value: dict[str, Any], here: str) -> None:
            if not here.endswith("]._tags"):
                super().unknown_tag(number, size, value, here)


class UnknownTagRefusedInElement(Mutant, breaks="tags.unknown-skipped-in-element"):
    """Refuses an unknown tag in an array's element."""

    class Reads(Reader):
        def unknown_tag(self, number: int, size: int, value: dict[str, Any], here: str) -> None:
            if here.rpartition(".")[0].endswith("]"):
                raise TagError(f"tag {number} is unknown", here, self.offset)
            super().unknown_tag(number, size, value, here)


class EmptyUnknownTagRefused(Mutant, breaks="tags.unknown-empty-value"):
    """Refuses an unknown tag of size 0."""

    class Reads(Reader):
        def unknown_tag(self, number: int, size: int, value: dict[str, Any], here: str) -> None:
            if not size:
                raise TagError(f"tag {number} has no value", here, self.offset)
            super().unknown_tag(number, size, value, here)


class TagOfSixteenBits(Mutant, breaks="tags.unknown-high-tag"):
    """Refuses an unknown tag that takes more than sixteen bits."""

    class Reads(Reader):
        def unknown_tag(self, number: int, size: int, value: dict[str, Any], here: str) -> None:
            if number > 0xFFFF:
                raise TagError(f"tag {number} is no 16-bit number", here, self.offset)
            super().unknown_tag(number, size, value, here)


class UnknownTagsDropped(Mutant, breaks="tags.unknown-kept"):
    """Skips unknown tags and forgets them, though it says that it keeps them."""

    class Reads(Reader):
        def unknown_tag(self, number: int, size: int, value: dict[str, Any], here: str) -> None:
            self.take(size, here)


class UnknownTagsFirst(Mutant, breaks="tags.unknown-merged-in-order"):
    """Writes the unknown tags of a struct before its known ones."""

    class Writes(Writer):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            known = self.known_tags(layout, value, path)
            unknown = self.unknown_tags(layout, value, path)
            _write_tags(self, [*unknown, *known])


class UnknownTagsDescending(Mutant, breaks="tags.unknown-merged-in-order"):
    """Writes unknown tags behind the known ones, the highest first."""

    class Writes(Writer):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            known = self.known_tags(layout, value, path)
            unknown = self.unknown_tags(layout, value, path)
            _write_tags(self, [*known, *sorted(unknown, reverse=True)])


class CountOfTagsPlusOne(Mutant, breaks="tags.count-matches-entries"):
    """Counts the end of the section as one more tag where it writes any that it knows."""

    class Writes(Writer):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            known = self.known_tags(layout, value, path)
            unknown = self.unknown_tags(layout, value, path)
            more = len(known) + len(unknown) + 1
            _write_tags(self, [*known, *unknown], count=more if known else None)


class CountOfDefinedTags(Mutant, breaks="tags.count-matches-entries"):
    """Writes the number of tags that the version defines as the number of those that it writes."""

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
