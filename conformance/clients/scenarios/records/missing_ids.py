"""A topic whose id one answer of Metadata leaves out, as a broker does that keeps none yet."""

from __future__ import annotations

from typing import Any, ClassVar

from conformance import error_codes
from conformance.clients.scenarios.actions import FILLED
from conformance.clients.scenarios.judging import where_asked
from conformance.clients.scenarios.records.given import batch_of, end, held
from conformance.clients.scenarios.records.leaders import IDS_SINCE
from conformance.clients.scenarios.records.logs import SECOND
from conformance.clients.scenarios.records.reading import Log
from conformance.clients.scenarios.visit import succeeds
from conformance.reference.broker.cluster import Request, Topic, Value
from conformance.reference.broker.records.fetch import Batch
from conformance.reference.broker.releases import FOR_EPOCHS, stored_versions
from conformance.schema.layout import ZERO_UUID

LOG = [*held(0, 1, 2), end(3)]


class _BatchByBatch(Log, is_known=False):
    """Gives a record in an answer, and tells where an epoch ended."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.versions = {**self.versions, **stored_versions(names=FOR_EPOCHS)}

    def records(self) -> list[Batch]:
        return [batch_of([each]) for each in LOG]

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        return next((each.data for each in self.batches(topic, index) if each.end > offset), b"")


class _Led(_BatchByBatch):
    """Leads until it has given a record."""

    given = False
    refused = False

    def fetched_of(self, request: Request, item: Value, wanted: Value) -> Value:
        found = super().fetched_of(request, item, wanted)
        if not self.given:
            self.given = bool(found["records"])
            return found
        self.refused = True
        return {**found, "errorCode": error_codes.NOT_LEADER_OR_FOLLOWER, "records": ""}

    def described_topic(self, topic: Topic) -> Value:
        """Return the topic as the new leader describes it."""
        return self.company[0].described_topic(topic)


class LeaderMovesBehindMissingId(_BatchByBatch):
    """Is the new leader; Metadata names the old one again first, and no id of the topic."""

    others: ClassVar = {SECOND: _Led}
    decides: ClassVar = {
        "client-records.leader-followed": where_asked("Metadata", succeeds, range(IDS_SINCE, 100))
    }
    told = 0

    def described_topic(self, topic: Topic) -> Value:
        old = self.company[-1]
        assert isinstance(old, _Led)
        self.told += topic.name == FILLED and old.refused
        has_moved = self.told > 1
        both = [self.node_id, SECOND]
        leader = {"leaderId": both[not has_moved], "leaderEpoch": int(has_moved)}
        led = {**leader, "replicaNodes": both, "isrNodes": both}
        told = super().described_topic(topic)
        topic_id = ZERO_UUID if self.told == 1 else told["topicId"]
        partitions = [{**each, **led} for each in told["partitions"]]
        return {**told, "topicId": topic_id, "partitions": partitions}
