"""Brokers that answer otherwise than Apache Kafka where no other rule asks."""

from __future__ import annotations

from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.brokers.mutants.records.log import WITH_LOGS
from conformance.reference.broker.cluster import Request, Value


class EpochOfAnOffsetUnknown(BrokerMutant, breaks="conversations.as-apache-kafka"):
    """Lists offsets without the epoch of the leader that wrote there."""

    made_with = WITH_LOGS

    def offset_of(self, request: Request, item: Value, wanted: Value) -> Value:
        found = super().offset_of(request, item, wanted)
        return found if request.version == 0 else {**found, "leaderEpoch": -1}
