"""Topics that come to be otherwise than was said, or not at all, or are described as others."""

from __future__ import annotations

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.admin.topics import DEFAULT
from conformance.reference.broker.cluster import TOPIC, Request, Topic, Value
from conformance.reference.broker.errors import Hangup, Refused


class NumbersNotTold(BrokerMutant):
    """Tells -1 for the partitions and the factor of a topic that it created."""

    breaks = "topics.result-describes-topic"
    implies = ("acls.configs-of-new-topics-take-a-right", "topics.defaults-of-the-broker")

    def topic_created(self, request: Request, topic: Topic, configs: dict[str, str]) -> Value:
        found = super().topic_created(request, topic, configs)
        return {**found, "numPartitions": -1, "replicationFactor": -1}


class ConfigsNotTold(BrokerMutant):
    """Tells no configs of a topic that it created."""

    breaks = "topics.result-describes-topic"
    implies = ("acls.configs-of-new-topics-take-a-right",)

    def topic_created(self, request: Request, topic: Topic, configs: dict[str, str]) -> Value:
        return {**super().topic_created(request, topic, configs), "configs": []}


class DefaultConfigsTold(BrokerMutant):
    """Tells the defaults for the configs of a topic that it created with others."""

    breaks = "topics.result-describes-topic"

    def topic_created(self, request: Request, topic: Topic, configs: dict[str, str]) -> Value:
        return super().topic_created(request, topic, {})


class CreatedIsForgotten(BrokerMutant):
    """Answers that a topic was created, and creates none."""

    breaks = "topics.controller-or-handed-on"

    def add_topic(self, topic: Topic) -> None:
        if not topic.name.startswith("kafka-conformance-"):
            super().add_topic(topic)


class CreatedWithOnePartition(BrokerMutant):
    """Creates topics with one partition, however many were asked for."""

    breaks = "topics.server-chooses-brokers"

    def add_topic(self, topic: Topic) -> None:
        super().add_topic(Topic(topic.name, topic.topic_id, topic.replicas[:1]))


class NewPartitionsHaveNoLeader(BrokerMutant):
    """Never elects a leader for the partitions of a topic but the first."""

    breaks = "topics.created-has-leaders"

    def described_partition(self, index: int, replicas: list[int]) -> Value:
        found = super().described_partition(index, replicas)
        alone = {"leaderId": -1, "errorCode": error_codes.LEADER_NOT_AVAILABLE}
        return found | (alone if index else {})


class ConfigsDropped(BrokerMutant):
    """Checks the configs of a new topic, and drops them."""

    breaks = "topics.created-with-configs"

    def configs_of(self, item: Value) -> dict[str, str]:
        super().configs_of(item)
        return {}


class FirstConfigAlone(BrokerMutant):
    """Keeps the first config of a new topic alone."""

    breaks = "topics.created-with-configs"

    def configs_of(self, item: Value) -> dict[str, str]:
        return dict(list(super().configs_of(item).items())[:1])


class ConfigsOfAllTopics(BrokerMutant):
    """Sets the configs of a new topic for all topics of the same request."""

    breaks = "topics.created-with-configs"

    def create_topics(self, request: Request) -> Value:
        found = super().create_topics(request)
        every = [self.configs.get((TOPIC, each["name"]), {}) for each in found["topics"]]
        merged = {key: value for each in every for key, value in each.items()}
        for each in found["topics"]:
            if merged and each["name"] in self.topics:
                self.set_configs((TOPIC, each["name"]), merged)
        return found


class FirstFailureEndsCreation(BrokerMutant):
    """Creates no topic that stands behind one that failed, and says that it did."""

    breaks = "topics.failures-spare-the-created"

    def create_topics(self, request: Request) -> Value:
        found = super().create_topics(request)
        failed = False
        for each in found["topics"]:
            failed = failed or bool(each["errorCode"])
            if failed and not each["errorCode"] and not request.value["validateOnly"]:
                self.remove_topic(self.topics[each["name"]])
        return found


class OneFailureFailsCreation(BrokerMutant):
    """Creates all topics of a request or none."""

    breaks = "topics.failures-spare-the-created"
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


class NoTimeCloses(BrokerMutant):
    """Hangs up on a CreateTopics without time."""

    breaks = "topics.no-time-to-create"

    def create_topics(self, request: Request) -> Value:
        if request.value["timeoutMs"] <= 0:
            raise Hangup
        return super().create_topics(request)


class NoTimeIsUnknownError(BrokerMutant):
    """Answers UNKNOWN_SERVER_ERROR where a request for the controller has no time."""

    breaks = "topics.no-time-to-create"
    implies = ("topics.no-time-to-delete",)

    def check_time(self, request: Request) -> None:
        if request.value["timeoutMs"] <= 0:
            raise Refused(error_codes.UNKNOWN_SERVER_ERROR)


class NoTimeNoResults(BrokerMutant):
    """Answers a CreateTopics without time with no topics."""

    breaks = "results.one-for-each"

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


class CountsLeftOutClose(_NoDefaultsYet):
    """Hangs up on a topic without counts before version 4."""

    breaks = "topics.counts-or-defaults"


class CountsLeftOutAreNone(_NoDefaultsYet):
    """Creates a topic without partitions where counts are left out before version 4."""

    breaks = "topics.counts-or-defaults"

    def without_counts(self, request: Request, item: Value) -> Value:
        topic = Topic(item["name"], self.new_topic_id(), [])
        self.add_topic(topic)
        told = Topic(topic.name, topic.topic_id, [[self.node_id]])
        return self.topic_created(request, told, {})


class CountsLeftOutFail(_NoDefaultsYet):
    """Answers UNKNOWN_SERVER_ERROR where counts are left out before version 4."""

    breaks = "topics.counts-or-defaults"

    def without_counts(self, request: Request, item: Value) -> Value:
        raise Refused(error_codes.UNKNOWN_SERVER_ERROR)


class AnotherIdTold(BrokerMutant):
    """Tells another id for a topic that it created than the topic has."""

    breaks = "topics.id-as-metadata-has-it"

    def topic_created(self, request: Request, topic: Topic, configs: dict[str, str]) -> Value:
        return {**super().topic_created(request, topic, configs), "topicId": self.new_topic_id()}


class OneIdForARequest(BrokerMutant):
    """Gives all topics of a request the same id."""

    breaks = "topics.id-as-metadata-has-it"

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


class OneTopicARequest(BrokerMutant):
    """Creates the first topic of a CreateTopics, and refuses all others that it would create."""

    breaks = "topics.failures-spare-the-created"

    def create_topics(self, request: Request) -> Value:
        answer = super().create_topics(request)
        done = [each for each in answer["topics"] if not each["errorCode"]]
        for each in () if request.value["validateOnly"] else done[1:]:
            each["errorCode"] = error_codes.INVALID_REQUEST
            if each["name"] in self.topics:
                self.remove_topic(self.topics[each["name"]])
        return answer
