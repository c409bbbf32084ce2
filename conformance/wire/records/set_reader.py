"""The reading half of a records field: its batches and messages, one after another, as records.

Each says its format in the byte at offset 16. What is cut off at the end is passed over, as a fetch
may end anywhere (protocol guide, Fetch). A message of formats 0 and 1 whose attributes name a
compression holds messages in its value: those of format 0 have whole offsets, those of format 1
count from the first, and the offset around them is that of the last (KIP-31).
"""

from __future__ import annotations

import zlib
from typing import Any

from conformance.schema.layout import Layout
from conformance.schema.record_batch import LOG_APPEND_TIME, MAGIC, MESSAGE_BITS
from conformance.wire.errors import ChecksumError, CompressionError, FormatError, LengthError
from conformance.wire.records.compression import CODECS, CompressionFault
from conformance.wire.records.reader import COMPRESSION_BITS, MAGIC_OFFSET, RecordsReader
from conformance.wire.text import bytes_to_text, text_to_bytes

HEAD = 12
"""The bytes before what a size counts: the offset and the size."""
LEAST_SIZES = (14, 22)
"""The sizes of messages of formats 0 and 1 that have neither key nor value."""
NO_TIMESTAMP = -1
Record = dict[str, Any]


class RecordSetReader(RecordsReader):
    """Reads records of every format."""

    def record_set(self, layout: Layout, path: str = "") -> dict[str, Any]:
        """The records of all that is whole, as those of one format. Raises DecodeError."""
        wanted = [item.name for item in layout.fields[1].type.item.layout.fields]
        attributes: int | None = None
        records: list[Record] = []
        while self.is_whole():
            found, said = self.of_any_format(f"{path}[{len(records)}]")
            records += ({name: each[name] for name in wanted} for each in found)
            attributes = said & MESSAGE_BITS if attributes is None else attributes
        self.cut_off()
        return {"attributes": attributes or 0, "records": records}

    def is_whole(self) -> bool:
        """True if the next batch or message is complete."""
        size = self.data[self.offset + HEAD - 4 : self.offset + HEAD]
        whole = self.remaining - HEAD >= int.from_bytes(size, "big", signed=True)
        return whole and self.remaining > MAGIC_OFFSET

    def cut_off(self) -> None:
        """Skip the rest of a batch or message that was cut off."""
        self.take(self.remaining, "")

    def of_any_format(self, path: str) -> tuple[list[Record], int]:
        """The records of a batch or a message, and its attributes."""
        magic = self.data[self.offset + MAGIC_OFFSET]
        if magic > MAGIC:
            raise FormatError(f"there is no format {magic}", path, self.offset + MAGIC_OFFSET)
        if magic < MAGIC:
            return self.message(path)
        batch = self.record_batch(path)
        return [self.of_batch(batch, each) for each in batch["records"]], batch["attributes"]

    def of_batch(self, batch: dict[str, Any], record: Record) -> Record:
        """A record of a batch with its whole offset and time."""
        offset = batch["baseOffset"] + record["offsetDelta"]
        return {**record, "offset": offset, "timestamp": self.time_in_batch(batch, record)}

    def time_in_batch(self, batch: dict[str, Any], record: Record) -> int:
        """The time of a record: the batch's latest where that is the broker's (KIP-32)."""
        if batch["attributes"] & LOG_APPEND_TIME:
            return int(batch["maxTimestamp"])
        return int(batch["baseTimestamp"] + record["timestampDelta"])

    def message(self, path: str) -> tuple[list[Record], int]:
        """A message of format 0 or 1, or those that it holds."""
        offset = int(self.fixed("int64", f"{path}.offset"))
        start, size = self.offset, int(self.fixed("int32", f"{path}.size"))
        end, left = self.offset + size, self.remaining
        magic = self.data[start + 8] if len(self.data) > start + 8 else 0
        if magic >= MAGIC:
            raise FormatError(f"a message of format {magic}", path, start + 8)
        if size < LEAST_SIZES[magic] or size > left:
            raise LengthError(f"a message of {size} bytes, {left} left", path, start)
        whole, self.data = self.data, self.data[:end]
        try:
            self.message_checksum(path)
            self.fixed("int8", f"{path}.magic")
            attributes = int(self.fixed("int8", f"{path}.attributes"))
            record: Record = {"offset": offset, "timestamp": self.message_time(magic, path)}
            record |= {name: self.message_bytes(f"{path}.{name}") for name in ("key", "value")}
            record["headers"] = []
            if self.remaining:
                raise LengthError(f"{self.remaining} bytes after the value", path, self.offset)
            codec = attributes & COMPRESSION_BITS
            return (
                self.inner_messages(codec, magic, attributes, record, path) if codec else [record]
            ), attributes
        finally:
            self.data = whole

    def message_checksum(self, path: str) -> None:
        """The checksum of all that follows it up to the message's end."""
        start = self.offset
        said = self.fixed("uint32", f"{path}.crc")
        found = self.counted_message_checksum()
        if said != found:
            raise ChecksumError(f"{said:08x}, the bytes have {found:08x}", path, start)

    def counted_message_checksum(self) -> int:
        """CRC-32 of the bytes from the magic on."""
        return zlib.crc32(self.data[self.offset :])

    def message_time(self, magic: int, path: str) -> int:
        """Read the timestamp of a message; format 0 lacks it."""
        return int(self.fixed("int64", f"{path}.timestamp")) if magic else NO_TIMESTAMP

    def message_bytes(self, path: str) -> str | None:
        """A key or value behind an INT32 of its length; null where that is -1."""
        start, length = self.offset, int(self.fixed("int32", f"{path}(length)"))
        if length < -1:
            length = self.below_null(length, path, start)
        if length == -1:
            return None
        text = bytes_to_text(self.counted(length, path, start))
        return str(self.note(length, path, "bytes", text))

    def inner_messages(
        self, codec: int, magic: int, attributes: int, around: Record, path: str
    ) -> list[Record]:
        """The messages that another holds compressed."""
        inner, found = type(self)(self.inner_bytes(codec, around, path)), []
        while inner.remaining:
            found += inner.message(path)[0]
        if not found:
            raise LengthError("no message in a compressed one", path, self.offset)
        if magic:
            self.place(found, around, attributes)
        return found

    def inner_bytes(self, codec: int, around: Record, path: str) -> bytes:
        """Return the bytes that a message's value stands for. Raises CompressionError."""
        if codec >= len(CODECS):
            raise CompressionError(f"there is no compression {codec}", path, self.offset)
        try:
            return self.decompress(CODECS[codec], text_to_bytes(around["value"] or ""))
        except CompressionFault as fault:
            raise CompressionError(fault.of(CODECS[codec]), path, self.offset) from None

    def place(self, found: list[Record], around: Record, attributes: int) -> None:
        """Give messages of format 1 their offsets, and the time around them if it counts."""
        base = around["offset"] - found[-1]["offset"]
        for each in found:
            each["offset"] += base
            if attributes & LOG_APPEND_TIME:
                each["timestamp"] = around["timestamp"]
