"""Members of groups whose coordinator shares out (KIP-848): what they say in their heartbeats.

A member says with epoch 0 that it comes, and with the epoch that it was given that it is still
there; with -1 it leaves. What it is assigned it confirms by what it owns.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar

from conformance.clients.scenarios.actions import FILLED
from conformance.clients.scenarios.scenario import Scenario, id_of
from conformance.clients.scenarios.visit import NotDone, Sent, Visit, require, survives
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.broker.cluster import Batch, Request, Topic, Value
from conformance.reference.broker.groups.consumers import (
    JOINING,
    LEAVING,
    LEAVING_FOR_A_WHILE,
    OWN_ID_SINCE,
)
from conformance.results.text import json_text

HEARTBEAT = "ConsumerGroupHeartbeat"
ENDS = (LEAVING, LEAVING_FOR_A_WHILE)
STEP = 10
"""The increase of the epoch with each heartbeat."""
NONSENSE_EPOCH = -5
SLOW_MS = 1000
DOZEN, HASTE_S, MOST_PLAYED = 12, 0.8, 30
THIRD = 3
"""The first heartbeat that neither joins nor confirms."""


def beats(visit: Visit) -> list[Sent]:
    """Return all heartbeats. Raises NotApplicable if there are none."""
    found = [each for each in visit.of(HEARTBEAT) if each.value]
    if not found:
        raise NotApplicable(f"it did not ask {HEARTBEAT}")
    return found


def told(beat: Sent) -> Value:
    """Return the fields of a heartbeat."""
    return beat.value or {}


def epoch_of(beat: Sent) -> int:
    """The epoch that a heartbeat has."""
    return int(told(beat)["memberEpoch"])


def joins_whole(visit: Visit) -> None:
    """Judge that a joining member gives all its fields, and owns no partitions yet."""
    for each in beats(visit):
        asked = told(each)
        if epoch_of(each) != JOINING:
            continue
        if asked["rebalanceTimeoutMs"] <= 0:
            what = f"it joins with the rebalance timeout {asked['rebalanceTimeoutMs']}"
            raise Broken(what, "a time above 0", each.frame)
        if asked["subscribedTopicNames"] is None and asked.get("subscribedTopicRegex") is None:
            raise Broken("it joins without a subscription", "names or a pattern", each.frame)
        if asked["topicPartitions"]:
            raise Broken("it joins and owns partitions", "none", each.frame)


def brings_its_id(visit: Visit) -> None:
    """Judge that each heartbeat has a member id, in versions in which members make their ids."""
    asked = [each for each in beats(visit) if each.version >= OWN_ID_SINCE]
    require(asked, f"it sent no {HEARTBEAT} of version {OWN_ID_SINCE} or above")
    for each in asked:
        if not told(each)["memberId"]:
            what = f"{HEARTBEAT} v{each.version} has no member id"
            raise Broken(what, "an id of its own", each.frame)


def leaves(visit: Visit) -> None:
    """The last heartbeat says that the member leaves."""
    last = beats(visit)[-1]
    if epoch_of(last) not in ENDS:
        raise NotDone(f"the last heartbeat has epoch {epoch_of(last)}", str(LEAVING), last.frame)


def confirms(visit: Visit) -> None:
    """Judge that a heartbeat has the partition that was assigned."""
    every = beats(visit)
    if not any(_owned(each) == {0} for each in every):
        what = "no heartbeat has the partition that was assigned"
        raise NotDone(what, f"{FILLED}: 0", every[-1].frame)


def _owned(beat: Sent) -> set[int] | None:
    """The partitions of the topic that a heartbeat says are the member's, None where it says
    nothing of that."""
    topics = told(beat)["topicPartitions"]
    if topics is None:
        return None
    return {
        index for each in topics if each["topicId"] == id_of(FILLED) for index in each["partitions"]
    }


def asks_as_member(visit: Visit) -> None:
    """Judge that OffsetFetch has the member's id and epoch, in versions with fields for them."""
    asked = [each for each in visit.of("OffsetFetch") if "memberEpoch" in group_of(each)]
    require(asked, "it sent no OffsetFetch that has the epoch of a member")
    for each in asked:
        group = group_of(each)
        if not group["memberId"] or group["memberEpoch"] <= JOINING:
            who = f"member id {json_text(group['memberId'])} and epoch {group['memberEpoch']}"
            raise Broken(
                f"OffsetFetch v{each.version} has {who}",
                "the id and the epoch of the member",
                each.frame,
            )


def group_of(fetch: Sent) -> Value:
    """The first group of an OffsetFetch; nothing where it has none."""
    groups = (fetch.value or {}).get("groups")
    return dict(groups[0]) if groups else {}


class ConsumersPlain(Scenario, about="ConsumerGroupHeartbeatRequest", action="member"):
    """Assigns the topic to the one member of a group, and answers each heartbeat."""

    decides: ClassVar = {
        "client-members.joins-whole": joins_whole,
        "client-members.own-id-brought": brings_its_id,
        "client-members.leaves": leaves,
        "client-members.assignment-confirmed": confirms,
        "client-members.offsets-asked-as-member": asks_as_member,
    }


class OfConsumers(Scenario, about="ConsumerGroupHeartbeatRequest", action="member"):
    """The plain broker for consumer groups, with a count of the heartbeats; a base of scenarios."""

    heard = 0

    def consumer_group_heartbeat(self, request: Request) -> Value:
        """Return the answer, and count heartbeats that do not leave."""
        if request.value["memberEpoch"] not in ENDS:
            self.heard += 1
        return super().consumer_group_heartbeat(request)


def epochs_as_given(visit: Visit) -> None:
    """Each heartbeat has the epoch of the answer to the one before, each commit one of the last."""
    given = 0
    for each in visit.sent:
        if each.api == HEARTBEAT and each.value and epoch_of(each) not in ENDS:
            if epoch_of(each) != given:
                what = f"a heartbeat has epoch {epoch_of(each)}, and {given} was given"
                raise Broken(what, str(given), each.frame)
            given += STEP
        if each.api == "OffsetCommit" and each.value:
            epoch = each.value["generationIdOrMemberEpoch"]
            if epoch not in (given, given - STEP):
                what = f"OffsetCommit v{each.version} has epoch {epoch}, and {given} was given"
                raise Broken(what, str(given), each.frame)


class EpochRises(OfConsumers):
    """Gives the member a higher epoch with each heartbeat."""

    holds = staticmethod(epochs_as_given)
    decides: ClassVar = {"client-members.epoch-as-given": epochs_as_given}

    def heartbeat_answer(self, member_id: str, epoch: int, assignment: Value | None) -> Value:
        """Return the answer with the next epoch, which is the member's from now on."""
        if epoch in ENDS:
            return super().heartbeat_answer(member_id, epoch, assignment)
        for member in self.consumers.values():
            member.epoch = self.heard * STEP
        return super().heartbeat_answer(member_id, self.heard * STEP, assignment)


def waits_between(visit: Visit) -> None:
    """Judge that no heartbeat repeats the one before it in less than half the interval."""
    every = beats(visit)
    for before, each in pairwise(every):
        apart_ms = (each.at_s - before.at_s) * 1000
        if told(each) == told(before) and apart_ms < SLOW_MS / 2:
            what = f"a heartbeat came {apart_ms:.0f} ms after another one"
            raise Broken(what, f"about {SLOW_MS} ms", each.frame)


class SlowHeartbeats(OfConsumers):
    """Gives one second as the time between two heartbeats."""

    interval_ms = SLOW_MS
    decides: ClassVar = {"client-members.interval-kept": waits_between}


def pauses(visit: Visit) -> None:
    """Judge that no dozen of heartbeats comes in less than a second."""
    every = beats(visit)
    for first, last in zip(every, every[DOZEN - 1 :], strict=False):
        if last.at_s - first.at_s < HASTE_S:
            what = f"{DOZEN} heartbeats came in {last.at_s - first.at_s:.2f} s"
            raise Broken(what, f"fewer in {HASTE_S} s", last.frame)
    survives(visit)


class NoInterval(OfConsumers):
    """Gives 0 as the time between two heartbeats, thirty times."""

    decides: ClassVar = {"client-members.no-interval-survived": pauses}

    def heartbeat_answer(self, member_id: str, epoch: int, assignment: Value | None) -> Value:
        """Return an interval of 0 a limited number of times: a looping client is not hung up on."""
        answer = super().heartbeat_answer(member_id, epoch, assignment)
        return {**answer, "heartbeatIntervalMs": 0} if self.heard <= MOST_PLAYED else answer


def keeps_an_epoch(visit: Visit) -> None:
    """Judge that no heartbeat has the epoch below 0 that an answer had."""
    for each in beats(visit):
        if epoch_of(each) == NONSENSE_EPOCH:
            raise Broken(
                f"a heartbeat has epoch {NONSENSE_EPOCH}", "an epoch that it was given", each.frame
            )
    survives(visit)


class EpochBelowZero(OfConsumers):
    """Answers the third heartbeat with an epoch below 0, and without an error."""

    leaves_open = frozenset({"client-requests.readable"})
    decides: ClassVar = {"client-members.nonsense-epoch-not-taken": keeps_an_epoch}

    def heartbeat_answer(self, member_id: str, epoch: int, assignment: Value | None) -> Value:
        answer = super().heartbeat_answer(member_id, epoch, assignment)
        is_third = self.heard == THIRD and epoch not in ENDS
        return {**answer, "memberEpoch": NONSENSE_EPOCH} if is_third else answer


def owns_once(visit: Visit) -> None:
    """Judge that a partition that is assigned twice is owned once."""
    for each in beats(visit):
        for topic in told(each)["topicPartitions"] or ():
            if len(topic["partitions"]) > len(set(topic["partitions"])):
                what = f"it owns the partitions {topic['partitions']}"
                raise Broken(what, "each partition once", each.frame)
    survives(visit)


class AssignedTwice(OfConsumers):
    """Names the partition that it assigns twice."""

    decides: ClassVar = {"client-members.assigned-twice-owned-once": owns_once}

    def share_of(self, topic: Topic) -> Value:
        share = super().share_of(topic)
        return {**share, "partitions": share["partitions"] * 2}


def gives_up(visit: Visit) -> None:
    """The partition that is taken away is given up before its loss is confirmed, and stays so."""
    every = beats(visit)
    commits = visit.of("OffsetCommit")
    if not commits or not any(_owned(each) == {KEPT, TAKEN} for each in every):
        raise NotApplicable("it did not confirm two partitions, and commit an offset")
    behind = every[sum(each.at_s < commits[0].at_s for each in every) :]
    confirmed = next((each for each in behind if _owned(each) == {KEPT}), None)
    if confirmed is None and len([each for each in behind if epoch_of(each) not in ENDS]) < ENOUGH:
        raise NotApplicable("it left before it could confirm anything")
    if confirmed is None:
        what = f"no heartbeat says that partition {TAKEN} was given up"
        raise NotDone(what, f"{FILLED}: {KEPT}", every[-1].frame)
    for each in visit.sent[visit.sent.index(confirmed) :]:
        if TAKEN in _touched(each):
            what = f"{each.api} v{each.version} is about partition {TAKEN}, which was given up"
            raise Broken(what, f"partition {KEPT} alone", each.frame)


KEPT, TAKEN = 0, 1
ENOUGH = 3
"""The number of heartbeats needed for one of them to confirm the answer to another."""


def _touched(sent: Sent) -> set[int]:
    """The partitions of the topic that a Fetch or a commit is about."""
    if sent.api not in ("Fetch", "OffsetCommit") or not sent.value:
        return set()
    return {
        one["partition" if sent.api == "Fetch" else "partitionIndex"]
        for each in sent.value["topics"]
        if each.get("topicId", id_of(FILLED)) == id_of(FILLED)
        for one in each["partitions"]
    }


class TakesOneAway(OfConsumers):
    """Assigns two partitions, and takes one of them away as soon as an offset is committed."""

    decides: ClassVar = {"client-members.revoked-given-up": gives_up}

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.topics[FILLED].replicas.append(list(self.topics[FILLED].replicas[0]))
        self.is_taken = False

    def offset_commit(self, request: Request) -> Value:
        if not self.is_taken:
            self.is_taken = True
            for each in self.consumers.values():
                each.is_told = False
        return super().offset_commit(request)

    def batches(self, topic: Topic, index: int) -> list[Batch]:
        """Return one record, in the partition that is kept."""
        return super().batches(topic, index) if index == KEPT else []

    def share_of(self, topic: Topic) -> Value:
        share = super().share_of(topic)
        return {**share, "partitions": [KEPT]} if self.is_taken else share
