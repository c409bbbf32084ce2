"""Brokers that write what they must refuse, and the wrong times."""

from __future__ import annotations

import base64

from conformance import error_codes
from conformance.brokers.mutants.records.log import OfLogs
from conformance.reference.broker.cluster import Batch, Request, Topic, Value
from conformance.reference.broker.errors import Refused


class FailsTogether(OfLogs, breaks="log.partitions-written-apart"):
    """Gives every partition of a topic the error of the last one that failed."""

    def produced_to_topic(self, request: Request, item: Value) -> Value:
        found = super().produced_to_topic(request, item)
        results = found["partitionResponses"]
        if codes := [each["errorCode"] for each in results if each["errorCode"]]:
            for each in results:
                each["errorCode"] = codes[-1]
        return found


class StopsAtFailure(OfLogs, breaks="log.partitions-written-apart"):
    """Says of each partition of a topic that it was written where one failed, and writes none."""

    def produced_to_topic(self, request: Request, item: Value) -> Value:
        topic = self.topics.get(item["name"]) or self.topic_of_id(item["topicId"])
        indexes = [each["index"] for each in item["partitionData"]]
        if topic and any(index >= len(topic.replicas) for index in indexes):
            ends, logs = dict(topic.ends), {at: list(log) for at, log in topic.logs.items()}
            found = super().produced_to_topic(request, item)
            topic.ends, topic.logs = ends, logs
            return found
        return super().produced_to_topic(request, item)


class UnknownIsTaken(OfLogs, breaks="log.partitions-written-apart"):
    """Answers for a topic that does not exist as if it was written to."""

    def produced(self, request: Request, item: Value, data: Value) -> Value:
        found = super().produced(request, item, data)
        unknown = (error_codes.UNKNOWN_TOPIC_OR_PARTITION, error_codes.UNKNOWN_TOPIC_ID)
        return {**found, "errorCode": 0} if found["errorCode"] in unknown else found


class AnyAcks(OfLogs, breaks="log.acks-refused"):
    """Takes any other number of acks for -1."""

    def topic_to_write(self, request: Request, item: Value) -> Topic:
        request.value["acks"] = min(max(request.value["acks"], -1), 1)
        return super().topic_to_write(request, item)


class WrongAcksAreWritten(OfLogs, breaks="log.acks-refused"):
    """Refuses acks that do not exist after the batch was appended."""

    def produced(self, request: Request, item: Value, data: Value) -> Value:
        acks = request.value["acks"]
        if acks in (-1, 0, 1):
            return super().produced(request, item, data)
        request.value["acks"] = -1
        found = super().produced(request, item, data)
        request.value["acks"] = acks
        return {**found, "errorCode": error_codes.INVALID_REQUIRED_ACKS}


class LimitOfTopicsUnknown(OfLogs, breaks="log.too-large-refused"):
    """Takes batches of any size."""

    def check_size(self, topic: Topic, raw: bytes) -> None:
        del topic, raw


class LargeIsCorrupt(OfLogs, breaks="log.too-large-refused"):
    """Refuses a batch above its topic's limit as a corrupt one."""

    def check_size(self, topic: Topic, raw: bytes) -> None:
        try:
            super().check_size(topic, raw)
        except Refused:
            raise Refused(error_codes.CORRUPT_MESSAGE) from None


class TimeOfAppendingUntold(OfLogs, breaks="log.append-time"):
    """Sets the time of appending in batches, and not in answers."""

    def append_time(self, topic: Topic, index: int) -> int:
        del topic, index
        return -1


class TimeOfAppendingAlways(OfLogs, breaks="log.append-time"):
    """Returns a time of appending although the producer set the times."""

    def append_time(self, topic: Topic, index: int) -> int:
        found = super().append_time(topic, index)
        return 1_000_000 if found < 0 else found


class TimeOfAppendingUnset(OfLogs, breaks="log.append-time"):
    """Returns a time of appending, and leaves batches as they are."""

    def stamped(self, topic: Topic, raw: bytes) -> bytes:
        del topic
        return raw

    def append_time(self, topic: Topic, index: int) -> int:
        found = super().append_time(topic, index)
        return found if found < 0 else 1_700_000_000_000


class SeveralBatchesTaken(OfLogs, breaks="log.wrong-batches-refused"):
    """Takes the first of several batches, and drops the others."""

    def append(self, request: Request, topic: Topic, data: Value) -> int:
        raw = base64.b64decode(data["records"] or "")
        length = 12 + int.from_bytes(raw[8:12], "big")
        first = base64.b64encode(raw[:length]).decode()
        return super().append(request, topic, {**data, "records": first})


class OffsetsUnchecked(OfLogs, breaks="log.wrong-batches-refused"):
    """Takes batches whose last offset and base offset are wrong."""

    def check_offsets(self, batch: Value) -> None:
        del batch


class ControlRecordsTaken(OfLogs, breaks="log.wrong-batches-refused"):
    """Takes control records of producers."""

    def check_attributes(self, batch: Value) -> None:
        del batch


class EmptyIsWritten(OfLogs, breaks="log.without-batch-refused"):
    """Takes records without a batch, and writes nothing."""

    def append(self, request: Request, topic: Topic, data: Value) -> int:
        if not data["records"]:
            return topic.ends.get(data["index"], 0)
        return super().append(request, topic, data)


class EmptyTakesAnOffset(OfLogs, breaks="log.without-batch-refused"):
    """Refuses records without a batch, and counts them all the same."""

    def append(self, request: Request, topic: Topic, data: Value) -> int:
        index = data["index"]
        if not base64.b64decode(data["records"] or ""):
            end = topic.ends.get(index, 0)
            topic.ends[index] = end + 1
            self.keep(topic, index, Batch(end, end + 1, b""))
        return super().append(request, topic, data)
