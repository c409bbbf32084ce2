"""Clients that request a wrong change to a topic, or ask the wrong broker for it."""

from __future__ import annotations

from conformance.clients.mutants.mutant import ClientMutant
from conformance.reference.client import Course, Failed
from conformance.testee_protocol import Value


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
