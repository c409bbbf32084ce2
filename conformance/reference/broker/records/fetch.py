"""Fetch and ListOffsets: what a log holds, and where it begins and ends.

The records that were produced are counted and forgotten, so a log begins where it ends. Whoever has
records to give says which `batches` a partition holds. No fetch session is ever made (KIP-227):
each Fetch asks for all that it wants, and one that relies on a session is told that there is none.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass

from conformance import error_codes
from conformance.reference.broker.admin.access import DESCRIBE, READ, Access
from conformance.reference.broker.cluster import TOPIC, Request, Topic, Value
from conformance.reference.broker.errors import Refused

BY_ID = 13
EARLIEST = (-2, -4)
LONGEST_WAIT_S = 0.5


@dataclass(frozen=True, slots=True)
class Batch:
    """Bytes that stand in a log from offset `begin` to before `end`."""

    begin: int
    end: int
    data: bytes


class Fetch(Access):
    """The handlers of Fetch and ListOffsets."""

    def batches(self, topic: Topic, index: int) -> list[Batch]:
        """What the log of a partition holds, in order."""
        del topic, index
        return []

    def log_begin(self, topic: Topic, index: int) -> int:
        """The offset of the first record that there is, or of the next one."""
        held = self.batches(topic, index)
        return held[0].begin if held else topic.ends.get(index, 0)

    def log_end(self, topic: Topic, index: int) -> int:
        """The offset of the next record."""
        held = self.batches(topic, index)
        return held[-1].end if held else topic.ends.get(index, 0)

    def fetch(self, request: Request) -> Value:
        """What each partition has from an offset on."""
        if request.value["sessionEpoch"] > 0:
            return {**self.fetched([]), "errorCode": error_codes.FETCH_SESSION_ID_NOT_FOUND}
        topics = [self.fetched_of_topic(request, item) for item in request.value["topics"]]
        return self.fetched(topics)

    def fetched(self, topics: list[Value]) -> Value:
        """The answer as a whole."""
        return {
            "throttleTimeMs": 0,
            "errorCode": error_codes.NONE,
            "sessionId": 0,
            "responses": topics,
        }

    def fetch_delay_s(self, request: Request, body: Value) -> float:
        """Seconds that an answer without records is kept back."""
        wanted = [each for topic in body["responses"] for each in topic["partitions"]]
        if any(each["records"] or each["errorCode"] for each in wanted):
            return 0.0
        return float(min(max(request.value["maxWaitMs"], 0) / 1000, LONGEST_WAIT_S))

    def fetched_of_topic(self, request: Request, item: Value) -> Value:
        """The partitions of a topic."""
        key = "topicId" if request.version >= BY_ID else "topic"
        partitions = [self.fetched_of(request, item, each) for each in item["partitions"]]
        return {key: item[key], "partitions": partitions}

    def fetched_of(self, request: Request, item: Value, wanted: Value) -> Value:
        """What a partition has from the offset on, or why it is not told."""
        answer: Value = {
            "partitionIndex": wanted["partition"],
            "errorCode": error_codes.NONE,
            "highWatermark": -1,
            "lastStableOffset": -1,
            "logStartOffset": -1,
            "abortedTransactions": None,
            "preferredReadReplica": -1,
            "records": "",
        }
        try:
            topic = self.topic_to_read(request, item)
            return {**answer, **self.held(topic, wanted)}
        except Refused as refused:
            return {**answer, "errorCode": refused.code}

    def held(self, topic: Topic, wanted: Value) -> Value:
        """The records of a partition from the offset on. Raises Refused."""
        index, offset = wanted["partition"], wanted["fetchOffset"]
        self.check_partition(topic, index)
        begin, end = self.log_begin(topic, index), self.log_end(topic, index)
        if not begin <= offset <= end:
            raise Refused(error_codes.OFFSET_OUT_OF_RANGE)
        records = self.records_from(topic, index, offset)
        return {
            "highWatermark": end,
            "lastStableOffset": end,
            "logStartOffset": begin,
            "records": base64.b64encode(records).decode(),
        }

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        """The batches from the one on that holds an offset."""
        return b"".join(each.data for each in self.batches(topic, index) if each.end > offset)

    def topic_to_read(self, request: Request, item: Value) -> Topic:
        """The topic, if the caller may read it. Raises Refused."""
        if request.version >= BY_ID:
            topic, unknown = self.topic_of_id(item["topicId"]), error_codes.UNKNOWN_TOPIC_ID
        else:
            topic, unknown = self.topics.get(item["topic"]), error_codes.UNKNOWN_TOPIC_OR_PARTITION
        name = topic.name if topic else item["topic"]
        if not self.may(request, READ, TOPIC, name):
            raise Refused(error_codes.TOPIC_AUTHORIZATION_FAILED)
        if topic is None:
            raise Refused(unknown)
        return topic

    def check_partition(self, topic: Topic, index: int) -> None:
        """Raise Refused for a partition that there is not."""
        if not 0 <= index < len(topic.replicas):
            raise Refused(error_codes.UNKNOWN_TOPIC_OR_PARTITION)

    def list_offsets(self, request: Request) -> Value:
        """The offset of each partition that a timestamp stands for."""
        told = self.offset_of if request.version else self.offsets_of
        topics = [
            {
                "name": item["name"],
                "partitions": [told(request, item, each) for each in item["partitions"]],
            }
            for item in request.value["topics"]
        ]
        return {"throttleTimeMs": 0, "topics": topics}

    def offsets_of(self, request: Request, item: Value, wanted: Value) -> Value:
        """The same as version 0 has it: a list, which is empty where there is none."""
        found = self.offset_of(request, item, wanted)
        told = {key: found[key] for key in ("partitionIndex", "errorCode")}
        return {**told, "oldStyleOffsets": [found["offset"]] if found["offset"] >= 0 else []}

    def offset_of(self, request: Request, item: Value, wanted: Value) -> Value:
        """The first offset of a partition, or the one behind the last."""
        answer: Value = {
            "partitionIndex": wanted["partitionIndex"],
            "errorCode": error_codes.NONE,
            "timestamp": -1,
            "offset": -1,
            "leaderEpoch": -1,
        }
        topic = self.topics.get(item["name"])
        if not self.may(request, DESCRIBE, TOPIC, item["name"]):
            return {**answer, "errorCode": error_codes.TOPIC_AUTHORIZATION_FAILED}
        index = wanted["partitionIndex"]
        if topic is None or not 0 <= index < len(topic.replicas):
            return {**answer, "errorCode": error_codes.UNKNOWN_TOPIC_OR_PARTITION}
        return {**answer, **self.offset_at(topic, index, wanted["timestamp"])}

    def offset_at(self, topic: Topic, index: int, timestamp: int) -> Value:
        """The offset that a time stands for: each record is as old as whoever asks wants it."""
        if timestamp < 0:
            first = timestamp in EARLIEST
            return {"offset": (self.log_begin if first else self.log_end)(topic, index)}
        if not self.batches(topic, index):
            return {}
        return {"offset": self.log_begin(topic, index), "timestamp": timestamp}

    def delete_records(self, request: Request) -> Value:
        """Where each partition begins now, as if that had been deleted."""
        topics = [
            {**item, "partitions": [self.trimmed(item, one) for one in item["partitions"]]}
            for item in request.value["topics"]
        ]
        return {"throttleTimeMs": 0, "topics": topics}

    def trimmed(self, item: Value, wanted: Value) -> Value:
        """The same of one partition, or why it is not told."""
        index = wanted["partitionIndex"]
        answer = {"partitionIndex": index, "lowWatermark": -1, "errorCode": error_codes.NONE}
        try:
            topic = self.topics.get(item["name"])
            if topic is None:
                raise Refused(error_codes.UNKNOWN_TOPIC_OR_PARTITION)
            self.check_partition(topic, index)
        except Refused as refused:
            return {**answer, "errorCode": refused.code}
        return {**answer, "lowWatermark": max(wanted["offset"], self.log_begin(topic, index))}

    def offset_for_leader_epoch(self, request: Request) -> Value:
        """Where each epoch ended in each partition."""
        topics = [
            {
                "topic": item["topic"],
                "partitions": [self.epoch_of(request, item, each) for each in item["partitions"]],
            }
            for item in request.value["topics"]
        ]
        return {"throttleTimeMs": 0, "topics": topics}

    def epoch_of(self, request: Request, item: Value, wanted: Value) -> Value:
        """Where an epoch ended in a partition, or why it is not told."""
        index = wanted["partition"]
        none = {"leaderEpoch": -1, "endOffset": -1}
        answer = {"partition": index, "errorCode": error_codes.NONE, **none}
        try:
            topic = self.topics.get(item["topic"])
            if topic is None or not self.may(request, DESCRIBE, TOPIC, item["topic"]):
                raise Refused(error_codes.UNKNOWN_TOPIC_OR_PARTITION)
            self.check_partition(topic, index)
        except Refused as refused:
            return {**answer, "errorCode": refused.code}
        return {**answer, **self.end_of_epoch(topic, index, wanted["leaderEpoch"])}

    def end_of_epoch(self, topic: Topic, index: int, epoch: int) -> Value:
        """Nobody led after that epoch that wrote anything."""
        return {"leaderEpoch": epoch, "endOffset": self.log_end(topic, index)}
