"""Clients that are no good members of a group."""

from __future__ import annotations

import base64
from collections.abc import Generator, Mapping
from typing import Any

from conformance import error_codes
from conformance.api_keys import HEARTBEAT, JOIN_GROUP, LEAVE_GROUP, OFFSET_COMMIT, SYNC_GROUP
from conformance.clients.mutants.mutant import ClientMutant
from conformance.dialogue import Received
from conformance.reference.client import RETRIABLE, Course, Failed, Lost, Step, Trying, Wait
from conformance.reference.client.actions.joining import STICKY
from conformance.testee_protocol import Value

TIMED = range(2, 5)
"""The versions of OffsetCommit that say how long an offset is kept."""
OF_THE_GROUP = {
    error_codes.REBALANCE_IN_PROGRESS,
    error_codes.ILLEGAL_GENERATION,
    error_codes.UNKNOWN_MEMBER_ID,
}


class JoinsWithoutItsName(ClientMutant):
    """Takes MEMBER_ID_REQUIRED for a refusal, and joins again as it did before."""

    breaks = "client-groups.member-id-taken"

    def enter(self) -> Trying:
        code = yield from super().enter()
        if code == error_codes.MEMBER_ID_REQUIRED:
            self.member_id = ""
        return code


class RebalancesAreErrors(ClientMutant):
    """Tells the caller that the group has changed, and gives up."""

    breaks = "client-groups.rebalance-is-joined"

    def passing(self) -> frozenset[int]:
        return super().passing() - OF_THE_GROUP


class _Forgets(ClientMutant):
    """Joins as somebody else after some errors."""

    forgotten: frozenset[int] = frozenset()

    def refused(self, code: int) -> int:
        if code in self.forgotten:
            self.member_id = ""
        return super().refused(code)


class ForgetsItsNameInRebalances(_Forgets):
    """Joins as somebody else when it is told of a rebalance."""

    breaks = "client-groups.member-id-kept"
    forgotten = frozenset({error_codes.REBALANCE_IN_PROGRESS})


class ForgetsItsNameWithItsGeneration(_Forgets):
    """Joins as somebody else when its generation is an old one."""

    breaks = "client-groups.member-id-kept"
    forgotten = frozenset({error_codes.ILLEGAL_GENERATION})


class InsistsOnItsName(ClientMutant):
    """Joins under its old id when the coordinator does not know that any more."""

    breaks = "client-groups.unknown-member-joins-anew"

    def refused(self, code: int) -> int:
        return code


class BeginsAtTheBegin(ClientMutant):
    """Reads from the begin of the topic, whatever is committed."""

    breaks = "client-groups.begins-at-committed"

    def read_on(self, offset: int) -> Trying:
        return (yield from super().read_on(-1))


class SubscriptionWithoutItsVersion(ClientMutant):
    """Leaves out the version before a subscription."""

    breaks = "client-groups.protocol-readable"

    def packed(self, message: str, wanted: Value) -> str:
        text = super().packed(message, wanted)
        if message.endswith("Assignment"):
            return text
        return base64.b64encode(base64.b64decode(text)[2:]).decode()


class AssignmentCutShort(ClientMutant):
    """Leaves the last byte of an assignment out."""

    breaks = "client-groups.protocol-readable"

    def packed(self, message: str, wanted: Value) -> str:
        text = super().packed(message, wanted)
        if message.endswith("Subscription"):
            return text
        return base64.b64encode(base64.b64decode(text)[:-1]).decode()


class CommitsWithAByteMore(ClientMutant):
    """Writes a byte more behind the last field of OffsetCommit."""

    breaks = "client-requests.readable"

    def frame(self, api_key: int, version: int, number: int, wanted: Mapping[str, Any]) -> bytes:
        data = super().frame(api_key, version, number, wanted)
        if api_key != OFFSET_COMMIT:
            return data
        return (len(data) - 3).to_bytes(4, "big") + data[4:] + b"\x01"


class LeavesAsTheNewest(ClientMutant):
    """Leaves a group in the newest version that it knows, however few of them a broker serves."""

    breaks = "client-versions.nothing-in-common-is-not-sent"
    implies = ("client-versions.within-both-ranges", "client-versions.unlisted-is-not-asked")

    def version_of(self, api_key: int) -> int:
        return self.versions[api_key][1] if api_key == LEAVE_GROUP else super().version_of(api_key)


class BeatsWithoutItsList(ClientMutant):
    """Sends Heartbeat to a broker that does not list it."""

    breaks = "client-versions.unlisted-is-not-asked"

    def version_of(self, api_key: int) -> int:
        unlisted = api_key == HEARTBEAT and api_key not in self.served
        return 0 if unlisted else super().version_of(api_key)


class ReadsNoFirstShares(ClientMutant):
    """Can't read answers to SyncGroup of version 0."""

    breaks = "client-versions.each-version-read"

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        if api_key == SYNC_GROUP and not version:
            raise Failed("an answer that can't be read")
        return super().read(api_key, version, frame)


class NullTypeRefused(ClientMutant):
    """Refuses an answer to JoinGroup whose protocol type is null."""

    breaks = "client-answers.nulls-read"

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        value = super().read(api_key, version, frame)
        if api_key == JOIN_GROUP and value.get("protocolType", "") is None:
            raise Failed("a null that there may not be")
        return value


class StaysInACompactedEnd(ClientMutant):
    """Goes on behind the last record of a batch, and not behind its last offset."""

    breaks = "client-records.compacted-end-passed"
    implies = ("client-records.given-as-held",)

    def behind(self, batch: Value) -> int:
        deltas = [each["offsetDelta"] for each in batch["records"]]
        return int(batch["baseOffset"] + max(deltas, default=batch["lastOffsetDelta"]) + 1)


class KeepsAllForItself(ClientMutant):
    """Leaves out of its SyncGroup who is to read nothing."""

    breaks = "client-groups.every-member-gets-a-share"

    def shares(self) -> list[Value]:
        return [each for each in super().shares() if each["memberId"] == self.member_id]


class CommitsTheLast(ClientMutant):
    """Commits the offset of the record that it has read."""

    breaks = "client-groups.next-offset-committed"

    def commit(self, topic_id: str) -> Trying:
        self.position -= 1
        return (yield from super().commit(topic_id))


class NoSecondAttempt(ClientMutant):
    """Tells every error that passes by itself at once."""

    breaks = "client-answers.passing-errors-pass"
    implies = (
        "client-transactions.passing-errors-pass",
        "client-produce.large-batch-sent-again",
        "client-produce.stream-once-in-order",
    )

    def passing(self) -> frozenset[int]:
        return super().passing() - RETRIABLE


class GivesUpWithoutALeader(ClientMutant):
    """Fails when Metadata names no leader yet."""

    breaks = "client-answers.passing-errors-pass"
    implies = ("client-records.leader-followed",)
    waits_for_leader = False


class TrustsOtherMembers(ClientMutant):
    """Reads the topics that each member wants, and takes it that they are all there."""

    breaks = "client-groups.nonsense-of-members-survived"

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        answer = super().read(api_key, version, frame)
        for each in answer.get("members", []) if api_key == JOIN_GROUP else []:
            data = base64.b64decode(each["metadata"])
            _ = data[2], data[5]
        return answer


class KeepsItsFirstGeneration(ClientMutant):
    """Says that it is still there in the generation that it was in first."""

    breaks = "client-groups.generation-is-the-last"
    kept = 0

    def membership(self) -> Value:
        self.kept = self.kept or self.generation
        return {**super().membership(), "generationId": self.kept}

    def receive_share(self) -> Trying:
        before, self.kept = self.kept, self.generation
        code = yield from super().receive_share()
        self.kept = before or self.generation
        return code


class LooksForItsCoordinatorInRebalances(ClientMutant):
    """Looks for its coordinator behind a Heartbeat that was refused, before all else."""

    breaks = "client-groups.coordinator-kept-in-rebalances"

    def beat(self) -> Trying:
        code = yield from super().beat()
        if code:
            yield from self.reach_coordinator()
        return code


class KeepsOffsetsForNoTime(ClientMutant):
    """Writes 0 as the time for which an offset is to be kept."""

    breaks = "client-groups.offsets-kept-as-ever"

    def frame(self, api_key: int, version: int, number: int, wanted: Mapping[str, Any]) -> bytes:
        more = {"retentionTimeMs": 0} if api_key == OFFSET_COMMIT and version in TIMED else {}
        return super().frame(api_key, version, number, {**wanted, **more})


class BeatsAtNoCoordinator(ClientMutant):
    """Says again that it is still there to a coordinator that is none any more."""

    breaks = "client-groups.moved-coordinator-looked-up"

    def look_again(self) -> Course:
        yield from ()


class CommitsTheFirstEpoch(ClientMutant):
    """Commits each offset with epoch 0."""

    breaks = "client-groups.epoch-as-read"

    def frame(self, api_key: int, version: int, number: int, wanted: Mapping[str, Any]) -> bytes:
        if api_key == OFFSET_COMMIT:
            topics = [{**each, "partitions": _of_epoch_0(each)} for each in wanted["topics"]]
            wanted = {**wanted, "topics": topics}
        return super().frame(api_key, version, number, wanted)


def _of_epoch_0(topic: Value) -> list[Value]:
    return [{**each, "committedLeaderEpoch": 0} for each in topic["partitions"]]


class StickyIsNotWritten(ClientMutant):
    """Fails to write what it has for an assignor that leaves it that."""

    breaks = "client-groups.sticky-shared-out"

    def says_it_has(self) -> Value:
        if self.assignor == STICKY and self.generation > 0:
            raise Failed("what it has can't be written")
        return super().says_it_has()


class JoinIsARequest(ClientMutant):
    """Awaits the answer to JoinGroup no longer than that to any other request."""

    breaks = "client-groups.late-join-awaited"

    def awaited_ms(self) -> int:
        return 0


class SharesInNoGeneration(ClientMutant):
    """Forgets the generation that it was given when it joins again."""

    breaks = "client-groups.synced-as-joined"

    def receive_share(self) -> Trying:
        given, self.generation = self.generation, -1 if self.generation > 1 else self.generation
        code = yield from super().receive_share()
        self.generation = given
        return code


class TellsWhatPasses(ClientMutant):
    """Tells its caller of each error on its way into a group, and goes on."""

    breaks = "client-coordinators.passing-not-told"
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


class AwaitsAReadableAnswer(ClientMutant):
    """Waits on, once it has joined, where an answer came that it can't read."""

    breaks = "client-answers.unreadable-not-awaited"

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
