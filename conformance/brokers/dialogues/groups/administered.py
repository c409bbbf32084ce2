"""Groups as administrators list, describe and delete them, which takes a group without members."""

from __future__ import annotations

from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.groups.membership import (
    ANY,
    MEMBERS,
    PROTOCOLS,
    SYNCED,
    TYPE,
    Member,
    Steps,
    deleted,
    member,
    told,
)
from conformance.brokers.dialogues.talk import CLIENT_ID, Talk
from conformance.brokers.dialogues.topics.lifecycle import newest
from conformance.brokers.dialogues.topics.requests import WRITES
from conformance.dialogue import Dialogue
from conformance.error_codes import GROUP_ID_NOT_FOUND, NON_EMPTY_GROUP

NOT_FOUND_SINCE = 6
"""The first version of DescribeGroups with an error for a group that is not there (KIP-1043)."""
STATES, TYPES = range(4, 100), range(5, 100)
"""The versions of ListGroups that filter by state (KIP-518), and by type (KIP-848)."""


def _described(made: Member, version: int, name: str) -> Steps:
    """Return the entry of a group. Raises Broken."""
    answer = yield from made.ask("DescribeGroups", version, groups=[name])
    [found] = answer["groups"]
    return found


@question("groups.described", "DescribeGroups", ANY, needs=SYNCED, wants=WRITES)
def _group_of_one(talk: Talk, version: int) -> Dialogue:
    """Expect the state, the protocol, and all that is known of the member."""
    made = yield from member(talk, protocols=PROTOCOLS[:1])
    yield from made.settled("described")
    found = yield from _described(made, version, made.group)
    seen = [found[key] for key in ("errorCode", "groupState", "protocolType", "protocolData")]
    due = [0, "Stable", TYPE, PROTOCOLS[0]]
    talk.expect("error, state, type and protocol of the group", due, seen)
    keys = ("memberId", "clientId", "memberMetadata", "memberAssignment")
    members = [[each[key] for key in keys] for each in found["members"]]
    one = [made.member_id, CLIENT_ID, made.metadata[PROTOCOLS[0]], told("described")]
    talk.expect("ids, metadata and shares of the members", [one], members)
    yield from made.gone()


@question("groups.described", "DescribeGroups", ANY, needs=MEMBERS, wants=WRITES)
def _group_whose_member_left(talk: Talk, version: int) -> Dialogue:
    made = yield from member(talk)
    yield from made.joined()
    yield from made.leave(newest(talk, "LeaveGroup"))
    found = yield from _described(made, version, made.group)
    seen = [found["errorCode"], found["groupState"], found["members"]]
    talk.expect("error, state and members of the group", [0, "Empty", []], seen)
    yield from deleted(made)


@question("groups.absent-is-dead", "DescribeGroups", ANY, needs=MEMBERS, wants=WRITES)
def _group_that_is_not_there(talk: Talk, version: int) -> Dialogue:
    made = yield from member(talk)
    found = yield from _described(made, version, talk.facts.name("absent"))
    code = GROUP_ID_NOT_FOUND if version >= NOT_FOUND_SINCE else 0
    seen = [found["errorCode"], found["groupState"], found["members"]]
    talk.expect("error, state and members of the group", [code, "Dead", []], seen)


def _listed(made: Member, version: int, **filters: Any) -> Steps:
    """Return the entries of the group in a list, of which there is one at most. Raises Broken."""
    answer = yield from made.ask("ListGroups", version, **filters)
    made.talk.expect("the error", 0, answer["errorCode"])
    return [each for each in answer["groups"] if each["groupId"] == made.group]


@question("groups.listed", "ListGroups", ANY, needs=SYNCED, wants=WRITES)
def _list_with_a_group(talk: Talk, version: int) -> Dialogue:
    made = yield from member(talk, protocols=PROTOCOLS[:1])
    yield from made.settled()
    due = {"groupId": made.group, "protocolType": TYPE}
    if version in STATES:
        due["groupState"] = "Stable"
    if version in TYPES:
        due["groupType"] = "classic"
    found = yield from _listed(made, version)
    talk.expect("the entries of the group", [due], found)
    yield from made.gone()


@question("groups.listed-by-state", "ListGroups", STATES, needs=SYNCED, wants=WRITES)
def _list_of_some_states(talk: Talk, version: int) -> Dialogue:
    made = yield from member(talk, protocols=PROTOCOLS[:1])
    yield from made.settled()
    for states, times in ((["Stable"], 1), (["Empty", "Stable"], 1), (["Empty"], 0)):
        found = yield from _listed(made, version, statesFilter=states)
        what = f"how often a stable group is listed among those of {' and '.join(states)}"
        talk.expect(what, times, len(found))
    yield from made.gone()


@question("groups.listed-by-type", "ListGroups", TYPES, needs=SYNCED, wants=WRITES)
def _list_of_some_types(talk: Talk, version: int) -> Dialogue:
    made = yield from member(talk, protocols=PROTOCOLS[:1])
    yield from made.settled()
    for types, times in ((["classic"], 1), (["consumer"], 0)):
        found = yield from _listed(made, version, typesFilter=types)
        what = f"how often a classic group is listed among those of {types[0]}"
        talk.expect(what, times, len(found))
    yield from made.gone()


@question("groups.deleted-when-empty", "DeleteGroups", ANY, needs=MEMBERS, wants=WRITES)
def _group_to_delete(talk: Talk, version: int) -> Dialogue:
    """Expect a group with a member to stay, one without to go, and one that is gone to be named."""
    made = yield from member(talk)
    yield from made.joined()
    full = yield from made.delete(version)
    talk.expect("the error for a group with a member", NON_EMPTY_GROUP, full)
    yield from made.leave(newest(talk, "LeaveGroup"))
    empty = yield from made.delete(version)
    talk.expect("the error for a group without members", 0, empty)
    gone = yield from made.delete(version)
    talk.expect("the error for a group that is gone", GROUP_ID_NOT_FOUND, gone)
