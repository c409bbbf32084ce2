"""Produce: batches are kept as they were written, but for their offset and the leader's epoch.

Message sets of the formats before batches are counted and dropped.

With acks=0 the client waits for no answer and gets none; an error is only shown by hanging up, as
Apache Kafka does.
"""

from __future__ import annotations

import base64
import struct

from conformance import error_codes
from conformance.reference.broker.admin.access import WRITE, Access
from conformance.reference.broker.cluster import TOPIC, Batch, Request, Topic, Value
from conformance.reference.broker.errors import Hangup, Refused, Unanswered
from conformance.reference.codec import PlainCodec
from conformance.schema.record_batch import MAGIC, RECORD_BATCH, RECORD_SET
from conformance.wire.errors import DecodeError

BATCHES_SINCE = 3
"""The first version whose records are a batch of magic 2."""
BY_ID = 13
ACKS = (-1, 0, 1)
NO_OFFSET = NO_TIME = -1
MOST_BATCHES = 1_000
"""The most batches that are kept of a partition."""
_OFFSET, _EPOCH = struct.Struct(">q"), struct.Struct(">i")


class Produce(Access):
    """The handler of Produce."""

    writes: PlainCodec

    def produce(self, request: Request) -> Value:
        """Return a result for each partition. Raises Unanswered and Hangup if acks is 0."""
        topics = [self.produced_to_topic(request, item) for item in request.value["topicData"]]
        if request.value["acks"] == 0:
            self.leave_unanswered(topics)
        return {"responses": topics, "throttleTimeMs": 0}

    def leave_unanswered(self, topics: list[Value]) -> None:
        """Give no answer: raise Unanswered, or Hangup after an error."""
        if any(each["errorCode"] for topic in topics for each in topic["partitionResponses"]):
            raise Hangup
        raise Unanswered

    def produced_to_topic(self, request: Request, item: Value) -> Value:
        """Return a result for each partition of a topic."""
        results = [self.produced(request, item, each) for each in item["partitionData"]]
        named: Value = {key: item[key] for key in ("name", "topicId") if key in item}
        return {**named, "partitionResponses": results}

    def produced(self, request: Request, item: Value, data: Value) -> Value:
        """Return the result of appending to one partition."""
        answer = self.result_of(data)
        try:
            topic = self.topic_to_write(request, item)
            offset = self.append(request, topic, data)
        except Refused as refused:
            return {**answer, "errorCode": refused.code}
        return {
            **answer,
            "baseOffset": offset,
            "logAppendTimeMs": self.append_time(topic, data["index"]),
            "logStartOffset": topic.starts.get(data["index"], 0),
        }

    def result_of(self, data: Value) -> Value:
        """Return the result for a partition to which nothing is appended yet."""
        return {
            "index": data["index"],
            "errorCode": error_codes.NONE,
            "baseOffset": NO_OFFSET,
            "logAppendTimeMs": NO_TIME,
            "logStartOffset": NO_OFFSET,
            "recordErrors": [],
            "errorMessage": None,
        }

    def append_time(self, topic: Topic, index: int) -> int:
        """Return the time that the broker set in the last batch, -1 where producers set it."""
        del topic, index
        return NO_TIME

    def topic_to_write(self, request: Request, item: Value) -> Topic:
        """Return the topic, if the caller may write to it. Raises Refused."""
        if request.version >= BY_ID:
            topic, unknown = self.topic_of_id(item["topicId"]), error_codes.UNKNOWN_TOPIC_ID
        else:
            topic, unknown = self.topics.get(item["name"]), error_codes.UNKNOWN_TOPIC_OR_PARTITION
        name = topic.name if topic else item["name"]
        if not self.may(request, WRITE, TOPIC, name):
            raise Refused(error_codes.TOPIC_AUTHORIZATION_FAILED)
        if topic is None:
            raise Refused(unknown)
        return topic

    def append(self, request: Request, topic: Topic, data: Value) -> int:
        """Count the records of one partition; return the offset of the first. Raises Refused."""
        index = data["index"]
        self.check_partition_of(topic, index)
        self.check_acks(request)
        raw = base64.b64decode(data["records"] or "")
        offset = topic.ends.get(index, 0)
        topic.ends[index] = offset + _records_in(raw, request.version, self.writes)
        if request.version < BATCHES_SINCE:
            return offset
        self.keep(topic, index, Batch(offset, topic.ends[index], self.as_appended(raw, offset)))
        return offset

    def check_partition_of(self, topic: Topic, index: int) -> None:
        """Raise Refused for a partition that does not exist."""
        if not 0 <= index < len(topic.replicas):
            raise Refused(error_codes.UNKNOWN_TOPIC_OR_PARTITION)

    def check_acks(self, request: Request) -> None:
        """Raise Refused for a number of acks that does not exist."""
        if request.value["acks"] not in ACKS:
            raise Refused(error_codes.INVALID_REQUIRED_ACKS)

    def as_appended(self, raw: bytes, offset: int) -> bytes:
        """Return a batch at its place in the log, with the epoch of the leader that wrote it."""
        return _OFFSET.pack(offset) + raw[8:12] + _EPOCH.pack(0) + raw[16:]

    def keep(self, topic: Topic, index: int, batch: Batch) -> None:
        """Keep a batch at the end of a log; the oldest go where there are too many."""
        log = topic.logs.setdefault(index, [])
        log.append(batch)
        del log[:-MOST_BATCHES]


def _records_in(raw: bytes, version: int, codec: PlainCodec) -> int:
    """Return the number of offsets that a batch, or a set of messages, takes. Raises Refused."""
    try:
        if version < BATCHES_SINCE:
            messages, _ = codec.read(codec.form(RECORD_SET, MAGIC - 1), raw)
            return max(len(messages["records"]), 1)
        batch, _ = codec.read(codec.form(RECORD_BATCH, MAGIC), raw)
    except DecodeError:
        raise Refused(error_codes.CORRUPT_MESSAGE) from None
    return max(int(batch["lastOffsetDelta"]) + 1, 1)
