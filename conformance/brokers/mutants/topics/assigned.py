"""Topics whose partitions are on other brokers than was said, or on such as there are not."""

from __future__ import annotations

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.admin.partitions import bad_assignment
from conformance.reference.broker.cluster import Value
from conformance.reference.broker.errors import Refused

NOBODY = 99


class BrokerTwiceAssigned(BrokerMutant, breaks="topics.bad-assignment-refused"):
    """Takes an assignment that names one broker twice for a partition."""

    def check_replicas(self, replicas: list[int]) -> None:
        super().check_replicas(list(dict.fromkeys(replicas)))


class UnknownBrokerAssigned(BrokerMutant, breaks="topics.bad-assignment-refused"):
    """Takes an assignment to a broker that there is not."""

    implies = ("partitions.bad-assignment-refused", "partitions.reassigned-one-by-one")

    def check_replicas(self, replicas: list[int]) -> None:
        if not replicas or len(set(replicas)) < len(replicas):
            raise bad_assignment("Not these.")


class GapBetweenPartitions(BrokerMutant, breaks="topics.bad-assignment-refused"):
    """Takes an assignment with a gap between the partitions."""

    def assigned_replicas(self, item: Value) -> list[list[int]]:
        numbers = sorted({each["partitionIndex"] for each in item["assignments"]})
        closed = [
            {**each, "partitionIndex": numbers.index(each["partitionIndex"])}
            for each in item["assignments"]
        ]
        return super().assigned_replicas({**item, "assignments": closed})


class BadAssignmentIsARequest(BrokerMutant, breaks="topics.bad-assignment-refused"):
    """Refuses an assignment that can't be with INVALID_REQUEST."""

    implies = ("partitions.bad-assignment-refused", "partitions.reassigned-one-by-one")

    def check_replicas(self, replicas: list[int]) -> None:
        try:
            super().check_replicas(replicas)
        except Refused:
            raise Refused(error_codes.INVALID_REQUEST) from None


class ChoosesBrokersThatAreNot(BrokerMutant, breaks="topics.server-chooses-brokers"):
    """Puts partitions on brokers that there are not."""

    def chosen_replicas(self, index: int, factor: int) -> list[int]:
        return [*super().chosen_replicas(index, factor)[1:], NOBODY]


class ChoosesOneBrokerTwice(BrokerMutant, breaks="topics.server-chooses-brokers"):
    """Puts two replicas of a partition on one broker."""

    implies = ("partitions.added",)

    def chosen_replicas(self, index: int, factor: int) -> list[int]:
        found = super().chosen_replicas(index, factor)
        return [*found, found[0]]


class ChoosesForTheFirstAlone(BrokerMutant, breaks="topics.server-chooses-brokers"):
    """Creates a topic without an assignment with its first partition alone."""

    def replicas_of(self, item: Value) -> list[list[int]]:
        found = super().replicas_of(item)
        return found if item["assignments"] else found[:1]


class AssignedPartitionsCut(BrokerMutant, breaks="topics.assignment-followed"):
    """Takes the first partition of an assignment, and no other."""

    def assigned_replicas(self, item: Value) -> list[list[int]]:
        return super().assigned_replicas(item)[:1]


class AssignmentChecked(BrokerMutant, breaks="topics.assignment-followed"):
    """Checks an assignment, and then chooses the brokers itself."""

    def assigned_replicas(self, item: Value) -> list[list[int]]:
        super().assigned_replicas(item)
        return [self.chosen_replicas(index, 1) for index in range(self.num_partitions)]


class FirstReplicaIsDown(BrokerMutant, breaks="topics.assignment-followed"):
    """Creates assigned partitions that nobody can reach."""

    def assigned_replicas(self, item: Value) -> list[list[int]]:
        return [[NOBODY, *replicas[1:]] for replicas in super().assigned_replicas(item)]
