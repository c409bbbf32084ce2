"""A group of one member: it joins, gets its share, stays by heartbeats, and leaves.

The rest of each dialogue is done by the newest versions, so that a broker which gets one API wrong
is charged with that API alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.groups.membership import (
    ANY,
    JOINING,
    MEMBERS,
    MEMBERS_SINCE,
    PROTOCOLS,
    SYNCED,
    TYPE,
    deleted,
    member,
    told,
)
from conformance.brokers.dialogues.talk import Talk
from conformance.brokers.dialogues.topics.lifecycle import newest
from conformance.brokers.dialogues.topics.requests import WRITES
from conformance.dialogue import Broken, Dialogue
from conformance.error_codes import (
    FENCED_INSTANCE_ID,
    ILLEGAL_GENERATION,
    INCONSISTENT_GROUP_PROTOCOL,
    INVALID_GROUP_ID,
    INVALID_SESSION_TIMEOUT,
    MEMBER_ID_REQUIRED,
    UNKNOWN_MEMBER_ID,
)

IDS_REQUIRED = range(4, 100)
STATIC = range(5, 100)
"""The versions of JoinGroup with ids of instances (KIP-345)."""
TYPE_SINCE = 7
"""The first version of JoinGroup that has the type of the protocol in its answer (KIP-559)."""
PROTOCOL_SINCE = 5
"""The first version of SyncGroup that has them."""
FENCING = 3
"""The first version of Heartbeat with ids of instances."""


@question("groups.member-id-required", "JoinGroup", IDS_REQUIRED, needs=JOINING, wants=WRITES)
def _member_without_an_id(talk: Talk, version: int) -> Dialogue:
    """Expect an id in place of a generation, and that the member joins by that id."""
    made = yield from member(talk)
    first = yield from made.join_once(version)
    talk.expect("the error for a member without an id", MEMBER_ID_REQUIRED, first["errorCode"])
    made.member_id = first["memberId"]
    talk.expect("whether the answer has an id", True, bool(made.member_id))
    second = yield from made.join_once(version)
    due = [0, made.member_id]
    found = [second["errorCode"], second["memberId"]]
    talk.expect("the error and the id of a member that joins by its id", due, found)
    yield from made.gone()


@question("groups.joined-as-leader", "JoinGroup", ANY, needs=JOINING, wants=WRITES)
def _first_member(talk: Talk, version: int) -> Dialogue:
    """Expect the only member to lead, and what it brought with it."""
    made = yield from member(talk)
    answer = yield from made.join(version)
    talk.expect("the error", 0, answer["errorCode"])
    if answer["generationId"] < 0:
        what = f"generation {answer['generationId']} of a group that has a member"
        raise Broken(what, "0 or more", str(answer["generationId"]))
    talk.expect("whether the member has an id", True, bool(answer["memberId"]))
    talk.expect("the leader", answer["memberId"], answer["leader"])
    chosen = answer["protocolName"]
    talk.expect("whether the protocol is one of the member's", True, chosen in PROTOCOLS)
    if version >= TYPE_SINCE:
        talk.expect("the type of the protocol", TYPE, answer["protocolType"])
    found = [(each["memberId"], each["metadata"]) for each in answer["members"]]
    talk.expect("the members", [(answer["memberId"], made.metadata[chosen])], found)
    yield from made.gone()


@question("groups.share-comes-back", "SyncGroup", ANY, needs=MEMBERS, wants=WRITES)
def _share_of_one(talk: Talk, version: int) -> Dialogue:
    """Expect the bytes that the leader gave, and once more for one that asks again."""
    made = yield from member(talk, protocols=PROTOCOLS[:1])
    yield from made.joined()
    share = told("the share of the only member")
    for shares in ({made.member_id: share}, {}):
        answer = yield from made.sync(version, shares)
        found = [answer["errorCode"], answer["assignment"]]
        talk.expect("the error and the share", [0, share], found)
        if version >= PROTOCOL_SINCE:
            named = [answer["protocolType"], answer["protocolName"]]
            talk.expect("type and name of the protocol", [TYPE, PROTOCOLS[0]], named)
    yield from made.gone()


@question("groups.heartbeat-answered", "Heartbeat", ANY, needs=SYNCED, wants=WRITES)
def _heartbeat_of_a_member(talk: Talk, version: int) -> Dialogue:
    made = yield from member(talk, protocols=PROTOCOLS[:1])
    yield from made.settled()
    for _ in range(2):
        found = yield from made.heartbeat(version)
        talk.expect("the error for a heartbeat of a member", 0, found)
    yield from made.gone()


@question("groups.old-generation-refused", "Heartbeat", ANY, needs=SYNCED, wants=WRITES)
def _heartbeat_of_another_generation(talk: Talk, version: int) -> Dialogue:
    made = yield from member(talk, protocols=PROTOCOLS[:1])
    yield from made.settled()
    for other in _others(made.generation):
        found = yield from made.heartbeat(version, generationId=other)
        talk.expect(f"the error for generation {other}", ILLEGAL_GENERATION, found)
    yield from made.gone()


@question("groups.old-generation-refused", "SyncGroup", ANY, needs=MEMBERS, wants=WRITES)
def _shares_of_another_generation(talk: Talk, version: int) -> Dialogue:
    made = yield from member(talk, protocols=PROTOCOLS[:1])
    yield from made.settled()
    for other in _others(made.generation):
        answer = yield from replace(made, generation=other).sync(version)
        talk.expect(f"the error for generation {other}", ILLEGAL_GENERATION, answer["errorCode"])
    yield from made.gone()


def _others(generation: int) -> list[int]:
    """Return generations before and after this one."""
    return [each for each in (generation - 1, generation + 1) if each >= 0]


@question("groups.unknown-member-refused", "Heartbeat", ANY, needs=SYNCED, wants=WRITES)
def _heartbeat_of_a_stranger(talk: Talk, version: int) -> Dialogue:
    made = yield from member(talk, protocols=PROTOCOLS[:1])
    yield from made.settled()
    stranger = talk.facts.name("stranger")
    found = yield from made.heartbeat(version, memberId=stranger)
    talk.expect("the error for a stranger", UNKNOWN_MEMBER_ID, found)
    yield from made.gone()


@question("groups.unknown-member-refused", "SyncGroup", ANY, needs=MEMBERS, wants=WRITES)
def _shares_of_a_stranger(talk: Talk, version: int) -> Dialogue:
    made = yield from member(talk, protocols=PROTOCOLS[:1])
    yield from made.settled()
    stranger = replace(made, member_id=talk.facts.name("stranger"))
    answer = yield from stranger.sync(version)
    talk.expect("the error for a stranger", UNKNOWN_MEMBER_ID, answer["errorCode"])
    yield from made.gone()


@question("groups.unknown-member-refused", "JoinGroup", ANY, needs=JOINING, wants=WRITES)
def _joining_of_a_stranger(talk: Talk, version: int) -> Dialogue:
    made = yield from member(talk)
    yield from made.joined()
    stranger = replace(made, member_id=talk.facts.name("stranger"))
    answer = yield from stranger.join_once(version)
    talk.expect("the error for a stranger", UNKNOWN_MEMBER_ID, answer["errorCode"])
    yield from made.gone()


@question("groups.unknown-member-refused", "LeaveGroup", ANY, needs=MEMBERS, wants=WRITES)
def _leaving_of_a_stranger(talk: Talk, version: int) -> Dialogue:
    made = yield from member(talk)
    yield from made.joined()
    stranger = replace(made, member_id=talk.facts.name("stranger"))
    found = yield from stranger.leave(version)
    talk.expect("the error for a stranger", [UNKNOWN_MEMBER_ID], found)
    yield from made.gone()


@question("groups.leaving-is-final", "LeaveGroup", ANY, needs=(*SYNCED, "Heartbeat"), wants=WRITES)
def _member_that_left(talk: Talk, version: int) -> Dialogue:
    """Expect an error for each thing that a member does after it has left."""
    made = yield from member(talk, protocols=PROTOCOLS[:1])
    yield from made.settled()
    found = yield from made.leave(version)
    talk.expect("the error for a member that leaves", [0], found)
    beat = yield from made.heartbeat(newest(talk, "Heartbeat"))
    talk.expect("the error for a heartbeat of one that left", UNKNOWN_MEMBER_ID, beat)
    found = yield from made.leave(version)
    talk.expect("the error for one that leaves again", [UNKNOWN_MEMBER_ID], found)
    yield from deleted(made)


@question(
    "groups.leaving-is-final",
    "LeaveGroup",
    range(MEMBERS_SINCE, 100),
    needs=MEMBERS,
    wants=WRITES,
)
def _member_that_leaves_beside_a_stranger(talk: Talk, version: int) -> Dialogue:
    """Expect a result for each of them, in order."""
    made = yield from member(talk)
    yield from made.joined()
    found = yield from made.leave(version, made.member_id, talk.facts.name("stranger"))
    talk.expect("the errors of the member and of a stranger", [0, UNKNOWN_MEMBER_ID], found)
    yield from deleted(made)


@question("groups.no-common-protocol-refused", "JoinGroup", ANY, needs=SYNCED, wants=WRITES)
def _protocols_that_no_member_has(talk: Talk, version: int) -> Dialogue:
    """Expect an error for no protocol, for another one than the members', and another type."""
    made = yield from member(talk, protocols=PROTOCOLS[:1])
    yield from made.settled()
    other = made.beside("")
    odd: dict[str, dict[str, Any]] = {
        "no protocol": {"protocols": []},
        "a protocol that the member lacks": {"protocols": [{"name": "other", "metadata": ""}]},
        "another type of protocol": {"protocolType": "connect"},
    }
    for what, fields in odd.items():
        answer = yield from other.join_once(version, **fields)
        due = INCONSISTENT_GROUP_PROTOCOL
        talk.expect(f"the error for {what}", due, answer["errorCode"])
    yield from made.gone()


@question("groups.session-time-bounds", "JoinGroup", ANY, needs=JOINING, wants=WRITES)
def _session_of_a_millisecond(talk: Talk, version: int) -> Dialogue:
    made = yield from member(talk)
    answer = yield from made.join_once(version, sessionTimeoutMs=1)
    what = "the error for a session of 1 ms"
    talk.expect(what, INVALID_SESSION_TIMEOUT, answer["errorCode"])


@question("groups.empty-id-refused", "JoinGroup", ANY, needs=JOINING, wants=WRITES)
def _group_without_an_id(talk: Talk, version: int) -> Dialogue:
    made = yield from member(talk)
    answer = yield from made.join_once(version, groupId="")
    talk.expect("the error for an empty id of a group", INVALID_GROUP_ID, answer["errorCode"])


@question(
    "groups.static-place-kept", "JoinGroup", STATIC, needs=(*SYNCED, "Heartbeat"), wants=WRITES
)
def _static_member_that_comes_back(talk: Talk, version: int) -> Dialogue:
    """Expect the same generation and share, and the id that it had before to be fenced."""
    instance = talk.facts.name("instance")
    made = yield from member(talk, protocols=PROTOCOLS[:1], instance=instance)
    yield from made.settled("the share of an instance")
    again = replace(made, member_id="", generation=-1)
    answer = yield from again.join(version)
    found = [answer["errorCode"], answer["generationId"]]
    talk.expect("the error and the generation", [0, made.generation], found)
    share = yield from again.sync(newest(talk, "SyncGroup"))
    found = [share["errorCode"], share["assignment"]]
    talk.expect("the error and the share", [0, told("the share of an instance")], found)
    if made.member_id != again.member_id and newest(talk, "Heartbeat") >= FENCING:
        code = yield from made.heartbeat(newest(talk, "Heartbeat"))
        talk.expect("the error for the id before", FENCED_INSTANCE_ID, code)
    yield from again.gone()
