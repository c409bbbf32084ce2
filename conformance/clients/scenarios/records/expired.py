"""Records after the time limit that they were given, and their sequence numbers."""

from __future__ import annotations

from typing import ClassVar

from conformance import error_codes
from conformance.clients.scenarios.actions import FILLED
from conformance.clients.scenarios.playing import RefusesOnce
from conformance.clients.scenarios.records.writing import one_batch_a_number
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit, require, succeeds
from conformance.dialogue import Broken
from conformance.reference.broker.cluster import Request, Topic, Value

UNKNOWN_TIMES = 3
"""The number of times that Metadata does not have the topic."""


def told_once(visit: Visit) -> None:
    """Judge that the outcome of a record is reported once."""
    succeeds(visit)
    told = visit.ended.text.split()
    require(told, "the driver does not print how often a record was reported to it")
    for number, times in enumerate(told, 1):
        if times != "1":
            what = f"what became of record {number} of {len(told)} was told {times} times"
            raise Broken(what, "once", " ".join(told))


class TooLargeAndLater(RefusesOnce, about="ProduceRequest", action="later"):
    """Answers the first Produce with MESSAGE_TOO_LARGE, long before the time of its batch is up."""

    decides: ClassVar = {"client-produce.told-once": told_once}


class TopicAwayBetween(Scenario, about="MetadataRequest", action="later"):
    """Says three times in Metadata, between two records, that it does not know their topic."""

    decides: ClassVar = {"client-produce.one-batch-a-number": one_batch_a_number}
    left = 0
    is_written = False

    def append(self, request: Request, topic: Topic, data: Value) -> int:
        """Append the record; from then on the topic is missing for a while."""
        if not self.is_written:
            self.is_written, self.left = True, UNKNOWN_TIMES
        return super().append(request, topic, data)

    def described_topic(self, topic: Topic) -> Value:
        """Return the topic with an error and no partitions, while it is missing."""
        told = super().described_topic(topic)
        if topic.name != FILLED or not self.left:
            return told
        self.left -= 1
        unknown = {"errorCode": error_codes.UNKNOWN_TOPIC_OR_PARTITION, "partitions": []}
        return {**told, **unknown}
