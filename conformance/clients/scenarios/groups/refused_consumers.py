"""Members whose heartbeats are refused (KIP-848): for good, for a while, or as unknown members."""

from __future__ import annotations

from typing import ClassVar

from conformance import error_codes
from conformance.clients.scenarios.groups.consumers import (
    ENDS,
    HEARTBEAT,
    SLOW_MS,
    STEP,
    THIRD,
    EpochRises,
    OfConsumers,
    beats,
    epoch_of,
    group_of,
    told,
)
from conformance.clients.scenarios.playing import in_camel_case
from conformance.clients.scenarios.visit import NotDone, Sent, Visit, fails, succeeds
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.errors import Refused
from conformance.reference.broker.groups.consumers import FIRST_EPOCH, JOINING, OWN_ID_SINCE

MOST_REFUSED = 20
"""The most heartbeats after a refusal for good: some clients send more, with growing pauses."""
LONG_S = 0.3
"""The seconds a member stays after a refused heartbeat before its silence counts."""


class _Refuses(OfConsumers):
    """Answers one heartbeat with an error, by its `number`.

    A client that keeps an old epoch does so after a refusal as well.
    """

    control_case = EpochRises
    code: ClassVar[int]
    number: ClassVar[int] = THIRD

    def check_heartbeat(self, request: Request) -> None:
        super().check_heartbeat(request)
        if self.heard == self.number and request.value["memberEpoch"] not in ENDS:
            self.forget()
            raise Refused(self.code, "It is played.")

    def forget(self) -> None:
        """Forget the members on a refusal; here none is forgotten."""


def joins_anew(visit: Visit) -> None:
    """Judge that the next heartbeat after the refused one joins."""
    _, again = _behind_the_refused(visit)
    if epoch_of(again) != JOINING:
        what = f"the next heartbeat has epoch {epoch_of(again)}"
        raise Broken(what, str(JOINING), again.frame)


def keeps_its_id(visit: Visit) -> None:
    """Judge that a refused member keeps its id in the next heartbeat."""
    refused, again = _behind_the_refused(visit)
    if refused.version < OWN_ID_SINCE:
        raise NotApplicable(f"it sent no {HEARTBEAT} of version {OWN_ID_SINCE} or above")
    if told(again)["memberId"] != told(refused)["memberId"]:
        raise Broken("it beats under another member id", told(refused)["memberId"], again.frame)


def _behind_the_refused(visit: Visit) -> tuple[Sent, Sent]:
    """The heartbeat that was refused, and the next one that does not leave."""
    every = beats(visit)
    if len(every) < THIRD or epoch_of(every[THIRD - 1]) in ENDS:
        raise NotApplicable("it left before it was refused anything")
    refused, *behind = every[THIRD - 1 :]
    again = next((each for each in behind if epoch_of(each) not in ENDS), None)
    if again is None and visit.sent[-1].at_s - refused.at_s < LONG_S:
        raise NotApplicable("it left soon after it was refused")
    if again is None:
        raise NotDone("no other heartbeat came", f"a heartbeat of epoch {JOINING}", refused.frame)
    return refused, again


class FencedInHeartbeat(_Refuses):
    """Answers the third heartbeat with FENCED_MEMBER_EPOCH, and each other of that epoch."""

    code = error_codes.FENCED_MEMBER_EPOCH
    decides: ClassVar = {
        "client-members.fenced-joins-anew": joins_anew,
        "client-members.own-id-kept": keeps_its_id,
    }

    def forget(self) -> None:
        """Give the members another epoch."""
        for each in self.consumers.values():
            each.epoch += STEP


class UnknownInHeartbeat(_Refuses):
    """Answers the third heartbeat with UNKNOWN_MEMBER_ID, and each other that does not join."""

    code = error_codes.UNKNOWN_MEMBER_ID
    decides: ClassVar = {
        "client-members.unknown-joins-anew": joins_anew,
        "client-members.own-id-kept": keeps_its_id,
    }

    def forget(self) -> None:
        """Forget all members."""
        self.consumers.clear()


def looked_up(visit: Visit) -> None:
    """Judge that the coordinator is looked up between the refused heartbeat and the next one."""
    refused, again = _behind_the_refused(visit)
    between = visit.sent[visit.sent.index(refused) : visit.sent.index(again)]
    if not any(each.api == "FindCoordinator" for each in between):
        what = "a heartbeat came without another look for the coordinator"
        raise Broken(what, "FindCoordinator", again.frame)


class MovedInHeartbeat(_Refuses):
    """Answers the third heartbeat with NOT_COORDINATOR."""

    code = error_codes.NOT_COORDINATOR
    decides: ClassVar = {"client-groups.moved-coordinator-looked-up": looked_up}


_PASSING = ("COORDINATOR_LOAD_IN_PROGRESS", "COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR")
for _name in _PASSING:
    _Refuses.variant(
        f"{in_camel_case(_name)}ToMember",
        f"Answers the first heartbeat of KIP-848 with {_name}.",
        code=getattr(error_codes, _name),
        number=1,
        decides={"client-coordinators.moved-is-asked-again": succeeds},
    )


def told_and_given_up(visit: Visit) -> None:
    """Judge that the client fails, and does not repeat a request that was refused for good."""
    asked = [each for each in beats(visit) if epoch_of(each) not in ENDS]
    if len(asked) > MOST_REFUSED:
        what = f"{len(asked)} heartbeats came, each of which was refused"
        raise Broken(what, f"at most {MOST_REFUSED}", asked[MOST_REFUSED].frame)
    fails(visit)


class _RefusesForGood(OfConsumers):
    """Answers each heartbeat with an error that does not pass."""

    code: ClassVar[int]

    def check_heartbeat(self, request: Request) -> None:
        super().check_heartbeat(request)
        raise Refused(self.code, "It is played.")


_PERMANENT = (
    "INVALID_REQUEST",
    "GROUP_AUTHORIZATION_FAILED",
    "GROUP_ID_NOT_FOUND",
    "GROUP_MAX_SIZE_REACHED",
    "UNSUPPORTED_ASSIGNOR",
    "UNKNOWN_SERVER_ERROR",
)
for _name in _PERMANENT:
    _RefusesForGood.variant(
        f"{in_camel_case(_name)}InHeartbeat",
        f"Answers each heartbeat with {_name}.",
        code=getattr(error_codes, _name),
        decides={"client-members.permanent-errors-told": told_and_given_up},
    )


def renews_its_epoch(visit: Visit) -> None:
    """Judge that the refused OffsetFetch is repeated in the epoch that the member was given."""
    if not any(_epoch_in(each) > JOINING for each in visit.of("OffsetFetch")):
        raise NotApplicable("it did not ask OffsetFetch as a member")
    succeeds(visit)


def _epoch_in(fetch: Sent) -> int:
    """The epoch of an OffsetFetch, -1 where it has none."""
    return int(group_of(fetch).get("memberEpoch", -1))


class StaleInOffsetFetch(OfConsumers, about="OffsetFetchRequest"):
    """Answers OffsetFetch of a member's first epoch with STALE_MEMBER_EPOCH, and gives it another
    with its next heartbeat, for which it has two seconds."""

    control_case = EpochRises
    interval_ms = 2 * SLOW_MS
    decides: ClassVar = {"client-members.stale-epoch-renewed": renews_its_epoch}
    is_stale = False

    def offset_fetch(self, request: Request) -> Value:
        answer = super().offset_fetch(request)
        if not any(each["memberEpoch"] == FIRST_EPOCH for each in request.value["groups"] or ()):
            return answer
        self.is_stale = True
        stale = {"topics": [], "errorCode": error_codes.STALE_MEMBER_EPOCH}
        return {**answer, "groups": [{**each, **stale} for each in answer["groups"]]}

    def heartbeat_answer(self, member_id: str, epoch: int, assignment: Value | None) -> Value:
        """Return the answer with the second epoch, which is the member's from now on."""
        if not self.is_stale or epoch in ENDS:
            return super().heartbeat_answer(member_id, epoch, assignment)
        for member in self.consumers.values():
            member.epoch = FIRST_EPOCH + 1
        return super().heartbeat_answer(member_id, FIRST_EPOCH + 1, assignment)
