"""Logs that lose, change or misplace records, and offsets of them that are wrong."""

from __future__ import annotations

from types import MappingProxyType

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.cluster import Batch, Request, Topic, Value
from conformance.reference.broker.errors import Refused
from conformance.reference.broker.releases import (
    FOR_CLIENTS,
    FOR_EPOCHS,
    IMPLEMENTED,
    stored_versions,
)

_OF_LOGS = ("Fetch", "ListOffsets", "DeleteRecords")
_LISTED = {key: name for key, name in FOR_CLIENTS.items() if name in _OF_LOGS} | FOR_EPOCHS
WITH_LOGS = MappingProxyType(
    {"versions": stored_versions(names=IMPLEMENTED | _LISTED), "keeps_logs": True}
)


class OfLogs(BrokerMutant):
    """A broker that lists the APIs of logs."""

    made_with = WITH_LOGS


class BaseOffsetIsTheEnd(OfLogs, breaks="log.base-offset-told"):
    """Returns the offset after a batch in place of that of its first record."""

    def append(self, request: Request, topic: Topic, data: Value) -> int:
        super().append(request, topic, data)
        return topic.ends[data["index"]]


class BatchesTakeOneOffset(OfLogs, breaks="log.base-offset-told"):
    """Counts a batch as one record."""

    def append(self, request: Request, topic: Topic, data: Value) -> int:
        offset = super().append(request, topic, data)
        topic.ends[data["index"]] = offset + 1
        return offset


class TimesAreSet(OfLogs, breaks="log.fetched-as-written"):
    """Sets the first timestamp of each batch to 0, and leaves the checksum as it was."""

    implies = ("log.first-as-young", "log.greatest-time-listed")

    def as_appended(self, raw: bytes, offset: int) -> bytes:
        data = super().as_appended(raw, offset)
        return data[:27] + bytes(8) + data[35:]


class LastBatchTwice(OfLogs, breaks="log.fetched-as-written"):
    """Returns the last batch twice."""

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        found = super().records_from(topic, index, offset)
        held = self.batches(topic, index)
        return found + held[-1].data if found else found


class FirstBatchLost(OfLogs, breaks="log.fetched-as-written"):
    """Loses the first batch of what was asked for where others follow."""

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        wanted = [each for each in self.batches(topic, index) if each.end > offset]
        return b"".join(each.data for each in wanted[1:] or wanted)


class BatchBehindTheOffset(OfLogs, breaks="log.begins-where-asked"):
    """Begins with the first batch whose base offset is not below the one that was asked for."""

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        return b"".join(each.data for each in self.batches(topic, index) if each.begin >= offset)


class AlwaysFromTheBegin(OfLogs, breaks="log.begins-where-asked"):
    """Returns the whole log whatever offset was asked for."""

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        return b"".join(each.data for each in self.batches(topic, index))


class EndIsOutOfRange(OfLogs, breaks="log.end-is-empty"):
    """Refuses a Fetch at the end of a log."""

    def held(self, topic: Topic, wanted: Value) -> Value:
        if wanted["fetchOffset"] >= self.log_end(topic, wanted["partition"]) > 0:
            raise Refused(error_codes.OFFSET_OUT_OF_RANGE)
        return super().held(topic, wanted)


class WatermarkOfTheLastRecord(OfLogs, breaks="log.end-is-empty"):
    """Has the offset of the last record for the high watermark."""

    def held(self, topic: Topic, wanted: Value) -> Value:
        found = super().held(topic, wanted)
        return {**found, "highWatermark": max(found["highWatermark"] - 1, 0)}


class EmptyBehindTheEnd(OfLogs, breaks="log.out-of-range-refused"):
    """Answers a Fetch behind the end of a log with no records."""

    def held(self, topic: Topic, wanted: Value) -> Value:
        end = self.log_end(topic, wanted["partition"])
        return super().held(topic, {**wanted, "fetchOffset": min(wanted["fetchOffset"], end)})


class LimitHoldsBack(OfLogs, breaks="log.first-batch-whole"):
    """Returns no records where the first batch is longer than the limit."""

    def held(self, topic: Topic, wanted: Value) -> Value:
        found = super().held(topic, wanted)
        fits = len(found["records"]) * 3 // 4 <= wanted["partitionMaxBytes"]
        return found if fits else {**found, "records": ""}


class EndListedForBoth(OfLogs, breaks="log.ends-listed"):
    """Lists the end of a log for its begin as well."""

    def offset_at(self, topic: Topic, index: int, timestamp: int) -> Value:
        return super().offset_at(topic, index, -1 if timestamp < 0 else timestamp)


class EndIsTheLastRecord(OfLogs, breaks="log.ends-listed"):
    """Lists the offset of the last record for the end of a log."""

    def offset_at(self, topic: Topic, index: int, timestamp: int) -> Value:
        found = super().offset_at(topic, index, timestamp)
        return {**found, "offset": max(found["offset"] - 1, 0)} if timestamp == -1 else found


class BatchesAsYoung(OfLogs, breaks="log.first-as-young"):
    """Looks up times by batches alone, and not within them."""

    def first_as_young(self, topic: Topic, index: int, timestamp: int) -> Value:
        found = super().first_as_young(topic, index, timestamp)
        for each in self.batches(topic, index):
            if found and each.begin <= found["offset"] < each.end:
                return {**found, "offset": each.begin}
        return found


class EndForTimesToCome(OfLogs, breaks="log.first-as-young"):
    """Returns the end of a log for a time after all of its records."""

    def first_as_young(self, topic: Topic, index: int, timestamp: int) -> Value:
        found = super().first_as_young(topic, index, timestamp)
        return found or {"offset": self.log_end(topic, index)}


class BatchOfGreatestTimeAlone(OfLogs, breaks="log.greatest-time-listed"):
    """Lists the last record of the batch with the greatest time, for that time."""

    def with_greatest_time(self, topic: Topic, index: int) -> Value:
        found = super().with_greatest_time(topic, index)
        for each in self.batches(topic, index):
            if found and each.begin <= found["offset"] < each.end:
                return {**found, "offset": each.end - 1}
        return found


class ChecksumsUnchecked(OfLogs, breaks="log.corrupt-refused"):
    """Appends whatever it is given as a batch."""

    def append(self, request: Request, topic: Topic, data: Value) -> int:
        try:
            return super().append(request, topic, data)
        except Refused as refused:
            if refused.code != error_codes.CORRUPT_MESSAGE:
                raise
        offset = topic.ends.get(data["index"], 0)
        topic.ends[data["index"]] = offset + 1
        self.keep(topic, data["index"], Batch(offset, offset + 1, b""))
        return offset


class CorruptIsKept(OfLogs, breaks="log.corrupt-refused"):
    """Refuses a batch whose checksum is wrong, and counts it all the same."""

    def append(self, request: Request, topic: Topic, data: Value) -> int:
        try:
            return super().append(request, topic, data)
        except Refused:
            offset = topic.ends.get(data["index"], 0)
            topic.ends[data["index"]] = offset + 1
            self.keep(topic, data["index"], Batch(offset, offset + 1, b""))
            raise


class DeletionForgotten(OfLogs, breaks="log.deleted-is-gone"):
    """Says that records were deleted, and keeps them."""

    def trimmed(self, item: Value, wanted: Value) -> Value:
        answer = super().trimmed(item, wanted)
        if topic := self.topics.get(item["name"]):
            topic.starts.clear()
        return answer


class DeletionBehindTheEnd(OfLogs, breaks="log.deleted-is-gone"):
    """Deletes all records where an offset after the end is asked for."""

    def new_start(self, topic: Topic, index: int, offset: int) -> int:
        return super().new_start(topic, index, min(offset, self.log_end(topic, index)))
