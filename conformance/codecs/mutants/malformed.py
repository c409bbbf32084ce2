"""Readers that go wrong on input that no peer ought to send: they trust, forget or refuse too much.

Every rule about malformed input has its mutant here, whatever its group: they have in common that
all of them read every well-formed message correctly.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from conformance.codecs.mutants.mutant import Mutant
from conformance.schema.layout import Form, Layout, WireType
from conformance.wire.errors import DecodeError, NullNotAllowed
from conformance.wire.reader import Reader
from conformance.wire.text import bytes_to_text


class NullIsEmptyWhereRefused(Mutant, breaks="primitives.null-refused"):
    """Takes an INT16 or INT32 length of -1 for 0 where the field is not nullable."""

    class Reads(Reader):
        def length(self, type_: WireType, path: str) -> int | None:
            return _null_is_empty(self, type_, path, compact=False)


class CompactNullIsEmptyWhereRefused(Mutant, breaks="compact.null-refused"):
    """Takes a compact length of 0 for an empty value where the field is not nullable."""

    class Reads(Reader):
        def length(self, type_: WireType, path: str) -> int | None:
            return _null_is_empty(self, type_, path, compact=True)


class BelowNullIsEmpty(Mutant, breaks="primitives.length-below-null"):
    """Takes a length below -1 for 0."""

    class Reads(Reader):
        def below_null(self, length: int, path: str, start: int) -> int:
            return 0


class NegativeLengthMovesBack(Mutant, breaks="primitives.length-never-backwards"):
    """Moves back in the message by a negative length, so that elements cost no bytes."""

    class Reads(Reader):
        def array(self, type_: WireType, path: str) -> list[Any] | None:
            count = self.length(type_, path)
            return None if count is None else [self.value(type_.item, path) for _ in range(count)]

        def sized(self, type_: WireType, path: str) -> str | None:
            start = self.offset
            compact = type_.compact
            length = self.compact_length(path) if compact else self.plain_length(type_, path)
            if (length == -1 and type_.nullable) or length >= 0:
                self.offset = start
                return super().sized(type_, path)
            self.offset = max(self.offset + length, 0)
            return ""


class TakesWhatIsThere(Mutant, breaks="primitives.length-beyond-input-refused"):
    """Reads as many bytes or elements as there are where a length promises more."""

    class Reads(Reader):
        def array(self, type_: WireType, path: str) -> list[Any] | None:
            count = self.length(type_, path)
            found: list[Any] = []
            while count is not None and len(found) < count and self.remaining:
                found.append(self.value(type_.item, path))
            return None if count is None else found

        def length(self, type_: WireType, path: str) -> int | None:
            length = super().length(type_, path)
            if length is None or type_.kind == "array":
                return length
            return min(length, self.remaining)


class HugeLengthEndsProcess(Mutant, breaks="compact.length-above-int32"):
    """Asks for the memory that a compact length of 2^31 and more stands for."""

    class Reads(Reader):
        def compact_length(self, path: str) -> int:
            return _affordable(super().compact_length(path))


class VarintWithoutEnd(Mutant, breaks="primitives.varint-too-long-refused"):
    """Reads a varint for as long as its bytes say that another one follows."""

    class Reads(Reader):
        def uvarint(self, path: str) -> int:
            value = shift = 0
            while True:
                byte = self.take(1, path)[0]
                value |= (byte & 0x7F) << shift
                if byte < 0x80:
                    return value
                shift += 7


class OverflowIsEmpty(Mutant, breaks="primitives.varint-overflow-dropped"):
    """Reads text as empty whose length has bits above the thirty-second."""

    class Reads(Reader):
        dropped = False

        def overflow(self, value: int, path: str, start: int) -> int:
            self.dropped = True
            return value & 0xFFFF_FFFF

        def text(self, raw: bytes, path: str, begin: int) -> str:
            dropped, self.dropped = self.dropped, False
            return "" if dropped else super().text(raw, path, begin)


class OnlyOneIsTrue(Mutant, breaks="primitives.boolean-non-zero-true"):
    """Reads a boolean as true where its byte is 1, and else as false."""

    class Reads(Reader):
        def fixed(self, kind: str, path: str) -> Any:
            value = super().fixed(kind, path)
            return self.data[self.offset - 1] == 1 if kind == "bool" else value


class TextIsLatin1(Mutant, breaks="primitives.invalid-utf8"):
    """Reads text that is not UTF-8 as Latin-1."""

    class Reads(Reader):
        def text(self, raw: bytes, path: str, begin: int) -> str:
            try:
                return super().text(raw, path, begin)
            except DecodeError:
                return raw.decode("latin-1")


class OtherMarkersForgotten(Mutant, breaks="nullable-structs.other-markers"):
    """Reads a struct whose marker is neither -1 nor 1, and answers null."""

    class Reads(Reader):
        marker = 0

        def present(self, path: str) -> bool:
            self.marker = int(self.fixed("int8", f"{path}(marker)"))
            return self.marker >= 0

        def struct_value(self, type_: WireType, path: str) -> dict[str, Any] | None:
            self.marker = 1
            if type_.nullable and not self.present(path):
                return None
            marker, value = self.marker, self.struct(type_.layout, path)
            return value if marker == 1 else None


class ClientIdBelowNullIsEmpty(Mutant, breaks="request-header.client-id-below-null"):
    """Takes a client id's length below -1 for 0."""

    class HeaderReads(Reader):
        def below_null(self, length: int, path: str, start: int) -> int:
            return 0

    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Any, int]:
        if form.type != "header":
            return super().read(form, data, offset)
        reader = self.HeaderReads(data, offset)
        return reader.struct(form.layout), reader.offset


class TagsUntilTheEnd(Mutant, breaks="tags.count-beyond-input-refused"):
    """Reads the tagged fields that there are where the section announces more."""

    class Reads(Reader):
        def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
            previous, count = -1, self.uvarint("_tags(count)")
            while count and self.remaining:
                previous = self.tag(layout, value, previous, path)
                count -= 1


class HugeTagCountEndsProcess(Mutant, breaks="tags.count-above-int32"):
    """Asks for the memory that 2^31 tagged fields and more would need."""

    class Reads(Reader):
        def uvarint(self, path: str) -> int:
            value = super().uvarint(path)
            return _affordable(value) if path.endswith("(count)") else value


class HugeTagCountTakenForNone(Mutant, breaks="tags.count-above-int32"):
    """Takes 2^31 tagged fields and more, a negative number to it, for none."""

    class Reads(Reader):
        def tag_count(self, here: str) -> int:
            begin = self.offset
            if self.uvarint(f"{here}(count)") >= 2**31:
                return 0
            self.offset = begin
            return super().tag_count(here)


class TagTakesWhatIsThere(Mutant, breaks="tags.size-beyond-input-refused"):
    """Takes what is left for the value of an unknown tag whose size is more."""

    class Reads(Reader):
        def tag_size(self, here: str) -> int:
            return min(super().tag_size(here), self.remaining)


class HugeTagSizeEndsProcess(Mutant, breaks="tags.size-above-int32"):
    """Asks for the memory that a tag's size of 2^31 and more stands for."""

    class Reads(Reader):
        def tag_size(self, here: str) -> int:
            return _affordable(super().tag_size(here))


class LowerTagsLost(Mutant, breaks="tags.unsorted-accepted"):
    """Skips a tag that is not above those before it, and forgets its value."""

    class Reads(Reader):
        def tag(self, layout: Layout, value: dict[str, Any], previous: int, path: str) -> int:
            at = self.offset
            number = self.uvarint("_tags(tag)")
            self.offset = at
            if number > previous:
                return super().tag(layout, value, previous, path)
            super().tag(layout, deepcopy(value), -1, path)
            return previous


class FirstOfTwoCounts(Mutant, breaks="tags.duplicate-known"):
    """Takes the first of two values that a known tag is given."""

    class Reads(Reader):
        def tag(self, layout: Layout, value: dict[str, Any], previous: int, path: str) -> int:
            before = {item.name: value[item.name] for item in layout.tagged if item.name in value}
            number = super().tag(layout, value, previous, path)
            value.update(before)
            return number

        def not_ascending(self, number: int, previous: int, here: str, start: int) -> None:
            pass


class LastUnknownCounts(Mutant, breaks="tags.duplicate-unknown"):
    """Keeps the last of two values that an unknown tag is given."""

    class Reads(Reader):
        def unknown_tag(self, number: int, size: int, value: dict[str, Any], here: str) -> None:
            kept = value.setdefault("_unknownTaggedFields", [])
            kept[:] = [item for item in kept if item["tag"] != number]
            kept.append({"tag": number, "bytes": bytes_to_text(self.take(size, here))})

        def not_ascending(self, number: int, previous: int, here: str, start: int) -> None:
            pass


class MisSizedIsUnknown(Mutant, breaks="tags.known-size-disagrees"):
    """Forgets a known tag whose size is not that of its value."""

    class Reads(Reader):
        wrong = False

        def tag(self, layout: Layout, value: dict[str, Any], previous: int, path: str) -> int:
            self.wrong = False
            number = super().tag(layout, value, previous, path)
            if self.wrong:
                value.pop(layout.by_tag[number].name)
                self.wrong = False
            return number

        def beyond_the_end(self, size: int, known: bool, here: str, start: int) -> None:
            if not known:
                super().beyond_the_end(size, known, here, start)

        def other_size(self, number: int, size: int, taken: int, path: str, start: int) -> None:
            self.wrong = True


class OtherVersionsTagKept(Mutant, breaks="tags.of-other-version-refused"):
    """Takes a tag that is a field's in other versions for an unknown one."""

    class Reads(Reader):
        def other_version(self, number: int, here: str, start: int) -> None:
            pass


def _null_is_empty(reader: Reader, type_: WireType, path: str, compact: bool) -> int | None:
    try:
        return Reader.length(reader, type_, path)
    except NullNotAllowed:
        if type_.compact != compact:
            raise
        return 0


def _affordable(size: int) -> int:
    """The size. Raises MemoryError where an integer with a sign could not hold it."""
    if size >= 2**31 - 1:
        raise MemoryError(f"{size} bytes")
    return size
