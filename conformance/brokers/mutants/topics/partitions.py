"""CreatePartitions and AlterPartitionReassignments: partitions lost, doubled and misplaced."""

from __future__ import annotations

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.admin.partitions import bad_assignment
from conformance.reference.broker.cluster import Request, Topic, Value
from conformance.reference.broker.errors import Hangup, Refused

NOBODY = 99


class CountTakenForMore(BrokerMutant):
    """Adds as many partitions as the topic is to have."""

    breaks = "partitions.added"
    implies = ("partitions.assignment-followed",)

    def added_replicas(self, topic: Topic, item: Value) -> list[list[int]]:
        found = super().added_replicas(topic, item)
        return found + [found[0]] * (item["count"] - len(found))


class OnePartitionAdded(BrokerMutant):
    """Adds one partition, however many were asked for."""

    breaks = "partitions.added"
    implies = ("partitions.assignment-followed",)

    def added_replicas(self, topic: Topic, item: Value) -> list[list[int]]:
        return super().added_replicas(topic, item)[:1]


class AddedToNobody(BrokerMutant):
    """Adds partitions on a broker that there is not."""

    breaks = "partitions.added"
    implies = ("partitions.assignment-followed",)

    def add_partitions(self, topic: Topic, replicas: list[list[int]]) -> None:
        super().add_partitions(topic, [[NOBODY] * len(each) for each in replicas])


class GrowthNotBegun(BrokerMutant):
    """Answers CreatePartitions without error, and adds nothing."""

    breaks = "partitions.added"
    implies = ("partitions.assignment-followed",)

    def add_partitions(self, topic: Topic, replicas: list[list[int]]) -> None:
        """Add nothing."""


class AddedOnesAreDown(BrokerMutant):
    """Adds assigned partitions that nobody can reach."""

    breaks = "partitions.assignment-followed"

    def added_replicas(self, topic: Topic, item: Value) -> list[list[int]]:
        found = super().added_replicas(topic, item)
        return [[NOBODY, *each[1:]] for each in found] if item["assignments"] else found


class AssignedOnesBeginAtZero(BrokerMutant):
    """Takes assignments for all partitions of a topic, and leaves the last ones out."""

    breaks = "partitions.assignment-followed"

    def added_replicas(self, topic: Topic, item: Value) -> list[list[int]]:
        found = super().added_replicas(topic, item)
        return found[len(topic.replicas) :] if item["assignments"] else found


class AddedReplaceThoseThere(BrokerMutant):
    """Replaces the partitions of a topic by those that are assigned."""

    breaks = "partitions.assignment-followed"
    implies = ("partitions.added",)

    def add_partitions(self, topic: Topic, replicas: list[list[int]]) -> None:
        super().add_partitions(topic, replicas)
        del topic.replicas[: len(replicas)]


class FewerPartitionsTaken(BrokerMutant):
    """Answers fewer partitions than there are without an error."""

    breaks = "partitions.never-fewer"

    def check_growth(self, topic: Topic, count: int) -> None:
        if 0 < count < len(topic.replicas):
            del topic.replicas[count:]
            raise Refused(error_codes.NONE)
        super().check_growth(topic, count)


class AsManyIsNoError(BrokerMutant):
    """Answers as many partitions as there are without an error."""

    breaks = "partitions.never-fewer"

    def check_growth(self, topic: Topic, count: int) -> None:
        if count == len(topic.replicas):
            raise Refused(error_codes.NONE)
        super().check_growth(topic, count)


class FewerIsARequest(BrokerMutant):
    """Refuses fewer partitions with INVALID_REQUEST."""

    breaks = "partitions.never-fewer"

    def check_growth(self, topic: Topic, count: int) -> None:
        if count <= len(topic.replicas):
            raise Refused(error_codes.INVALID_REQUEST)


class NewOnesTwiceOnOneBroker(BrokerMutant):
    """Takes an assignment of new partitions that names one broker twice."""

    breaks = "partitions.bad-assignment-refused"
    implies = ("topics.bad-assignment-refused",)

    def check_replicas(self, replicas: list[int]) -> None:
        super().check_replicas(list(dict.fromkeys(replicas)))

    def added_replicas(self, topic: Topic, item: Value) -> list[list[int]]:
        for each in item["assignments"] or []:
            each["brokerIds"] = list(dict.fromkeys(each["brokerIds"]))
        return super().added_replicas(topic, item)


class NewOnesOnUnknownBroker(BrokerMutant):
    """Takes an assignment of new partitions to a broker that there is not."""

    breaks = "partitions.bad-assignment-refused"
    implies = ("topics.bad-assignment-refused",)

    def check_replicas(self, replicas: list[int]) -> None:
        if not replicas or len(set(replicas)) < len(replicas):
            raise bad_assignment("Not these.")


class AssignmentsLeftOver(BrokerMutant):
    """Takes more assignments than there are new partitions."""

    breaks = "partitions.bad-assignment-refused"

    def added_replicas(self, topic: Topic, item: Value) -> list[list[int]]:
        wanted = item["count"] - len(topic.replicas)
        given = item["assignments"]
        return super().added_replicas(topic, {**item, "assignments": given and given[:wanted]})


class BadAssignmentOfNewOnesCloses(BrokerMutant):
    """Hangs up on an assignment of new partitions that can't be."""

    breaks = "partitions.bad-assignment-refused"

    def added_replicas(self, topic: Topic, item: Value) -> list[list[int]]:
        try:
            return super().added_replicas(topic, item)
        except Refused:
            raise Hangup from None


class FirstFailureEndsGrowth(BrokerMutant):
    """Leaves every topic out of the answer to CreatePartitions behind the first that failed."""

    breaks = "results.one-for-each"

    def create_partitions(self, request: Request) -> Value:
        found = super().create_partitions(request)
        codes = [bool(each["errorCode"]) for each in found["results"]]
        end = codes.index(True) + 1 if True in codes else len(codes)
        return {**found, "results": found["results"][:end]}


class OneFailureFailsGrowth(BrokerMutant):
    """Answers all topics of a CreatePartitions with an error where one has it."""

    breaks = "partitions.failures-spare-others"

    def create_partitions(self, request: Request) -> Value:
        found = super().create_partitions(request)
        codes = [each["errorCode"] for each in found["results"] if each["errorCode"]]
        for each in found["results"]:
            each["errorCode"] = codes[0] if codes else 0
        return found


class GrownTwiceTakesTheLast(BrokerMutant):
    """Takes a topic that CreatePartitions names twice."""

    breaks = "partitions.duplicate-refused"

    def grown_twice(self, item: Value) -> None:
        """Raise no error."""


class GrownTwiceAnsweredTwice(BrokerMutant):
    """Answers a topic that CreatePartitions names twice with two results."""

    breaks = "partitions.duplicate-refused"

    def create_partitions(self, request: Request) -> Value:
        found = super().create_partitions(request)
        by_name = {each["name"]: each for each in found["results"]}
        results = [by_name[each["name"]] for each in request.value["topics"]]
        return {**found, "results": results}


class ValidatedGrowthIsDone(BrokerMutant):
    """Adds partitions that were only to be validated."""

    breaks = "partitions.validate-only-adds-none"

    def grow(self, request: Request, item: Value) -> None:
        request.value["validateOnly"] = False
        super().grow(request, item)


class ValidatedGrowthIsRefused(BrokerMutant):
    """Refuses to validate more partitions."""

    breaks = "partitions.validate-only-adds-none"

    def grow(self, request: Request, item: Value) -> None:
        if request.value["validateOnly"]:
            raise Refused(error_codes.INVALID_REQUEST)
        super().grow(request, item)


class OneFailureFailsReassignments(BrokerMutant):
    """Answers all reassignments of a request with an error where one has it."""

    breaks = "partitions.reassigned-one-by-one"

    def alter_partition_reassignments(self, request: Request) -> Value:
        found = super().alter_partition_reassignments(request)
        every = [each for topic in found["responses"] for each in topic["partitions"]]
        codes = [each["errorCode"] for each in every if each["errorCode"]]
        for each in every:
            each["errorCode"] = codes[0] if codes else 0
        return found


class OneFailureFailsTheWhole(BrokerMutant):
    """Answers reassignments of which one fails with an error of the whole."""

    breaks = "partitions.reassigned-one-by-one"

    def alter_partition_reassignments(self, request: Request) -> Value:
        found = super().alter_partition_reassignments(request)
        every = [each for topic in found["responses"] for each in topic["partitions"]]
        code = next((each["errorCode"] for each in every if each["errorCode"]), 0)
        return {**found, "errorCode": code, "responses": []} if code else found


class FailedReassignmentsLeftOut(BrokerMutant):
    """Answers the reassignments that it carries out alone."""

    breaks = "results.one-for-each"

    def alter_partition_reassignments(self, request: Request) -> Value:
        found = super().alter_partition_reassignments(request)
        for topic in found["responses"]:
            partitions = topic["partitions"]
            topic["partitions"] = [each for each in partitions if not each["errorCode"]]
        return found


class NullLeavesNoReplica(BrokerMutant):
    """Takes null in place of replicas for an empty list, and loses the partition."""

    breaks = "partitions.null-cancels"

    def reassign(self, name: str, index: int, replicas: list[int] | None) -> None:
        if replicas is None and name in self.topics:
            self.topics[name].replicas[index] = []
            return
        super().reassign(name, index, replicas)


class NothingToCancelIsNoError(BrokerMutant):
    """Cancels reassignments that there are not, without error."""

    breaks = "partitions.null-cancels"

    def reassign(self, name: str, index: int, replicas: list[int] | None) -> None:
        if replicas is not None:
            super().reassign(name, index, replicas)


class NullReplicasClose(BrokerMutant):
    """Hangs up on null in place of replicas."""

    breaks = "api-versions.advertised-is-served"

    def reassign(self, name: str, index: int, replicas: list[int] | None) -> None:
        if replicas is None:
            raise Hangup
        super().reassign(name, index, replicas)


class ReassignedToNobody(BrokerMutant):
    """Moves a partition to where nobody can reach it."""

    breaks = "partitions.reassignment-followed"

    def reassign(self, name: str, index: int, replicas: list[int] | None) -> None:
        super().reassign(name, index, replicas)
        self.topics[name].replicas[index] = [NOBODY]


class AllPartitionsReassigned(BrokerMutant):
    """Loses the other partitions of a topic when one is moved."""

    breaks = "partitions.reassignment-followed"

    def reassign(self, name: str, index: int, replicas: list[int] | None) -> None:
        super().reassign(name, index, replicas)
        topic = self.topics[name]
        topic.replicas = [
            each if number == index else [NOBODY] for number, each in enumerate(topic.replicas)
        ]


class ReassignmentRefused(BrokerMutant):
    """Refuses replicas that a partition has already."""

    breaks = "partitions.reassignment-followed"

    def reassign(self, name: str, index: int, replicas: list[int] | None) -> None:
        super().reassign(name, index, replicas)
        raise Refused(error_codes.INVALID_REPLICA_ASSIGNMENT)
