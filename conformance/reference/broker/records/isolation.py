"""The part of a log that a reader of committed records alone is given (KIP-98).

It reads up to the first offset of the first open transaction, the last stable offset, and gets a
list of the aborted transactions among what it reads.
"""

from __future__ import annotations

import base64
from typing import Any

from conformance.reference.broker.cluster import Aborted, Request, Topic, Value
from conformance.reference.broker.records.fetch import BY_ID, Fetch

READ_COMMITTED = 1
LATEST = -1
EPOCHS_SINCE = 4
"""The first version of ListOffsets with the epoch of the leader that wrote a record."""


class Isolation(Fetch):
    """Fetch and ListOffsets for readers of committed records, if the broker keeps logs."""

    def stable_end(self, topic: Topic, index: int) -> int:
        """Return the last stable offset: the end, or where the first open transaction begins.

        Of one whose first records were deleted, that is where the log begins.
        """
        producers = topic.producers.get(index, {}).values()
        open_ = [each.since for each in producers if each.since is not None]
        return max(min([self.log_end(topic, index), *open_]), self.log_begin(topic, index))

    def fetched_of(self, request: Request, item: Value, wanted: Value) -> Value:
        """Return the records of a partition, to some readers only those that are stable."""
        found = super().fetched_of(request, item, wanted)
        if not self.keeps_logs or found["errorCode"]:
            return found
        by_id = request.version >= BY_ID
        topic = self.topic_of_id(item["topicId"]) if by_id else self.topics.get(item["topic"])
        assert topic is not None
        index = wanted["partition"]
        found["lastStableOffset"] = end = self.stable_end(topic, index)
        if request.value["isolationLevel"] != READ_COMMITTED:
            return found
        stable = self.stable(base64.b64decode(found["records"]), end)
        found["records"] = base64.b64encode(stable).decode()
        found["abortedTransactions"] = [
            {"producerId": each.producer_id, "firstOffset": each.first}
            for each in self.aborted_from(topic, index, wanted["fetchOffset"])
        ]
        return found

    def stable(self, records: bytes, end: int) -> bytes:
        """Return the batches before an offset."""
        at = 0
        while at < len(records) and int.from_bytes(records[at : at + 8], "big") < end:
            at += 12 + int.from_bytes(records[at + 8 : at + 12], "big")
        return records[:at]

    def aborted_from(self, topic: Topic, index: int, offset: int) -> list[Aborted]:
        """Return the aborted transactions that end at an offset or after it."""
        return [each for each in topic.aborted.get(index, []) if each.last >= offset]

    def offset_of(self, request: Request, item: Value, wanted: Value) -> Value:
        """Return the offset of a partition; the last stable one for the end, to some readers."""
        found: dict[str, Any] = super().offset_of(request, item, wanted)
        is_end = wanted["timestamp"] == LATEST and not found["errorCode"]
        if self.keeps_logs and is_end and request.value["isolationLevel"] == READ_COMMITTED:
            topic = self.topics[item["name"]]
            found["offset"] = self.stable_end(topic, wanted["partitionIndex"])
        if self.keeps_logs and found["offset"] >= 0 and request.version >= EPOCHS_SINCE:
            found["leaderEpoch"] = 0
        return found
