"""CreatePartitions and AlterPartitionReassignments: partitions lost, doubled and misplaced."""

from __future__ import annotations

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.admin.partitions import bad_assignment
from conformance.reference.broker.cluster import Request, Topic, Value
from conformance.reference.broker.errors import Hangup, Refused

NOBODY = 99


class CountTakenForMore(BrokerMutant, breaks="partitions.added"):
    """Adds as many partitions as the topic is to have."""

    implies = ("partitions.assignment-followed",)

    def added_replicas(self, topic: Topic, item: Value) -> list[list[int]]:
        found = super().added_replicas(topic, item)
        return found + [found[0]] * (item["count"] - len(found))


class OnePartitionAdded(BrokerMutant, breaks="partitions.added"):
    """Adds one partition, however many were asked for."""

    implies = ("partitions.assignment-followed",)

    def added_replicas(self, topic: Topic, item: Value) -> list[list[int]]:
        return super().added_replicas(topic, item)[:1]


class AddedToNobody(BrokerMutant, breaks="partitions.added"):
    """Adds partitions on a broker that there is not."""

    implies = ("partitions.assignment-followed",)

    def add_partitions(self, topic: Topic, replicas: list[list[int]]) -> None:
        super().add_partitions(topic, [[NOBODY] * len(each) for each in replicas])


class GrowthNotBegun(BrokerMutant, breaks="partitions.added"):
    """Answers CreatePartitions without error, and adds nothing."""

    implies = ("partitions.assignment-followed",)

    def add_partitions(self, topic: Topic, replicas: list[list[int]]) -> None:
        """Add nothing."""


class AddedOnesAreDown(BrokerMutant, breaks="partitions.assignment-followed"):
    """Adds assigned partitions that nobody can reach."""

    def added_replicas(self, topic: Topic, item: Value) -> list[list[int]]:
        found = super().added_replicas(topic, item)
        return [[NOBODY, *each[1:]] for each in found] if item["assignments"] else found


class AssignedOnesBeginAtZero(BrokerMutant, breaks="partitions.assignment-followed"):
    """Takes assignments for all partitions of a topic, and leaves the last ones out."""

    def added_replicas(self, topic: Topic, item: Value) -> list[list[int]]:
        found = super().added_replicas(topic, item)
        return found[len(topic.replicas) :] if item["assignments"] else found


class AddedReplaceThoseThere(BrokerMutant, breaks="partitions.assignment-followed"):
    """Replaces the partitions of a topic by those that are assigned."""

    implies = ("partitions.added",)

    def add_partitions(self, topic: Topic, replicas: list[list[int]]) -> None:
        super().add_partitions(topic, replicas)
        del topic.replicas[: len(replicas)]


class FewerPartitionsTaken(BrokerMutant, breaks="partitions.never-fewer"):
    """Answers fewer partitions than there are without an error."""

    def check_growth(self, topic: Topic, count: int) -> None:
        if 0 < count < len(topic.replicas):
            del topic.replicas[count:]
            raise Refused(error_codes.NONE)
        super().check_growth(topic, count)


class AsManyIsNoError(BrokerMutant, breaks="partitions.never-fewer"):
    """Answers as many partitions as there are without an error."""

    def check_growth(self, topic: Topic, count: int) -> None:
        if count == len(topic.replicas):
            raise Refused(error_codes.NONE)
        super().check_growth(topic, count)


class FewerIsARequest(BrokerMutant, breaks="partitions.never-fewer"):
    """Refuses fewer partitions with INVALID_REQUEST."""

    def check_growth(self, topic: Topic, count: int) -> None:
        if count <= len(topic.replicas):
            raise Refused(error_codes.INVALID_REQUEST)


class NewOnesTwiceOnOneBroker(BrokerMutant, breaks="partitions.bad-assignment-refused"):
    """Takes an assignment of new partitions that names one broker twice."""

    implies = ("topics.bad-assignment-refused",)

    def check_replicas(self, replicas: list[int]) -> None:
        super().check_replicas(list(dict.fromkeys(replicas)))

    def added_replicas(self, topic: Topic, item: Value) -> list[list[int]]:
        for each in item["assignments"] or []:
            each["brokerIds"] = list(dict.fromkeys(each["brokerIds"]))
        return super().added_replicas(topic, item)


class NewOnesOnUnknownBroker(BrokerMutant, breaks="partitions.bad-assignment-refused"):
    """Takes an assignment of new partitions to a broker that there is not."""

    implies = ("topics.bad-assignment-refused",)

    def check_replicas(self, replicas: list[int]) -> None:
        if not replicas or len(set(replicas)) < len(replicas):
            raise bad_assignment("Not these.")


class AssignmentsLeftOver(BrokerMutant, breaks="partitions.bad-assignment-refused"):
    """Takes more assignments than there are new partitions."""

    def added_replicas(self, topic: Topic, item: Value) -> list[list[int]]:
        wanted = item["count"] - len(topic.replicas)
        given = item["assignments"]
        return super().added_replicas(topic, {**item, "assignments": given and given[:wanted]})


class BadAssignmentOfNewOnesCloses(BrokerMutant, breaks="partitions.bad-assignment-refused"):
    """Hangs up on an assignment of new partitions that can't be."""

    def added_replicas(self, topic: Topic, item: Value) -> list[list[int]]:
        try:
            return super().added_replicas(topic, item)
        except Refused:
            raise Hangup from None


class FirstFailureEndsGrowth(BrokerMutant, breaks="results.one-for-each"):
    """Leaves every topic out of the answer to CreatePartitions behind the first that failed."""

    def create_partitions(self, request: Request) -> Value:
        found = super().create_partitions(request)
        codes = [bool(each["errorCode"]) for each in found["results"]]
        end = codes.index(True) + 1 if True in codes else len(codes)
        return {**found, "results": found["results"][:end]}


class OneFailureFailsGrowth(BrokerMutant, breaks="partitions.failures-spare-others"):
    """Answers all topics of a CreatePartitions with an error where one has it."""

    def create_partitions(self, request: Request) -> Value:
        found = super().create_partitions(request)
        codes = [each["errorCode"] for each in found["results"] if each["errorCode"]]
        for each in found["results"]:
            each["errorCode"] = codes[0] if codes else 0
        return found


class GrownTwiceTakesTheLast(BrokerMutant, breaks="partitions.duplicate-refused"):
    """Takes a topic that CreatePartitions names twice."""

    def grown_twice(self, item: Value) -> None:
        """Raise no error."""


class GrownTwiceAnsweredTwice(BrokerMutant, breaks="partitions.duplicate-refused"):
    """Answers a topic that CreatePartitions names twice with two results."""

    def create_partitions(self, request: Request) -> Value:
        found = super().create_partitions(request)
        by_name = {each["name"]: each for each in found["results"]}
        results = [by_name[each["name"]] for each in request.value["topics"]]
        return {**found, "results": results}


class ValidatedGrowthIsDone(BrokerMutant, breaks="partitions.validate-only-adds-none"):
    """Adds partitions that were only to be validated."""

    def grow(self, request: Request, item: Value) -> None:
        request.value["validateOnly"] = False
        super().grow(request, item)


class ValidatedGrowthIsRefused(BrokerMutant, breaks="partitions.validate-only-adds-none"):
    """Refuses to validate more partitions."""

    def grow(self, request: Request, item: Value) -> None:
        if request.value["validateOnly"]:
            raise Refused(error_codes.INVALID_REQUEST)
        super().grow(request, item)


class OneFailureFailsReassignments(BrokerMutant, breaks="partitions.reassigned-one-by-one"):
    """Answers all reassignments of a request with an error where one has it."""

    def alter_partition_reassignments(self, request: Request) -> Value:
        found = super().alter_partition_reassignments(request)
        every = [each for topic in found["responses"] for each in topic["partitions"]]
        codes = [each["errorCode"] for each in every if each["errorCode"]]
        for each in every:
            each["errorCode"] = codes[0] if codes else 0
        return found


class OneFailureFailsTheWhole(BrokerMutant, breaks="partitions.reassigned-one-by-one"):
    """Answers reassignments of which one fails with an error of the whole."""

    def alter_partition_reassignments(self, request: Request) -> Value:
        found = super().alter_partition_reassignments(request)
        every = [each for topic in found["responses"] for each in topic["partitions"]]
        code = next((each["errorCode"] for each in every if each["errorCode"]), 0)
        return {**found, "errorCode": code, "responses": []} if code else found


class FailedReassignmentsLeftOut(BrokerMutant, breaks="results.one-for-each"):
    """Answers the reassignments that it carries out alone."""

    def alter_partition_reassignments(self, request: Request) -> Value:
        found = super().alter_partition_reassignments(request)
        for topic in found["responses"]:
            partitions = topic["partitions"]
            topic["partitions"] = [each for each in partitions if not each["errorCode"]]
        return found


class NullLeavesNoReplica(BrokerMutant, breaks="partitions.null-cancels"):
    """Takes null in place of replicas for an empty list, and loses the partition."""

    def reassign(self, name: str, index: int, replicas: list[int] | None) -> None:
        if replicas is None and name in self.topics:
            self.topics[name].replicas[index] = []
            return
        super().reassign(name, index, replicas)


class NothingToCancelIsNoError(BrokerMutant, breaks="partitions.null-cancels"):
    """Cancels reassignments that there are not, without error."""

    def reassign(self, name: str, index: int, replicas: list[int] | None) -> None:
        if replicas is not None:
            super().reassign(name, index, replicas)


class NullReplicasClose(BrokerMutant, breaks="api-versions.advertised-is-served"):
    """Hangs up on null in place of replicas."""

    def reassign(self, name: str, index: int, replicas: list[int] | None) -> None:
        if replicas is None:
            raise Hangup
        super().reassign(name, index, replicas)


class ReassignedToNobody(BrokerMutant, breaks="partitions.reassignment-followed"):
    """Moves a partition to where nobody can reach it."""

    def reassign(self, name: str, index: int, replicas: list[int] | None) -> None:
        super().reassign(name, index, replicas)
        self.topics[name].replicas[index] = [NOBODY]


class AllPartitionsReassigned(BrokerMutant, breaks="partitions.reassignment-followed"):
    """Loses the other partitions of a topic when one is moved."""

    def reassign(self, name: str, index: int, replicas: list[int] | None) -> None:
        super().reassign(name, index, replicas)
        topic = self.topics[name]
        topic.replicas = [
            each if number == index else [NOBODY] for number, each in enumerate(topic.replicas)
        ]


class ReassignmentRefused(BrokerMutant, breaks="partitions.reassignment-followed"):
    """Refuses replicas that a partition has already."""

    def reassign(self, name: str, index: int, replicas: list[int] | None) -> None:
        super().reassign(name, index, replicas)
        raise Refused(error_codes.INVALID_REPLICA_ASSIGNMENT)
