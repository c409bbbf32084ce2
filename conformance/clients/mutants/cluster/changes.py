"""Clients that request a wrong change to a topic, or ask the wrong broker for it."""

from __future__ import annotations

from conformance.clients.mutants.mutant import ClientMutant
from conformance.reference.client import Course, Failed
from conformance.testee_protocol import Value


class AssignsToNobody(ClientMutant):
    """Writes an empty list of assignments where none were given."""

    breaks = "client-requests.none-assigned-is-null"

    def assigned(self) -> list[Value] | None:
        return []

    def check(self, code: int, what: str) -> None:
        if not what.startswith("the partitions"):
            super().check(code, what)


class GrowsAtOnce(ClientMutant):
    """Adds partitions where it was to ask whether it may."""

    breaks = "client-requests.validation-is-told"
    validates_only = False


class DeletesAtTheController(ClientMutant):
    """Has records deleted by the controller."""

    breaks = "client-requests.records-deleted-at-leader"

    def reach_for_deletion(self) -> Course:
        yield from self.reach_controller()


class TopicsAreThere(ClientMutant):
    """Describes a topic without a look at its error."""

    breaks = "client-answers.missing-topic-told"

    def error_of(self, topic: Value) -> int:
        return 0


class ReadsErrorsElsewhere(ClientMutant):
    """Looks for a topic's error where Metadata has none."""

    breaks = "client-answers.topic-described"

    def error_of(self, topic: Value) -> int:
        raise Failed("a topic has no such field")
