"""Members that assign partitions: a leader asks Metadata for their number first, and a sticky
assignor leaves each member what it has (KIP-54, KIP-429).
"""

from __future__ import annotations

from typing import ClassVar

from conformance.clients.scenarios.actions import FILLED
from conformance.clients.scenarios.groups.members import RebalanceInHeartbeat
from conformance.clients.scenarios.plain_brokers import ServesMembers
from conformance.clients.scenarios.playing import Rewrites
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit, describe, require, succeeds, survives
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.broker.cluster import Request, Value
from conformance.schema.layout import Form

GAVE_UP = "DriverTimeout"
"""The word of a driver that gives up before its client does."""


def is_not_left_waiting(visit: Visit) -> None:
    """Judge that the client goes on or fails, if it asked for the topic after JoinGroup."""
    joined = next((each for each in visit.sent if each.api == "JoinGroup"), None)
    asked = visit.sent[visit.sent.index(joined) :] if joined else []
    if not any(FILLED in _named(each.value) for each in asked if each.api == "Metadata"):
        raise NotApplicable("it did not ask Metadata for the topic behind JoinGroup")
    require(visit.ended.outcome != "crashed", "it crashed, which other rules are about")
    survives(visit)
    if visit.ended.outcome == "error" and visit.ended.text.startswith(GAVE_UP):
        raise Broken(f"the client waited until its {describe(visit.ended)}", "ok or error", "none")


def _named(asked: Value | None) -> list[str]:
    return [each["name"] for each in (asked or {}).get("topics") or ()]


class MetadataOfLeaderUnreadable(Rewrites, about="MetadataRequest", action="join"):
    """Answers the first Metadata of the topic behind the first JoinGroup with half of an answer."""

    decides: ClassVar = {"client-answers.unreadable-not-awaited": is_not_left_waiting}
    left = 0
    has_joined = False
    is_cut = False

    def join_group(self, request: Request) -> Value:
        found = super().join_group(request)
        if not self.has_joined:
            self.has_joined, self.left = True, 1
        return found

    def body(self, form: Form, body: Value) -> Value:
        self.is_cut = bool(self.left and body["topics"])
        self.left -= self.is_cut
        return body

    def frame(self, form: Form, frame: bytes) -> bytes:
        return frame[: len(frame) // 2] if self.is_cut else frame


def joins_twice(visit: Visit) -> None:
    """Judge that the client succeeds after it joined again."""
    succeeds(visit)
    require(len(visit.of("JoinGroup")) >= 2, "it did not join again")


class JoinsSticky(Scenario, about="JoinGroupRequest", action="sticky"):
    """Lets a member join that leaves each what it has."""

    control_case = ServesMembers
    decides: ClassVar = {"client-groups.sticky-shared-out": succeeds}


class JoinsStickyAgain(JoinsSticky, RebalanceInHeartbeat):
    """Answers the first Heartbeat of a member that leaves each what it has with a rebalance."""

    decides: ClassVar = {"client-groups.sticky-shared-out": joins_twice}
