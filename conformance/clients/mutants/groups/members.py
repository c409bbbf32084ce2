"""Clients that are no good members of a group, or come again in no good order."""

from __future__ import annotations

import base64
from collections.abc import Generator, Mapping
from typing import Any

from conformance import error_codes
from conformance.api_keys import HEARTBEAT, JOIN_GROUP, LEAVE_GROUP, OFFSET_COMMIT, SYNC_GROUP
from conformance.clients.mutants.mutant import ClientMutant
from conformance.dialogue import Received
from conformance.reference.client import RETRIABLE, Asking, Course, Failed, Lost, Step, Trying, Wait
from conformance.reference.client.actions.consumers import JOINING, LEAVING
from conformance.reference.client.actions.joining import STICKY
from conformance.testee_protocol import Value

TIMED = range(2, 5)
"""The versions of OffsetCommit that say how long an offset is kept."""
OF_THE_GROUP = {
    error_codes.REBALANCE_IN_PROGRESS,
    error_codes.ILLEGAL_GENERATION,
    error_codes.UNKNOWN_MEMBER_ID,
}


class JoinsWithoutItsName(ClientMutant, breaks="client-groups.member-id-taken"):
    """Takes MEMBER_ID_REQUIRED for a refusal, and joins again as it did before."""

    def enter(self) -> Trying:
        code = yield from super().enter()
        if code == error_codes.MEMBER_ID_REQUIRED:
            self.member_id = ""
        return code


class RebalancesAreErrors(ClientMutant, breaks="client-groups.rebalance-is-joined"):
    """Tells the caller that the group has changed, and gives up."""

    def passing(self) -> frozenset[int]:
        return super().passing() - OF_THE_GROUP


class _Forgets(ClientMutant):
    """Joins as somebody else after some errors."""

    forgotten: frozenset[int] = frozenset()

    def refused(self, code: int) -> int:
        if code in self.forgotten:
            self.member_id = ""
        return super().refused(code)


class ForgetsItsNameInRebalances(_Forgets, breaks="client-groups.member-id-kept"):
    """Joins as somebody else when it is told of a rebalance."""

    forgotten = frozenset({error_codes.REBALANCE_IN_PROGRESS})


class ForgetsItsNameWithItsGeneration(_Forgets, breaks="client-groups.member-id-kept"):
    """Joins as somebody else when its generation is an old one."""

    forgotten = frozenset({error_codes.ILLEGAL_GENERATION})


class InsistsOnItsName(ClientMutant, breaks="client-groups.unknown-member-joins-anew"):
    """Joins under its old id when the coordinator does not know that any more."""

    def refused(self, code: int) -> int:
        return code


class BeginsAtTheBegin(ClientMutant, breaks="client-groups.begins-at-committed"):
    """Reads from the begin of the topic, whatever is committed."""

    def read_on(self, offset: int) -> Trying:
        return (yield from super().read_on(-1))


class SubscriptionWithoutItsVersion(ClientMutant, breaks="client-groups.protocol-readable"):
    """Leaves out the version before a subscription."""

    def packed(self, message: str, wanted: Value) -> str:
        text = super().packed(message, wanted)
        if message.endswith("Assignment"):
            return text
        return base64.b64encode(base64.b64decode(text)[2:]).decode()


class AssignmentCutShort(ClientMutant, breaks="client-groups.protocol-readable"):
    """Leaves the last byte of an assignment out."""

    def packed(self, message: str, wanted: Value) -> str:
        text = super().packed(message, wanted)
        if message.endswith("Subscription"):
            return text
        return base64.b64encode(base64.b64decode(text)[:-1]).decode()


class CommitsWithAByteMore(ClientMutant, breaks="client-requests.readable"):
    """Writes a byte more behind the last field of OffsetCommit."""

    def frame(self, api_key: int, version: int, number: int, wanted: Mapping[str, Any]) -> bytes:
        data = super().frame(api_key, version, number, wanted)
        if api_key != OFFSET_COMMIT:
            return data
        return (len(data) - 3).to_bytes(4, "big") + data[4:] + b"\x01"


class LeavesAsTheNewest(ClientMutant, breaks="client-versions.nothing-in-common-is-not-sent"):
    """Leaves a group in the newest version that it knows, however few of them a broker serves."""

    implies = ("client-versions.within-both-ranges", "client-versions.unlisted-is-not-asked")

    def version_of(self, api_key: int) -> int:
        return self.versions[api_key][1] if api_key == LEAVE_GROUP else super().version_of(api_key)


class BeatsWithoutItsList(ClientMutant, breaks="client-versions.unlisted-is-not-asked"):
    """Sends Heartbeat to a broker that does not list it."""

    def version_of(self, api_key: int) -> int:
        unlisted = api_key == HEARTBEAT and api_key not in self.served
        return 0 if unlisted else super().version_of(api_key)


class ReadsNoFirstShares(ClientMutant, breaks="client-versions.each-version-read"):
    """Can't read answers to SyncGroup of version 0."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        if api_key == SYNC_GROUP and not version:
            raise Failed("an answer that can't be read")
        return super().read(api_key, version, frame)


class NullTypeRefused(ClientMutant, breaks="client-answers.nulls-read"):
    """Refuses an answer to JoinGroup whose protocol type is null."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        value = super().read(api_key, version, frame)
        if api_key == JOIN_GROUP and value.get("protocolType", "") is None:
            raise Failed("a null that there may not be")
        return value


class StaysInACompactedEnd(ClientMutant, breaks="client-records.compacted-end-passed"):
    """Goes on behind the last record of a batch, and not behind its last offset."""

    implies = ("client-records.given-as-held",)

    def behind(self, batch: Value) -> int:
        deltas = [each["offsetDelta"] for each in batch["records"]]
        return int(batch["baseOffset"] + max(deltas, default=batch["lastOffsetDelta"]) + 1)


class KeepsAllForItself(ClientMutant, breaks="client-groups.every-member-gets-a-share"):
    """Leaves out of its SyncGroup who is to read nothing."""

    def shares(self) -> list[Value]:
        return [each for each in super().shares() if each["memberId"] == self.member_id]


class CommitsTheLast(ClientMutant, breaks="client-groups.next-offset-committed"):
    """Commits the offset of the record that it has read."""

    def commit(self, topic_id: str) -> Trying:
        self.position -= 1
        return (yield from super().commit(topic_id))


class NoSecondAttempt(ClientMutant, breaks="client-answers.passing-errors-pass"):
    """Tells every error that passes by itself at once."""

    implies = (
        "client-transactions.passing-errors-pass",
        "client-produce.large-batch-sent-again",
        "client-produce.stream-once-in-order",
    )

    def passing(self) -> frozenset[int]:
        return super().passing() - RETRIABLE


class GivesUpWithoutALeader(ClientMutant, breaks="client-answers.passing-errors-pass"):
    """Fails when Metadata names no leader yet."""

    implies = ("client-records.leader-followed",)
    waits_for_leader = False


class TrustsOtherMembers(ClientMutant, breaks="client-groups.nonsense-of-members-survived"):
    """Reads the topics that each member wants, and takes it that they are all there."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        answer = super().read(api_key, version, frame)
        for each in answer.get("members", []) if api_key == JOIN_GROUP else []:
            data = base64.b64decode(each["metadata"])
            _ = data[2], data[5]
        return answer


class KeepsItsFirstGeneration(ClientMutant, breaks="client-groups.generation-is-the-last"):
    """Says that it is still there in the generation that it was in first."""

    kept = 0

    def membership(self) -> Value:
        self.kept = self.kept or self.generation
        return {**super().membership(), "generationId": self.kept}

    def receive_share(self) -> Trying:
        before, self.kept = self.kept, self.generation
        code = yield from super().receive_share()
        self.kept = before or self.generation
        return code


class LooksForItsCoordinatorInRebalances(
    ClientMutant, breaks="client-groups.coordinator-kept-in-rebalances"
):
    """Looks for its coordinator behind a Heartbeat that was refused, before all else."""

    def beat(self) -> Trying:
        code = yield from super().beat()
        if code:
            yield from self.reach_coordinator()
        return code


class KeepsOffsetsForNoTime(ClientMutant, breaks="client-groups.offsets-kept-as-ever"):
    """Writes 0 as the time for which an offset is to be kept."""

    def frame(self, api_key: int, version: int, number: int, wanted: Mapping[str, Any]) -> bytes:
        more = {"retentionTimeMs": 0} if api_key == OFFSET_COMMIT and version in TIMED else {}
        return super().frame(api_key, version, number, {**wanted, **more})


class BeatsAtNoCoordinator(ClientMutant, breaks="client-groups.moved-coordinator-looked-up"):
    """Says again that it is still there to a coordinator that is none any more."""

    def look_again(self) -> Course:
        yield from ()


class CommitsTheFirstEpoch(ClientMutant, breaks="client-groups.epoch-as-read"):
    """Commits each offset with epoch 0."""

    def frame(self, api_key: int, version: int, number: int, wanted: Mapping[str, Any]) -> bytes:
        if api_key == OFFSET_COMMIT:
            topics = [{**each, "partitions": _of_epoch_0(each)} for each in wanted["topics"]]
            wanted = {**wanted, "topics": topics}
        return super().frame(api_key, version, number, wanted)


def _of_epoch_0(topic: Value) -> list[Value]:
    return [{**each, "committedLeaderEpoch": 0} for each in topic["partitions"]]


class StickyIsNotWritten(ClientMutant, breaks="client-groups.sticky-shared-out"):
    """Fails to write what it has for an assignor that leaves it that."""

    def says_it_has(self) -> Value:
        if self.assignor == STICKY and self.generation > 0:
            raise Failed("what it has can't be written")
        return super().says_it_has()


class JoinIsARequest(ClientMutant, breaks="client-groups.late-join-awaited"):
    """Awaits the answer to JoinGroup no longer than that to any other request."""

    def awaited_ms(self) -> int:
        return 0


class SharesInNoGeneration(ClientMutant, breaks="client-groups.synced-as-joined"):
    """Forgets the generation that it was given when it joins again."""

    def receive_share(self) -> Trying:
        given, self.generation = self.generation, -1 if self.generation > 1 else self.generation
        code = yield from super().receive_share()
        self.generation = given
        return code


class TellsWhatPasses(ClientMutant, breaks="client-coordinators.passing-not-told"):
    """Tells its caller of each error on its way into a group, and goes on."""

    errors: tuple[int, ...] = ()

    def reach_coordinator(self) -> Trying:
        return self.noted((yield from super().reach_coordinator()))

    def enter(self) -> Trying:
        return self.noted((yield from super().enter()))

    def noted(self, code: int) -> int:
        self.errors = (*self.errors, code) if code in self.passing() else self.errors
        return code

    def join(self) -> Course:
        yield from super().join()
        self.told = ["told", *map(str, self.errors)] if self.errors else self.told


class AwaitsAReadableAnswer(ClientMutant, breaks="client-answers.unreadable-not-awaited"):
    """Waits on, once it has joined, where an answer came that it can't read."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        try:
            return super().read(api_key, version, frame)
        except Lost:
            self.is_stuck = self.generation > 0
            raise

    is_stuck = False

    def hear(self) -> Generator[Step, Received | None, Received]:
        while self.is_stuck:
            yield Wait(1.0)
        return (yield from super().hear())


COMMITS = 30
"""The number of times a commit is sent."""


class ComesAgainAsItLeft(ClientMutant, breaks="client-members.comes-again-as-new"):
    """Joins again with the epoch that it left with."""

    has_left = False

    def come_back(self) -> None:
        super().come_back()
        self.generation = LEAVING if self.has_left else self.generation
        self.has_left = True


class CommitsOnInItsFirstEpoch(ClientMutant, breaks="client-members.epoch-as-given"):
    """Commits many times before it leaves, each time in the epoch that it was given first."""

    first = JOINING

    def heartbeat(self, topic_id: str) -> Trying:
        code = yield from super().heartbeat(topic_id)
        self.first = self.first or self.generation
        return code

    def depart(self) -> Trying:
        last, self.generation = self.generation, self.first
        for _ in range(COMMITS if self.partition in self.owned else 0):
            yield from self.commit(self.owned_id)
        self.generation = last
        return (yield from super().depart())

    def come_back(self) -> None:
        super().come_back()
        self.first = JOINING


class JoinsTwiceAtOnce(ClientMutant, breaks="client-groups.joins-in-turn"):
    """Joins for what it wants now before it was answered what it wanted before."""

    def ask(self, api_key: int, version: int, wanted: Mapping[str, Any]) -> Asking:
        if api_key != JOIN_GROUP or self.named != "orders.v2":
            return (yield from super().ask(api_key, version, wanted))
        return (yield from self.ask_all(api_key, version, [wanted, wanted]))[-1]
