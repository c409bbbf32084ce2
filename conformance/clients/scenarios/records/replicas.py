"""Replicas that a leader names for reading (KIP-392): unknown, behind, or leader of nothing.

The leader is where a reader begins, and where it goes back to when the replica does not help it.
"""

from __future__ import annotations

from typing import ClassVar

from conformance import error_codes
from conformance.clients.scenarios.judging import all_of, asks_no_more_than, where_asked
from conformance.clients.scenarios.records.leaders import PreferredReplicaLags, reads_at
from conformance.clients.scenarios.records.logs import SECOND
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit, succeeds
from conformance.dialogue import Broken
from conformance.reference.broker.cluster import Request, Value

NAMED_SINCE = 11
"""The first version of Fetch whose answers name a replica."""
UNKNOWN = 77
BEGIN = 5
"""The first offset in the log of a replica that lacks the record."""
MOST_REQUESTS = 100
_LEFT = "client-records.preferred-replica-left"


class PreferredReplicaUnknown(Scenario, about="FetchRequest", action="consume"):
    """Names a replica to read from that is no broker of the cluster, in its first answer."""

    decides: ClassVar = {_LEFT: where_asked("Fetch", succeeds, range(NAMED_SINCE, 100))}
    named = False

    def fetched_of(self, request: Request, item: Value, wanted: Value) -> Value:
        """Return an unknown preferred replica and no records, once."""
        found = super().fetched_of(request, item, wanted)
        if request.version < NAMED_SINCE or self.named:
            return found
        self.named = True
        return {**found, "preferredReadReplica": UNKNOWN, "records": ""}


class _Follower(Scenario):
    """A replica that leads nothing: no offsets are looked up there."""

    asked = False

    def offset_of(self, request: Request, item: Value, wanted: Value) -> Value:
        found = super().offset_of(request, item, wanted)
        return {**found, "errorCode": error_codes.NOT_LEADER_OR_FOLLOWER, "offset": -1}

    def fetched_of(self, request: Request, item: Value, wanted: Value) -> Value:
        self.asked = True
        return super().fetched_of(request, item, wanted)


class _Behind(_Follower):
    """One that does not have the offset any more."""

    def fetched_of(self, request: Request, item: Value, wanted: Value) -> Value:
        found = super().fetched_of(request, item, wanted)
        return {**found, "errorCode": error_codes.OFFSET_OUT_OF_RANGE, "records": ""}


def asks_the_leader(visit: Visit) -> None:
    """Judge that no offset is looked up at the replica."""
    for each in visit.of("ListOffsets"):
        if each.node == SECOND:
            raise Broken("ListOffsets asks a replica that is no leader", "the leader", each.frame)


class PreferredReplicaOutOfRange(PreferredReplicaLags):
    """Names a replica to read from, which says that the offset is out of its range."""

    others: ClassVar = {SECOND: _Behind}
    decides: ClassVar = {
        "client-requests.leader-asked": asks_the_leader,
        _LEFT: all_of(asks_no_more_than(MOST_REQUESTS), reads_at(SECOND)),
    }


class _BeginsLater(_Behind):
    """Lags as a replica, and states the bounds of its own log."""

    def fetched_of(self, request: Request, item: Value, wanted: Value) -> Value:
        found = super().fetched_of(request, item, wanted)
        has = {"logStartOffset": BEGIN, "highWatermark": BEGIN, "lastStableOffset": BEGIN}
        return {**found, **has}


class PreferredReplicaBeginsLater(PreferredReplicaOutOfRange):
    """Names a replica to read from, which says that its log begins behind the offset."""

    others: ClassVar = {SECOND: _BeginsLater}


class PreferredReplicaLeadsNothing(PreferredReplicaLags):
    """Names a replica to read from, which leads nothing and has the record."""

    others: ClassVar = {SECOND: _Follower}
    decides: ClassVar = {
        "client-records.preferred-replica-read": where_asked(
            "Fetch", all_of(asks_no_more_than(MOST_REQUESTS), succeeds), range(NAMED_SINCE, 100)
        )
    }

    def fetched_of(self, request: Request, item: Value, wanted: Value) -> Value:
        """Return the second broker as preferred replica each time, and no records."""
        found = Scenario.fetched_of(self, request, item, wanted)
        if request.version < NAMED_SINCE or found["errorCode"]:
            return found
        return {**found, "preferredReadReplica": SECOND, "records": ""}
