"""The writing half of a records field: records of one format, as a producer writes them.

A batch for format 2; else messages, which stand compressed in the value of one around them if the
attributes say so.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

from conformance.schema.layout import Layout
from conformance.schema.record_batch import LAYOUT, LOG_APPEND_TIME, MAGIC
from conformance.wire.errors import EncodeError
from conformance.wire.records.compression import CODECS
from conformance.wire.records.reader import COMPRESSION_BITS
from conformance.wire.records.writer import RecordsWriter
from conformance.wire.text import bytes_to_text, text_to_bytes

Record = dict[str, Any]


class RecordSetWriter(RecordsWriter):
    """Writes records of every format."""

    def record_set(self, layout: Layout, value: Any, path: str = "") -> None:
        """All records as one batch, or as messages. Raises EncodeError."""
        self.check_struct(layout, value, path)
        attributes, records = value["attributes"], value["records"]
        if not isinstance(records, list) or not isinstance(attributes, int):
            raise EncodeError("attributes and a list of records expected", path)
        records = [self.as_numbers(layout, each, path) for each in records]
        if layout.magic == MAGIC:
            self.record_batch(batch_of(attributes, records), path)
        elif attributes & COMPRESSION_BITS:
            self.around(layout.magic or 0, attributes, records, path)
        else:
            for each in records:
                self.message(layout.magic or 0, attributes, each, path)

    def as_numbers(self, layout: Layout, record: Any, path: str) -> Record:
        """A record whose offset and time are no text."""
        self.check_struct(layout.fields[1].type.item.layout, record, path)
        try:
            numbers = {
                name: self.native("int64", record[name])
                for name in ("offset", "timestamp")
                if name in record
            }
        except TypeError as error:
            raise EncodeError(str(error), path) from None
        return {**record, **numbers}

    def message(self, magic: int, attributes: int, record: Record, path: str) -> None:
        """One message of format 0 or 1."""
        inner = type(self)()
        inner.out += struct.pack(">bb", magic, attributes)
        inner.message_time(magic, record, path)
        inner.message_bytes(record["key"], f"{path}.key")
        inner.message_bytes(record["value"], f"{path}.value")
        checked = bytes(inner.out)
        self.fixed("int64", record["offset"], f"{path}.offset")
        self.out += struct.pack(">iI", len(checked) + 4, self.message_checksum(checked)) + checked

    def message_checksum(self, checked: bytes) -> int:
        """CRC-32 of all from the magic on."""
        return zlib.crc32(checked)

    def message_time(self, magic: int, record: Record, path: str) -> None:
        """Write the timestamp of a message; format 0 lacks it."""
        if magic:
            self.fixed("int64", record["timestamp"], f"{path}.timestamp")

    def message_bytes(self, value: Any, path: str) -> None:
        """A key or value behind an INT32 of its length; null is the length -1."""
        try:
            raw = None if value is None else text_to_bytes(value)
        except (TypeError, ValueError) as error:
            raise EncodeError(f"no bytes: {error}", path) from None
        self.out += struct.pack(">i", -1 if raw is None else len(raw)) + (raw or b"")

    def around(self, magic: int, attributes: int, records: list[Record], path: str) -> None:
        """A message that holds others, compressed."""
        codec = attributes & COMPRESSION_BITS
        if not records or codec >= len(CODECS):
            raise EncodeError("nothing to compress, or by nothing that there is", path)
        inner = type(self)()
        for each in records:
            placed = {**each, "offset": self.inner_offset(magic, each, records)}
            inner.message(magic, attributes & LOG_APPEND_TIME, placed, path)
        holder = {
            "offset": self.outer_offset(records),
            "timestamp": max(each.get("timestamp", 0) for each in records),
            "key": None,
            "value": bytes_to_text(self.compressed(CODECS[codec], bytes(inner.out))),
        }
        self.message(magic, attributes, holder, path)

    def inner_offset(self, magic: int, record: Record, records: list[Record]) -> int:
        """The offset of a message in another: in format 1 it counts from the first (KIP-31)."""
        return int(record["offset"] - (records[0]["offset"] if magic else 0))

    def outer_offset(self, records: list[Record]) -> int:
        """The offset of the message around others."""
        return int(records[-1]["offset"])


def batch_of(attributes: int, records: list[Record]) -> dict[str, Any]:
    """Return a batch with these records and no producer."""
    base, time = (records[0][name] if records else 0 for name in ("offset", "timestamp"))
    deltas = [
        {
            "attributes": 0,
            "timestampDelta": each["timestamp"] - time,
            "offsetDelta": each["offset"] - base,
            **{name: each[name] for name in ("key", "value", "headers")},
        }
        for each in records
    ]
    return {
        **LAYOUT.default_value(),
        "baseOffset": base,
        "attributes": attributes,
        "lastOffsetDelta": deltas[-1]["offsetDelta"] if deltas else 0,
        "baseTimestamp": time,
        "maxTimestamp": max((each["timestamp"] for each in records), default=time),
        "records": deltas,
    }
