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


class JoinsWithoutATime(_Says):
    """Leaves its rebalance timeout out of every heartbeat."""

    breaks = "client-members.joins-whole"

    def said(self, said: Value) -> Value:
        return {key: each for key, each in said.items() if key != "rebalanceTimeoutMs"}


class JoinsWithoutAnId(_Says):
    """Waits for the coordinator to give it an id, as in version 0."""

    breaks = "client-members.own-id-brought"
    implies = ("client-members.own-id-kept",)

    def said(self, said: Value) -> Value:
        is_new = self.generation == JOINING and "memberEpoch" not in said
        return {**said, "memberId": ""} if is_new else said


class AnotherIdEachTime(ClientMutant):
    """Joins under another id where it is no member any more."""

    breaks = "client-members.own-id-kept"

    def lost(self, code: int) -> int:
        was = self.generation
        super().lost(code)
        if was != self.generation:
            self.member_id = f"{self.member_id}-again"
        return code


class KeepsItsFirstEpoch(_Says):
    """Beats in the epoch that it was given first."""

    breaks = "client-members.epoch-as-given"
    first = JOINING

    def said(self, said: Value) -> Value:
        self.first = self.first if self.generation else JOINING
        return said

    def heartbeat(self, topic_id: str) -> Trying:
        code = yield from super().heartbeat(topic_id)
        self.first = self.first or self.generation
        self.generation = self.first if self.generation else JOINING
        return code


class LeavesWithoutAWord(ClientMutant):
    """Ends without a heartbeat that leaves."""

    breaks = "client-members.leaves"

    def depart(self) -> Trying:
        yield from ()
        return error_codes.NONE


class NeverConfirms(ClientMutant):
    """Takes what it is assigned, and says nothing of it."""

    breaks = "client-members.assignment-confirmed"

    def take_share(self, assignment: Value, topic_id: str) -> None:
        super().take_share(assignment, topic_id)
        self.is_confirmed = True


class KeepsWhatIsTakenAway(ClientMutant):
    """Adds what it is assigned to what it has."""

    breaks = "client-members.revoked-given-up"

    def take_share(self, assignment: Value, topic_id: str) -> None:
        before = self.owned
        super().take_share(assignment, topic_id)
        self.owned = sorted({*before, *self.owned})


class AsksAsNobody(ClientMutant):
    """Asks what is committed without saying who it is."""

    breaks = "client-members.offsets-asked-as-member"

    def asked_as(self) -> Value:
        return {"groupId": super().asked_as()["groupId"]}


class InsistsOnItsEpoch(ClientMutant):
    """Beats on in its epoch where it is fenced."""

    breaks = "client-members.fenced-joins-anew"

    def lost(self, code: int) -> int:
        return code if code == error_codes.FENCED_MEMBER_EPOCH else super().lost(code)


class InsistsOnBeingKnown(ClientMutant):
    """Beats on in its epoch where nobody knows it."""

    breaks = "client-members.unknown-joins-anew"

    def lost(self, code: int) -> int:
        return code if code == error_codes.UNKNOWN_MEMBER_ID else super().lost(code)


class StaleIsTheEnd(ClientMutant):
    """Gives up where its epoch is an old one."""

    breaks = "client-members.stale-epoch-renewed"

    def passing(self) -> frozenset[int]:
        return super().passing() - {error_codes.STALE_MEMBER_EPOCH}


class BeatsOnAndOn(ClientMutant):
    """Sends a heartbeat that was refused for good again and again."""

    breaks = "client-members.permanent-errors-told"

    def heartbeat(self, topic_id: str) -> Trying:
        for _ in range(OFTEN):
            code = yield from super().heartbeat(topic_id)
            if not code or code in self.passing():
                break
            yield Wait(PAUSE_S)
        return code


class BeatsTooOften(ClientMutant):
    """Beats ten times a second, whatever it is told."""

    breaks = "client-members.interval-kept"

    def pause_s(self) -> float:
        return min(PAUSE_S, super().pause_s())


class BeatsWithoutAPause(ClientMutant):
    """Waits between two heartbeats for as long as it is told, and be it no time at all."""

    breaks = "client-members.no-interval-survived"

    def pause_s(self) -> float:
        return self.interval_s


class TakesAnyEpoch(ClientMutant):
    """Takes whatever epoch it is given."""

    breaks = "client-members.nonsense-epoch-not-taken"

    def is_epoch(self, epoch: int) -> bool:
        return epoch != LEAVING


class OwnsTwice(ClientMutant):
    """Owns each partition as often as it is assigned."""

    breaks = "client-members.assigned-twice-owned-once"

    def partitions_in(self, topics: Sequence[Value]) -> list[int]:
        return sorted(index for each in topics for index in each["partitions"])
