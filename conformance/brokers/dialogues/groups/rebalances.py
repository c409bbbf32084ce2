"""Groups of two members, each on a connection of its own: its answers come in order.

The second joins while the first is in the group. So its JoinGroup waits until the first has learnt
of it by a heartbeat, and joined again.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.groups.membership import (
    ANY,
    MEMBERS,
    PROTOCOLS,
    SYNCED,
    Member,
    Steps,
    deleted,
    member,
    told,
)
from conformance.brokers.dialogues.talk import Talk, judged_by
from conformance.brokers.dialogues.topics.lifecycle import newest
from conformance.brokers.dialogues.topics.requests import WRITES
from conformance.dialogue import Dialogue, Received, Step
from conformance.error_codes import MEMBER_ID_REQUIRED, REBALANCE_IN_PROGRESS

NEEDS = (*SYNCED, "Heartbeat")
Pair = Generator[Step, Received | None, tuple[Member, Member]]
Answers = Generator[Step, Received | None, tuple[dict[str, Any], dict[str, Any]]]


def _first(talk: Talk) -> Pair:
    """Return a member with its share, and another one on its own connection. Raises Broken."""
    first = yield from member(talk, protocols=PROTOCOLS[:1])
    yield from first.settled()
    return first, first.beside("second", protocols=PROTOCOLS[:1])


def _send_second(first: Member, second: Member, version: int) -> Dialogue:
    """Have the second member ask to join, and go on with the first. Raises Broken."""
    yield from second.here()
    if version >= 4:
        answer = yield from second.join_once(version)
        if answer["errorCode"] == MEMBER_ID_REQUIRED:
            second.member_id = answer["memberId"]
    yield from second.send_join(version)
    yield from first.here()


@judged_by("groups.rebalance-told")
def _learn(first: Member, version: int) -> Dialogue:
    """Expect heartbeats of the first member to say that it has to join again."""

    def code() -> Steps:
        return (yield from first.heartbeat(version))

    what = "the error for a heartbeat while another member joins"
    yield from first.talk.eventually(what, REBALANCE_IN_PROGRESS, code)


def _both(first: Member, second: Member, version: int) -> Answers:
    """Have both join one generation; return their answers. Raises Broken."""
    yield from _send_second(first, second, version)
    yield from _learn(first, newest(first.talk, "Heartbeat"))
    yield from first.send_join(version)
    one = yield from first.hear_joined()
    yield from second.here()
    two = yield from second.hear_joined()
    for each, answer in ((first, one), (second, two)):
        each.talk.expect("the error for a member that joins", 0, answer["errorCode"])
        each.keep(answer)
    return one, two


@judged_by("groups.one-leader")
def _joined(first: Member, second: Member) -> Steps:
    """Have both join by the newest version; return which leads, and the other. Raises Broken."""
    one, _ = yield from _both(first, second, newest(first.talk, "JoinGroup"))
    return (first, second) if one["leader"] == first.member_id else (second, first)


def _gone(first: Member, second: Member) -> Dialogue:
    """Have both leave, on whichever connection, and delete the group."""
    version = newest(first.talk, "LeaveGroup")
    for each in (first, second):
        yield from each.leave(version)
    yield from deleted(first)


@question("groups.one-leader", "JoinGroup", ANY, needs=NEEDS, wants=WRITES)
def _two_members(talk: Talk, version: int) -> Dialogue:
    """Expect one higher generation and one leader, which alone gets both members' metadata."""
    first, second = yield from _first(talk)
    before = first.generation
    one, two = yield from _both(first, second, version)
    same = ("generationId", "protocolName", "leader")
    talk.expect(
        "generation, protocol and leader of the second member",
        [one[key] for key in same],
        [two[key] for key in same],
    )
    talk.expect("whether the generation is a later one", True, one["generationId"] > before)
    ids = {first.member_id, second.member_id}
    talk.expect("the number of ids of the members", 2, len(ids))
    talk.expect("whether a member leads", True, one["leader"] in ids)
    led = one if one["leader"] == first.member_id else two
    other = two if led is one else one
    metadata = {each.member_id: each.metadata[PROTOCOLS[0]] for each in (first, second)}
    found = {each["memberId"]: each["metadata"] for each in led["members"]}
    talk.expect("the metadata by member, for the leader", metadata, found)
    talk.expect("the members, for the other", [], other["members"])
    yield from _gone(first, second)


@question("groups.rebalance-told", "Heartbeat", ANY, needs=SYNCED, wants=WRITES)
def _heartbeat_while_another_joins(talk: Talk, version: int) -> Dialogue:
    first, second = yield from _first(talk)
    yield from _send_second(first, second, newest(talk, "JoinGroup"))
    yield from _learn(first, version)
    yield from _gone(first, second)


@question("groups.each-its-share", "SyncGroup", ANY, needs=(*MEMBERS, "Heartbeat"), wants=WRITES)
def _shares_of_two(talk: Talk, version: int) -> Dialogue:
    """Expect each of two members to get the share that the leader has for it."""
    first, second = yield from _first(talk)
    leader, other = yield from _joined(first, second)
    shares = {leader.member_id: told("of the leader"), other.member_id: told("of the other")}
    for each, given in ((leader, shares), (other, {})):
        yield from each.here()
        answer = yield from each.sync(version, given)
        found = [answer["errorCode"], answer["assignment"]]
        talk.expect("the error and the share", [0, shares[each.member_id]], found)
    yield from _gone(first, second)


@question(
    "groups.leaving-rebalances",
    "LeaveGroup",
    ANY,
    needs=(*MEMBERS, "SyncGroup", "Heartbeat"),
    wants=WRITES,
)
def _one_of_two_that_leaves(talk: Talk, version: int) -> Dialogue:
    """Expect an error for the other one, and that it joins a later generation by itself."""
    first, second = yield from _first(talk)
    yield from _joined(first, second)
    yield from second.here()
    found = yield from second.leave(version)
    talk.expect("the error for a member that leaves", [0], found)
    yield from first.here()

    def code() -> Steps:
        return (yield from first.heartbeat(newest(talk, "Heartbeat")))

    what = "the error for a heartbeat after another member left"
    yield from talk.eventually(what, REBALANCE_IN_PROGRESS, code)
    before, version = first.generation, newest(talk, "JoinGroup")
    answer = yield from first.join(version)
    seen = [answer["errorCode"], [each["memberId"] for each in answer["members"]]]
    talk.expect("the error and the members", [0, [first.member_id]], seen)
    talk.expect("whether the generation is a later one", True, first.generation > before)
    yield from first.gone()
