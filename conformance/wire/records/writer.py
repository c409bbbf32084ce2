"""The writing half of a record batch: one method for each thing that stands in it.

What a batch says of itself is derived: its length, the magic, the checksum, the counts, and the
length of each record. A batch is written from the inside out, because each of those is about bytes
that must be there first.
"""

from __future__ import annotations

import struct
from typing import Any

from conformance.schema.layout import Layout, WireField
from conformance.schema.record_batch import CHECKED, HEAD, LAYOUT, MAGIC, RECORDS
from conformance.wire.byte_reader import join
from conformance.wire.errors import EncodeError
from conformance.wire.records.compression import CODECS, compress
from conformance.wire.records.reader import COMPRESSION_BITS
from conformance.wire.records.zigzag import ZigzagWriter
from conformance.wire.text import text_to_bytes

_RECORD = RECORDS.type.item.layout
_HEADER = next(item for item in _RECORD.fields if item.name == "headers").type.item.layout


class RecordsWriter(ZigzagWriter):
    """Writes a batch of records of magic 2 into `out`."""

    def __init__(self) -> None:
        self.out = bytearray()

    def record_batch(self, value: Any, path: str = "") -> None:
        """A whole batch (protocol guide, Record Batch). Raises EncodeError."""
        self.check_struct(LAYOUT, value, path)
        checked = self.checked(value, path)
        behind = type(self)()
        behind.fields(HEAD[1:], value, path)
        behind.out += struct.pack(">bI", self.magic(), self.checksum(checked, bytes(behind.out)))
        behind.out += checked
        self.fields(HEAD[:1], value, path)
        self.out += struct.pack(">i", self.batch_length(len(behind.out)))
        self.out += behind.out

    def checked(self, value: dict[str, Any], path: str) -> bytes:
        """Return the bytes that the checksum covers: all from the attributes on."""
        inner = type(self)()
        inner.fields(CHECKED, value, path)
        inner.batch_records(value["attributes"], value[RECORDS.name], join(path, RECORDS.name))
        return bytes(inner.out)

    def magic(self) -> int:
        """The format of the batch."""
        return MAGIC

    def checksum(self, checked: bytes, before: bytes) -> int:  # noqa: ARG002
        """CRC-32C; `before` is what stands between the length and the magic."""
        from crc32c import crc32c  # slow to import, and few need it

        return crc32c(checked)

    def batch_length(self, behind: int) -> int:
        """Write the batch's length; `behind` bytes follow the length field."""
        return behind

    def batch_records(self, attributes: int, records: Any, path: str) -> None:
        """A count, then the records, compressed if the attributes say so."""
        if not isinstance(records, list):
            raise EncodeError("a list expected", path)
        codec = attributes & COMPRESSION_BITS
        if codec >= len(CODECS):
            raise EncodeError(f"there is no compression {codec}", path)
        inner = type(self)()
        for index, record in enumerate(records):
            inner.record(record, f"{path}[{index}]")
        self.record_count(len(records))
        raw = bytes(inner.out)
        self.out += self.compressed(CODECS[codec], raw) if codec else raw

    def compressed(self, codec: str, raw: bytes) -> bytes:
        """The bytes of records in the form of a codec."""
        return compress(codec, raw)

    def record_count(self, count: int) -> None:
        """Write the number of records in the batch."""
        self.out += struct.pack(">i", count)

    def record(self, value: Any, path: str) -> None:
        """One record behind its length."""
        self.check_struct(_RECORD, value, path)
        inner = type(self)()
        inner.record_body(value, path)
        self.record_length(len(inner.out), path)
        self.out += inner.out

    def record_length(self, length: int, path: str) -> None:
        """Write the number of bytes of the record that follow."""
        self.varint(length, path)

    def record_body(self, value: dict[str, Any], path: str) -> None:
        """Write the part of a record after its length."""
        self.fixed("int8", value["attributes"], f"{path}.attributes")
        self.timestamp_delta(value["timestampDelta"], f"{path}.timestampDelta")
        self.offset_delta(value["offsetDelta"], f"{path}.offsetDelta")
        self.record_bytes(value["key"], f"{path}.key")
        self.record_bytes(value["value"], f"{path}.value")
        self.record_headers(value["headers"], f"{path}.headers")

    def timestamp_delta(self, delta: Any, path: str) -> None:
        """Write the record's timestamp relative to the batch's, in ms; may be decimal text."""
        try:
            self.varlong(self.native("int64", delta), path)
        except TypeError as error:
            raise EncodeError(str(error), path) from None

    def offset_delta(self, delta: Any, path: str) -> None:
        """Write the record's offset relative to the batch's."""
        self.varint(delta, path)

    def record_bytes(self, value: Any, path: str) -> None:
        """A key, or a value of a record or header; null is the length -1."""
        if value is None:
            self.null_bytes(path)
            return
        try:
            raw = text_to_bytes(value)
        except (TypeError, ValueError) as error:
            raise EncodeError(f"no bytes: {error}", path) from None
        self.bytes_length(len(raw), path)
        self.out += raw

    def null_bytes(self, path: str) -> None:
        """The length of null."""
        self.varint(-1, path)

    def bytes_length(self, length: int, path: str) -> None:
        """Write the number of bytes that follow."""
        self.varint(length, path)

    def record_headers(self, headers: Any, path: str) -> None:
        """A count, then keys with their values, in the order given."""
        if not isinstance(headers, list):
            raise EncodeError("a list expected", path)
        self.header_count(len(headers), path)
        for index, header in enumerate(headers):
            here = f"{path}[{index}]"
            self.check_struct(_HEADER, header, here)
            self.header_key(header["key"], f"{here}.key")
            self.header_value(header["value"], f"{here}.value")

    def header_count(self, count: int, path: str) -> None:
        """Write the number of headers of a record."""
        self.varint(count, path)

    def header_key(self, key: Any, path: str) -> None:
        """A header's key, which is never null."""
        try:
            raw = key.encode()
        except (AttributeError, UnicodeEncodeError) as error:
            raise EncodeError(f"text expected: {error}", path) from None
        self.varint(len(raw), path)
        self.out += raw

    def header_value(self, value: Any, path: str) -> None:
        """A header's value."""
        self.record_bytes(value, path)

    def check_struct(self, layout: Layout, value: Any, path: str) -> None:
        """Refuse what is no struct of this layout, all of it and nothing else."""
        if not isinstance(value, dict):
            raise EncodeError("a struct expected", path)
        names = [item.name for item in layout.fields]
        for name in names:
            if name not in value:
                raise EncodeError("missing", join(path, name))
        for name in value:
            if name not in names:
                raise EncodeError("no such field", join(path, name))

    def fields(self, fields: tuple[WireField, ...], value: dict[str, Any], path: str) -> None:
        """Fields of a fixed width, one after another."""
        for item in fields:
            self.fixed(item.type.kind, value[item.name], join(path, item.name))

    def fixed(self, kind: str, value: Any, path: str) -> None:
        """A value of a fixed width, big-endian."""
        raise NotImplementedError

    def native(self, kind: str, value: Any) -> Any:
        """The value as `struct` takes it."""
        raise NotImplementedError
