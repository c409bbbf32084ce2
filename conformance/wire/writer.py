"""The plain writer: the reader's other half, one method for each thing that stands on the wire.

The compiled writers turn to it for whatever they can't take at once: values with 64-bit integers as
decimal text, fields that this version lacks, and everything that is wrong.
"""

from __future__ import annotations

import re
import struct
from typing import Any

from conformance.schema.layout import VARINT_KINDS, Layout, WireField, WireType
from conformance.wire.byte_reader import FORMATS, join
from conformance.wire.errors import EncodeError, LeftOut
from conformance.wire.reader import MAX_TAG, UNKNOWN_TAGS
from conformance.wire.records.set_writer import RecordSetWriter
from conformance.wire.text import text_to_bytes, text_to_float, text_to_uuid

MAX_STRING_BYTES = 32767
_DECIMAL = re.compile(r"-?[0-9]{1,20}")


class Writer(RecordSetWriter):
    """Writes into `out`, which grows."""

    def struct(self, layout: Layout, value: Any, path: str = "") -> None:
        """A struct: its plain fields in order, then its tag section. Raises EncodeError."""
        if layout.batch:
            self.record_batch(value, path)
            return
        if layout.magic is not None:
            self.record_set(layout, value, path)
            return
        if not isinstance(value, dict):
            raise EncodeError(f"a struct expected, not {_shown(value)}", path)
        self.check_names(layout, value, path)
        for item in layout.fields:
            here = join(path, item.name)
            if item.name not in value:
                raise LeftOut("missing", here)
            self.value(item.type, value[item.name], here)
        if layout.flexible:
            self.tag_section(layout, value, path)

    def check_names(self, layout: Layout, value: dict[str, Any], path: str) -> None:
        """Refuse what this version can't carry, so that nothing is lost in silence."""
        known = {item.name for item in (*layout.fields, *layout.tagged)}
        absent = {item.name: item for item in layout.absent}
        for name, given in value.items():
            here = join(path, name)
            if name in known or (name == UNKNOWN_TAGS and layout.flexible):
                continue
            if name == UNKNOWN_TAGS and not given:
                continue
            if name == UNKNOWN_TAGS:
                raise EncodeError("this version has no tag section", here)
            if name not in absent:
                raise EncodeError("no such field", here)
            self.absent_field(absent[name], given, here)

    def absent_field(self, item: WireField, given: Any, here: str) -> None:
        """A field of another version: dropped where it may be ignored or holds its default."""
        if not item.ignorable and not _is(item.default, given, item.type.kind):
            raise EncodeError("this version lacks the field, and it is not ignorable", here)

    def value(self, type_: WireType, value: Any, path: str) -> None:
        """A value of any type. Raises EncodeError."""
        if type_.kind in FORMATS:
            self.fixed(type_.kind, value, path)
        elif type_.kind == "struct":
            self.struct_value(type_, value, path)
        elif type_.kind == "array":
            self.array(type_, value, path)
        elif type_.kind in VARINT_KINDS:
            self.integer(type_.kind, value, path)
        else:
            self.sized(type_, value, path)

    def integer(self, kind: str, value: Any, path: str) -> None:
        """An integer in groups of 7 bits."""
        if kind == "varlong" and isinstance(value, str) and _DECIMAL.fullmatch(value):
            value = int(value)
        if kind == "varint":
            self.varint(value, path)
        elif kind == "varlong":
            self.varlong(value, path)
        elif type(value) is int and 0 <= value < 1 << 32:
            self.uvarint(value)
        else:
            raise EncodeError(f"{_shown(value)} is no {kind}", path)

    def fixed(self, kind: str, value: Any, path: str) -> None:
        """A value of a fixed width, big-endian."""
        try:
            self.out += struct.pack(FORMATS[kind], self.native(kind, value))
        except (struct.error, TypeError, ValueError) as error:
            raise EncodeError(f"{_shown(value)} is no {kind}: {error}", path) from None

    def native(self, kind: str, value: Any) -> Any:
        """The value as `struct` takes it. Raises TypeError or ValueError."""
        if kind == "uuid":
            return self.uuid(value)
        if kind == "float64":
            return text_to_float(value)
        if kind == "bool":
            if not isinstance(value, bool):
                raise TypeError("true or false expected")
            return value
        if kind == "int64" and isinstance(value, str) and _DECIMAL.fullmatch(value):
            return int(value)
        if not isinstance(value, int):  # true and false are 1 and 0, as everywhere in Python
            raise TypeError("an integer expected")
        return value

    def uuid(self, value: str) -> bytes:
        """The 16 bytes of a uuid in the JSON form."""
        return text_to_uuid(value)

    def struct_value(self, type_: WireType, value: Any, path: str) -> None:
        """A struct as a field: behind a marker where it may be null (KIP-893)."""
        if type_.nullable:
            self.marker(value is not None)
            if value is None:
                return
        self.struct(type_.layout, value, path)

    def marker(self, present: bool) -> None:
        """Write the INT8 before a nullable struct: 1 if it is present, -1 if it is null."""
        self.out += b"\x01" if present else b"\xff"

    def array(self, type_: WireType, value: Any, path: str) -> None:
        """A count, then the elements."""
        if value is None:
            self.null(type_, path)
            return
        if not isinstance(value, list):
            raise EncodeError(f"a list expected, not {_shown(value)}", path)
        self.length(type_, len(value))
        for index, item in enumerate(value):
            self.value(type_.item, item, f"{path}[{index}]")

    def sized(self, type_: WireType, value: Any, path: str) -> None:
        """A string, bytes or records: a length in bytes, then the bytes."""
        if value is None:
            self.null(type_, path)
            return
        raw = self.raw(type_.kind, value, path)
        self.length(type_, len(raw))
        self.out += raw

    def raw(self, kind: str, value: Any, path: str) -> bytes:
        """The bytes of a string, or those that base64 stands for."""
        try:
            if kind != "string":
                return text_to_bytes(value)
            if not isinstance(value, str):
                raise TypeError("text expected")
            raw = value.encode("utf-8")
        except (TypeError, ValueError) as error:
            raise EncodeError(f"{_shown(value)} is no {kind}: {error}", path) from None
        if len(raw) > MAX_STRING_BYTES:
            raise EncodeError(f"a string of {len(raw)} bytes, above {MAX_STRING_BYTES}", path)
        return raw

    def null(self, type_: WireType, path: str) -> None:
        """Null, where the version allows it."""
        if not type_.nullable:
            raise EncodeError(f"null, and this {type_.kind} is not nullable", path)
        self.length(type_, -1)

    def length(self, type_: WireType, length: int) -> None:
        """The length or count before a value; -1 is null."""
        if type_.compact:
            self.compact_length(length)
        else:
            self.out += struct.pack(">h" if type_.kind == "string" else ">i", length)

    def compact_length(self, length: int) -> None:
        """UNSIGNED_VARINT of N+1 (KIP-482)."""
        self.uvarint(length + 1)

    def uvarint(self, value: int) -> None:
        """UNSIGNED_VARINT in as few bytes as it takes."""
        while value >= 0x80:
            self.out.append(value & 0x7F | 0x80)
            value >>= 7
        self.out.append(value)

    def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
        """Count, then tag, size and value of each, known and unknown, tags ascending (KIP-482)."""
        entries = sorted(
            [*self.known_tags(layout, value, path), *self.unknown_tags(layout, value, path)],
            key=lambda entry: entry[0],
        )
        self.tag_count(len(entries))
        for number, raw in entries:
            self.tag(number, raw)

    def tag_count(self, count: int) -> None:
        """Write the number of tagged fields that follow."""
        self.uvarint(count)

    def tag(self, number: int, raw: bytes) -> None:
        """One tagged field."""
        self.uvarint(number)
        self.tag_size(len(raw))
        self.out += raw

    def tag_size(self, size: int) -> None:
        """The size of a tagged field: its plain length in bytes."""
        self.uvarint(size)

    def known_tags(
        self, layout: Layout, value: dict[str, Any], path: str
    ) -> list[tuple[int, bytes]]:
        """The tagged fields of the definition that are set to more than their defaults."""
        entries = []
        for item in layout.tagged:
            if item.name not in value:
                continue
            given = value[item.name]
            raw = self.tagged_bytes(item, given, path)
            if self.written(item, given):
                entries.append((item.tag or 0, raw))
        return entries

    def written(self, item: WireField, given: Any) -> bool:
        """A tagged field at its default is left out (KIP-482)."""
        if item.type.kind == "struct" and given and item.default:
            return not is_default(item.type.layout, given)
        return not _is(item.default, given, item.type.kind)

    def tagged_bytes(self, item: WireField, given: Any, path: str) -> bytes:
        """Return the bytes of a value inside of a tag."""
        kept, self.out = self.out, bytearray()
        try:
            self.tagged_value(item.type, given, join(path, item.name))
            return bytes(self.out)
        finally:
            self.out = kept

    def tagged_value(self, type_: WireType, value: Any, path: str) -> None:
        """A value inside of a tag. A nullable struct's marker is an UNSIGNED_VARINT there."""
        if type_.kind == "struct" and type_.nullable:
            self.uvarint(0 if value is None else 1)
            if value is not None:
                self.struct(type_.layout, value, path)
            return
        self.value(type_, value, path)

    def unknown_tags(
        self, layout: Layout, value: dict[str, Any], path: str
    ) -> list[tuple[int, bytes]]:
        """The tags that a reader kept without knowing them."""
        here = join(path, UNKNOWN_TAGS)
        entries: list[tuple[int, bytes]] = []
        taken = set(layout.by_tag)
        given = value.get(UNKNOWN_TAGS, [])
        if not isinstance(given, list):
            raise EncodeError(f"a list expected, not {_shown(given)}", here)
        for entry in given:
            try:
                number, raw = entry["tag"], text_to_bytes(entry["bytes"])
            except (KeyError, TypeError, ValueError) as error:
                raise EncodeError(f"no tag and bytes: {error!r}", here) from None
            if type(number) is not int or not 0 <= number <= MAX_TAG:
                raise EncodeError(f"{_shown(number)} is no 31-bit number", here)
            if number in taken:
                raise EncodeError(f"tag {number} is known, or given twice", here)
            taken.add(number)
            entries.append((number, raw))
        return entries


def is_default(layout: Layout, value: dict[str, Any]) -> bool:
    """True if every field of a struct holds its default."""
    return not value.get(UNKNOWN_TAGS) and all(
        _is(item.default, value.get(item.name, item.default), item.type.kind)
        for item in (*layout.fields, *layout.tagged)
    )


def _is(default: Any, given: Any, kind: str) -> bool:
    """True if a value is the default; 64-bit integers may be decimal text."""
    if kind == "int64" and isinstance(given, str):
        return bool(_DECIMAL.fullmatch(given)) and int(given) == default
    return bool(given == default)


def _shown(value: Any) -> str:
    if isinstance(value, list | dict):  # which may nest deeper than repr goes
        return f"a {type(value).__name__}"
    try:
        text = repr(value)
    except ValueError:
        return "an integer of thousands of digits"
    return text if len(text) <= 60 else f"{text[:57]}..."
