"""Metadata: the nodes, topics and partitions of the cluster (KIP-4, KIP-430, KIP-516)."""

from __future__ import annotations

from conformance import error_codes
from conformance.reference.broker.admin.access import (
    CLUSTER,
    CLUSTER_NAME,
    CREATE,
    DESCRIBE,
    Access,
)
from conformance.reference.broker.admin.topic_names import INTERNAL, what_is_wrong
from conformance.reference.broker.cluster import TOPIC, Request, Topic, Value
from conformance.reference.broker.errors import Refused
from conformance.schema.layout import ZERO_UUID

NOT_ASKED = -(2**31)
"""The value of authorized operations that were not asked for."""
ERROR_SINCE = 13
"""The first version with an error of the whole; older definitions lack the field."""
TOPIC_OPERATIONS = (3, 4, 5, 6, 7, 8, 10, 11)
CLUSTER_OPERATIONS = (5, 7, 8, 9, 10, 11, 12)


class Metadata(Access):
    """The handler of Metadata."""

    def metadata(self, request: Request) -> Value:
        """Return the cluster and the topics asked for."""
        asked = request.value["topics"]
        if asked is not None and (code := self.metadata_error(request.version, asked)):
            return self.metadata_refused(request.version, code, asked)
        answer = {
            "throttleTimeMs": 0,
            "brokers": self.brokers(),
            "clusterId": self.cluster_id,
            "controllerId": self.controller_id(),
            "topics": [
                self.in_version(request.version, topic) for topic in self.topics_asked_for(request)
            ],
            "clusterAuthorizedOperations": self.cluster_operations(request),
        }
        return answer | ({"errorCode": error_codes.NONE} if request.version >= ERROR_SINCE else {})

    def metadata_error(self, version: int, asked: list[Value]) -> int:
        """Return the error if the topics can't be looked up, else 0."""
        if version < 12:
            unfit = any(item["name"] is None or item["topicId"] != ZERO_UUID for item in asked)
            return error_codes.INVALID_REQUEST if unfit else error_codes.NONE
        unnamed = any(item["name"] is None and item["topicId"] == ZERO_UUID for item in asked)
        return error_codes.UNKNOWN_SERVER_ERROR if unnamed else error_codes.NONE

    def metadata_refused(self, version: int, code: int, asked: list[Value]) -> Value:
        """Return an answer that refuses the whole request, with only an error for each topic."""
        topics = [self.topic_error(code, item["name"] or "", item["topicId"]) for item in asked]
        return {
            "throttleTimeMs": 0,
            "brokers": [],
            "clusterId": None,
            "controllerId": -1,
            "topics": topics,
            "clusterAuthorizedOperations": NOT_ASKED,
            **({"errorCode": error_codes.NONE} if version >= ERROR_SINCE else {}),
        }

    def brokers(self) -> list[Value]:
        """Return the nodes that are up."""
        return [
            {"nodeId": node, "host": self.host, "port": self.port, "rack": self.rack}
            for node in self.nodes
        ]

    def controller_id(self) -> int:
        """Return the node that requests for the controller are sent to."""
        return self.node_id if self.controller is None else self.controller

    def check_controller(self) -> None:
        """Raise Refused if a request for the controller can't be served by this node."""
        if not self.forwards and self.controller_id() != self.node_id:
            raise Refused(error_codes.NOT_CONTROLLER, "This is not the controller.")

    def topics_asked_for(self, request: Request) -> list[Value]:
        """Return all topics, or those asked for by id or by name, each once."""
        asked = request.value["topics"]
        if self.all_topics_wanted(request.version, asked):
            found = self.all_topics(request)
        elif ids := [item["topicId"] for item in asked if item["topicId"] != ZERO_UUID]:
            found = [self.topic_by_id(request, topic_id) for topic_id in dict.fromkeys(ids)]
        else:
            names = dict.fromkeys(item["name"] for item in asked)
            found = [self.topic_by_name(request, name) for name in names]
        if request.value["includeTopicAuthorizedOperations"]:
            found = [self.with_operations(request, each) for each in found]
        return found

    def with_operations(self, request: Request, topic: Value) -> Value:
        """Return a topic with the operations that the caller may do, if the caller may see it."""
        hidden = topic["errorCode"] == error_codes.TOPIC_AUTHORIZATION_FAILED
        if hidden or topic["name"] is None:
            return topic
        operations = self.operations(request, TOPIC_OPERATIONS, TOPIC, topic["name"])
        return {**topic, "topicAuthorizedOperations": operations}

    def all_topics_wanted(self, version: int, asked: list[Value] | None) -> bool:
        """True if all are asked for: by null, or by an empty array in version 0, without null."""
        return asked is None or (version == 0 and not asked)

    def all_topics(self, request: Request) -> list[Value]:
        """Return every topic that the caller may describe."""
        return [
            self.described_topic(topic)
            for topic in self.topics.values()
            if self.may(request, DESCRIBE, TOPIC, topic.name)
        ]

    def topic_by_id(self, request: Request, topic_id: str) -> Value:
        """Return the topic that has an id, or an error in its place."""
        topic = self.topic_of_id(topic_id)
        if topic is None:
            return self.topic_error(error_codes.UNKNOWN_TOPIC_ID, None, topic_id)
        if not self.may(request, DESCRIBE, TOPIC, topic.name):
            return self.topic_error(error_codes.TOPIC_AUTHORIZATION_FAILED, None, topic_id)
        return self.described_topic(topic)

    def topic_by_name(self, request: Request, name: str) -> Value:
        """Return the topic that has a name, or an error in its place."""
        if not self.may(request, DESCRIBE, TOPIC, name):
            return self.topic_error(error_codes.TOPIC_AUTHORIZATION_FAILED, name)
        if name in self.topics:
            return self.described_topic(self.topics[name])
        return self.topic_error(self.unknown_topic(request, name), name)

    def unknown_topic(self, request: Request, name: str) -> int:
        """Return the error for a missing topic, which is created if the caller asked so."""
        if what_is_wrong(name):
            return error_codes.INVALID_TOPIC_EXCEPTION
        if self.auto_create_topics and request.value["allowAutoTopicCreation"]:
            return self.auto_create(request, name)
        return error_codes.UNKNOWN_TOPIC_OR_PARTITION

    def auto_create(self, request: Request, name: str) -> int:
        """Create a topic that was asked about; this answer does not show it yet."""
        if not self.may_cluster(request, CREATE) and not self.may(request, CREATE, TOPIC, name):
            return error_codes.TOPIC_AUTHORIZATION_FAILED
        if self.partitions_left() >= self.num_partitions:
            replicas = [[self.node_id] for _ in range(self.num_partitions)]
            self.add_topic(Topic(name, self.new_topic_id(), replicas))
        return error_codes.UNKNOWN_TOPIC_OR_PARTITION

    def topic_error(self, code: int, name: str | None, topic_id: str = ZERO_UUID) -> Value:
        """Return the entry of a topic with an error."""
        return {
            "errorCode": code,
            "name": name,
            "topicId": topic_id,
            "isInternal": name in INTERNAL,
            "partitions": [],
            "topicAuthorizedOperations": NOT_ASKED,
        }

    def described_topic(self, topic: Topic) -> Value:
        """Return a topic with its partitions."""
        return {
            "errorCode": error_codes.NONE,
            "name": topic.name,
            "topicId": topic.topic_id,
            "isInternal": topic.name in INTERNAL,
            "partitions": [
                self.described_partition(index, replicas)
                for index, replicas in enumerate(topic.replicas)
            ],
            "topicAuthorizedOperations": NOT_ASKED,
        }

    def described_partition(self, index: int, replicas: list[int]) -> Value:
        """Return a partition: its first live replica leads, and all live replicas are in sync."""
        alive = [node for node in replicas if node in self.nodes]
        return {
            "errorCode": error_codes.NONE if alive else error_codes.LEADER_NOT_AVAILABLE,
            "partitionIndex": index,
            "leaderId": alive[0] if alive else -1,
            "leaderEpoch": 0,
            "replicaNodes": replicas,
            "isrNodes": alive,
            "offlineReplicas": [node for node in replicas if node not in self.nodes],
        }

    def in_version(self, version: int, topic: Value) -> Value:
        """Return a topic in a version's form: version 0 lists no replicas that are down (KIP-4)."""
        if version > 0:
            return topic
        return {**topic, "partitions": [self.without_dead(each) for each in topic["partitions"]]}

    def without_dead(self, partition: Value) -> Value:
        """Return a partition without the replicas that are down, and an error in their place."""
        dead = partition["offlineReplicas"]
        left = [node for node in partition["replicaNodes"] if node not in dead]
        code = partition["errorCode"] or (
            error_codes.REPLICA_NOT_AVAILABLE if dead else error_codes.NONE
        )
        return {**partition, "errorCode": code, "replicaNodes": left}

    def cluster_operations(self, request: Request) -> int:
        """Return the operations that the caller may do on the cluster, if they were asked for."""
        if not request.value["includeClusterAuthorizedOperations"]:
            return NOT_ASKED
        return self.operations(request, CLUSTER_OPERATIONS, CLUSTER, CLUSTER_NAME)
