"""Replicas whose brokers are down, mistold in one version or another.

Each of these brokers has a partition with a second replica that is down, and one with no other.
"""

from __future__ import annotations

from typing import Any

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.error_codes import LISTENER_NOT_FOUND
from conformance.reference.broker.cluster import Topic, Value

DOWN = 99


class _WithDeadReplicas(BrokerMutant):
    """Has topics whose replicas are down."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, replicas in {"half.dead": [self.node_id, DOWN], "dead": [DOWN]}.items():
            self.add_topic(Topic(name, self.new_topic_id(), [replicas]))


class DeadReplicaIsNoError(_WithDeadReplicas, breaks="metadata.dead-replica-by-version"):
    """Tells no error in version 0 where a replica is down."""

    def without_dead(self, partition: Value) -> Value:
        return {**super().without_dead(partition), "errorCode": partition["errorCode"]}


class DeadReplicaToldAtFirst(_WithDeadReplicas, breaks="metadata.dead-replica-by-version"):
    """Tells a replica that is down in version 0, too."""

    def in_version(self, version: int, topic: Value) -> Value:
        del version
        return topic


class DeadReplicaKeptBesideError(_WithDeadReplicas, breaks="metadata.dead-replica-by-version"):
    """Tells the error of a replica that is down in version 0, and the replica."""

    def without_dead(self, partition: Value) -> Value:
        return {**super().without_dead(partition), "replicaNodes": partition["replicaNodes"]}


class DeadReplicaToldTooLate(_WithDeadReplicas, breaks="metadata.dead-replica-by-version"):
    """Leaves a replica that is down out below version 5, which says what is offline."""

    def in_version(self, version: int, topic: Value) -> Value:
        found = super().in_version(0, topic)
        if version == 0:
            return found
        if version >= 5:
            return topic
        codes = [each["errorCode"] for each in topic["partitions"]]
        partitions = [
            {**each, "errorCode": code}
            for each, code in zip(found["partitions"], codes, strict=True)
        ]
        return {**found, "partitions": partitions}


class DeadReplicaAlwaysAnError(_WithDeadReplicas, breaks="metadata.dead-replica-by-version"):
    """Tells REPLICA_NOT_AVAILABLE in later versions as well."""

    def in_version(self, version: int, topic: Value) -> Value:
        early = super().in_version(0, topic)["partitions"]
        partitions = [
            {**each, "errorCode": other["errorCode"]}
            for each, other in zip(topic["partitions"], early, strict=True)
        ]
        return super().in_version(version, {**topic, "partitions": partitions})


class DeadReplicaNotOffline(_WithDeadReplicas, breaks="metadata.dead-replica-by-version"):
    """Lists no replica that is down among those that are offline."""

    def in_version(self, version: int, topic: Value) -> Value:
        found = super().in_version(version, topic)
        partitions = [{**each, "offlineReplicas": []} for each in found["partitions"]]
        return {**found, "partitions": partitions}


class OneReplicaForAll(_WithDeadReplicas, breaks="metadata.dead-replica-by-version"):
    """Tells the leader alone for the replicas below version 5."""

    def in_version(self, version: int, topic: Value) -> Value:
        found = super().in_version(version, topic)
        if version >= 5:
            return found
        partitions = [
            {**each, "replicaNodes": [each["leaderId"]], "isrNodes": [each["leaderId"]]}
            for each in found["partitions"]
        ]
        return {**found, "partitions": partitions}


class ListenerErrorTooEarly(_WithDeadReplicas, breaks="metadata.listener-error-by-version"):
    """Tells LISTENER_NOT_FOUND for a leader that can't be reached in all versions."""

    def described_partition(self, index: int, replicas: list[int]) -> Value:
        found = super().described_partition(index, replicas)
        lost = found["errorCode"] == error_codes.LEADER_NOT_AVAILABLE
        return {**found, "errorCode": LISTENER_NOT_FOUND} if lost else found


class ListenerErrorOneVersionEarly(_WithDeadReplicas, breaks="metadata.listener-error-by-version"):
    """Tells LISTENER_NOT_FOUND for a leader that can't be reached from version 5 on."""

    def in_version(self, version: int, topic: Value) -> Value:
        found = super().in_version(version, topic)
        partitions = [
            {**each, "errorCode": LISTENER_NOT_FOUND}
            if version >= 5 and each["errorCode"] == error_codes.LEADER_NOT_AVAILABLE
            else each
            for each in found["partitions"]
        ]
        return {**found, "partitions": partitions}
