"""Rights to delete topics: taken, withheld, or refused with an error that reveals too much."""

from __future__ import annotations

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.admin.access import DELETE
from conformance.reference.broker.cluster import TOPIC, Request, Topic, Value
from conformance.reference.broker.errors import Refused
from conformance.schema.layout import ZERO_UUID


class SeeingIsEnoughToDelete(BrokerMutant, breaks="acls.deleting-topics-takes-a-right"):
    """Lets the caller delete a topic who may describe it."""

    def delete_topic(self, request: Request, item: Value) -> Value:
        self.check_name_or_id(item)
        topic = self.topic_to_delete(request, item)
        return super().delete_topic(
            Request(request.api_key, request.version, request.header, request.value),
            {"name": topic.name, "topicId": ZERO_UUID},
        )


class OneRefusalRefusesAllDeletions(BrokerMutant, breaks="acls.deleting-topics-takes-a-right"):
    """Deletes none of a request's topics where the caller may not delete one of them."""

    def delete_topic(self, request: Request, item: Value) -> Value:
        version, value = request.version, request.value
        names = [each["name"] for each in value["topics"]] if version >= 6 else value["topicNames"]
        if not all(self.may(request, DELETE, TOPIC, name) for name in names if name):
            raise Refused(error_codes.TOPIC_AUTHORIZATION_FAILED)
        return super().delete_topic(request, item)


class DeletionTellsWhatIsAbsent(BrokerMutant, breaks="acls.deletion-tells-of-no-topic"):
    """Tells callers who may see no topic which of those to delete are not there."""

    def topic_to_delete(self, request: Request, item: Value) -> Topic:
        if item["name"] is not None and item["name"] not in self.topics:
            raise Refused(error_codes.UNKNOWN_TOPIC_OR_PARTITION)
        return super().topic_to_delete(request, item)


class DeletionTellsTheId(BrokerMutant, breaks="acls.deletion-tells-of-no-topic"):
    """Tells the id of a topic beside refusing to delete it."""

    def topic_not_deleted(self, item: Value, refused: Refused) -> Value:
        found = super().topic_not_deleted(item, refused)
        topic = self.topics.get(item["name"] or "")
        return {**found, "topicId": topic.topic_id} if topic else found


class DeletionTellsTheName(BrokerMutant, breaks="acls.deletion-tells-no-name"):
    """Tells the name of a topic beside refusing to delete it by its id."""

    def topic_not_deleted(self, item: Value, refused: Refused) -> Value:
        found = super().topic_not_deleted(item, refused)
        topic = self.topic_of_id(item["topicId"])
        return {**found, "name": topic.name} if topic else found


class DeletedByIdHasNoName(BrokerMutant, breaks="acls.deletion-tells-no-name"):
    """Tells no name of a topic that it deleted by its id."""

    implies = ("topics.deleted-by-id",)

    def delete_topic(self, request: Request, item: Value) -> Value:
        return {**super().delete_topic(request, item), "name": item["name"]}
