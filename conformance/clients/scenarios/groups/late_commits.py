"""Commits that are under way while the group changes: of an older generation than it has then.

A coordinator refuses them. What it refuses is of the generation that a member has left, and says
nothing of the one that it is joining.
"""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from conformance import error_codes
from conformance.clients.scenarios.groups.members import (
    RebalancesTwice,
    keeps_its_name,
    with_code,
)
from conformance.clients.scenarios.visit import Visit, require
from conformance.dialogue import Broken
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.releases import NAMES

JOINING_S = 0.3
"""The seconds that the others take to join again."""


def shares_where_it_joined(visit: Visit) -> None:
    """Each SyncGroup has the generation that the answer to the last JoinGroup gave."""
    given = 0
    for each in visit.sent:
        given += each.api == "JoinGroup"
        told = (each.value or {}).get("generationId", given)
        if each.api == "SyncGroup" and told != given:
            what = f"SyncGroup is of generation {told}, and JoinGroup was answered with {given}"
            raise Broken(what, str(given), each.frame)
    require(given >= 2, "it did not join again")


class CommitsInRebalance(RebalancesTwice, about="OffsetCommitRequest", action="commits"):
    """Has the group change behind a commit, and refuses those of a generation that is over."""

    decides: ClassVar = {
        "client-groups.synced-as-joined": shares_where_it_joined,
        "client-groups.member-id-kept": partial(keeps_its_name, refused="OffsetCommit"),
    }

    class Sessions(Session):
        """Answers who joins again when all others have."""

        def handle(self, request: Request) -> Value:
            body = super().handle(request)
            assert isinstance(self.broker, CommitsInRebalance)
            if NAMES[request.api_key] == "JoinGroup" and self.broker.generation > 1:
                self.delay_s = JOINING_S
            return body

    has_committed = False

    def heartbeat(self, request: Request) -> Value:
        """Accept heartbeats until an offset was committed; then answer as usual."""
        if self.has_committed:
            return super().heartbeat(request)
        return {"throttleTimeMs": 0, "errorCode": error_codes.NONE}

    def offset_commit(self, request: Request) -> Value:
        """Commit the offset, unless it is of an earlier generation."""
        self.has_committed = True
        answer = super().offset_commit(request)
        if request.value["generationIdOrMemberEpoch"] not in range(1, self.generation):
            return answer
        return {**answer, "topics": with_code(answer["topics"], error_codes.ILLEGAL_GENERATION)}
