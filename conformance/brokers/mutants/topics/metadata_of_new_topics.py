"""Metadata of existing topics: listed twice, not found, or created by asking for them."""

from __future__ import annotations

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.errors import Hangup
from conformance.schema.layout import ZERO_UUID

ALLOWED_SINCE = 4


class AskedTwiceToldTwice(BrokerMutant, breaks="metadata.asked-topic-once"):
    """Tells a topic as often as it was asked for."""

    def topics_asked_for(self, request: Request) -> list[Value]:
        found = {each["name"]: each for each in super().topics_asked_for(request)}
        asked = request.value["topics"] or found.values()
        return [found[each["name"]] for each in asked if each["name"] in found]


class AllTopicsTold(BrokerMutant, breaks="metadata.asked-topics-alone"):
    """Tells all topics, whichever were asked for."""

    implies = ("metadata.null-asks-for-all",)

    def topics_asked_for(self, request: Request) -> list[Value]:
        found = super().topics_asked_for(request)
        told = {each["name"] for each in found}
        others = [topic for name, topic in self.topics.items() if name not in told]
        return found + [self.described_topic(each) for each in others]


class LastAskedForLost(BrokerMutant, breaks="metadata.unknown-topic-error"):
    """Leaves the last of several topics out that were asked for."""

    def topics_asked_for(self, request: Request) -> list[Value]:
        found = super().topics_asked_for(request)
        return found[:-1] if request.value["topics"] and len(found) > 1 else found


class IdNeverFound(BrokerMutant, breaks="metadata.topic-found-by-id"):
    """Finds no topic by its id."""

    def topic_by_id(self, request: Request, topic_id: str) -> Value:
        return self.topic_error(error_codes.UNKNOWN_TOPIC_ID, None, topic_id)


class FoundByIdWithoutName(BrokerMutant, breaks="metadata.topic-found-by-id"):
    """Tells a topic that it finds by its id without its name."""

    def topic_by_id(self, request: Request, topic_id: str) -> Value:
        return {**super().topic_by_id(request, topic_id), "name": None}


class FoundByIdWithoutPartitions(BrokerMutant, breaks="metadata.topic-found-by-id"):
    """Tells a topic that it finds by its id without partitions."""

    def topic_by_id(self, request: Request, topic_id: str) -> Value:
        return {**super().topic_by_id(request, topic_id), "partitions": []}


class FirstTopicFoundById(BrokerMutant, breaks="metadata.topic-found-by-id"):
    """Tells the first of its topics for any id that there is."""

    def topic_by_id(self, request: Request, topic_id: str) -> Value:
        found = super().topic_by_id(request, topic_id)
        first = next(iter(self.topics.values()))
        return found if found["errorCode"] else self.described_topic(first)


class IdsBesideNamesLost(BrokerMutant, breaks="metadata.ids-beside-names"):
    """Answers the names alone of a request that has ids as well."""

    def topics_asked_for(self, request: Request) -> list[Value]:
        asked = request.value["topics"]
        if asked and any(each["name"] is not None for each in asked):
            named = [each for each in asked if each["name"] is not None]
            named = [{**each, "topicId": ZERO_UUID} for each in named]
            request.value["topics"] = named
        return super().topics_asked_for(request)


class IdsBesideNamesClose(BrokerMutant, breaks="metadata.ids-beside-names"):
    """Hangs up on a request that has names and ids."""

    def topics_asked_for(self, request: Request) -> list[Value]:
        asked = request.value["topics"] or []
        if {each["topicId"] == ZERO_UUID for each in asked} == {True, False}:
            raise Hangup
        return super().topics_asked_for(request)


class NamesBesideIdsUnknown(BrokerMutant, breaks="metadata.ids-beside-names"):
    """Answers the names of a request that has ids as well as topics that it does not know."""

    def topics_asked_for(self, request: Request) -> list[Value]:
        found = super().topics_asked_for(request)
        asked = request.value["topics"] or []
        if {each["topicId"] == ZERO_UUID for each in asked} != {True, False}:
            return found
        names = [each["name"] for each in asked if each["name"] is not None]
        unknown = [self.topic_error(error_codes.UNKNOWN_TOPIC_OR_PARTITION, name) for name in names]
        return found + unknown


class NothingMadeInOldVersions(BrokerMutant, breaks="metadata.auto-creation"):
    """Makes no topic that is asked for in a version that can't say whether to."""

    def auto_create(self, request: Request, name: str) -> int:
        if request.version < ALLOWED_SINCE:
            return error_codes.UNKNOWN_TOPIC_OR_PARTITION
        return super().auto_create(request, name)


class NothingMadeInNewVersions(BrokerMutant, breaks="metadata.auto-creation"):
    """Makes no topic that is asked for in a version that can say whether to."""

    def auto_create(self, request: Request, name: str) -> int:
        if request.version >= ALLOWED_SINCE:
            return error_codes.UNKNOWN_TOPIC_OR_PARTITION
        return super().auto_create(request, name)


class MadeThoughForbidden(BrokerMutant, breaks="metadata.no-creation-unless-allowed"):
    """Makes each topic that is asked for, whatever the request says."""

    implies = ("metadata.unknown-topic-error",)

    def unknown_topic(self, request: Request, name: str) -> int:
        request.value["allowAutoTopicCreation"] = True
        return super().unknown_topic(request, name)


class ForbiddenTakenForAllowed(BrokerMutant, breaks="metadata.no-creation-unless-allowed"):
    """Makes the topics that it is told not to, and not those that it is told to."""

    def unknown_topic(self, request: Request, name: str) -> int:
        if request.version >= ALLOWED_SINCE:
            allowed = request.value["allowAutoTopicCreation"]
            request.value["allowAutoTopicCreation"] = not allowed
        return super().unknown_topic(request, name)
