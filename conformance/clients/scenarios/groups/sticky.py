"""Members that choose an assignor which leaves each what it has (KIP-54, KIP-429)."""

from __future__ import annotations

from typing import ClassVar

from conformance import error_codes
from conformance.clients.scenarios.control_cases import ServesMembers
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit, succeeds
from conformance.dialogue import NotApplicable
from conformance.reference.broker.cluster import Request, Value


def joins_twice(visit: Visit) -> None:
    """It gets what it wanted, having joined again."""
    succeeds(visit)
    if len(visit.of("JoinGroup")) < 2:
        raise NotApplicable("it did not join again")


class JoinsSticky(Scenario):
    """Lets a member join that leaves each what it has."""

    about = "JoinGroupRequest"
    action = "sticky"
    control_case = ServesMembers
    decides: ClassVar = {"client-groups.sticky-shared-out": succeeds}


class JoinsStickyAgain(JoinsSticky):
    """Answers the first Heartbeat of a member that leaves each what it has with a rebalance."""

    decides: ClassVar = {"client-groups.sticky-shared-out": joins_twice}
    is_told = False

    def heartbeat(self, request: Request) -> Value:
        answer = super().heartbeat(request)
        if self.is_told:
            return answer
        self.is_told = True
        return {**answer, "errorCode": error_codes.REBALANCE_IN_PROGRESS}
