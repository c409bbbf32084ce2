"""CreateTopics and DeleteTopics (KIP-4, KIP-464, KIP-525, KIP-516).

Each topic is independent: its answer is a result or an error, whatever happens to the others. Where
Apache Kafka 4.3.1 differs from KIP-4, this follows Apache Kafka: a timeout that is not above 0 ends
the request before anything was done.
"""

from __future__ import annotations

from collections import Counter

from conformance import error_codes
from conformance.reference.broker.admin.access import CREATE, DELETE, DESCRIBE, DESCRIBE_CONFIGS
from conformance.reference.broker.admin.configs import Configs
from conformance.reference.broker.admin.partitions import Partitions, bad_assignment
from conformance.reference.broker.admin.topic_names import check_name
from conformance.reference.broker.cluster import MAX_PARTITIONS, TOPIC, Request, Topic, Value
from conformance.reference.broker.errors import Refused
from conformance.schema.layout import ZERO_UUID

CLUSTER_METADATA = "__cluster_metadata"
DEFAULT = -1
"""The number of partitions or replicas that leaves the choice to the broker."""


class Topics(Partitions, Configs):
    """The handlers of CreateTopics and DeleteTopics."""

    def create_topics(self, request: Request) -> Value:
        """Return one result for each distinct name."""
        asked = request.value["topics"]
        times = Counter(item["name"] for item in asked)
        too_many = self.too_many_partitions(asked)
        results = []
        for item in {each["name"]: each for each in asked}.values():
            try:
                self.check_controller()
                self.check_time(request)
                if times[item["name"]] > 1:
                    self.named_twice(item)
                if too_many:
                    raise Refused(
                        error_codes.POLICY_VIOLATION, "Too many partitions in one request."
                    )
                results.append(self.create_topic(request, item))
            except Refused as refused:
                results.append(self.topic_not_created(item["name"], refused))
        return {"throttleTimeMs": 0, "topics": results}

    def too_many_partitions(self, asked: list[Value]) -> bool:
        """True if a request asks for more partitions than one may."""
        numbers = (max(item["numPartitions"], len(item["assignments"]), 1) for item in asked)
        return bool(sum(numbers) > MAX_PARTITIONS)

    def named_twice(self, item: Value) -> None:
        """Refuse a name that the request has more than once, with Refused."""
        del item
        raise Refused(error_codes.INVALID_REQUEST, "The name is given more than once.")

    def create_topic(self, request: Request, item: Value) -> Value:
        """Create one topic, unless it is only to be validated. Raises Refused."""
        name = item["name"]
        self.check_new_name(request, name)
        configs = self.configs_of(item)
        replicas = self.replicas_of(item)
        if len(replicas) > self.partitions_left():
            raise Refused(error_codes.POLICY_VIOLATION, "The cluster takes no more partitions.")
        topic = Topic(name, self.new_topic_id(), replicas)
        if not request.value["validateOnly"]:
            self.add_topic(topic)
            self.set_configs((TOPIC, name), configs)
        return self.topic_created(request, topic, configs)

    def check_new_name(self, request: Request, name: str) -> None:
        """Raise Refused unless a new topic may have this name."""
        if name == CLUSTER_METADATA:
            raise Refused(error_codes.INVALID_REQUEST, "This topic is internal.")
        if not self.may_cluster(request, CREATE) and not self.may(request, CREATE, TOPIC, name):
            raise Refused(error_codes.TOPIC_AUTHORIZATION_FAILED, "Not authorized to create it.")
        check_name(name)
        if name in self.topics:
            raise Refused(error_codes.TOPIC_ALREADY_EXISTS, "A topic of this name exists.")
        other = self.colliding(name)
        if other:
            raise Refused(error_codes.INVALID_TOPIC_EXCEPTION, f"The name collides with {other}.")

    def replicas_of(self, item: Value) -> list[list[int]]:
        """Return the replicas of each partition, as given or as chosen here. Raises Refused."""
        if item["assignments"]:
            return self.assigned_replicas(item)
        factor, partitions = item["replicationFactor"], item["numPartitions"]
        if factor == DEFAULT:
            factor = self.default_replication_factor
        if partitions == DEFAULT:
            partitions = self.num_partitions
        self.check_numbers(partitions, factor)
        return [self.chosen_replicas(index, factor) for index in range(partitions)]

    def check_numbers(self, partitions: int, factor: int) -> None:
        """Raise Refused for impossible numbers of partitions or replicas."""
        if factor <= 0:
            raise Refused(error_codes.INVALID_REPLICATION_FACTOR, "The factor is above 0, or -1.")
        if partitions <= 0:
            raise Refused(error_codes.INVALID_PARTITIONS, "The partitions are above 0, or -1.")
        if factor > len(self.nodes):
            message = f"There are brokers for {len(self.nodes)} replica(s)."
            raise Refused(error_codes.INVALID_REPLICATION_FACTOR, message)

    def assigned_replicas(self, item: Value) -> list[list[int]]:
        """Return the replicas of each partition as given. Raises Refused."""
        self.check_numbers_left_out(item)
        given = {each["partitionIndex"]: each["brokerIds"] for each in item["assignments"]}
        if len(given) < len(item["assignments"]):
            raise bad_assignment("A partition is assigned more than once.")
        if sorted(given) != list(range(len(given))):
            raise bad_assignment("The partitions are not 0 and following.")
        for replicas in given.values():
            self.check_replicas(replicas)
        if len({len(replicas) for replicas in given.values()}) > 1:
            raise bad_assignment("Not all partitions have as many replicas.")
        return [given[index] for index in range(len(given))]

    def check_numbers_left_out(self, item: Value) -> None:
        """Raise Refused if numbers are given beside assignments."""
        if item["replicationFactor"] != DEFAULT or item["numPartitions"] != DEFAULT:
            message = "With assignments, the factor and the number of partitions must be -1."
            raise Refused(error_codes.INVALID_REQUEST, message)

    def configs_of(self, item: Value) -> dict[str, str]:
        """Return the configs of a new topic; the last one of a name counts. Raises Refused."""
        configs = {each["name"]: each["value"] for each in item["configs"]}
        if any(each["value"] is None for each in item["configs"]):
            raise Refused(error_codes.INVALID_CONFIG, "A config of a topic can't be null.")
        self.check_topic_configs(configs)
        return configs

    def topic_created(self, request: Request, topic: Topic, configs: dict[str, str]) -> Value:
        """Return the result of a topic that exists now, or that could be created."""
        may_see = self.may(request, DESCRIBE_CONFIGS, TOPIC, topic.name)
        shown = self.created_configs(configs) if may_see else None
        hidden = error_codes.TOPIC_AUTHORIZATION_FAILED
        return {
            "name": topic.name,
            "topicId": topic.topic_id,
            "errorCode": error_codes.NONE,
            "errorMessage": None,
            "topicConfigErrorCode": error_codes.NONE if may_see else hidden,
            "numPartitions": len(topic.replicas) if may_see else -1,
            "replicationFactor": len(topic.replicas[0]) if may_see else -1,
            "configs": shown,
        }

    def topic_not_created(self, name: str, refused: Refused) -> Value:
        """Return the result of a topic that this request did not create."""
        return {
            "name": name,
            "topicId": ZERO_UUID,
            "errorCode": refused.code,
            "errorMessage": refused.message,
            "topicConfigErrorCode": error_codes.NONE,
            "numPartitions": -1,
            "replicationFactor": -1,
            "configs": [],
        }

    def delete_topics(self, request: Request) -> Value:
        """Return one result for each topic asked."""
        version = request.version
        names = request.value["topicNames"]
        asked = request.value["topics"] if version >= 6 else [_named(name) for name in names]
        results = []
        for same in self.grouped(asked):
            item = _merged(same)
            try:
                self.check_controller()
                self.check_name_or_id(item)
                self.check_time(request)
                self.check_deletion_enabled(version)
                if len(same) > 1:
                    self.asked_twice(item)
                results.append(self.delete_topic(request, item))
            except Refused as refused:
                results.append(self.topic_not_deleted(item, refused))
        return {"throttleTimeMs": 0, "responses": results}

    def check_deletion_enabled(self, version: int) -> None:
        """Raise Refused if topics can't be deleted; the error has its own code since version 3."""
        if not self.delete_topics_enabled:
            code = (
                error_codes.TOPIC_DELETION_DISABLED if version >= 3 else error_codes.INVALID_REQUEST
            )
            raise Refused(code, "Topics can't be deleted here.")

    def asked_twice(self, item: Value) -> None:
        """Refuse a topic that the request has more than once, with Refused."""
        del item
        raise Refused(error_codes.INVALID_REQUEST, "The topic is given more than once.")

    def delete_topic(self, request: Request, item: Value) -> Value:
        """Delete one topic, given by name or by id. Raises Refused."""
        topic = self.topic_to_delete(request, item)
        if not self.may(request, DELETE, TOPIC, topic.name):
            raise Refused(error_codes.TOPIC_AUTHORIZATION_FAILED, "Not authorized to delete it.")
        self.remove_topic(topic)
        return {
            "name": topic.name,
            "topicId": topic.topic_id,
            "errorCode": error_codes.NONE,
            "errorMessage": None,
        }

    def check_name_or_id(self, item: Value) -> None:
        """Raise Refused for a topic that is given both by name and by id, or by neither."""
        named, numbered = item["name"] is not None, item["topicId"] != ZERO_UUID
        if named == numbered:
            which = "both" if named else "neither"
            raise Refused(error_codes.INVALID_REQUEST, f"Of name and id, {which} is given.")

    def topic_to_delete(self, request: Request, item: Value) -> Topic:
        """Return the topic, if the caller may see it. Raises Refused."""
        name = item["name"]
        if name is None:
            by_id = self.topic_of_id(item["topicId"])
            if by_id is None:
                raise Refused(error_codes.UNKNOWN_TOPIC_ID, "There is no topic of this id.")
            if not self.may(request, DESCRIBE, TOPIC, by_id.name):
                raise Refused(error_codes.TOPIC_AUTHORIZATION_FAILED, "Not authorized.")
            return by_id
        if not self.may(request, DESCRIBE, TOPIC, name):
            raise Refused(error_codes.TOPIC_AUTHORIZATION_FAILED, "Not authorized.")
        if name not in self.topics:
            raise Refused(error_codes.UNKNOWN_TOPIC_OR_PARTITION, "There is no topic of this name.")
        return self.topics[name]

    def topic_not_deleted(self, item: Value, refused: Refused) -> Value:
        """Return the result of a topic that this request did not delete."""
        return {
            "name": item["name"],
            "topicId": item["topicId"],
            "errorCode": refused.code,
            "errorMessage": refused.message,
        }

    def grouped(self, asked: list[Value]) -> list[list[Value]]:
        """Return the entries by topic: a name and the id that it belongs to are one topic."""
        groups: dict[tuple[str | None, str], list[Value]] = {}
        for item in asked:
            name, topic_id = item["name"], item["topicId"]
            if name is None and (topic := self.topic_of_id(topic_id)):
                name, topic_id = topic.name, ZERO_UUID
            groups.setdefault((name, topic_id), []).append(item)
        return list(groups.values())


def _named(name: str) -> Value:
    return {"name": name, "topicId": ZERO_UUID}


def _merged(same: list[Value]) -> Value:
    """Return one topic with the name and id from all its entries."""
    names = (item["name"] for item in same if item["name"] is not None)
    ids = (item["topicId"] for item in same if item["topicId"] != ZERO_UUID)
    return {"name": next(names, None), "topicId": next(ids, ZERO_UUID)}
