"""Topics of two partitions: led by two brokers and read at once, or one of them added while the
topic is read.

Metadata lists the second partition as soon as records of the first were asked for, so one more
Metadata request is enough to know it.
"""

from __future__ import annotations

from typing import ClassVar

from conformance.clients.scenarios.actions import OTHER
from conformance.clients.scenarios.judging import TOLD
from conformance.clients.scenarios.plain_brokers import ServesPauses, ServesWidening
from conformance.clients.scenarios.records.leaders import (
    EACH_ITS_OWN,
    HalfOfIt,
    asks_once_for_offsets,
)
from conformance.clients.scenarios.records.logs import SECOND
from conformance.clients.scenarios.visit import Visit, require, succeeds
from conformance.dialogue import Broken
from conformance.reference.broker.cluster import Request, Topic, Value


class _Leader(ServesPauses, HalfOfIt, is_known=False):
    """Leads one of two partitions that both hold records."""

    halved = OTHER

    def coordinator(self, request: Request, key: str) -> Value:
        """The first broker, whichever is asked."""
        home = self.company[0]
        found = super().coordinator(request, key)
        return {**found, "nodeId": home.node_id, "host": home.host, "port": home.port}


class LeaderOfOneOfBoth(_Leader, about="ListOffsetsRequest"):
    """Leads one of two partitions that are read at once, and another broker the other one."""

    others: ClassVar = {SECOND: _Leader}
    decides: ClassVar = {
        **EACH_ITS_OWN,
        "client-requests.offsets-asked-once": asks_once_for_offsets,
    }


def reads_both(visit: Visit) -> None:
    """Judge that the application gets a record of each partition, and no error on the way."""
    succeeds(visit)
    first, *errors = visit.ended.text.split() or [""]
    if first == TOLD:
        raise Broken(f"the application was told {' '.join(errors)}", "quiet", visit.ended.text)
    require(len(visit.of("Metadata")) >= 2, "it asked Metadata once, and knew of both partitions")


class PartitionAdded(ServesWidening):
    """Tells of the second partition of a topic once the first has been asked for."""

    decides: ClassVar = {"client-records.added-partition-read": reads_both}
    has_grown = False

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        """Return the records as usual; from then on the topic has two partitions."""
        self.has_grown = self.has_grown or topic.name == OTHER
        return super().records_from(topic, index, offset)

    def metadata(self, request: Request) -> Value:
        """Return one partition of each topic, until it has grown."""
        answer = super().metadata(request)
        if self.has_grown:
            return answer
        topics = [{**each, "partitions": each["partitions"][:1]} for each in answer["topics"]]
        return {**answer, "topics": topics}
