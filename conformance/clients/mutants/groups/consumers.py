"""Clients that are no good members of a group whose coordinator shares out."""

from __future__ import annotations

from collections.abc import Sequence

from conformance import error_codes
from conformance.clients.mutants.mutant import ClientMutant
from conformance.reference.client import Asking, Trying, Wait
from conformance.reference.client.actions.consumers import JOINING, LEAVING
from conformance.testee_protocol import Value

OFTEN = 40
PAUSE_S = 0.1


class _Says(ClientMutant):
    """Says something else in its heartbeats."""

    def said(self, said: Value) -> Value:
        raise NotImplementedError

    def beat_with(self, said: Value) -> Asking:
        return (yield from super().beat_with(self.said(said)))


class JoinsWithoutATime(_Says, breaks="client-members.joins-whole"):
    """Leaves its rebalance timeout out of every heartbeat."""

    def said(self, said: Value) -> Value:
        return {key: each for key, each in said.items() if key != "rebalanceTimeoutMs"}


class JoinsWithoutAnId(_Says, breaks="client-members.own-id-brought"):
    """Waits for the coordinator to give it an id, as in version 0."""

    implies = ("client-members.own-id-kept",)

    def said(self, said: Value) -> Value:
        is_new = self.generation == JOINING and "memberEpoch" not in said
        return {**said, "memberId": ""} if is_new else said


class AnotherIdEachTime(ClientMutant, breaks="client-members.own-id-kept"):
    """Joins under another id where it is no member any more."""

    def lost(self, code: int) -> int:
        was = self.generation
        super().lost(code)
        if was != self.generation:
            self.member_id = f"{self.member_id}-again"
        return code


class KeepsItsFirstEpoch(_Says, breaks="client-members.epoch-as-given"):
    """Beats in the epoch that it was given first."""

    first = JOINING

    def said(self, said: Value) -> Value:
        self.first = self.first if self.generation else JOINING
        return said

    def heartbeat(self, topic_id: str) -> Trying:
        code = yield from super().heartbeat(topic_id)
        self.first = self.first or self.generation
        self.generation = self.first if self.generation else JOINING
        return code


class LeavesWithoutAWord(ClientMutant, breaks="client-members.leaves"):
    """Ends without a heartbeat that leaves."""

    def depart(self) -> Trying:
        yield from ()
        return error_codes.NONE


class NeverConfirms(ClientMutant, breaks="client-members.assignment-confirmed"):
    """Takes what it is assigned, and says nothing of it."""

    def take_share(self, assignment: Value, topic_id: str) -> None:
        super().take_share(assignment, topic_id)
        self.is_confirmed = True


class KeepsWhatIsTakenAway(ClientMutant, breaks="client-members.revoked-given-up"):
    """Adds what it is assigned to what it has."""

    def take_share(self, assignment: Value, topic_id: str) -> None:
        before = self.owned
        super().take_share(assignment, topic_id)
        self.owned = sorted({*before, *self.owned})


class AsksAsNobody(ClientMutant, breaks="client-members.offsets-asked-as-member"):
    """Asks what is committed without saying who it is."""

    def asked_as(self) -> Value:
        return {"groupId": super().asked_as()["groupId"]}


class InsistsOnItsEpoch(ClientMutant, breaks="client-members.fenced-joins-anew"):
    """Beats on in its epoch where it is fenced."""

    def lost(self, code: int) -> int:
        return code if code == error_codes.FENCED_MEMBER_EPOCH else super().lost(code)


class InsistsOnBeingKnown(ClientMutant, breaks="client-members.unknown-joins-anew"):
    """Beats on in its epoch where nobody knows it."""

    def lost(self, code: int) -> int:
        return code if code == error_codes.UNKNOWN_MEMBER_ID else super().lost(code)


class StaleIsTheEnd(ClientMutant, breaks="client-members.stale-epoch-renewed"):
    """Gives up when the coordinator says that its member epoch is stale."""

    def passing(self) -> frozenset[int]:
        return super().passing() - {error_codes.STALE_MEMBER_EPOCH}


class BeatsOnAndOn(ClientMutant, breaks="client-members.permanent-errors-told"):
    """Sends a heartbeat that was refused for good again and again."""

    def heartbeat(self, topic_id: str) -> Trying:
        for _ in range(OFTEN):
            code = yield from super().heartbeat(topic_id)
            if not code or code in self.passing():
                break
            yield Wait(PAUSE_S)
        return code


class BeatsTooOften(ClientMutant, breaks="client-members.interval-kept"):
    """Beats ten times a second, whatever it is told."""

    def pause_s(self) -> float:
        return min(PAUSE_S, super().pause_s())


class BeatsWithoutAPause(ClientMutant, breaks="client-members.no-interval-survived"):
    """Waits between two heartbeats for as long as it is told, and be it no time at all."""

    def pause_s(self) -> float:
        return self.interval_s


class TakesAnyEpoch(ClientMutant, breaks="client-members.nonsense-epoch-not-taken"):
    """Takes whatever epoch it is given."""

    def is_epoch(self, epoch: int) -> bool:
        return epoch != LEAVING


class OwnsTwice(ClientMutant, breaks="client-members.assigned-twice-owned-once"):
    """Owns each partition as often as it is assigned."""

    def partitions_in(self, topics: Sequence[Value]) -> list[int]:
        return sorted(index for each in topics for index in each["partitions"])
