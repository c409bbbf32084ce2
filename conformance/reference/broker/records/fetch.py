"""Fetch and ListOffsets: the records of a log, and its begin and end.

A log holds the batches that were written to it. A subclass that has other records returns the
`batches` of a partition. No fetch session is ever made (KIP-227): each
Fetch has to name all that it wants, and one that relies on a session is answered that it does not
exist. Versions 0 to 3 are given their records as messages (`converting`).
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterator

from conformance import error_codes
from conformance.reference.broker.admin.access import DESCRIBE, READ, Access
from conformance.reference.broker.cluster import TOPIC, Batch, Request, Topic, Value
from conformance.reference.broker.errors import Refused
from conformance.reference.broker.records.converting import converted, end_of, newest_magic
from conformance.reference.codec import PlainCodec
from conformance.schema.record_batch import MAGIC, RECORD_BATCH

BY_ID = 13
GREATEST_TIME, EARLIEST = -3, (-2, -4)
LONGEST_WAIT_S = 0.5
_LENGTH, _LENGTH_END = struct.Struct(">i"), 12
"""The length of a batch, which follows its base offset and counts what follows itself."""


class Fetch(Access):
    """The handlers of Fetch and ListOffsets."""

    writes: PlainCodec

    def batches(self, topic: Topic, index: int) -> list[Batch]:
        """Return the batches in the log of a partition, in order."""
        return topic.logs.get(index, [])

    def log_begin(self, topic: Topic, index: int) -> int:
        """Return the offset of the first record in the log, or of the next one if it is empty."""
        held = self.batches(topic, index)
        first = held[0].begin if held else topic.ends.get(index, 0)
        return max(first, topic.starts.get(index, 0))

    def log_end(self, topic: Topic, index: int) -> int:
        """Return the offset of the next record."""
        held = self.batches(topic, index)
        return held[-1].end if held else topic.ends.get(index, 0)

    def fetch(self, request: Request) -> Value:
        """Return the records of each partition from an offset on."""
        if request.value["sessionEpoch"] > 0:
            return {**self.fetched([]), "errorCode": error_codes.FETCH_SESSION_ID_NOT_FOUND}
        topics = [self.fetched_of_topic(request, item) for item in request.value["topics"]]
        if self.keeps_logs:
            self.limit(request, topics)
        return self.fetched(topics)

    def limit(self, request: Request, topics: list[Value]) -> None:
        """Leave only whole batches within the limit of an answer, and the first of all (KIP-74)."""
        left = request.value["maxBytes"]
        is_first = True
        wanted = [each for topic in request.value["topics"] for each in topic["partitions"]]
        found = [each for topic in topics for each in topic["partitions"]]
        for asked, each in zip(wanted, found, strict=True):
            records = base64.b64decode(each["records"] or "")
            most = self.most_bytes(asked, left)
            kept = self.batches_within(records, most, is_first)
            each["records"] = base64.b64encode(kept).decode()
            taken = max(
                len(kept), min(len(records), most)
            )  # Apache Kafka counts a batch that it cuts
            left = max(left - taken, 0)
            is_first = is_first and not taken

    def most_bytes(self, wanted: Value, left: int) -> int:
        """Return how many bytes of a partition fit, of so many that are left for the answer."""
        return int(max(min(wanted["partitionMaxBytes"], left), 0))

    def batches_within(self, records: bytes, limit: int, is_first: bool) -> bytes:
        """Return the whole batches within a number of bytes; the first in any case if it is so."""
        end = 0
        while len(records) >= end + _LENGTH_END:
            (length,) = _LENGTH.unpack_from(records, end + _LENGTH_END - _LENGTH.size)
            following = end + _LENGTH_END + length
            if length <= 0 or following > len(records):
                break
            if following > limit and not (is_first and end == 0):
                return records[:end]
            end = following
        return records

    def fetched(self, topics: list[Value]) -> Value:
        """Return the answer as a whole."""
        return {
            "throttleTimeMs": 0,
            "errorCode": error_codes.NONE,
            "sessionId": 0,
            "responses": topics,
        }

    def fetch_delay_s(self, request: Request, body: Value) -> float:
        """Return the seconds that an answer without records is held back."""
        wanted = [each for topic in body["responses"] for each in topic["partitions"]]
        if any(each["records"] or each["errorCode"] for each in wanted):
            return 0.0
        return float(min(max(request.value["maxWaitMs"], 0) / 1000, LONGEST_WAIT_S))

    def fetched_of_topic(self, request: Request, item: Value) -> Value:
        """Return the partitions of a topic."""
        key = "topicId" if request.version >= BY_ID else "topic"
        partitions = [self.fetched_of(request, item, each) for each in item["partitions"]]
        return {key: item[key], "partitions": partitions}

    def fetched_of(self, request: Request, item: Value, wanted: Value) -> Value:
        """Return the records of a partition from the offset on, or an error in their place."""
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
            held = self.held_for(request.version, topic, wanted)
            return {**answer, **held}
        except Refused as refused:
            return {**answer, "errorCode": refused.code}

    def held_for(self, version: int, topic: Topic, wanted: Value) -> Value:
        """Return the records in a format of this version, from the first that has one on.

        Raises Refused.
        """
        held = self.held(topic, wanted)
        magic = newest_magic(version)
        if magic == MAGIC or not held["records"]:
            return held
        raw = base64.b64decode(held["records"])
        offset, end = wanted["fetchOffset"], end_of(raw)
        old = converted(raw, magic, self.writes, offset)
        if not old and end is not None and end > offset:
            return self.held_for(version, topic, {**wanted, "fetchOffset": end})
        return {**held, "records": base64.b64encode(old).decode()}

    def held(self, topic: Topic, wanted: Value) -> Value:
        """Return the records of a partition from the offset on. Raises Refused."""
        index, offset = wanted["partition"], wanted["fetchOffset"]
        self.check_partition(topic, index)
        self.check_leader_epoch(wanted)
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
        """Return the batches from the one on that holds an offset."""
        return b"".join(each.data for each in self.batches(topic, index) if each.end > offset)

    def topic_to_read(self, request: Request, item: Value) -> Topic:
        """Return the topic, if the caller may read it. Raises Refused."""
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
        """Raise Refused for a partition that does not exist."""
        if not 0 <= index < len(topic.replicas):
            raise Refused(error_codes.UNKNOWN_TOPIC_OR_PARTITION)

    def check_leader_epoch(self, wanted: Value) -> None:
        """Raise Refused for a leader's epoch to come (KIP-320), where logs are kept in epoch 0."""
        if self.keeps_logs and wanted.get("currentLeaderEpoch", -1) > 0:
            raise Refused(error_codes.UNKNOWN_LEADER_EPOCH)

    def list_offsets(self, request: Request) -> Value:
        """Return the offset of each partition at a timestamp."""
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
        """Return the offset in the form of version 0: a list, which may be empty."""
        found = self.offset_of(request, item, wanted)
        told = {key: found[key] for key in ("partitionIndex", "errorCode")}
        return {**told, "oldStyleOffsets": [found["offset"]] if found["offset"] >= 0 else []}

    def offset_of(self, request: Request, item: Value, wanted: Value) -> Value:
        """Return the first offset of a partition, or the one after the last."""
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
        try:
            self.check_leader_epoch(wanted)
        except Refused as refused:
            return {**answer, "errorCode": refused.code}
        return {**answer, **self.offset_at(topic, index, wanted["timestamp"])}

    def offset_at(self, topic: Topic, index: int, timestamp: int) -> Value:
        """Return the offset at a time: of the first record that is as young, where any is.

        Records that a subclass has are as old as the client asks for.
        """
        if timestamp == GREATEST_TIME:
            return self.with_greatest_time(topic, index)
        if timestamp < 0:
            first = timestamp in EARLIEST
            return {"offset": (self.log_begin if first else self.log_end)(topic, index)}
        if topic.logs.get(index):
            return self.first_as_young(topic, index, timestamp)
        if not self.batches(topic, index):
            return {}
        return {"offset": self.log_begin(topic, index), "timestamp": timestamp}

    def first_as_young(self, topic: Topic, index: int, timestamp: int) -> Value:
        """Return the offset and time of the first record of this time or later, {} without one."""
        found = self.batch_times(topic, index)
        return next((each for each in found if each["timestamp"] >= timestamp), {})

    def with_greatest_time(self, topic: Topic, index: int) -> Value:
        """Return the offset and time of the first record of the greatest time, {} without one."""
        return max(
            self.batch_times(topic, index), key=lambda each: int(each["timestamp"]), default={}
        )

    def batch_times(self, topic: Topic, index: int) -> Iterator[Value]:
        """Yield the offset and the time of each record of a log."""
        begin = self.log_begin(topic, index)
        for each in self.batches(topic, index):
            batch, _ = self.writes.read(self.writes.form(RECORD_BATCH, MAGIC), each.data)
            for record in batch["records"]:
                offset = each.begin + record["offsetDelta"]
                if offset >= begin:
                    at = batch["baseTimestamp"] + record["timestampDelta"]
                    yield {"offset": offset, "timestamp": at}

    def delete_records(self, request: Request) -> Value:
        """Return the new begin of each partition."""
        topics = [
            {**item, "partitions": [self.trimmed(item, one) for one in item["partitions"]]}
            for item in request.value["topics"]
        ]
        return {"throttleTimeMs": 0, "topics": topics}

    def trimmed(self, item: Value, wanted: Value) -> Value:
        """Return the new begin of one partition, or an error in its place."""
        index = wanted["partitionIndex"]
        answer = {"partitionIndex": index, "lowWatermark": -1, "errorCode": error_codes.NONE}
        try:
            topic = self.topics.get(item["name"])
            if topic is None:
                raise Refused(error_codes.UNKNOWN_TOPIC_OR_PARTITION)
            self.check_partition(topic, index)
            self.check_records_go(topic)
            start = self.new_start(topic, index, wanted["offset"])
        except Refused as refused:
            return {**answer, "errorCode": refused.code}
        topic.starts[index] = start
        return {**answer, "lowWatermark": start}

    def check_records_go(self, topic: Topic) -> None:
        """Raise Refused for a topic whose records are never deleted; there is none here."""

    def new_start(self, topic: Topic, index: int, offset: int) -> int:
        """Return the begin of a log without the records before an offset. Raises Refused."""
        end = self.log_end(topic, index)
        if not -1 <= offset <= end:
            raise Refused(error_codes.OFFSET_OUT_OF_RANGE)
        return end if offset < 0 else max(offset, self.log_begin(topic, index))

    def offset_for_leader_epoch(self, request: Request) -> Value:
        """Return the end of each epoch in each partition."""
        topics = [
            {
                "topic": item["topic"],
                "partitions": [self.epoch_of(request, item, each) for each in item["partitions"]],
            }
            for item in request.value["topics"]
        ]
        return {"throttleTimeMs": 0, "topics": topics}

    def epoch_of(self, request: Request, item: Value, wanted: Value) -> Value:
        """Return the end of an epoch in a partition, or an error in its place."""
        index = wanted["partition"]
        none = {"leaderEpoch": -1, "endOffset": -1}
        answer = {"partition": index, "errorCode": error_codes.NONE, **none}
        try:
            topic = self.topics.get(item["topic"])
            if topic is None or not self.may(request, DESCRIBE, TOPIC, item["topic"]):
                raise Refused(error_codes.UNKNOWN_TOPIC_OR_PARTITION)
            self.check_partition(topic, index)
            self.check_leader_epoch(wanted)
        except Refused as refused:
            return {**answer, "errorCode": refused.code}
        return {**answer, **self.end_of_epoch(topic, index, wanted["leaderEpoch"])}

    def end_of_epoch(self, topic: Topic, index: int, epoch: int) -> Value:
        """Return the log's end: no leader after that epoch has written anything.

        There is none for another epoch, where logs are kept by the one leader of epoch 0.
        """
        if self.keeps_logs and epoch != 0:
            return {}
        return {"leaderEpoch": epoch, "endOffset": self.log_end(topic, index)}
