"""Metadata: topics that were not asked for, topics that are missing, errors in the wrong place."""

from __future__ import annotations

from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.error_codes import (
    INVALID_REQUEST,
    INVALID_TOPIC_EXCEPTION,
    LEADER_NOT_AVAILABLE,
    NONE,
    UNKNOWN_TOPIC_ID,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from conformance.reference.broker.admin.topic_names import MAX_NAME, what_is_wrong
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.errors import Hangup
from conformance.schema.layout import ZERO_UUID

NOBODY = 7
"""A node that is not there."""
TELL_CLUSTER = range(8, 11)
"""The versions with the operations on the cluster."""


WITH_OPERATIONS = 8
"""The first version of Metadata that has authorized operations."""


class EmptyAsksForAll(BrokerMutant, breaks="metadata.empty-asks-for-none"):
    """Takes an empty list of topics for all, as version 0 has it."""

    def all_topics_wanted(self, version: int, asked: list[Value] | None) -> bool:
        return not asked


class EmptyHidesBrokers(BrokerMutant, breaks="metadata.empty-asks-for-none"):
    """Tells no brokers where no topics are asked for."""

    def metadata(self, request: Request) -> Value:
        answer = super().metadata(request)
        return answer if answer["topics"] else {**answer, "brokers": []}


class EmptyCloses(BrokerMutant, breaks="metadata.empty-asks-for-none"):
    """Hangs up on an empty list of topics."""

    implies = ("api-versions.advertised-is-served",)

    def metadata(self, request: Request) -> Value:
        if request.version and request.value["topics"] == []:
            raise Hangup
        return super().metadata(request)


class NullAsksForNone(BrokerMutant, breaks="metadata.null-asks-for-all"):
    """Takes null in place of the topics for none."""

    def topics_asked_for(self, request: Request) -> list[Value]:
        return [] if request.value["topics"] is None else super().topics_asked_for(request)


class NullAsksForOne(BrokerMutant, breaks="metadata.null-asks-for-all"):
    """Answers null in place of the topics with the first topic alone."""

    def topics_asked_for(self, request: Request) -> list[Value]:
        found = super().topics_asked_for(request)
        return found[:1] if request.value["topics"] is None else found


class NullCloses(BrokerMutant, breaks="metadata.null-asks-for-all"):
    """Hangs up on null in place of the topics."""

    def metadata(self, request: Request) -> Value:
        if request.value["topics"] is None:
            raise Hangup
        return super().metadata(request)


class EmptyAsksForNoneInVersion0(BrokerMutant, breaks="metadata.version-0-empty-asks-for-all"):
    """Takes an empty list of topics for none in version 0 of Metadata as well."""

    def all_topics_wanted(self, version: int, asked: list[Value] | None) -> bool:
        del version
        return asked is None


class NullAsksForNoneInFlexible(BrokerMutant, breaks="metadata.null-asks-for-all"):
    """Takes null in place of the topics for none from version 9 on."""

    def topics_asked_for(self, request: Request) -> list[Value]:
        if request.version >= 9 and request.value["topics"] is None:
            return []
        return super().topics_asked_for(request)


class UnknownTopicLeftOut(BrokerMutant, breaks="metadata.unknown-topic-error"):
    """Leaves topics out of the answer that do not exist."""

    def topics_asked_for(self, request: Request) -> list[Value]:
        found = super().topics_asked_for(request)
        return [each for each in found if each["errorCode"] != UNKNOWN_TOPIC_OR_PARTITION]


class UnknownTopicEndsList(BrokerMutant, breaks="metadata.unknown-topic-error"):
    """Answers no topic behind the first that does not exist."""

    def topics_asked_for(self, request: Request) -> list[Value]:
        found = super().topics_asked_for(request)
        codes = [each["errorCode"] for each in found]
        if UNKNOWN_TOPIC_OR_PARTITION not in codes:
            return found
        return found[: codes.index(UNKNOWN_TOPIC_OR_PARTITION) + 1]


class UnknownTopicCloses(BrokerMutant, breaks="api-versions.advertised-is-served"):
    """Hangs up on a topic that does not exist."""

    def unknown_topic(self, request: Request, name: str) -> int:
        code = super().unknown_topic(request, name)
        if code == UNKNOWN_TOPIC_OR_PARTITION:
            raise Hangup
        return code


class UnknownTopicCreated(BrokerMutant, breaks="metadata.no-creation-unless-allowed"):
    """Creates a topic that is asked about, allowed or not."""

    implies = ("metadata.unknown-topic-error",)

    def unknown_topic(self, request: Request, name: str) -> int:
        if not what_is_wrong(name):
            return self.auto_create(request, name)
        return super().unknown_topic(request, name)


class UnknownTopicHasNoLeader(BrokerMutant, breaks="metadata.unknown-topic-error"):
    """Answers a topic that does not exist with LEADER_NOT_AVAILABLE."""

    def unknown_topic(self, request: Request, name: str) -> int:
        code = super().unknown_topic(request, name)
        return LEADER_NOT_AVAILABLE if code == UNKNOWN_TOPIC_OR_PARTITION else code


class UnknownTopicWithoutError(BrokerMutant, breaks="metadata.no-creation-unless-allowed"):
    """Answers a topic that does not exist as one without partitions."""

    implies = ("metadata.unknown-topic-error",)

    def unknown_topic(self, request: Request, name: str) -> int:
        code = super().unknown_topic(request, name)
        return NONE if code == UNKNOWN_TOPIC_OR_PARTITION else code


class IllegalNameCloses(BrokerMutant, breaks="metadata.illegal-name-error"):
    """Hangs up on the illegal name of a topic."""

    def unknown_topic(self, request: Request, name: str) -> int:
        if what_is_wrong(name):
            raise Hangup
        return super().unknown_topic(request, name)


class IllegalNameIsUnknown(BrokerMutant, breaks="metadata.illegal-name-error"):
    """Answers the illegal name of a topic with UNKNOWN_TOPIC_OR_PARTITION."""

    def unknown_topic(self, request: Request, name: str) -> int:
        code = super().unknown_topic(request, name)
        return UNKNOWN_TOPIC_OR_PARTITION if code == INVALID_TOPIC_EXCEPTION else code


class IllegalNameLeftOut(BrokerMutant, breaks="metadata.illegal-name-error"):
    """Leaves topics out of the answer whose names are illegal."""

    def topics_asked_for(self, request: Request) -> list[Value]:
        found = super().topics_asked_for(request)
        return [each for each in found if each["errorCode"] != INVALID_TOPIC_EXCEPTION]


class IllegalNameFailsAll(BrokerMutant, breaks="metadata.illegal-name-error"):
    """Answers every topic with INVALID_TOPIC_EXCEPTION where the name of one is illegal."""

    def metadata_error(self, version: int, asked: list[Value]) -> int:
        names = (each["name"] for each in asked)
        if any(what_is_wrong(name) for name in names if name is not None):
            return INVALID_TOPIC_EXCEPTION
        return super().metadata_error(version, asked)


class LongNameIsUnknown(BrokerMutant, breaks="metadata.illegal-name-error"):
    """Answers a name of more than 249 characters as that of a topic that does not exist."""

    def unknown_topic(self, request: Request, name: str) -> int:
        return super().unknown_topic(request, name[:MAX_NAME])


class DotsAloneAreUnknown(BrokerMutant, breaks="metadata.illegal-name-error"):
    """Answers a name of one dot or two as that of a topic that does not exist."""

    def unknown_topic(self, request: Request, name: str) -> int:
        return super().unknown_topic(request, name.replace(".", "-"))


class UnknownIdIsUnknownName(BrokerMutant, breaks="metadata.unknown-topic-id-error"):
    """Answers an id that no topic has with UNKNOWN_TOPIC_OR_PARTITION."""

    def topic_by_id(self, request: Request, topic_id: str) -> Value:
        found = super().topic_by_id(request, topic_id)
        if found["errorCode"] == UNKNOWN_TOPIC_ID:
            found["errorCode"] = UNKNOWN_TOPIC_OR_PARTITION
        return found


class UnknownIdNotEchoed(BrokerMutant, breaks="metadata.unknown-topic-id-error"):
    """Answers an id that no topic has without that id."""

    def topic_by_id(self, request: Request, topic_id: str) -> Value:
        found = super().topic_by_id(request, topic_id)
        return {**found, "topicId": ZERO_UUID} if found["errorCode"] else found


class UnknownIdHasEmptyName(BrokerMutant, breaks="metadata.unknown-topic-id-error"):
    """Answers an id that no topic has with an empty name in place of null."""

    def topic_by_id(self, request: Request, topic_id: str) -> Value:
        found = super().topic_by_id(request, topic_id)
        return {**found, "name": found["name"] or ""}


class UnknownIdLeftOut(BrokerMutant, breaks="metadata.unknown-topic-id-error"):
    """Leaves topics out of the answer whose ids nobody has."""

    def topics_asked_for(self, request: Request) -> list[Value]:
        found = super().topics_asked_for(request)
        return [each for each in found if each["errorCode"] != UNKNOWN_TOPIC_ID]


class UnknownIdCloses(BrokerMutant, breaks="metadata.unknown-topic-id-error"):
    """Hangs up on an id that no topic has."""

    def topic_by_id(self, request: Request, topic_id: str) -> Value:
        found = super().topic_by_id(request, topic_id)
        if found["errorCode"]:
            raise Hangup
        return found


class IdsTooEarly(BrokerMutant, breaks="metadata.ids-from-version-12"):
    """Looks topics up by their ids in versions 10 and 11 as in later ones."""

    implies = ("metadata.unknown-topic-id-error",)

    def metadata_error(self, version: int, asked: list[Value]) -> int:
        return super().metadata_error(max(version, 12), asked)

    def topic_by_id(self, request: Request, topic_id: str) -> Value:
        found = super().topic_by_id(request, topic_id)
        return {**found, "name": found["name"] or ""}


class IdsTooEarlyClose(BrokerMutant, breaks="metadata.ids-from-version-12"):
    """Hangs up on an id in versions 10 and 11."""

    def metadata_error(self, version: int, asked: list[Value]) -> int:
        code = super().metadata_error(version, asked)
        if code == INVALID_REQUEST:
            raise Hangup
        return code


class TopicOperationsZero(BrokerMutant, breaks="metadata.operations-only-if-asked"):
    """Tells 0 for the operations on a topic where nobody asked for them."""

    def topics_asked_for(self, request: Request) -> list[Value]:
        found = super().topics_asked_for(request)
        told = request.version >= WITH_OPERATIONS
        told = told and not request.value["includeTopicAuthorizedOperations"]
        return [{**each, "topicAuthorizedOperations": 0} for each in found] if told else found


class TopicOperationsAlways(BrokerMutant, breaks="metadata.operations-only-if-asked"):
    """Tells the operations on each topic, whether anybody asked for them or not."""

    def topics_asked_for(self, request: Request) -> list[Value]:
        found = super().topics_asked_for(request)
        told = request.version >= WITH_OPERATIONS
        return [self.with_operations(request, each) for each in found] if told else found


class ClusterOperationsAlways(BrokerMutant, breaks="metadata.operations-only-if-asked"):
    """Tells the operations on the cluster, whether anybody asked for them or not."""

    def cluster_operations(self, request: Request) -> int:
        request.value["includeClusterAuthorizedOperations"] = request.version in TELL_CLUSTER
        return super().cluster_operations(request)


class ClusterOperationsZero(BrokerMutant, breaks="metadata.operations-only-if-asked"):
    """Tells 0 for the operations on the cluster where nobody asked for them."""

    def cluster_operations(self, request: Request) -> int:
        found = super().cluster_operations(request)
        return max(found, 0) if request.version in TELL_CLUSTER else found


class LeaderNotListed(BrokerMutant, breaks="metadata.leaders-are-listed"):
    """Tells a leader that is none of its brokers."""

    def described_partition(self, index: int, replicas: list[int]) -> Value:
        return {**super().described_partition(index, replicas), "leaderId": NOBODY}


class LastLeaderNotListed(BrokerMutant, breaks="metadata.leaders-are-listed"):
    """Tells a leader that is none of its brokers for all partitions but the first."""

    def described_partition(self, index: int, replicas: list[int]) -> Value:
        found = super().described_partition(index, replicas)
        return {**found, "leaderId": NOBODY} if index else found


class BrokersLeftOut(BrokerMutant, breaks="metadata.leaders-are-listed"):
    """Tells no brokers beside the topics."""

    implies = ("metadata.empty-asks-for-none",)

    def metadata(self, request: Request) -> Value:
        return {**super().metadata(request), "brokers": []}
