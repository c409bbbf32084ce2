"""Answers to a member of a group: its name, and changes of the group.

A coordinator names a member that joins without a name, and has it join again under it (KIP-394).
When the group changes, all members join again under their names: one that comes without a name is
another member, and the group waits for the old one until its session is over.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import ClassVar

from conformance import error_codes
from conformance.api_keys import OFFSET_COMMIT
from conformance.clients.scenarios.actions import PLAYED
from conformance.clients.scenarios.judging import NOT_TOLD
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import (
    Judgement,
    NotDone,
    Sent,
    Visit,
    require,
    succeeds,
    survives,
)
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.releases import NAMES
from conformance.results.text import json_text

NAMED_SINCE = 4
"""The first version of JoinGroup whose sender is named before it joins."""
OTHERS_S, SLACK_S = 3.5, 0.2
NAME = "the-name-of-the-member"
ANOTHER = "zz-another-member"
"""Behind the other in their order, by which partitions are shared out."""


def _joins(visit: Visit) -> list[tuple[Sent, str]]:
    """The requests to join, and the name that each has."""
    return [(each, each.value["memberId"]) for each in visit.of("JoinGroup") if each.value]


def _joins_after(visit: Visit, refused: str) -> list[tuple[Sent, str]]:
    """Return the joins after the first request of an API. Raises NotApplicable if none came."""
    first = visit.sent.index(visit.of(refused)[0])
    later = [each for each in _joins(visit) if visit.sent.index(each[0]) > first]
    if not later:
        raise NotApplicable(f"it did not join again behind {refused}")
    return later


def keeps_its_name(visit: Visit, refused: str) -> None:
    """Judge that a member joins again under its name after a refusal."""
    for again, given in _joins_after(visit, refused):
        if given != NAME:
            raise Broken(f"it joined again as {json_text(given)}", json_text(NAME), again.frame)


def keeps_its_coordinator(visit: Visit) -> None:
    """Judge that no client looks for a coordinator from a refused Heartbeat to the next one.

    Some look after every SyncGroup, for their commits: for them only requests up to JoinGroup
    count.
    """
    refused, again = visit.of("Heartbeat")[0], _joins_after(visit, "Heartbeat")[0][0]
    behind = visit.sent[visit.sent.index(refused) :]
    usual = visit.sent[visit.sent.index(visit.of("SyncGroup")[0]) : visit.sent.index(refused)]
    if any(each.api == _LOOK for each in usual):
        behind = behind[: behind.index(again)]
    beats = [each for each in behind if each.api == "Heartbeat" and each.at_s > again.at_s]
    for each in behind[: behind.index(beats[0]) if beats else None]:
        if each.api == _LOOK:
            what = "FindCoordinator came behind a Heartbeat that was refused"
            raise Broken(what, "JoinGroup", each.frame)


_LOOK = "FindCoordinator"


def forgets_its_name(visit: Visit) -> None:
    """Judge that a client that joins again after SyncGroup does so without a name."""
    again, given = _joins_after(visit, "SyncGroup")[0]
    if given:
        raise Broken(f"it joined again as {json_text(given)}", '""', again.frame)


def takes_its_name(visit: Visit) -> None:
    """Judge that a member that was given a name joins under it next, and gets what it wanted."""
    joins = _joins(visit)
    if not joins or joins[0][0].version < NAMED_SINCE:
        raise NotApplicable(f"it did not ask JoinGroup of version {NAMED_SINCE} or above")
    if len(joins) < 2:
        raise NotDone("it did not join again", f"JoinGroup as {json_text(NAME)}", joins[0][0].frame)
    again, given = joins[1]
    if given != NAME:
        raise Broken(f"it joined again as {json_text(given)}", json_text(NAME), again.frame)
    succeeds(visit)


def _kept(refused: str) -> dict[str, Judgement]:
    return {"client-groups.member-id-kept": partial(keeps_its_name, refused=refused)}


def named(request: Request) -> Request:
    """A request to join, under the name of the scenario where it has none."""
    asked = {**request.value, "memberId": request.value["memberId"] or NAME}
    return replace(request, value=asked)


def awaits_others(visit: Visit) -> None:
    """Judge that no client gives up on others before the end of the time that it gave them."""
    asked = [(each, each.value) for each in visit.of("JoinGroup") if each.value]
    require(asked, "it did not ask JoinGroup")
    first, value = asked[0]
    given_ms = max(value.get("rebalanceTimeoutMs", -1), value["sessionTimeoutMs"])
    require(given_ms >= OTHERS_S * 1000, "it gives the other members less time than they take")
    for each, _ in asked[1:]:
        after_s = each.at_s - first.at_s
        if after_s < OTHERS_S - SLACK_S:
            what = f"it joined again after {after_s:.1f} s, having given {given_ms} ms"
            raise Broken(what, "one JoinGroup, and its answer awaited", each.frame)
    succeeds(visit)


class _Once(Scenario, about="JoinGroupRequest", action="join"):
    """Answers one request of members with an error, the first time."""

    code: ClassVar[int]
    is_told = False

    def join_group(self, request: Request) -> Value:
        """Return the answer for the scenario's member name."""
        return super().join_group(named(request))

    def is_first(self) -> bool:
        is_first, self.is_told = not self.is_told, True
        return is_first


class _OnceInJoin(_Once):
    """In JoinGroup, from a version on."""

    since = 0

    def join_group(self, request: Request) -> Value:
        """Return an error once, with the other fields empty."""
        answer = super().join_group(request)
        if request.version < self.since or not self.is_first():
            return answer
        nothing = {"generationId": -1, "protocolName": "", "leader": "", "members": []}
        return {**answer, **nothing, "errorCode": self.code, "memberId": self.named(request)}

    def named(self, request: Request) -> str:
        """Return the refused member's name, as it gave it."""
        return str(request.value["memberId"])


class _OnceInSync(_Once, about="SyncGroupRequest"):
    """In SyncGroup."""

    def sync_group(self, request: Request) -> Value:
        answer = super().sync_group(request)
        refused = {"errorCode": self.code, "assignment": ""}
        return {**answer, **refused} if self.is_first() else answer


class _OnceInHeartbeat(_Once, about="HeartbeatRequest"):
    """In Heartbeat."""

    def heartbeat(self, request: Request) -> Value:
        answer = super().heartbeat(request)
        return {**answer, "errorCode": self.code} if self.is_first() else answer


def with_code(topics: list[Value], code: int) -> list[Value]:
    """Return topics of an answer with an error in all partitions."""
    return [
        {**each, "partitions": [{**one, "errorCode": code} for one in each["partitions"]]}
        for each in topics
    ]


class _OnceInCommit(_Once, about="OffsetCommitRequest"):
    """In OffsetCommit."""

    def offset_commit(self, request: Request) -> Value:
        answer = super().offset_commit(request)
        if not answer["topics"] or not self.is_first():
            return answer
        return {**answer, "topics": with_code(answer["topics"], self.code)}


class _OnceInOffsets(_Once, about="OffsetFetchRequest"):
    """In OffsetFetch."""

    def offset_fetch(self, request: Request) -> Value:
        """Return the error once: for each group, or for the one group and its partitions."""
        answer = super().offset_fetch(request)
        if not self.is_first():
            return answer
        if "groups" in answer:
            refused = {"topics": [], "errorCode": self.code}
            return {**answer, "groups": [{**each, **refused} for each in answer["groups"]]}
        topics = with_code(answer["topics"], self.code)
        return {**answer, "topics": topics, "errorCode": self.code}


class MemberIdRequired(_OnceInJoin):
    """Answers who joins without a member id with MEMBER_ID_REQUIRED and the id to join with."""

    code = error_codes.MEMBER_ID_REQUIRED
    since = NAMED_SINCE
    decides: ClassVar = {"client-groups.member-id-taken": takes_its_name}

    def named(self, request: Request) -> str:
        """Return the name that the member is to take."""
        return NAME


class RebalanceInJoin(_OnceInJoin):
    """Answers the first JoinGroup with REBALANCE_IN_PROGRESS."""

    code = error_codes.REBALANCE_IN_PROGRESS
    decides: ClassVar = {"client-groups.rebalance-is-joined": succeeds}


class RebalanceInSync(_OnceInSync):
    """Answers the first SyncGroup with REBALANCE_IN_PROGRESS."""

    code = error_codes.REBALANCE_IN_PROGRESS
    decides: ClassVar = {
        "client-groups.rebalance-is-joined": succeeds,
        **_kept("SyncGroup"),
    }


class RebalanceInHeartbeat(_OnceInHeartbeat):
    """Answers the first Heartbeat with REBALANCE_IN_PROGRESS."""

    code = error_codes.REBALANCE_IN_PROGRESS
    decides: ClassVar = {
        **_kept("Heartbeat"),
        "client-groups.coordinator-kept-in-rebalances": keeps_its_coordinator,
    }


class RebalanceInCommit(_OnceInCommit):
    """Answers the first OffsetCommit with REBALANCE_IN_PROGRESS."""

    code = error_codes.REBALANCE_IN_PROGRESS
    decides: ClassVar = _kept("OffsetCommit")


def looks_again(visit: Visit) -> None:
    """Judge that after the refused Heartbeat the coordinator is looked up before it is asked."""
    first = visit.sent.index(visit.of("Heartbeat")[0])
    for each in visit.sent[first + 1 :]:
        if each.api == "FindCoordinator":
            return
        if each.api in ("Heartbeat", "OffsetCommit"):
            what = f"{each.api} v{each.version} came without another look for the coordinator"
            raise Broken(what, "FindCoordinator", each.frame)
    raise NotApplicable("it left before it asked anything again")


class CoordinatorMovedInHeartbeat(_OnceInHeartbeat):
    """Answers the first Heartbeat with NOT_COORDINATOR."""

    code = error_codes.NOT_COORDINATOR
    decides: ClassVar = {"client-groups.moved-coordinator-looked-up": looks_again}


class OldGenerationInSync(_OnceInSync):
    """Answers the first SyncGroup with ILLEGAL_GENERATION."""

    code = error_codes.ILLEGAL_GENERATION
    decides: ClassVar = {"client-groups.rebalance-is-joined": succeeds, **_kept("SyncGroup")}


class OldGenerationInHeartbeat(_OnceInHeartbeat):
    """Answers the first Heartbeat with ILLEGAL_GENERATION."""

    code = error_codes.ILLEGAL_GENERATION
    decides: ClassVar = _kept("Heartbeat")


class UnknownMemberInSync(_OnceInSync):
    """Answers the first SyncGroup with UNKNOWN_MEMBER_ID."""

    code = error_codes.UNKNOWN_MEMBER_ID
    decides: ClassVar = {
        "client-groups.rebalance-is-joined": succeeds,
        "client-groups.unknown-member-joins-anew": forgets_its_name,
    }


_REFUSED: dict[type[_Once], tuple[str, ...]] = {
    _OnceInJoin: ("Moved", "Loads", "Missing"),
    _OnceInSync: ("Moved", "Missing"),
    _OnceInOffsets: ("Moved", "Loads", "Missing"),
    _OnceInCommit: ("Moved", "Loads", "Missing"),
}
_PASSING = {
    "Moved": "NOT_COORDINATOR",
    "Loads": "COORDINATOR_LOAD_IN_PROGRESS",
    "Missing": "COORDINATOR_NOT_AVAILABLE",
}
for _base, _states in _REFUSED.items():
    _api = _base.about.removesuffix("Request")
    for _state in _states:
        _base.variant(
            f"Coordinator{_state}In{_api}",
            f"Answers the first {_api} with {_PASSING[_state]}.",
            code=getattr(error_codes, _PASSING[_state]),
            decides={
                "client-coordinators.moved-is-asked-again": succeeds,
                **(NOT_TOLD if _base is _OnceInJoin else {}),
            },
        )


def shares_with_all(visit: Visit) -> None:
    """Each SyncGroup that gives shares names both members."""
    given = [each for each in visit.of("SyncGroup") if each.value and each.value["assignments"]]
    require(given, "it shared nothing out")
    for each in given:
        named = {one["memberId"] for one in each.value["assignments"]}  # type: ignore[index]
        if not {NAME, ANOTHER} <= named:
            what = f"SyncGroup v{each.version} has shares of {', '.join(sorted(named))}"
            raise Broken(what, f"{NAME}, {ANOTHER}", each.frame)


class JoinsLate(Scenario, about="JoinGroupRequest", action="join"):
    """Answers JoinGroup after three and a half seconds, as it waits for other members."""

    decides: ClassVar = {"client-groups.late-join-awaited": awaits_others}

    class Sessions(Session):
        """Waits for them once."""

        def handle(self, request: Request) -> Value:
            body = super().handle(request)
            assert isinstance(self.broker, JoinsLate)
            if NAMES[request.api_key] == "JoinGroup" and not self.broker.has_waited:
                self.broker.has_waited = True
                self.delay_s = OTHERS_S
            return body

    has_waited = False


class TwoMembers(Scenario, about="SyncGroupRequest", action="join"):
    """Tells the leader of a second member, which there is no partition for."""

    # Versions that are gone too: leaders that commit in one have shared out before.
    served: ClassVar = {OFFSET_COMMIT: (0, PLAYED[OFFSET_COMMIT][1])}
    decides: ClassVar = {"client-groups.every-member-gets-a-share": shares_with_all}

    def join_group(self, request: Request) -> Value:
        """Return the answer with another member that wants the same."""
        answer = super().join_group(named(request))
        other = {**answer["members"][0], "memberId": ANOTHER}
        return {**answer, "members": [*answer["members"], other]}


class MemberOfNonsense(TwoMembers, about="JoinGroupRequest"):
    """Tells the leader of a second member, what it wants of which ends before it should."""

    decides: ClassVar = {"client-groups.nonsense-of-members-survived": survives}

    def join_group(self, request: Request) -> Value:
        """A version, and the first byte of a count."""
        answer = super().join_group(request)
        *known, other = answer["members"]
        return {**answer, "members": [*known, {**other, "metadata": "AAAA"}]}


def generation_is_the_last(visit: Visit) -> None:
    """Judge that after the SyncGroup of a generation no request has an older one."""
    rebalanced, last = False, 0
    for each in visit.sent:
        if each.api not in _IN_A_GENERATION or each.value is None:
            continue
        told = each.value.get("generationId", each.value.get("generationIdOrMemberEpoch", 0))
        if each.api == "SyncGroup":
            rebalanced, last = rebalanced or last > 0, max(last, told)
        if 0 <= told < last:
            what = f"{each.api} is of generation {told} behind a SyncGroup of generation {last}"
            raise Broken(what, str(last), each.frame)
    require(rebalanced, "it did not join again")


_IN_A_GENERATION = frozenset({"SyncGroup", "Heartbeat", "OffsetCommit"})


class RebalancesTwice(_Once, about="HeartbeatRequest"):
    """Answers the first Heartbeat of two generations with REBALANCE_IN_PROGRESS."""

    decides: ClassVar = {"client-groups.generation-is-the-last": generation_is_the_last}
    generation = 0
    refused = 0

    def join_group(self, request: Request) -> Value:
        self.generation += 1
        return {**super().join_group(request), "generationId": self.generation}

    def heartbeat(self, request: Request) -> Value:
        """Return REBALANCE_IN_PROGRESS once in each of the first two generations."""
        answer = super().heartbeat(request)
        if self.refused >= min(self.generation, 2):
            return answer
        self.refused = self.generation
        return {**answer, "errorCode": error_codes.REBALANCE_IN_PROGRESS}
