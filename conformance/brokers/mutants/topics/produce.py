"""Produce without acknowledgement, answered all the same, or not carried out."""

from __future__ import annotations

from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.cluster import Request, Topic, Value
from conformance.reference.broker.errors import Hangup


class UnwantedAnswer(BrokerMutant):
    """Answers Produce with acks 0 as any other."""

    breaks = "produce.unanswered-without-acks"

    def leave_unanswered(self, topics: list[Value]) -> None:
        """Do nothing, so that the answer is sent."""


class UnwantedEmptyAnswer(BrokerMutant):
    """Answers Produce with acks 0, and tells nothing."""

    breaks = "produce.unanswered-without-acks"

    def leave_unanswered(self, topics: list[Value]) -> None:
        topics.clear()


class WithoutAcksCloses(BrokerMutant):
    """Hangs up on Produce with acks 0."""

    breaks = "produce.unanswered-without-acks"

    def leave_unanswered(self, topics: list[Value]) -> None:
        raise Hangup


class WithoutAcksIsDropped(BrokerMutant):
    """Drops the records of a Produce with acks 0."""

    breaks = "produce.unanswered-without-acks"

    def append(self, request: Request, topic: Topic, data: Value) -> int:
        if request.value["acks"] == 0:
            return 0
        return super().append(request, topic, data)
