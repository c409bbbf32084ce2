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
from conformance.reference.broker.admin.naming import MAX_NAME, what_is_wrong
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.errors import Hangup
from conformance.schema.layout import ZERO_UUID

NOBODY = 7
"""A node that is not there."""
TELL_CLUSTER = range(8, 11)
"""The versions with the operations on the cluster."""


WITH_OPERATIONS = 8
"""The first version of Metadata that has authorized operations."""


class EmptyAsksForAll(BrokerMutant):
    """Takes an empty list of topics for all, as version 0 has it."""

    breaks = "metadata.empty-asks-for-none"

    def all_topics_wanted(self, version: int, asked: list[Value] | None) -> bool:
        return not asked


class EmptyHidesBrokers(BrokerMutant):
    """Tells no brokers where no topics are asked for."""

    breaks = "metadata.empty-asks-for-none"

    def metadata(self, request: Request) -> Value:
        answer = super().metadata(request)
        return answer if answer["topics"] else {**answer, "brokers": []}


class EmptyCloses(BrokerMutant):
    """Hangs up on an empty list of topics."""

    breaks = "metadata.empty-asks-for-none"
    implies = ("api-versions.advertised-is-served",)

    def metadata(self, request: Request) -> Value:
        if request.version and request.value["topics"] == []:
            raise Hangup
        return super().metadata(request)


class NullAsksForNone(BrokerMutant):
    """Takes null in place of the topics for none."""

    breaks = "metadata.null-asks-for-all"

    def topics_asked_for(self, request: Request) -> list[Value]:
        return [] if request.value["topics"] is None else super().topics_asked_for(request)


class NullAsksForOne(BrokerMutant):
    """Answers null in place of the topics with the first topic alone."""

    breaks = "metadata.null-asks-for-all"

    def topics_asked_for(self, request: Request) -> list[Value]:
        found = super().topics_asked_for(request)
        return found[:1] if request.value["topics"] is None else found


class NullCloses(BrokerMutant):
    """Hangs up on null in place of the topics."""

    breaks = "metadata.null-asks-for-all"

    def metadata(self, request: Request) -> Value:
        if request.value["topics"] is None:
            raise Hangup
        return super().metadata(request)


class EmptyAsksForNoneInVersion0(BrokerMutant):
    """Takes an empty list of topics for none in version 0 of Metadata as well."""

    breaks = "metadata.version-0-empty-asks-for-all"

    def all_topics_wanted(self, version: int, asked: list[Value] | None) -> bool:
        del version
        return asked is None


class NullAsksForNoneInFlexible(BrokerMutant):
    """Takes null in place of the topics for none from version 9 on."""

    breaks = "metadata.null-asks-for-all"

    def topics_asked_for(self, request: Request) -> list[Value]:
        if request.version >= 9 and request.value["topics"] is None:
            return []
        return super().topics_asked_for(request)


class UnknownTopicLeftOut(BrokerMutant):
    """Leaves topics out of the answer that do not exist."""

    breaks = "metadata.unknown-topic-error"

    def topics_asked_for(self, request: Request) -> list[Value]:
        found = super().topics_asked_for(request)
        return [each for each in found if each["errorCode"] != UNKNOWN_TOPIC_OR_PARTITION]


class UnknownTopicEndsList(BrokerMutant):
    """Answers no topic behind the first that does not exist."""

    breaks = "metadata.unknown-topic-error"

    def topics_asked_for(self, request: Request) -> list[Value]:
        found = super().topics_asked_for(request)
        codes = [each["errorCode"] for each in found]
        if UNKNOWN_TOPIC_OR_PARTITION not in codes:
            return found
        return found[: codes.index(UNKNOWN_TOPIC_OR_PARTITION) + 1]


class UnknownTopicCloses(BrokerMutant):
    """Hangs up on a topic that does not exist."""

    breaks = "api-versions.advertised-is-served"

    def unknown_topic(self, request: Request, name: str) -> int:
        code = super().unknown_topic(request, name)
        if code == UNKNOWN_TOPIC_OR_PARTITION:
            raise Hangup
        return code


class UnknownTopicCreated(BrokerMutant):
    """Creates a topic that is asked about, allowed or not."""

    breaks = "metadata.no-creation-unless-allowed"
    implies = ("metadata.unknown-topic-error",)

    def unknown_topic(self, request: Request, name: str) -> int:
        if not what_is_wrong(name):
            return self.auto_create(request, name)
        return super().unknown_topic(request, name)


class UnknownTopicHasNoLeader(BrokerMutant):
    """Answers a topic that does not exist with LEADER_NOT_AVAILABLE."""

    breaks = "metadata.unknown-topic-error"

    def unknown_topic(self, request: Request, name: str) -> int:
        code = super().unknown_topic(request, name)
        return LEADER_NOT_AVAILABLE if code == UNKNOWN_TOPIC_OR_PARTITION else code


class UnknownTopicWithoutError(BrokerMutant):
    """Answers a topic that does not exist as one without partitions."""

    breaks = "metadata.no-creation-unless-allowed"
    implies = ("metadata.unknown-topic-error",)

    def unknown_topic(self, request: Request, name: str) -> int:
        code = super().unknown_topic(request, name)
        return NONE if code == UNKNOWN_TOPIC_OR_PARTITION else code


class IllegalNameCloses(BrokerMutant):
    """Hangs up on the illegal name of a topic."""

    breaks = "metadata.illegal-name-error"

    def unknown_topic(self, request: Request, name: str) -> int:
        if what_is_wrong(name):
            raise Hangup
        return super().unknown_topic(request, name)


class IllegalNameIsUnknown(BrokerMutant):
    """Answers the illegal name of a topic with UNKNOWN_TOPIC_OR_PARTITION."""

    breaks = "metadata.illegal-name-error"

    def unknown_topic(self, request: Request, name: str) -> int:
        code = super().unknown_topic(request, name)
        return UNKNOWN_TOPIC_OR_PARTITION if code == INVALID_TOPIC_EXCEPTION else code


class IllegalNameLeftOut(BrokerMutant):
    """Leaves topics out of the answer whose names are illegal."""

    breaks = "metadata.illegal-name-error"

    def topics_asked_for(self, request: Request) -> list[Value]:
        found = super().topics_asked_for(request)
        return [each for each in found if each["errorCode"] != INVALID_TOPIC_EXCEPTION]


class IllegalNameFailsAll(BrokerMutant):
    """Answers every topic with INVALID_TOPIC_EXCEPTION where the name of one is illegal."""

    breaks = "metadata.illegal-name-error"

    def metadata_error(self, version: int, asked: list[Value]) -> int:
        names = (each["name"] for each in asked)
        if any(what_is_wrong(name) for name in names if name is not None):
            return INVALID_TOPIC_EXCEPTION
        return super().metadata_error(version, asked)


class LongNameIsUnknown(BrokerMutant):
    """Answers a name of more than 249 characters as that of a topic that does not exist."""

    breaks = "metadata.illegal-name-error"

    def unknown_topic(self, request: Request, name: str) -> int:
        return super().unknown_topic(request, name[:MAX_NAME])


class DotsAloneAreUnknown(BrokerMutant):
    """Answers a name of one dot or two as that of a topic that does not exist."""

    breaks = "metadata.illegal-name-error"

    def unknown_topic(self, request: Request, name: str) -> int:
        return super().unknown_topic(request, name.replace(".", "-"))


class UnknownIdIsUnknownName(BrokerMutant):
    """Answers an id that no topic has with UNKNOWN_TOPIC_OR_PARTITION."""

    breaks = "metadata.unknown-topic-id-error"

    def topic_by_id(self, request: Request, topic_id: str) -> Value:
        found = super().topic_by_id(request, topic_id)
        if found["errorCode"] == UNKNOWN_TOPIC_ID:
            found["errorCode"] = UNKNOWN_TOPIC_OR_PARTITION
        return found


class UnknownIdNotEchoed(BrokerMutant):
    """Answers an id that no topic has without that id."""

    breaks = "metadata.unknown-topic-id-error"

    def topic_by_id(self, request: Request, topic_id: str) -> Value:
        found = super().topic_by_id(request, topic_id)
        return {**found, "topicId": ZERO_UUID} if found["errorCode"] else found


class UnknownIdHasEmptyName(BrokerMutant):
    """Answers an id that no topic has with an empty name in place of null."""

    breaks = "metadata.unknown-topic-id-error"

    def topic_by_id(self, request: Request, topic_id: str) -> Value:
        found = super().topic_by_id(request, topic_id)
        return {**found, "name": found["name"] or ""}


class UnknownIdLeftOut(BrokerMutant):
    """Leaves topics out of the answer whose ids nobody has."""

    breaks = "metadata.unknown-topic-id-error"

    def topics_asked_for(self, request: Request) -> list[Value]:
        found = super().topics_asked_for(request)
        return [each for each in found if each["errorCode"] != UNKNOWN_TOPIC_ID]


class UnknownIdCloses(BrokerMutant):
    """Hangs up on an id that no topic has."""

    breaks = "metadata.unknown-topic-id-error"

    def topic_by_id(self, request: Request, topic_id: str) -> Value:
        found = super().topic_by_id(request, topic_id)
        if found["errorCode"]:
            raise Hangup
        return found


class IdsTooEarly(BrokerMutant):
    """Looks topics up by their ids in versions 10 and 11 as in later ones."""

    breaks = "metadata.ids-from-version-12"
    implies = ("metadata.unknown-topic-id-error",)

    def metadata_error(self, version: int, asked: list[Value]) -> int:
        return super().metadata_error(max(version, 12), asked)

    def topic_by_id(self, request: Request, topic_id: str) -> Value:
        found = super().topic_by_id(request, topic_id)
        return {**found, "name": found["name"] or ""}


class IdsTooEarlyClose(BrokerMutant):
    """Hangs up on an id in versions 10 and 11."""

    breaks = "metadata.ids-from-version-12"

    def metadata_error(self, version: int, asked: list[Value]) -> int:
        code = super().metadata_error(version, asked)
        if code == INVALID_REQUEST:
            raise Hangup
        return code


class TopicOperationsZero(BrokerMutant):
    """Tells 0 for the operations on a topic where nobody asked for them."""

    breaks = "metadata.operations-only-if-asked"

    def topics_asked_for(self, request: Request) -> list[Value]:
        found = super().topics_asked_for(request)
        told = request.version >= WITH_OPERATIONS
        told = told and not request.value["includeTopicAuthorizedOperations"]
        return [{**each, "topicAuthorizedOperations": 0} for each in found] if told else found


class TopicOperationsAlways(BrokerMutant):
    """Tells the operations on each topic, whether anybody asked for them or not."""

    breaks = "metadata.operations-only-if-asked"

    def topics_asked_for(self, request: Request) -> list[Value]:
        found = super().topics_asked_for(request)
        told = request.version >= WITH_OPERATIONS
        return [self.with_operations(request, each) for each in found] if told else found


class ClusterOperationsAlways(BrokerMutant):
    """Tells the operations on the cluster, whether anybody asked for them or not."""

    breaks = "metadata.operations-only-if-asked"

    def cluster_operations(self, request: Request) -> int:
        request.value["includeClusterAuthorizedOperations"] = request.version in TELL_CLUSTER
        return super().cluster_operations(request)


class ClusterOperationsZero(BrokerMutant):
    """Tells 0 for the operations on the cluster where nobody asked for them."""

    breaks = "metadata.operations-only-if-asked"

    def cluster_operations(self, request: Request) -> int:
        found = super().cluster_operations(request)
        return max(found, 0) if request.version in TELL_CLUSTER else found


class LeaderNotListed(BrokerMutant):
    """Tells a leader that is none of its brokers."""

    breaks = "metadata.leaders-are-listed"

    def described_partition(self, index: int, replicas: list[int]) -> Value:
        return {**super().described_partition(index, replicas), "leaderId": NOBODY}


class LastLeaderNotListed(BrokerMutant):
    """Tells a leader that is none of its brokers for all partitions but the first."""

    breaks = "metadata.leaders-are-listed"

    def described_partition(self, index: int, replicas: list[int]) -> Value:
        found = super().described_partition(index, replicas)
        return {**found, "leaderId": NOBODY} if index else found


class BrokersLeftOut(BrokerMutant):
    """Tells no brokers beside the topics."""

    breaks = "metadata.leaders-are-listed"
    implies = ("metadata.empty-asks-for-none",)

    def metadata(self, request: Request) -> Value:
        return {**super().metadata(request), "brokers": []}
