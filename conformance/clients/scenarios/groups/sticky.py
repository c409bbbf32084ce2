"""Members that choose an assignor which leaves each what it has (KIP-54, KIP-429)."""

from __future__ import annotations

from typing import ClassVar

from conformance.clients.scenarios.actions import Action
from conformance.clients.scenarios.groups.members import RebalanceInHeartbeat
from conformance.clients.scenarios.plain_brokers import ServesMembers
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit, succeeds
from conformance.dialogue import NotApplicable


def joins_twice(visit: Visit) -> None:
    """Judge that the client succeeds after it joined again."""
    succeeds(visit)
    if len(visit.of("JoinGroup")) < 2:
        raise NotApplicable("it did not join again")


class JoinsSticky(Scenario):
    """Lets a member join that leaves each what it has."""

    about = "JoinGroupRequest"
    action: ClassVar[Action] = "sticky"
    control_case = ServesMembers
    decides: ClassVar = {"client-groups.sticky-shared-out": succeeds}


class JoinsStickyAgain(JoinsSticky, RebalanceInHeartbeat):
    """Answers the first Heartbeat of a member that leaves each what it has with a rebalance."""

    decides: ClassVar = {"client-groups.sticky-shared-out": joins_twice}
