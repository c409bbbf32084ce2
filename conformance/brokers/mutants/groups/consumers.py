"""Coordinators that share out wrongly, or take heartbeats for others than they are (KIP-848)."""

from __future__ import annotations

from types import MappingProxyType

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.cluster import Consumer, Request, Topic, Value
from conformance.reference.broker.errors import Refused
from conformance.reference.broker.groups.consumers import JOINING, OWN_ID_SINCE
from conformance.reference.broker.groups.sharing import Partitions
from conformance.reference.broker.releases import FOR_CONSUMERS, IMPLEMENTED, stored_versions

WITH_CONSUMERS = MappingProxyType(
    {"versions": stored_versions(names=IMPLEMENTED | FOR_CONSUMERS), "keeps_groups": True}
)


class OfConsumers(BrokerMutant):
    """A broker that lists ConsumerGroupHeartbeat."""

    made_with = WITH_CONSUMERS


class EpochZeroGiven(OfConsumers, breaks="groups.epoch-given"):
    """Gives a consumer that joins the epoch by which it joined."""

    def beaten(self, request: Request, member_id: str) -> Value:
        answer = super().beaten(request, member_id)
        joins = request.value["memberEpoch"] == JOINING
        return {**answer, "memberEpoch": JOINING} if joins else answer


class ConsumerRenamed(OfConsumers, breaks="groups.epoch-given"):
    """Answers a consumer by another id than its own."""

    def beaten(self, request: Request, member_id: str) -> Value:
        answer = super().beaten(request, member_id)
        brings = request.version >= OWN_ID_SINCE
        return {**answer, "memberId": f"{member_id}-1"} if brings else answer


class NoTimeBetweenHeartbeats(OfConsumers, breaks="groups.epoch-given"):
    """Gives a consumer no time until its next heartbeat."""

    interval_ms = 0


class LastPartitionUnassigned(OfConsumers, breaks="groups.partitions-assigned"):
    """Assigns all partitions of a topic but the last."""

    def share_of(self, topic: Topic) -> Value:
        share = super().share_of(topic)
        return {**share, "partitions": share["partitions"][:-1]}


class NothingAssigned(OfConsumers, breaks="groups.partitions-assigned"):
    """Assigns no partitions."""

    def target(self, group: str, member: Consumer) -> Partitions:
        del group, member
        return frozenset()


class EachConsumerGetsAll(OfConsumers, breaks="groups.shared-among-consumers"):
    """Assigns each partition to all consumers of a group."""

    def members_of(self, group: str) -> list[Consumer]:
        del group
        return []

    def target(self, group: str, member: Consumer) -> Partitions:
        topics = [self.topics[name] for name in member.wants if name in self.topics]
        every = ((each.topic_id, index) for each in topics for index in range(len(each.replicas)))
        return frozenset(every)


class SharesOverlapMeanwhile(OfConsumers, breaks="groups.shared-among-consumers"):
    """Assigns partitions to a new consumer before the others have given them up."""

    def held_by(self, member: Consumer) -> Partitions:
        del member
        return frozenset()


class NewcomersGetNothing(OfConsumers, breaks="groups.shared-among-consumers"):
    """Leaves all partitions with the consumer that joined first."""

    def target(self, group: str, member: Consumer) -> Partitions:
        every = self.members_of(group)
        if every[0] is not member:
            return frozenset()
        wants = [each.wants for each in every[1:]]
        for each in every[1:]:
            each.wants = ()
        found = super().target(group, member)
        for each, wanted in zip(every[1:], wants, strict=True):
            each.wants = wanted
        return found


class AnyEpochTaken(OfConsumers, breaks="groups.fenced-epoch-refused"):
    """Takes heartbeats of any epoch."""

    def beaten(self, request: Request, member_id: str) -> Value:
        asked = request.value
        member = self.consumers.get((asked["groupId"], member_id))
        if member is not None and asked["memberEpoch"] > JOINING:
            member.epoch = asked["memberEpoch"]
        return super().beaten(request, member_id)


class FencedIsUnknown(OfConsumers, breaks="groups.fenced-epoch-refused"):
    """Answers UNKNOWN_MEMBER_ID to a heartbeat of another epoch."""

    def fenced(self) -> Refused:
        return super().unknown_consumer()


class StrangersAreTaken(OfConsumers, breaks="groups.unknown-consumer-refused"):
    """Takes a heartbeat of a consumer that is not there for one of its group."""

    def beaten(self, request: Request, member_id: str) -> Value:
        asked = request.value
        key = asked["groupId"], member_id
        if asked["memberEpoch"] > JOINING and key not in self.consumers:
            return self.heartbeat_answer(member_id, asked["memberEpoch"], None)
        return super().beaten(request, member_id)


class UnknownIsFenced(OfConsumers, breaks="groups.unknown-consumer-refused"):
    """Answers FENCED_MEMBER_EPOCH to a consumer that is not there."""

    def unknown_consumer(self) -> Refused:
        return super().fenced()


class ConsumerStays(OfConsumers, breaks="groups.consumer-leaves"):
    """Says that a consumer left, and keeps it."""

    def remove_consumer(self, key: tuple[str, str]) -> None:
        """Remove no member."""


class LeavingHasNoEpoch(OfConsumers, breaks="groups.consumer-leaves"):
    """Answers a consumer that leaves with epoch 0."""

    def heartbeat_answer(self, member_id: str, epoch: int, assignment: Value | None) -> Value:
        return super().heartbeat_answer(member_id, max(epoch, JOINING), assignment)


class AnyAssignorTaken(OfConsumers, breaks="groups.unknown-assignor-refused"):
    """Takes any assignor for one of its own."""

    def check_heartbeat(self, request: Request) -> None:
        try:
            super().check_heartbeat(request)
        except Refused as refused:
            if refused.code != error_codes.UNSUPPORTED_ASSIGNOR:
                raise


class UnknownAssignorIsInvalidRequest(OfConsumers, breaks="groups.unknown-assignor-refused"):
    """Answers INVALID_REQUEST to an assignor that it does not have."""

    def check_heartbeat(self, request: Request) -> None:
        try:
            super().check_heartbeat(request)
        except Refused as refused:
            if refused.code == error_codes.UNSUPPORTED_ASSIGNOR:
                raise Refused(error_codes.INVALID_REQUEST) from None
            raise


class TopicsOfTheBeginning(OfConsumers, breaks="groups.new-topic-assigned"):
    """Assigns those topics alone that are there when a consumer joins."""

    def news_of(self, request: Request, member: Consumer) -> Value | None:
        if request.value["memberEpoch"] == JOINING:
            member.wants = tuple(name for name in member.wants if name in self.topics)
        return super().news_of(request, member)


class AbsentTopicRefused(OfConsumers, breaks="groups.new-topic-assigned"):
    """Refuses a consumer that names a topic which is not there."""

    def check_joining(self, asked: Value) -> None:
        super().check_joining(asked)
        if any(name not in self.topics for name in asked["subscribedTopicNames"] or ()):
            raise Refused(error_codes.UNKNOWN_TOPIC_OR_PARTITION)
