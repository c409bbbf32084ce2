"""Clients that alter, delete or change something else than requested, or ask the wrong broker for
it.
"""

from __future__ import annotations

from conformance.api_keys import DELETE_ACLS, DESCRIBE_ACLS, DESCRIBE_LOG_DIRS
from conformance.clients.mutants.mutant import ClientMutant
from conformance.reference.broker.admin.acls import OPERATIONS
from conformance.reference.client import Course, Failed
from conformance.testee_protocol import Value

ANY = 1


class DeletesAclsOfAnyPattern(ClientMutant, breaks="client-requests.numbers-as-meant"):
    """Looks for ACLs of patterns of any type where it is to delete those of a literal one."""

    def wanted(self, api_key: int, change: Value) -> Value:
        if api_key != DELETE_ACLS:
            return change
        return {"filters": [{**each, "patternTypeFilter": ANY} for each in change["filters"]]}


class NoTopicInLogDirs(ClientMutant, breaks="client-requests.asked-as-given"):
    """Asks what of no topic is in log dirs where it wants to know that of all."""

    def wanted(self, api_key: int, change: Value) -> Value:
        return {"topics": []} if api_key == DESCRIBE_LOG_DIRS else change


class AsksAnyForOne(ClientMutant, breaks="client-requests.broker-itself-asked"):
    """Asks the broker that it knows first for what one broker alone has."""

    def broker_to_ask(self, answer: Value) -> int:
        return int(answer["brokers"][0]["nodeId"])


class DeletesOffsetsAnywhere(ClientMutant, breaks="client-coordinators.offsets-deleted-there"):
    """Deletes the offsets of a group at the broker that it has asked who looks after it."""

    def reach_for_offsets(self, coordinator: Value) -> Course:
        yield from ()


class KnowsAllOperations(ClientMutant, breaks="client-answers.newer-codes-read"):
    """Fails where an ACL is about an operation that it has no name for."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        value = super().read(api_key, version, frame)
        for resource in value["resources"] if api_key == DESCRIBE_ACLS else []:
            if any(each["operation"] not in OPERATIONS for each in resource["acls"]):
                raise Failed("an ACL is about an operation that there is not")
        return value


class AssignsToNobody(ClientMutant, breaks="client-requests.none-assigned-is-null"):
    """Writes an empty list of assignments where none were given."""

    def assigned(self) -> list[Value] | None:
        return []

    def check(self, code: int, what: str) -> None:
        if not what.startswith("the partitions"):
            super().check(code, what)


class GrowsAtOnce(ClientMutant, breaks="client-requests.validation-is-told"):
    """Adds partitions where it was to ask whether it may."""

    validates_only = False


class DeletesAtTheController(ClientMutant, breaks="client-requests.records-deleted-at-leader"):
    """Has records deleted by the controller."""

    def reach_for_deletion(self) -> Course:
        yield from self.reach_controller()


class TopicsAreThere(ClientMutant, breaks="client-answers.missing-topic-told"):
    """Describes a topic without a look at its error."""

    def error_of(self, topic: Value) -> int:
        return 0


class ReadsErrorsElsewhere(ClientMutant, breaks="client-answers.topic-described"):
    """Looks for a topic's error where Metadata has none."""

    def error_of(self, topic: Value) -> int:
        raise Failed("a topic has no such field")
