"""Defects that the suite was not tuned to: written from the rules alone, and left as they are.

If one author writes a case and its mutant together, this shows only that the two agree. These
defects were written by an author who had seen no case and no vector, mostly after defects of
released clients, and a score by them is closer to the suite's effect on an unknown codec. So they
count separately (`conformance.codecs.mutants.unseen()`), and one that is not caught stays.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar

from conformance.codecs.mutants.mutant import Mutant
from conformance.reference.codec import PlainCodec, Value
from conformance.schema.layout import Form, Layout, WireType
from conformance.schema.model import FIXED_KINDS
from conformance.wire.errors import LengthError
from conformance.wire.reader import Reader
from conformance.wire.writer import Writer


class RecordsLengthCut(Mutant, breaks="compact.records-length"):
    """Takes the compact length of records for an INT16, so it is wrong above 32767 bytes.

    As a cast did in a Rust library (tisonkun/kafka-api, issue 10).
    """

    class Writes(Writer):
        def length(self, type_: WireType, length: int) -> None:
            if type_.kind == "records" and type_.compact:
                cut = (length + 2**15) % 2**16 - 2**15
                self.uvarint((cut + 1) % 2**32)
            else:
                super().length(type_, length)


class TagSizeOfShortString(Mutant, breaks="tags.size-is-plain-length"):
    """Counts the length of a string in a tag as one byte of the tag's size, however many it takes.

    As Apache Kafka's generator once did (KAFKA-13277): right up to 126 bytes.
    """

    class Writes(Writer):
        strings: frozenset[int] = frozenset()

        def known_tags(
            self, layout: Layout, value: dict[str, Any], path: str
        ) -> list[tuple[int, bytes]]:
            entries = super().known_tags(layout, value, path)
            self.strings = frozenset(
                item.tag or 0 for item in layout.tagged if item.type.kind == "string"
            )
            return entries

        def tag(self, number: int, raw: bytes) -> None:
            if number not in self.strings:
                super().tag(number, raw)
                return
            uncounted = next(index for index, byte in enumerate(raw) if byte < 0x80)
            self.uvarint(number)
            self.tag_size(len(raw) - uncounted)
            self.out += raw


class TagOfElementBefore(Mutant, breaks="tags.absent-reads-default"):
    """Reads a tagged field that an array's element has not as that of the element before it.

    As happens where one object is filled again for each element.
    """

    class Reads(Reader):
        def array(self, type_: WireType, path: str) -> list[Any] | None:
            elements = super().array(type_, path)
            if elements and type_.item.kind == "struct":
                names = [item.name for item in type_.item.layout.tagged]
                for before, element in pairwise(elements):
                    for name in names:
                        if name in before:
                            element.setdefault(name, before[name])
            return elements


class EmptyInElementAsNull(Mutant, breaks="compact.empty-is-one"):
    """Writes an empty array that may be null as null where it is in an element of another array.

    As languages do in which an array without elements and one that is not there look the same.
    """

    class Writes(Writer):
        def array(self, type_: WireType, value: Any, path: str) -> None:
            empty = value == [] and type_.nullable and type_.compact and "[" in path
            super().array(type_, None if empty else value, path)


class OneTagInRequestHeader(Mutant, breaks="request-header.unknown-tag-skipped"):
    """Skips one unknown tagged field of a request header, and takes further ones for the body."""

    class HeaderReader(Reader):
        def tag_count(self, here: str) -> int:
            return min(super().tag_count(here), 1)

    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        """Return a message's value and the offset after it. Raises DecodeError."""
        if form.message != "RequestHeader":
            return super().read(form, data, offset)
        reader = self.HeaderReader(data, offset)
        return reader.struct(form.layout), reader.offset


class ByteOrderMarkLost(Mutant, breaks="primitives.string-plain-utf8"):
    """Takes U+FEFF at the beginning of a string for a byte order mark, and drops it.

    As the text decoders of JavaScript do unless they are told not to.
    """

    class Reads(Reader):
        def text(self, raw: bytes, path: str, begin: int) -> str:
            return super().text(raw, path, begin).removeprefix("\ufeff")


class LeastOfPlainElements(Mutant, breaks="compact.array-count"):
    """Holds the count of a compact array against the bytes left as if its elements were plain.

    A test against lying counts that was not looked at again when lengths became shorter: it refuses
    arrays of short elements near a message's end.
    """

    class Reads(Reader):
        def array(self, type_: WireType, path: str) -> list[Any] | None:
            start = self.offset
            count = self.length(type_, path)
            if count is None:
                return None
            if count * _plain_least(type_.item) > self.remaining:
                raise LengthError(f"{count} elements, {self.remaining} bytes left", path, start)
            return [self.value(type_.item, f"{path}[{index}]") for index in range(count)]


class VarintMaskOf16Bits(Mutant, breaks="records.varint-zigzag"):
    """Ends a VARINT or VARLONG as soon as its bits 7 to 15 are zero, whatever is above them.

    As a mask of 16 bits did in a Ruby client (zendesk/ruby-kafka, pull request 684).
    """

    class Writes(Writer):
        def zigzag(self, value: int, bits: int, path: str) -> None:
            begin = len(self.out)
            super().zigzag(value, bits, path)
            del self.out[begin:]
            rest = self.to_zigzag(value, bits)
            while rest & 0xFF80:
                self.out.append(rest & 0x7F | 0x80)
                rest >>= 7
            self.out.append(rest & 0x7F)


class TagsBelowTheirVersion(Mutant, breaks="tags.of-other-version-not-written"):
    """Reads and writes the tagged fields of a message in each flexible version, older ones too.

    As a Go client does, to which a tag says enough (seen in redpanda, pull request 31663). Only the
    fields at the top of the message.
    """

    def change(self, form: Form) -> Form:
        """The form with the tagged fields that it will have one day."""
        if not form.flexible or form.layout.batch:
            return form
        newest = PlainCodec.form(self, form.message, max(self.versions(form.message)))
        present = {item.name for item in (*form.layout.fields, *form.layout.tagged)}
        added = [item for item in newest.layout.tagged if item.name not in present]
        names = {item.name for item in added}
        layout = replace(
            form.layout,
            tagged=tuple(sorted((*form.layout.tagged, *added), key=lambda item: item.tag or 0)),
            absent=tuple(item for item in form.layout.absent if item.name not in names),
            other_tags=form.layout.other_tags - {item.tag or 0 for item in added},
        )
        return replace(form, layout=layout)


class TagsOfNullInElement(Mutant, breaks="nullable-structs.null-has-no-body"):
    """Reads and writes an empty tag section after a null struct in an element of an array."""

    messages: ClassVar[tuple[str, ...]] = ("StreamsGroupDescribeResponse",)

    class Reads(Reader):
        def struct_value(self, type_: WireType, path: str) -> dict[str, Any] | None:
            value = super().struct_value(type_, path)
            if value is None and "[" in path:
                self.uvarint(path)
            return value

    class Writes(Writer):
        def struct_value(self, type_: WireType, value: Any, path: str) -> None:
            super().struct_value(type_, value, path)
            if value is None and "[" in path:
                self.uvarint(0)


def _plain_least(type_: WireType) -> int:
    """The fewest bytes that a value took before there were compact lengths and tag sections."""
    if type_.kind in FIXED_KINDS:
        return type_.least
    if type_.kind == "struct":
        return 1 if type_.nullable else sum(_plain_least(item.type) for item in type_.layout.fields)
    return 2 if type_.kind == "string" else 4
