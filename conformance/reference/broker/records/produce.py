"""Produce: records are counted and dropped.

With acks=0 the client waits for no answer and gets none; an error is only shown by hanging up, as
Apache Kafka does.
"""

from __future__ import annotations

import base64

from conformance import error_codes
from conformance.reference.broker.admin.access import WRITE, Access
from conformance.reference.broker.cluster import TOPIC, Request, Topic, Value
from conformance.reference.broker.errors import Hangup, Refused, Unanswered
from conformance.reference.codec import PlainCodec
from conformance.schema.record_batch import MAGIC, RECORD_BATCH
from conformance.schema.record_set import RECORD_SET
from conformance.wire.errors import DecodeError

BATCHES_SINCE = 3
"""The first version whose records are a batch of magic 2."""
BY_ID = 13
ACKS = (-1, 0, 1)
NO_OFFSET = -1


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
        code, offset = error_codes.NONE, NO_OFFSET
        try:
            topic = self.topic_to_write(request, item)
            offset = self.append(request, topic, data)
        except Refused as refused:
            code = refused.code
        return {
            "index": data["index"],
            "errorCode": code,
            "baseOffset": offset,
            "logAppendTimeMs": -1,
            "logStartOffset": NO_OFFSET if code else 0,
            "recordErrors": [],
            "errorMessage": None,
        }

    def topic_to_write(self, request: Request, item: Value) -> Topic:
        """Return the topic, if the caller may write to it. Raises Refused."""
        if request.value["acks"] not in ACKS:
            raise Refused(error_codes.INVALID_REQUIRED_ACKS)
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
        if not 0 <= index < len(topic.replicas):
            raise Refused(error_codes.UNKNOWN_TOPIC_OR_PARTITION)
        number = _records_in(data["records"], request.version, self.writes)
        offset = topic.ends.get(index, 0)
        topic.ends[index] = offset + number
        return offset


def _records_in(records: str | None, version: int, codec: PlainCodec) -> int:
    """Return the number of offsets that a batch, or a set of messages, takes. Raises Refused."""
    raw = base64.b64decode(records or "")
    try:
        if version < BATCHES_SINCE:
            messages, _ = codec.read(codec.form(RECORD_SET, MAGIC - 1), raw)
            return max(len(messages["records"]), 1)
        batch, _ = codec.read(codec.form(RECORD_BATCH, MAGIC), raw)
    except DecodeError:
        raise Refused(error_codes.CORRUPT_MESSAGE) from None
    return max(int(batch["lastOffsetDelta"]) + 1, 1)
