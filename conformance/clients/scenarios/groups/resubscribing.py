"""Members that subscribe once more: behind their end, or while the group still takes them in."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar

from conformance import error_codes
from conformance.clients.scenarios.groups.consumers import (
    ENDS,
    HEARTBEAT,
    THIRD,
    OfConsumers,
    beats,
    epoch_of,
    told,
)
from conformance.clients.scenarios.groups.members import with_code
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Sent, Visit, require
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.groups.consumers import JOINING
from conformance.reference.broker.releases import NAMES

SHORT_MS = 20
READ_S = 0.3
"""The seconds for which records are held back: a heartbeat is under way before they are read."""
BEAT_S = 1.2
"""The seconds for which a heartbeat is not answered: the member leaves meanwhile."""
END_S = 0.6
"""The seconds for which the heartbeat that leaves is not answered."""
JOIN_S = 2.5
"""The seconds for which the first JoinGroup is not answered: other topics are wanted meanwhile."""
MOST_UNDER_WAY = 10
"""The most commits of the old epoch after the client was answered with the new one: those under
way, and those written before it read the answer.
"""
RISEN = 7
STALE_SINCE = 9
"""The first version of OffsetCommit that has the epoch of a member."""


def comes_again_as_new(visit: Visit) -> None:
    """Judge that a client that subscribes after the heartbeat that leaves joins with epoch 0."""
    has_left = False
    for each in beats(visit):
        if has_left and told(each)["subscribedTopicNames"]:
            if epoch_of(each) in ENDS:
                what = f"a heartbeat that subscribes again has epoch {epoch_of(each)}"
                raise Broken(what, str(JOINING), each.frame)
            if epoch_of(each) == JOINING and _is_last_join(visit, each.at_s):
                return
        has_left = has_left or epoch_of(each) in ENDS
    raise NotApplicable("it did not leave, and come again")


def _is_last_join(visit: Visit, at_s: float) -> bool:
    later = [each for each in beats(visit) if each.at_s > at_s]
    return not any(told(each)["subscribedTopicNames"] for each in later)


class _InFlight(OfConsumers, action="again"):
    """Holds answers back, so that a heartbeat is under way when the member leaves."""

    interval_ms = SHORT_MS
    held_from = THIRD

    class Sessions(Session):
        """Delays answers with records, to heartbeats before the end, and to the one that leaves."""

        def handle(self, request: Request) -> Value:
            body = super().handle(request)
            assert isinstance(self.broker, _InFlight)
            name = NAMES[request.api_key]
            if name == "Fetch" and request.value["topics"]:
                self.delay_s = READ_S
            elif name == HEARTBEAT:
                self.delay_s = self.broker.held_s(request)
            return body

    ends = 0

    def held_s(self, request: Request) -> float:
        """Return the seconds to hold back the answer to this heartbeat, already counted."""
        if request.value["memberEpoch"] in ENDS:
            self.ends += 1
            return END_S if self.ends == 1 else 0.0
        return BEAT_S if self.heard >= self.held_from and not self.ends else 0.0


class LeftAnsweredLast(_InFlight):
    """Answers the heartbeat that leaves when the member has subscribed again, and has it wait."""

    decides: ClassVar = {"client-members.comes-again-as-new": comes_again_as_new}
    held_from = THIRD - 1
    is_told = False

    def consumer_group_heartbeat(self, request: Request) -> Value:
        """Refuse the first heartbeat by which the member joins again."""
        answer = super().consumer_group_heartbeat(request)
        if self.is_told or not self.ends or request.value["memberEpoch"] != JOINING:
            return answer
        self.is_told = True
        refused = {"errorCode": error_codes.COORDINATOR_LOAD_IN_PROGRESS, "memberEpoch": 0}
        return {**answer, **refused, "assignment": None}


def commits_as_given(visit: Visit) -> None:
    """Once the member was answered with its new epoch, it commits no more in the old one.

    It counts from that answer, and goes by no clock: a slow machine is slow to read it as well.
    """
    commits = [each for each in visit.of("OffsetCommit") if _epoch_of_commit(each) > JOINING]
    old = [each for each in commits if _epoch_of_commit(each) < RISEN]
    if not old or len(commits) < 2:
        raise NotApplicable("it committed in no old epoch, and then again")
    risen_at = _answered_with_another_epoch(visit)
    if risen_at is None:
        return
    late = [each for each in old if each.behind > risen_at]
    for each in late[MOST_UNDER_WAY:]:
        epoch = _epoch_of_commit(each)
        what = f"OffsetCommit v{each.version} has epoch {epoch}, and {RISEN} was given"
        raise Broken(what, str(RISEN), each.frame)


def _answered_with_another_epoch(visit: Visit) -> int | None:
    """Return the index of the answer that gave the member another epoch."""
    given = [each for each in beats(visit) if epoch_of(each) not in ENDS][THIRD - 1 :]
    return visit.answer_to(given[0]) if given else None


def _epoch_of_commit(sent: Sent) -> int:
    """Return the epoch of a commit, 0 for other requests and without an epoch."""
    if sent.api != "OffsetCommit" or sent.version < STALE_SINCE or not sent.value:
        return 0
    return int(sent.value["generationIdOrMemberEpoch"])


class EpochRisesAtTheEnd(_InFlight, about="OffsetCommitRequest"):
    """Gives a higher epoch to a member that is about to leave, and takes no commit of the old."""

    decides: ClassVar = {"client-members.epoch-as-given": commits_as_given}

    def heartbeat_answer(self, member_id: str, epoch: int, assignment: Value | None) -> Value:
        """Return the answer, with the higher epoch from the third heartbeat on."""
        if epoch in ENDS or self.heard < THIRD:
            return super().heartbeat_answer(member_id, epoch, assignment)
        for member in self.consumers.values():
            member.epoch = RISEN
        return super().heartbeat_answer(member_id, RISEN, assignment)

    def offset_commit(self, request: Request) -> Value:
        """Return the answer; a commit in an old epoch is refused as stale."""
        answer = super().offset_commit(request)
        is_stale = request.value["generationIdOrMemberEpoch"] < RISEN <= self.epoch
        if not is_stale or request.version < STALE_SINCE:
            return answer
        return {**answer, "topics": with_code(answer["topics"], error_codes.STALE_MEMBER_EPOCH)}

    @property
    def epoch(self) -> int:
        """Return the member's epoch, 0 if there is no member."""
        return max((each.epoch for each in self.consumers.values()), default=0)


def joins_in_turn(visit: Visit) -> None:
    """Judge that on a connection no JoinGroup comes before the last one was answered."""
    joins = visit.of("JoinGroup")
    require(len(joins) >= 2, "it did not join again")
    for before, each in pairwise(joins):
        answered = (answer.to for answer in visit.answered[: each.behind])
        if each.connection == before.connection and all(to is not before for to in answered):
            what = "JoinGroup came before the one before it was answered"
            raise Broken(what, "the answer awaited", each.frame)


class JoinsWhileItChanges(Scenario, about="JoinGroupRequest", action="change"):
    """Answers the first JoinGroup late, to a member that wants other topics meanwhile."""

    decides: ClassVar = {"client-groups.joins-in-turn": joins_in_turn}

    class Sessions(Session):
        """Holds that answer back."""

        def handle(self, request: Request) -> Value:
            body = super().handle(request)
            assert isinstance(self.broker, JoinsWhileItChanges)
            if NAMES[request.api_key] == "JoinGroup" and not self.broker.has_joined:
                self.broker.has_joined = True
                self.delay_s = JOIN_S
            return body

    has_joined = False
