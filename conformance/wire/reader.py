"""The plain reader: one method for each thing that stands on the wire.

It walks a layout field by field, knows at each byte which field it is in, and can note every part
that it reads. That is too slow to judge a hundred thousand cases with and just right for everything
else: the compiled readers turn to it to say what is wrong and where, explanations are made of its
notes, and a defect is one method of it overridden (`conformance.codecs.mutants`).

It is strict: of what Apache Kafka reads and a stricter peer may refuse, it refuses all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from conformance.schema.layout import VARINT_KINDS, Layout, WireType
from conformance.wire.byte_reader import FORMATS, BytePart, join
from conformance.wire.errors import (
    DecodeError,
    LengthError,
    MarkerError,
    NullNotAllowed,
    TagError,
    TextError,
    VarintError,
)
from conformance.wire.records.set_reader import RecordSetReader
from conformance.wire.text import bytes_to_text

UNKNOWN_TAGS = "_unknownTaggedFields"
VARINT_BYTES = 5
MAX_TAG = 2**31 - 1


class Reader(RecordSetReader):
    """Reads from `data` at `offset` on; notes every part in `parts` where that is a list."""

    def struct(self, layout: Layout, path: str = "") -> dict[str, Any]:
        """A struct: its plain fields in order, then its tag section. Raises DecodeError."""
        if layout.batch:
            return self.record_batch(path)
        if layout.magic is not None:
            return self.record_set(layout, path)
        value = {item.name: self.value(item.type, join(path, item.name)) for item in layout.fields}
        if layout.flexible:
            self.tag_section(layout, value, path)
        return value

    def value(self, type_: WireType, path: str) -> Any:
        """A value of any type. Raises DecodeError."""
        if type_.kind in FORMATS:
            return self.fixed(type_.kind, path)
        if type_.kind == "struct":
            return self.struct_value(type_, path)
        if type_.kind == "array":
            return self.array(type_, path)
        if type_.kind in VARINT_KINDS:
            return self.integer(type_.kind, path)
        return self.sized(type_, path)

    def integer(self, kind: str, path: str) -> int:
        """An integer in groups of 7 bits."""
        if kind == "uvarint":
            return self.uvarint(path)
        return self.varint(path) if kind == "varint" else self.varlong(path)

    def struct_value(self, type_: WireType, path: str) -> dict[str, Any] | None:
        """A struct as a field: behind a marker where it may be null (KIP-893)."""
        if type_.nullable and not self.present(path):
            return None
        return self.struct(type_.layout, path)

    def present(self, path: str) -> bool:
        """The INT8 marker before a nullable struct: -1 null, 1 present."""
        start = self.offset
        marker = self.fixed("int8", f"{path}(marker)")
        if marker not in (-1, 1):
            raise MarkerError(f"marker {marker} is neither -1 (null) nor 1 (present)", path, start)
        return bool(marker == 1)

    def array(self, type_: WireType, path: str) -> list[Any] | None:
        """A count, then the elements. The count is held against the bytes left beforehand."""
        start = self.offset
        count = self.length(type_, path)
        if count is None:
            return None
        if count * max(type_.item.least, 1) > self.remaining:
            raise LengthError(
                f"{count} elements of at least {type_.item.least} bytes, {self.remaining} left",
                path,
                start,
            )
        return [self.value(type_.item, f"{path}[{index}]") for index in range(count)]

    def sized(self, type_: WireType, path: str) -> str | None:
        """A string, bytes or records: a length in bytes, then the bytes."""
        start = self.offset
        length = self.length(type_, path)
        if length is None:
            return None
        if length > self.remaining:
            raise LengthError(f"{length} bytes, {self.remaining} left", path, start)
        begin = self.offset
        raw = self.take(length, path)
        if type_.kind != "string":
            return self.note(length, path, type_.kind, bytes_to_text(raw))  # type: ignore[no-any-return]
        return self.note(length, path, "string", self.text(raw, path, begin))  # type: ignore[no-any-return]

    def text(self, raw: bytes, path: str, begin: int) -> str:
        """The text of a string's bytes, which begin at `begin`."""
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise TextError("bytes that are not UTF-8", path, begin + error.start) from None

    def length(self, type_: WireType, path: str) -> int | None:
        """The length or count before a value, None for null."""
        start = self.offset
        length = self.compact_length(path) if type_.compact else self.plain_length(type_, path)
        if length < -1:
            length = self.below_null(length, path, start)
        if length == -1:
            if not type_.nullable:
                raise NullNotAllowed(f"null, and this {type_.kind} is not nullable", path, start)
            return None
        return length

    def compact_length(self, path: str) -> int:
        """UNSIGNED_VARINT of N+1, as N; -1 for null (KIP-482)."""
        return self.uvarint(f"{path}(length)") - 1

    def plain_length(self, type_: WireType, path: str) -> int:
        """INT16 before a string, INT32 before all else; -1 for null."""
        return int(self.fixed("int16" if type_.kind == "string" else "int32", f"{path}(length)"))

    def uvarint(self, path: str) -> int:
        """UNSIGNED_VARINT: groups of 7 bits, the lowest first, in at most 5 bytes (KIP-482)."""
        start = self.offset
        value = 0
        for index in range(VARINT_BYTES):
            byte = self.take(1, path)[0]
            value |= (byte & 0x7F) << (7 * index)
            if byte < 0x80:
                break
        else:
            raise VarintError("a varint of more than 5 bytes", path, start)
        if byte == 0 and index:
            self.overlong(path, start)
        if value >= 1 << 32:
            value = self.overflow(value, path, start)
        self.note(self.offset - start, path, "uvarint", value)
        return value

    def overflow(self, value: int, path: str, start: int) -> int:  # noqa: ARG002
        """Return the value of a varint of more than 32 bits; Apache Kafka drops the upper bits."""
        raise VarintError("a varint beyond 32 bits", path, start)

    def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
        """Count, then tag, size and value of each, tags ascending (KIP-482)."""
        here = join(path, "_tags")
        previous = -1
        for _ in range(self.tag_count(here)):
            previous = self.tag(layout, value, previous, path)

    def tag_count(self, here: str) -> int:
        """Read the number of tagged fields; each takes two bytes or more."""
        start = self.offset
        count = self.uvarint(f"{here}(count)")
        if 2 * count > self.remaining:
            raise LengthError(f"{count} tagged fields, {self.remaining} bytes left", here, start)
        return count

    def tag(self, layout: Layout, value: dict[str, Any], previous: int, path: str) -> int:
        """One tagged field; returns its number."""
        start = self.offset
        here = join(path, "_tags")
        number = self.uvarint(f"{here}(tag)")
        if number <= previous:
            self.not_ascending(number, previous, here, start)
        if number > MAX_TAG:
            number = self.above_tags(number, here, start)
        at_size = self.offset
        size = self.tag_size(here)
        known = layout.by_tag.get(number)
        if size > self.remaining:
            self.beyond_the_end(size, known is not None, here, at_size)
        if known is None:
            if number in layout.other_tags:
                self.other_version(number, here, start)
            self.unknown_tag(number, size, value, here)
            return max(number, previous)
        begin = self.offset
        value[known.name] = self.tagged_value(known.type, join(path, known.name))
        if self.offset - begin != size:
            taken = self.offset - begin
            self.other_size(number, size, taken, join(path, known.name), at_size)
        return max(number, previous)

    def not_ascending(self, number: int, previous: int, here: str, start: int) -> None:
        """A tag that is not above those before it; Apache Kafka's generated code reads it."""
        raise TagError(f"tag {number} after tag {previous}", here, start)

    def above_tags(self, number: int, here: str, start: int) -> int:
        """Return the number for a tag above 2^31-1; Apache Kafka reads it as negative."""
        raise TagError(f"tag {number} is no 31-bit number", here, start)

    def other_version(self, number: int, here: str, start: int) -> None:
        """A tag that is a field's in other versions; Apache Kafka refuses it."""
        raise TagError(f"tag {number} is that of a field of other versions", here, start)

    def beyond_the_end(self, size: int, known: bool, here: str, start: int) -> None:  # noqa: ARG002
        """A tagged field's size that is more than the bytes left."""
        raise LengthError(f"{size} bytes, {self.remaining} left", here, start)

    def other_size(self, number: int, size: int, taken: int, path: str, start: int) -> None:
        """A known tag whose size is not that of its value; Apache Kafka ignores the size."""
        raise TagError(f"tag {number} has size {size}, its value takes {taken} bytes", path, start)

    def tag_size(self, here: str) -> int:
        """The size of a tagged field: its plain length in bytes."""
        return self.uvarint(f"{here}(size)")

    def tagged_value(self, type_: WireType, path: str) -> Any:
        """A value inside of a tag. A nullable struct's marker is an UNSIGNED_VARINT there."""
        if type_.kind == "struct" and type_.nullable:
            return self.struct(type_.layout, path) if self.tagged_present(path) else None
        return self.value(type_, path)

    def tagged_present(self, path: str) -> bool:
        """The UNSIGNED_VARINT before a nullable struct inside of a tag: 0 null, 1 present."""
        start = self.offset
        marker = self.uvarint(f"{path}(marker)")
        if marker > 1:
            raise MarkerError(f"marker {marker} is neither 0 nor 1", path, start)
        return marker == 1

    def unknown_tag(self, number: int, size: int, value: dict[str, Any], here: str) -> None:
        """A tag without a definition: kept as it is."""
        text = bytes_to_text(self.take(size, here))
        self.note(size, f"{here}[{number}]", "bytes", text)
        value.setdefault(UNKNOWN_TAGS, []).append({"tag": number, "bytes": text})


def annotate(
    layouts: Iterable[Layout], data: bytes, offset: int = 0
) -> tuple[list[BytePart], DecodeError | None]:
    """Every part of bytes that consist of these structs, one behind another, from `offset` on.

    Up to the first that is wrong; the error says what is, None where nothing is.
    """
    parts: list[BytePart] = []
    reader = Reader(data, offset, parts)
    try:
        for layout in layouts:
            reader.struct(layout)
    except DecodeError as error:
        return parts, error
    return parts, None


__all__ = ["FORMATS", "UNKNOWN_TAGS", "BytePart", "DecodeError", "Reader"]
