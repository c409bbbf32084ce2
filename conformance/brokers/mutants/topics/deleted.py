"""Topics that don't go, or go with others, or go and are said to be there."""

from __future__ import annotations

from typing import Any

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.cluster import Request, Topic, Value
from conformance.reference.broker.errors import Hangup, Refused


class _NeverDeletes(BrokerMutant):
    """Has the deletion of topics disabled."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(delete_topics_enabled=False, **settings)


class DisabledBeforeItsTime(_NeverDeletes, breaks="topics.deletion-disabled-error"):
    """Answers TOPIC_DELETION_DISABLED in versions that do not know it."""

    def check_deletion_enabled(self, version: int) -> None:
        super().check_deletion_enabled(3)


class DisabledIsARequest(_NeverDeletes, breaks="topics.deletion-disabled-error"):
    """Answers INVALID_REQUEST for deletion that is disabled in all versions."""

    def check_deletion_enabled(self, version: int) -> None:
        super().check_deletion_enabled(0)


class DeletedIsThere(BrokerMutant, breaks="topics.deleted-is-gone"):
    """Answers that a topic was deleted, and keeps it."""

    def remove_topic(self, topic: Topic) -> None:
        """Delete nothing."""


class DeletedByItsBeginning(BrokerMutant, breaks="topics.deleted-is-gone"):
    """Deletes every topic whose name begins like the one that is to be deleted."""

    def remove_topic(self, topic: Topic) -> None:
        begin = topic.name.rpartition("-")[2] and topic.name
        numbered = begin.removeprefix("kafka-conformance-").lstrip("0123456789")
        for other in [each for each in self.topics.values() if numbered in each.name]:
            super().remove_topic(other)


class IdDeletesNothing(BrokerMutant, breaks="topics.deleted-by-id"):
    """Answers that a topic was deleted by its id, and keeps it."""

    def delete_topic(self, request: Request, item: Value) -> Value:
        found = super().delete_topic(request, item)
        if item["name"] is None:
            self.add_topic(Topic(found["name"], found["topicId"], [[self.node_id]]))
        return found


class NameOfIdNotTold(BrokerMutant, breaks="topics.deleted-by-id"):
    """Leaves the name out of the result of a topic that was deleted by its id."""

    implies = ("acls.deletion-tells-no-name",)

    def delete_topic(self, request: Request, item: Value) -> Value:
        return {**super().delete_topic(request, item), "name": item["name"]}


class IdOfIdNotTold(BrokerMutant, breaks="topics.deleted-by-id"):
    """Leaves the id out of the result of a topic that was deleted by it."""

    implies = ("acls.deletion-tells-no-name",)

    def delete_topic(self, request: Request, item: Value) -> Value:
        return {**super().delete_topic(request, item), "topicId": "A" * 22}


class FirstFailureEndsDeletion(BrokerMutant, breaks="topics.failures-spare-the-deleted"):
    """Keeps every topic that stands behind one that could not be deleted, and says it does not."""

    def delete_topics(self, request: Request) -> Value:
        before = dict(self.topics)
        found = super().delete_topics(request)
        failed = False
        for each in found["responses"]:
            failed = failed or bool(each["errorCode"])
            if failed and not each["errorCode"]:
                self.add_topic(before[each["name"]])
        return found


class OneFailureFailsDeletion(BrokerMutant, breaks="topics.failures-spare-the-deleted"):
    """Answers all topics of a DeleteTopics with an error where one has it."""

    def delete_topics(self, request: Request) -> Value:
        found = super().delete_topics(request)
        codes = [each["errorCode"] for each in found["responses"] if each["errorCode"]]
        for each in found["responses"]:
            each["errorCode"] = codes[0] if codes else 0
        return found


class NoTimeToDeleteCloses(BrokerMutant, breaks="topics.no-time-to-delete"):
    """Hangs up on a DeleteTopics without time."""

    def delete_topics(self, request: Request) -> Value:
        if request.value["timeoutMs"] <= 0:
            raise Hangup
        return super().delete_topics(request)


class NoTimeToDeleteIsARequest(BrokerMutant, breaks="topics.no-time-to-delete"):
    """Answers INVALID_REQUEST where a request for the controller has no time."""

    implies = ("topics.no-time-to-create",)

    def check_time(self, request: Request) -> None:
        if request.value["timeoutMs"] <= 0:
            raise Refused(error_codes.INVALID_REQUEST)


class TwiceToDeleteAnsweredTwice(BrokerMutant, breaks="topics.twice-to-delete-has-one-result"):
    """Deletes a topic that DeleteTopics names twice, and answers the second mention as unknown."""

    implies = ("topics.duplicate-to-delete-refused",)

    def grouped(self, asked: list[Value]) -> list[list[Value]]:
        return [[each] for each in asked]


class TwiceToDeleteRefusedAndGone(BrokerMutant, breaks="topics.twice-to-delete-has-one-result"):
    """Refuses a topic that DeleteTopics names twice, and deletes it."""

    implies = ("topics.duplicate-to-delete-refused",)

    def asked_twice(self, item: Value) -> None:
        if item["name"] in self.topics:
            self.remove_topic(self.topics[item["name"]])
        super().asked_twice(item)


class TwiceToDeleteIgnored(BrokerMutant, breaks="topics.twice-to-delete-has-one-result"):
    """Answers a topic that DeleteTopics names twice as deleted, and keeps it."""

    implies = ("topics.duplicate-to-delete-refused",)

    def delete_topics(self, request: Request) -> Value:
        found = super().delete_topics(request)
        for each in found["responses"]:
            if each["errorCode"] == error_codes.INVALID_REQUEST and each["name"] in self.topics:
                each["errorCode"] = error_codes.NONE
        return found


class GoneTopicIsARequest(BrokerMutant, breaks="topics.deleted-while-deleted"):
    """Answers INVALID_REQUEST for a topic that was there and is deleted."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.gone: set[str] = set()

    def remove_topic(self, topic: Topic) -> None:
        super().remove_topic(topic)
        self.gone.add(topic.name)

    def topic_to_delete(self, request: Request, item: Value) -> Topic:
        if item["name"] in self.gone - self.topics.keys():
            raise Refused(error_codes.INVALID_REQUEST)
        return super().topic_to_delete(request, item)


class GoneTopicCloses(BrokerMutant, breaks="api-versions.advertised-is-served"):
    """Hangs up on the second of two deletions."""

    def topic_to_delete(self, request: Request, item: Value) -> Topic:
        if item["name"] is not None and item["name"] not in self.topics:
            raise Hangup
        return super().topic_to_delete(request, item)


class SeveralToDeleteRefused(BrokerMutant, breaks="topics.failures-spare-the-deleted"):
    """Refuses all topics of a DeleteTopics that has more than one."""

    def delete_topic(self, request: Request, item: Value) -> Value:
        if len(request.value["topics"] or request.value["topicNames"]) > 1:
            raise Refused(error_codes.INVALID_REQUEST)
        return super().delete_topic(request, item)
