"""Rights to create topics: taken without being granted, or withheld though they are."""

from __future__ import annotations

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.brokers.mutants.rights.to_acls import allows_caller
from conformance.reference.broker.admin.access import CREATE
from conformance.reference.broker.cluster import TOPIC, Request, Topic, Value
from conformance.reference.broker.errors import Refused


class TopicsCreatedByEverybody(BrokerMutant, breaks="acls.creating-topics-takes-a-right"):
    """Creates topics for whoever asks."""

    implies = ("acls.right-to-create-by-topic",)

    def may(self, request: Request, operation: int, resource_type: int, name: str) -> bool:
        return operation == CREATE or super().may(request, operation, resource_type, name)


class TopicRefusedAndCreated(BrokerMutant, breaks="acls.creating-topics-takes-a-right"):
    """Refuses to create a topic that is there by then."""

    def create_topic(self, request: Request, item: Value) -> Value:
        try:
            return super().create_topic(request, item)
        except Refused as refused:
            if refused.code == error_codes.TOPIC_AUTHORIZATION_FAILED:
                replicas = [[self.node_id]]
                self.add_topic(Topic(item["name"], self.new_topic_id(), replicas))
            raise


class RightToCreateOnTheClusterAlone(BrokerMutant, breaks="acls.right-to-create-by-topic"):
    """Lets nobody create a topic by a right on that topic, as before KIP-277."""

    implies = ("acls.configs-of-new-topics-take-a-right",)

    def check_new_name(self, request: Request, name: str) -> None:
        if not self.may_cluster(request, CREATE):
            raise Refused(error_codes.CLUSTER_AUTHORIZATION_FAILED)
        super().check_new_name(request, name)


class OneRightToCreateIsEnough(BrokerMutant, breaks="acls.right-to-create-by-topic"):
    """Lets the caller create any topic who may create one."""

    def may(self, request: Request, operation: int, resource_type: int, name: str) -> bool:
        if operation == CREATE and any(allows_caller(acl, request) for acl in self.acls):
            return True
        return super().may(request, operation, resource_type, name)


class OneRefusalRefusesAllTopics(BrokerMutant, breaks="acls.right-to-create-by-topic"):
    """Creates none of a request's topics where the caller may not create one of them."""

    def create_topics(self, request: Request) -> Value:
        names = [item["name"] for item in request.value["topics"]]
        if all(self.may(request, CREATE, TOPIC, name) for name in names):
            return super().create_topics(request)
        refused = Refused(error_codes.TOPIC_AUTHORIZATION_FAILED)
        topics = [self.topic_not_created(name, refused) for name in names]
        return {"throttleTimeMs": 0, "topics": topics}


class ConfigsOfNewTopicsToldToAll(BrokerMutant, breaks="acls.configs-of-new-topics-take-a-right"):
    """Tells the configs of a new topic to callers who may not describe them."""

    def topic_created(self, request: Request, topic: Topic, configs: dict[str, str]) -> Value:
        found = super().topic_created(request, topic, configs)
        return {
            **found,
            "topicConfigErrorCode": error_codes.NONE,
            "numPartitions": len(topic.replicas),
            "configs": self.created_configs(configs),
        }


class HiddenConfigsFailTheTopic(BrokerMutant, breaks="acls.configs-of-new-topics-take-a-right"):
    """Answers a topic whose configs the caller may not see as one that was not created."""

    implies = ("acls.right-to-create-by-topic",)

    def topic_created(self, request: Request, topic: Topic, configs: dict[str, str]) -> Value:
        found = super().topic_created(request, topic, configs)
        hidden = found["topicConfigErrorCode"]
        return {**found, "errorCode": hidden, "topicConfigErrorCode": error_codes.NONE}


class ConfigsOfNewTopicsNeverTold(BrokerMutant, breaks="acls.configs-of-new-topics-take-a-right"):
    """Tells nobody the configs of a new topic."""

    implies = ("topics.result-describes-topic",)

    def topic_created(self, request: Request, topic: Topic, configs: dict[str, str]) -> Value:
        return {**super().topic_created(request, topic, configs), "configs": []}
