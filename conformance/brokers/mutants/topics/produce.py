"""Produce without acknowledgement, answered all the same, or not carried out."""

from __future__ import annotations

from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.cluster import Request, Topic, Value
from conformance.reference.broker.errors import Hangup


class UnwantedAnswer(BrokerMutant, breaks="produce.unanswered-without-acks"):
    """Answers Produce with acks 0 as any other."""

    def leave_unanswered(self, topics: list[Value]) -> None:
        """Do nothing, so that the answer is sent."""


class UnwantedEmptyAnswer(BrokerMutant, breaks="produce.unanswered-without-acks"):
    """Answers Produce with acks 0, and tells nothing."""

    def leave_unanswered(self, topics: list[Value]) -> None:
        topics.clear()


class WithoutAcksCloses(BrokerMutant, breaks="produce.unanswered-without-acks"):
    """Hangs up on Produce with acks 0."""

    def leave_unanswered(self, topics: list[Value]) -> None:
        raise Hangup


class WithoutAcksIsDropped(BrokerMutant, breaks="produce.unanswered-without-acks"):
    """Drops the records of a Produce with acks 0."""

    def append(self, request: Request, topic: Topic, data: Value) -> int:
        if request.value["acks"] == 0:
            return 0
        return super().append(request, topic, data)
