"""Checks of what is written to logs that are kept: one whole batch, as no producer may defy.

A broker that keeps no logs takes what it is given, and so do scenarios about clients.
"""

from __future__ import annotations

import base64
import struct

from conformance import error_codes
from conformance.reference.broker.admin import config_names
from conformance.reference.broker.admin.configs import Configs
from conformance.reference.broker.cluster import TOPIC, Request, Topic, Value
from conformance.reference.broker.errors import Refused
from conformance.reference.broker.records.produce import BATCHES_SINCE, NO_TIME, Produce
from conformance.schema.record_batch import MAGIC, RECORD_BATCH
from conformance.wire.errors import DecodeError

APPEND_TIME = "LogAppendTime"
APPEND_TIME_BIT, CONTROL_BIT = 1 << 3, 1 << 5
COMPACT, DELETE = "compact", "delete"
"""The policies of a log."""
COMPRESSION, ZSTD, ZSTD_SINCE = 7, 4, 7
"""The bits of the attributes for the codec, zstd in them, and the first version that has it."""
HEAD = 61
"""The bytes of a batch before its records."""
_INT32, _CRC = struct.Struct(">i"), struct.Struct(">I")
_TIMES = struct.Struct(">qq")
_LENGTH, _MAGIC, _CHECKED, _ATTRIBUTES, _TIMES_AT = 8, 16, 21, 22, 27
"""The offsets of fields in a batch; the checksum ends where the bytes that it covers begin."""


class Checks(Produce, Configs):
    """A Produce that checks batches, if the broker keeps logs."""

    def produced(self, request: Request, item: Value, data: Value) -> Value:
        """Return the result of appending to one partition; a format to come refuses all of them."""
        if self.keeps_logs and request.version >= BATCHES_SINCE:
            every = [
                each for topic in request.value["topicData"] for each in topic["partitionData"]
            ]
            if any(map(self.is_of_a_format_to_come, every)):
                return {**self.result_of(data), "errorCode": error_codes.CORRUPT_MESSAGE}
        return super().produced(request, item, data)

    def is_of_a_format_to_come(self, data: Value) -> bool:
        """True for records of a magic above the highest."""
        raw = base64.b64decode(data["records"] or "")
        return len(raw) > _MAGIC and raw[_MAGIC] > MAGIC

    def append(self, request: Request, topic: Topic, data: Value) -> int:
        """Append a batch that is right in itself. Raises Refused."""
        if not self.keeps_logs or request.version < BATCHES_SINCE:
            return super().append(request, topic, data)
        raw = base64.b64decode(data["records"] or "")
        self.check_partition_of(topic, data["index"])
        self.check_bounds(raw)
        self.check_compression(request, raw)
        self.check_producer(request, topic, data["index"], raw)
        self.check_acks(request)
        batch = self.checked(raw)
        self.check_compacted(topic, batch)
        self.check_size(topic, raw)
        stamped = self.stamped(topic, raw)
        return self.append_checked(request, topic, data["index"], stamped, batch)

    def append_checked(
        self, request: Request, topic: Topic, index: int, raw: bytes, batch: Value
    ) -> int:
        """Append a batch that was checked; return its base offset. Raises Refused."""
        del batch
        data = {"index": index, "records": base64.b64encode(raw).decode()}
        return super().append(request, topic, data)

    def checked(self, raw: bytes) -> Value:
        """Return the one batch that these bytes are. Raises Refused."""
        try:
            batch, _ = self.writes.read(self.writes.form(RECORD_BATCH, MAGIC), raw)
        except DecodeError:
            raise Refused(error_codes.CORRUPT_MESSAGE) from None
        self.check_offsets(batch)
        self.check_attributes(batch)
        return batch

    def check_bounds(self, raw: bytes) -> None:
        """Raise Refused for no batch or several, and for another magic."""
        if len(raw) < HEAD or raw[_MAGIC] != MAGIC:
            raise Refused(error_codes.INVALID_RECORD)
        (length,) = _INT32.unpack_from(raw, _LENGTH)
        if len(raw) != _LENGTH + _INT32.size + length:
            raise Refused(error_codes.INVALID_RECORD)

    def check_compression(self, request: Request, raw: bytes) -> None:
        """Raise Refused for zstd in a version that is older than it (KIP-110)."""
        if raw[_ATTRIBUTES] & COMPRESSION == ZSTD and request.version < ZSTD_SINCE:
            raise Refused(error_codes.UNSUPPORTED_COMPRESSION_TYPE)

    def check_producer(self, request: Request, topic: Topic, index: int, raw: bytes) -> None:
        """Raise Refused for a producer that may not write; nothing is known of any here."""

    def check_compacted(self, topic: Topic, batch: Value) -> None:
        """Raise Refused for a record without a key in a topic that is compacted by keys."""
        is_compacted = COMPACT in self.config_of(topic, "cleanup.policy").split(",")
        if is_compacted and any(each["key"] is None for each in batch["records"]):
            raise Refused(error_codes.INVALID_RECORD)

    def check_records_go(self, topic: Topic) -> None:
        """Raise Refused for a topic that is only compacted."""
        if self.keeps_logs and DELETE not in self.config_of(topic, "cleanup.policy").split(","):
            raise Refused(error_codes.POLICY_VIOLATION)

    def check_offsets(self, batch: Value) -> None:
        """Raise Refused for offsets that do not count the records from 0 on."""
        deltas = [each["offsetDelta"] for each in batch["records"]]
        due = list(range(len(deltas)))
        if batch["baseOffset"] or batch["lastOffsetDelta"] != len(deltas) - 1 or deltas != due:
            raise Refused(error_codes.INVALID_RECORD)

    def check_attributes(self, batch: Value) -> None:
        """Raise Refused for control records, which only brokers write."""
        if batch["attributes"] & CONTROL_BIT:
            raise Refused(error_codes.INVALID_RECORD)

    def check_size(self, topic: Topic, raw: bytes) -> None:
        """Raise Refused for a batch above the limit of its topic."""
        if len(raw) > int(self.config_of(topic, "max.message.bytes")):
            raise Refused(error_codes.MESSAGE_TOO_LARGE)

    def config_of(self, topic: Topic, name: str) -> str:
        """Return the value in force of a topic's config."""
        settings = self.settings((TOPIC, topic.name), name)
        value, _ = self.in_force(config_names.OF_TOPIC[name], settings)
        return value or ""

    def stamped(self, topic: Topic, raw: bytes) -> bytes:
        """Return a batch with the broker's time, if its topic demands that."""
        if self.config_of(topic, "message.timestamp.type") != APPEND_TIME:
            return raw
        from crc32c import crc32c  # slow to import, and few need it

        first, _ = _TIMES.unpack_from(raw, _TIMES_AT)
        checked = bytearray(raw[_CHECKED:])
        checked[1] |= APPEND_TIME_BIT
        _TIMES.pack_into(checked, _TIMES_AT - _CHECKED, first, self.time_ms)
        crc = _CRC.pack(crc32c(bytes(checked)))
        return raw[: _CHECKED - len(crc)] + crc + bytes(checked)

    def append_time(self, topic: Topic, index: int) -> int:
        """Return the time that the broker set in the last batch, -1 where producers set it."""
        if not self.keeps_logs or self.config_of(topic, "message.timestamp.type") != APPEND_TIME:
            return NO_TIME
        _, last = _TIMES.unpack_from(topic.logs[index][-1].data, _TIMES_AT)
        return int(last)
