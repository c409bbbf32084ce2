"""Rights to see topics: hidden ones are revealed to any caller, and allowed ones are not shown."""

from __future__ import annotations

from collections.abc import Iterable

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.admin.access import DESCRIBE
from conformance.reference.broker.cluster import Request, Value


class AllTopicsListedToAll(BrokerMutant, breaks="acls.topics-unseen-without-a-right"):
    """Lists all topics to whoever asks for all."""

    def all_topics(self, request: Request) -> list[Value]:
        return [self.described_topic(topic) for topic in self.topics.values()]


class RefusedListedAmongAll(BrokerMutant, breaks="acls.topics-unseen-without-a-right"):
    """Lists topics that the caller may not see among all topics, with an error."""

    def all_topics(self, request: Request) -> list[Value]:
        return [self.topic_by_name(request, name) for name in self.topics]


class AbsentTopicsTold(BrokerMutant, breaks="acls.topics-unseen-without-a-right"):
    """Tells callers who may see no topic which of those asked for are not there."""

    def topic_by_name(self, request: Request, name: str) -> Value:
        if name not in self.topics:
            return self.topic_error(self.unknown_topic(request, name), name)
        return super().topic_by_name(request, name)


class HiddenTopicHasItsId(BrokerMutant, breaks="acls.topics-unseen-without-a-right"):
    """Tells the id of a topic beside refusing to show it."""

    def topic_by_name(self, request: Request, name: str) -> Value:
        found = super().topic_by_name(request, name)
        topic = self.topics.get(name)
        return {**found, "topicId": topic.topic_id} if topic else found


class HiddenIdHasItsName(BrokerMutant, breaks="acls.id-unseen-has-no-name"):
    """Tells the name of a topic beside refusing to show it by its id."""

    def topic_by_id(self, request: Request, topic_id: str) -> Value:
        found = super().topic_by_id(request, topic_id)
        topic = self.topic_of_id(topic_id)
        return {**found, "name": topic.name} if topic else found


class HiddenIdIsUnknown(BrokerMutant, breaks="acls.id-unseen-has-no-name"):
    """Answers an id that the caller may not see as one that there is not."""

    def topic_by_id(self, request: Request, topic_id: str) -> Value:
        found = super().topic_by_id(request, topic_id)
        hidden = found["errorCode"] == error_codes.TOPIC_AUTHORIZATION_FAILED
        return {**found, "errorCode": error_codes.UNKNOWN_TOPIC_ID} if hidden else found


class IdsShownToEverybody(BrokerMutant, breaks="acls.id-unseen-has-no-name"):
    """Shows a topic by its id to callers who may not see it."""

    def topic_by_id(self, request: Request, topic_id: str) -> Value:
        topic = self.topic_of_id(topic_id)
        return self.described_topic(topic) if topic else super().topic_by_id(request, topic_id)


class OperationsThatArePossible(BrokerMutant, breaks="acls.operations-of-the-caller"):
    """Tells all operations that there are as those of the caller."""

    def operations(
        self, request: Request, possible: Iterable[int], resource_type: int, name: str
    ) -> int:
        return sum(1 << each for each in possible)


class ImpliedOperationsLeftOut(BrokerMutant, breaks="acls.operations-of-the-caller"):
    """Leaves DESCRIBE out of the operations of callers who may do it since they may read."""

    def operations(
        self, request: Request, possible: Iterable[int], resource_type: int, name: str
    ) -> int:
        found = super().operations(request, possible, resource_type, name)
        granted = any(
            acl.operation == DESCRIBE
            for acl in self.acls_about(request.principal, resource_type, name)
        )
        return (
            found if granted or request.principal in self.super_users else found & ~(1 << DESCRIBE)
        )


class OperationsNumberedFromZero(BrokerMutant, breaks="acls.operations-of-the-caller"):
    """Sets the bit below that of each operation."""

    def operations(
        self, request: Request, possible: Iterable[int], resource_type: int, name: str
    ) -> int:
        return super().operations(request, possible, resource_type, name) >> 1
