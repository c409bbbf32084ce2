"""Topics that come to be otherwise than was said, or not at all, or are described as others."""

from __future__ import annotations

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.admin.topics import DEFAULT
from conformance.reference.broker.cluster import TOPIC, Request, Topic, Value
from conformance.reference.broker.errors import Hangup, Refused


class NumbersNotTold(BrokerMutant, breaks="topics.result-describes-topic"):
    """Tells -1 for the partitions and the factor of a topic that it created."""

    implies = ("acls.configs-of-new-topics-take-a-right", "topics.defaults-of-the-broker")

    def topic_created(self, request: Request, topic: Topic, configs: dict[str, str]) -> Value:
        found = super().topic_created(request, topic, configs)
        return {**found, "numPartitions": -1, "replicationFactor": -1}


class ConfigsNotTold(BrokerMutant, breaks="topics.result-describes-topic"):
    """Tells no configs of a topic that it created."""

    implies = ("acls.configs-of-new-topics-take-a-right",)

    def topic_created(self, request: Request, topic: Topic, configs: dict[str, str]) -> Value:
        return {**super().topic_created(request, topic, configs), "configs": []}


class DefaultConfigsTold(BrokerMutant, breaks="topics.result-describes-topic"):
    """Tells the defaults for the configs of a topic that it created with others."""

    def topic_created(self, request: Request, topic: Topic, configs: dict[str, str]) -> Value:
        return super().topic_created(request, topic, {})


class CreatedIsForgotten(BrokerMutant, breaks="topics.controller-or-handed-on"):
    """Answers that a topic was created, and creates none."""

    def add_topic(self, topic: Topic) -> None:
        if not topic.name.startswith("kafka-conformance-"):
            super().add_topic(topic)


class CreatedWithOnePartition(BrokerMutant, breaks="topics.server-chooses-brokers"):
    """Creates topics with one partition, however many were asked for."""

    def add_topic(self, topic: Topic) -> None:
        super().add_topic(Topic(topic.name, topic.topic_id, topic.replicas[:1]))


class NewPartitionsHaveNoLeader(BrokerMutant, breaks="topics.created-has-leaders"):
    """Never elects a leader for the partitions of a topic but the first."""

    def described_partition(self, index: int, replicas: list[int]) -> Value:
        found = super().described_partition(index, replicas)
        alone = {"leaderId": -1, "errorCode": error_codes.LEADER_NOT_AVAILABLE}
        return found | (alone if index else {})


class ConfigsDropped(BrokerMutant, breaks="topics.created-with-configs"):
    """Checks the configs of a new topic, and drops them."""

    def configs_of(self, item: Value) -> dict[str, str]:
        super().configs_of(item)
        return {}


class FirstConfigAlone(BrokerMutant, breaks="topics.created-with-configs"):
    """Keeps the first config of a new topic alone."""

    def configs_of(self, item: Value) -> dict[str, str]:
        return dict(list(super().configs_of(item).items())[:1])


class ConfigsOfAllTopics(BrokerMutant, breaks="topics.created-with-configs"):
    """Sets the configs of a new topic for all topics of the same request."""

    def create_topics(self, request: Request) -> Value:
        found = super().create_topics(request)
        every = [self.configs.get((TOPIC, each["name"]), {}) for each in found["topics"]]
        merged = {key: value for each in every for key, value in each.items()}
        for each in found["topics"]:
            if merged and each["name"] in self.topics:
                self.set_configs((TOPIC, each["name"]), merged)
        return found


class FirstFailureEndsCreation(BrokerMutant, breaks="topics.failures-spare-the-created"):
    """Creates no topic that stands behind one that failed, and says that it did."""

    def create_topics(self, request: Request) -> Value:
        found = super().create_topics(request)
        failed = False
        for each in found["topics"]:
            failed = failed or bool(each["errorCode"])
            if failed and not each["errorCode"] and not request.value["validateOnly"]:
                self.remove_topic(self.topics[each["name"]])
        return found


class OneFailureFailsCreation(BrokerMutant, breaks="topics.failures-spare-the-created"):
    """Creates all topics of a request or none."""

    implies = ("topics.illegal-name-refused",)

    def create_topics(self, request: Request) -> Value:
        found = super().create_topics(request)
        code = next((each["errorCode"] for each in found["topics"] if each["errorCode"]), 0)
        if not code:
            return found
        for each in found["topics"]:
            if not each["errorCode"] and not request.value["validateOnly"]:
                self.remove_topic(self.topics[each["name"]])
        topics = [self.topic_not_created(each["name"], Refused(code)) for each in found["topics"]]
        return {**found, "topics": topics}


class NoTimeCloses(BrokerMutant, breaks="topics.no-time-to-create"):
    """Hangs up on a CreateTopics without time."""

    def create_topics(self, request: Request) -> Value:
        if request.value["timeoutMs"] <= 0:
            raise Hangup
        return super().create_topics(request)


class NoTimeIsUnknownError(BrokerMutant, breaks="topics.no-time-to-create"):
    """Answers UNKNOWN_SERVER_ERROR where a request for the controller has no time."""

    implies = ("topics.no-time-to-delete",)

    def check_time(self, request: Request) -> None:
        if request.value["timeoutMs"] <= 0:
            raise Refused(error_codes.UNKNOWN_SERVER_ERROR)


class NoTimeNoResults(BrokerMutant, breaks="results.one-for-each"):
    """Answers a CreateTopics without time with no topics."""

    def create_topics(self, request: Request) -> Value:
        found = super().create_topics(request)
        return {**found, "topics": found["topics"] if request.value["timeoutMs"] > 0 else []}


class _NoDefaultsYet(BrokerMutant):
    """Does otherwise where counts are left out that can't be, before version 4."""

    def create_topic(self, request: Request, item: Value) -> Value:
        """Return the topic, or the result for missing counts. Raises Refused."""
        left_out = item["numPartitions"] == DEFAULT and not item["assignments"]
        if left_out and request.version < 4:
            return self.without_counts(request, item)
        return super().create_topic(request, item)

    def without_counts(self, request: Request, item: Value) -> Value:
        """Treat missing counts: hang up, unless overridden. Raises Refused and Hangup."""
        raise Hangup


class CountsLeftOutClose(_NoDefaultsYet, breaks="topics.counts-or-defaults"):
    """Hangs up on a topic without counts before version 4."""


class CountsLeftOutAreNone(_NoDefaultsYet, breaks="topics.counts-or-defaults"):
    """Creates a topic without partitions where counts are left out before version 4."""

    def without_counts(self, request: Request, item: Value) -> Value:
        topic = Topic(item["name"], self.new_topic_id(), [])
        self.add_topic(topic)
        told = Topic(topic.name, topic.topic_id, [[self.node_id]])
        return self.topic_created(request, told, {})


class CountsLeftOutFail(_NoDefaultsYet, breaks="topics.counts-or-defaults"):
    """Answers UNKNOWN_SERVER_ERROR where counts are left out before version 4."""

    def without_counts(self, request: Request, item: Value) -> Value:
        raise Refused(error_codes.UNKNOWN_SERVER_ERROR)


class AnotherIdTold(BrokerMutant, breaks="topics.id-as-metadata-has-it"):
    """Tells another id for a topic that it created than the topic has."""

    def topic_created(self, request: Request, topic: Topic, configs: dict[str, str]) -> Value:
        return {**super().topic_created(request, topic, configs), "topicId": self.new_topic_id()}


class OneIdForARequest(BrokerMutant, breaks="topics.id-as-metadata-has-it"):
    """Gives all topics of a request the same id."""

    def create_topics(self, request: Request) -> Value:
        found = super().create_topics(request)
        first = found["topics"][0]["topicId"] if found["topics"] else ""
        for each in found["topics"]:
            each["topicId"] = first
            if each["name"] in self.topics:
                self.topics[each["name"]].topic_id = first
                self._names_by_id[first] = each["name"]
        return found

    def remove_topic(self, topic: Topic) -> None:
        self._names_by_id[topic.topic_id] = topic.name
        super().remove_topic(topic)


class OneTopicARequest(BrokerMutant, breaks="topics.failures-spare-the-created"):
    """Creates the first topic of a CreateTopics, and refuses all others that it would create."""

    def create_topics(self, request: Request) -> Value:
        answer = super().create_topics(request)
        done = [each for each in answer["topics"] if not each["errorCode"]]
        for each in () if request.value["validateOnly"] else done[1:]:
            each["errorCode"] = error_codes.INVALID_REQUEST
            if each["name"] in self.topics:
                self.remove_topic(self.topics[each["name"]])
        return answer
