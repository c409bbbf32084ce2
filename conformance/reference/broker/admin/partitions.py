"""CreatePartitions and AlterPartitionReassignments: more partitions, and other replicas.

A reassignment is over at once, since there are no records to be copied. So none is ever in
progress, and there is none to be cancelled or listed.
"""

from __future__ import annotations

from collections import Counter

from conformance import error_codes
from conformance.reference.broker.admin.access import ALTER, DESCRIBE
from conformance.reference.broker.admin.metadata import Metadata
from conformance.reference.broker.cluster import MAX_PARTITIONS, TOPIC, Request, Topic, Value
from conformance.reference.broker.errors import Refused


class Partitions(Metadata):
    """The handlers of CreatePartitions and of the two requests for reassignments."""

    def create_partitions(self, request: Request) -> Value:
        """Return one result for each distinct name."""
        asked = request.value["topics"]
        times = Counter(item["name"] for item in asked)
        results = []
        for item in {each["name"]: each for each in asked}.values():
            refused = Refused(error_codes.NONE)
            try:
                self.check_controller()
                self.check_time(request)
                if times[item["name"]] > 1:
                    self.grown_twice(item)
                self.grow(request, item)
            except Refused as why:
                refused = why
            results.append(self.grown(item["name"], refused))
        return {"throttleTimeMs": 0, "results": results}

    def check_time(self, request: Request) -> None:
        """Raise Refused if a request for the controller has no time left to begin with."""
        if request.value["timeoutMs"] <= 0:
            raise Refused(error_codes.REQUEST_TIMED_OUT)

    def grown_twice(self, item: Value) -> None:
        """Refuse a topic that the request has more than once, with Refused."""
        del item
        raise Refused(error_codes.INVALID_REQUEST, "The topic is given more than once.")

    def grow(self, request: Request, item: Value) -> None:
        """Add partitions to one topic, unless that is only to be validated. Raises Refused."""
        topic = self.topic_to_grow(request, item["name"])
        self.check_growth(topic, item["count"])
        added = self.added_replicas(topic, item)
        if not request.value["validateOnly"]:
            self.add_partitions(topic, added)

    def topic_to_grow(self, request: Request, name: str) -> Topic:
        """Return the topic, if the caller may alter it. Raises Refused."""
        if not self.may(request, ALTER, TOPIC, name):
            raise Refused(error_codes.TOPIC_AUTHORIZATION_FAILED, "Not authorized.")
        if name not in self.topics:
            raise Refused(error_codes.UNKNOWN_TOPIC_OR_PARTITION, "There is no topic of this name.")
        return self.topics[name]

    def check_growth(self, topic: Topic, count: int) -> None:
        """Raise Refused unless a topic may grow to so many partitions."""
        there = len(topic.replicas)
        if count <= there:
            raise Refused(
                error_codes.INVALID_PARTITIONS, f"There are {there} partition(s) already."
            )
        if count > MAX_PARTITIONS or count - there > self.partitions_left():
            raise Refused(error_codes.INVALID_PARTITIONS, "The cluster takes no more partitions.")

    def added_replicas(self, topic: Topic, item: Value) -> list[list[int]]:
        """Return the replicas of each new partition, as given or as chosen here. Raises Refused."""
        there, factor = len(topic.replicas), len(topic.replicas[0])
        if item["assignments"] is None:
            return [self.chosen_replicas(index, factor) for index in range(there, item["count"])]
        given = [each["brokerIds"] for each in item["assignments"]]
        if len(given) != item["count"] - there:
            raise bad_assignment("There are not as many assignments as new partitions.")
        for replicas in given:
            self.check_replicas(replicas)
            if len(replicas) != factor:
                raise bad_assignment("Not all partitions have as many replicas.")
        return given

    def chosen_replicas(self, index: int, factor: int) -> list[int]:
        """Return replicas for a partition without an assignment: the nodes from `index` on."""
        nodes = self.nodes
        start = index % len(nodes)
        return [*nodes[start:], *nodes[:start]][:factor]

    def check_replicas(self, replicas: list[int]) -> None:
        """Raise Refused for replicas that a partition can't have."""
        if not replicas:
            raise bad_assignment("A partition has no replica.")
        if len(set(replicas)) < len(replicas):
            raise bad_assignment("A partition has a broker more than once.")
        if not set(replicas) <= set(self.nodes):
            raise bad_assignment("There is no such broker.")

    def grown(self, name: str, refused: Refused) -> Value:
        """Return the result of a topic that has more partitions now, or that was refused them."""
        return {"name": name, "errorCode": refused.code, "errorMessage": refused.message}

    def alter_partition_reassignments(self, request: Request) -> Value:
        """Return one result for each partition, or an error of the whole."""
        try:
            self.check_controller()
            self.check_time(request)
            if not self.may_cluster(request, ALTER):
                raise Refused(error_codes.CLUSTER_AUTHORIZATION_FAILED, "Not authorized.")
        except Refused as refused:
            return self.reassignments_answered(request, refused, [])
        topics = [
            {
                "name": item["name"],
                "partitions": [
                    self.reassigned(item["name"], partition) for partition in item["partitions"]
                ],
            }
            for item in request.value["topics"]
        ]
        return self.reassignments_answered(request, Refused(error_codes.NONE), topics)

    def reassignments_answered(
        self, request: Request, refused: Refused, topics: list[Value]
    ) -> Value:
        """Return the answer as a whole."""
        answer = {
            "throttleTimeMs": 0,
            "errorCode": refused.code,
            "errorMessage": refused.message,
            "responses": topics,
        }
        if request.version > 0:
            answer["allowReplicationFactorChange"] = request.value["allowReplicationFactorChange"]
        return answer

    def reassigned(self, name: str, partition: Value) -> Value:
        """Return the result of the reassignment of one partition."""
        refused = Refused(error_codes.NONE)
        try:
            self.reassign(name, partition["partitionIndex"], partition["replicas"])
        except Refused as why:
            refused = why
        return {
            "partitionIndex": partition["partitionIndex"],
            "errorCode": refused.code,
            "errorMessage": refused.message,
        }

    def reassign(self, name: str, index: int, replicas: list[int] | None) -> None:
        """Give a partition other replicas; null cancels an unfinished change. Raises Refused."""
        if name not in self.topics or not 0 <= index < len(self.topics[name].replicas):
            raise Refused(error_codes.UNKNOWN_TOPIC_OR_PARTITION, "There is no such partition.")
        if replicas is None:
            raise Refused(error_codes.NO_REASSIGNMENT_IN_PROGRESS, "There is nothing to cancel.")
        self.check_replicas(replicas)
        self.topics[name].replicas[index] = replicas

    def list_partition_reassignments(self, request: Request) -> Value:
        """Return no reassignments, since each is over at once."""
        may = self.may_cluster(request, DESCRIBE)
        code = error_codes.NONE if may else error_codes.CLUSTER_AUTHORIZATION_FAILED
        return {"throttleTimeMs": 0, "errorCode": code, "errorMessage": None, "topics": []}


def bad_assignment(message: str) -> Refused:
    """Return the refusal of replicas that were assigned."""
    return Refused(error_codes.INVALID_REPLICA_ASSIGNMENT, message)
