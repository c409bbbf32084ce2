"""Who a client is told of to begin with: several brokers, as one of them may be down."""

from __future__ import annotations

from typing import ClassVar

from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import succeeds
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Unanswered

SECOND = 2


class _Second(Scenario):
    """The broker that there is, whom the client is told of as well."""

    def leader_of(self, topic: str) -> int:
        del topic
        return SECOND

    def brokers(self) -> list[Value]:
        return [each for each in super().brokers() if each["nodeId"] == SECOND]

    @property
    def nodes(self) -> list[int]:
        return [SECOND]

    def controller_id(self) -> int:
        return SECOND


class TwoTold(_Second):
    """Is no broker of the cluster any more, and answers as the one that there is."""

    told = 2
    others: ClassVar = {SECOND: _Second}


class _NeverAnswers(Session):
    """Takes what comes, and says nothing."""

    def handle(self, request: Request) -> Value:
        del request
        raise Unanswered


class FirstIsSilent(TwoTold):
    """Never answers, the first of two brokers that the client is told of."""

    control_case = TwoTold
    answers = ""
    sessions = _NeverAnswers
    decides: ClassVar = {"client-requests.next-bootstrap-asked": succeeds}
