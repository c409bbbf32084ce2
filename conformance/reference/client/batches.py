"""Records in the answer to a fetch: batches, cut ones, and messages older than batches."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Mapping

from conformance.reference.client.frames import SIZE_BYTES
from conformance.reference.client.steps import Failed
from conformance.reference.codec import PlainCodec
from conformance.schema.record_batch import MAGIC, RECORD_BATCH
from conformance.testee_protocol import Value
from conformance.wire.errors import DecodeError
from conformance.wire.records.compression import CODECS, CompressionFault, decompress

CONTROL = 0x20
APPEND_TIME = 0x08
TRANSACTIONAL = 0x10
ABORT_KEY = "AAAAAA=="
"""The key of an abort marker, which is version 0 and type 0, as base64."""
BATCH_HEAD = 12
MAGIC_AT = 16
"""The offset of the magic byte in a batch, and in a message older than batches."""
MESSAGE_HEAD = struct.Struct(">qiIbb")
TIMESTAMP_BYTES = 8
NO_TIMESTAMP = -1
COMPRESSION = 0x07
LEAST = 26
"""The bytes of a message of magic 0 that has neither key nor value; no batch is smaller."""


class Batches:
    """A reader of records with the client's codec.

    `aborted` are the producers of transactions that were aborted, each with their first offsets.
    """

    codec: PlainCodec
    aborted: Mapping[int, list[int]] = {}

    def records_of(self, found: Value, offset: int) -> tuple[list[Value], int]:
        """Return the records of a partition in an answer, and the offset after them."""
        told = found.get("abortedTransactions") or []
        self.aborted = self.by_producer(told) if self.drops_aborted() else {}
        return self.records_in(found["records"], offset)

    def drops_aborted(self) -> bool:
        """True if the user is given no records of transactions that were aborted."""
        return True

    def by_producer(self, told: list[Value]) -> dict[int, list[int]]:
        """Return the first offsets of transactions that were aborted, in order, by producer."""
        offsets: dict[int, list[int]] = {}
        for each in sorted(told, key=lambda one: int(one["firstOffset"])):
            offsets.setdefault(each["producerId"], []).append(each["firstOffset"])
        return offsets

    def records_in(self, records: str | None, offset: int) -> tuple[list[Value], int]:
        """Return the records from an offset on, and the offset after them. Raises Failed."""
        raw = base64.b64decode(records or "")
        found: list[Value] = []
        while (size := self.whole_batch(raw)) is not None:
            batch = self.read_batch(raw[:size])
            raw = raw[size:]
            found += self.given(batch, offset)
            offset = max(offset, self.behind(batch))
        return found, offset

    def read_batch(self, data: bytes) -> Value:
        """Return a batch; a message older than batches is returned as one. Raises Failed."""
        if data[MAGIC_AT] < MAGIC:
            return self.read_message(data)
        try:
            batch, _ = self.codec.read(self.codec.form(RECORD_BATCH, MAGIC), data)
        except DecodeError as error:
            raise Failed(f"a batch that can't be read: {error}") from None
        return batch

    def read_message(self, data: bytes) -> Value:
        """Return a message of magic 0 or 1 as a batch: of one record, or of all that it holds."""
        offset, _, checksum, magic, attributes = MESSAGE_HEAD.unpack_from(data)
        at = MESSAGE_HEAD.size + (TIMESTAMP_BYTES if magic == 1 else 0)
        if checksum != zlib.crc32(data[MAGIC_AT:]):
            raise Failed(f"a message of magic {magic} that can't be read")
        try:
            written = self.time_in(data) if magic else NO_TIMESTAMP
            key, at = self.read_text(data, at)
            value, _ = self.read_text(data, at)
        except struct.error:
            raise Failed(f"a message of magic {magic} that ends early") from None
        head: Value = {"attributes": attributes & APPEND_TIME, "maxTimestamp": written}
        if attributes & COMPRESSION:
            inside = self.read_inside(offset, CODECS[attributes & COMPRESSION], value)
            return {**head, **inside}
        record: Value = {"offsetDelta": 0, "timestampDelta": written, "key": key, "value": value}
        record["headers"] = []
        whole = {"baseOffset": offset, "lastOffsetDelta": 0, "records": [record]}
        return {**head, **whole, "baseTimestamp": 0}

    def read_inside(self, last: int, codec: str, value: str | None) -> Value:
        """Return the messages in a compressed one, whose offset is that of the last of them."""
        try:
            raw = decompress(codec, base64.b64decode(value or ""))
        except CompressionFault as fault:
            raise Failed(f"messages that can't be decompressed: {fault}") from None
        records: list[Value] = []
        while (size := self.whole_batch(raw)) is not None:
            inside, raw = self.read_batch(raw[:size]), raw[size:]
            records += [{**each, "offsetDelta": inside["baseOffset"]} for each in inside["records"]]
        delta = max((each["offsetDelta"] for each in records), default=0)
        first = last - delta
        numbered = {"baseOffset": first, "lastOffsetDelta": delta, "baseTimestamp": 0}
        return {**numbered, "records": records}

    def time_in(self, data: bytes) -> int:
        """Return the timestamp of a message of magic 1."""
        return int(struct.unpack_from(">q", data, MESSAGE_HEAD.size)[0])

    def read_text(self, data: bytes, at: int) -> tuple[str | None, int]:
        """Return a key or value of a message in the form of a record, and its end."""
        (length,) = struct.unpack_from(">i", data, at)
        at += SIZE_BYTES
        if length < 0:
            return None, at
        return base64.b64encode(data[at : at + length]).decode(), at + length

    def whole_batch(self, raw: bytes) -> int | None:
        """Return the bytes that the first batch takes, None if it is incomplete. Raises Failed."""
        if len(raw) < BATCH_HEAD:
            return None
        size = BATCH_HEAD + struct.unpack_from(">i", raw, 8)[0]
        if size < LEAST:
            raise Failed(f"a batch of {size} bytes")
        return size if size <= len(raw) else None

    def behind(self, batch: Value) -> int:
        """Return the offset after a batch, even if records of it are missing."""
        return int(batch["baseOffset"] + batch["lastOffsetDelta"] + 1)

    def given(self, batch: Value, offset: int) -> list[Value]:
        """Return the records that the user gets."""
        if batch["attributes"] & CONTROL:
            if any(each["key"] == ABORT_KEY for each in batch["records"]):
                self.ended(batch)
            return []
        if batch["attributes"] & TRANSACTIONAL and self.is_aborted(batch):
            return []
        numbered = [self.placed(batch, each) for each in batch["records"]]
        return [each for each in numbered if each["offset"] >= offset]

    def placed(self, batch: Value, record: Value) -> Value:
        """Return a record with the offset and the time that it has by its batch."""
        offset = batch["baseOffset"] + record["offsetDelta"]
        return {**record, "offset": offset, "timestamp": self.time_of(batch, record)}

    def time_of(self, batch: Value, record: Value) -> int:
        """Return when a record was written, or appended if the batch says so (KIP-32)."""
        if batch["attributes"] & APPEND_TIME:
            return int(batch["maxTimestamp"])
        return int(batch["baseTimestamp"] + record["timestampDelta"])

    def is_aborted(self, batch: Value) -> bool:
        """True if a batch is of a transaction that was aborted."""
        firsts = self.aborted.get(batch["producerId"], [])
        return any(batch["baseOffset"] >= each for each in firsts[:1])

    def ended(self, batch: Value) -> None:
        """Record that an aborted transaction ends here: later batches belong to another one.

        One without records is not among those that the broker lists.
        """
        producer = batch["producerId"]
        left = self.aborted.get(producer, [])
        has_records = any(batch["baseOffset"] >= each for each in left[:1])
        self.aborted = {**self.aborted, producer: left[1:] if has_records else left}
