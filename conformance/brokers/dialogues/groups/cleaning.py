"""The removal of a run's groups: their members leave, and then they are deleted."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from conformance.brokers.dialogues.talk import Talk
from conformance.dialogue import Dialogue, Received, Step
from conformance.schema.filling import filled

LEAVING = -1
CLASSIC = ("DescribeGroups", "LeaveGroup")
CONSUMERS = ("ConsumerGroupDescribe", "ConsumerGroupHeartbeat")
"""The requests by which the members of a group are found, and leave it, for each type of group."""
Lists = Generator[Step, Received | None, list[Any]]


def groups_of_run(talk: Talk) -> Lists:
    """Return the names of a node's groups that have the run's prefix. Raises Broken."""
    answer = yield from _ask(talk, "ListGroups")
    names = [each["groupId"] for each in answer["groups"]]
    return [name for name in names if name.startswith(talk.facts.prefix)]


def delete_groups(talk: Talk, names: list[str]) -> Dialogue:
    """Have all members of these groups leave, and delete the groups. Raises Broken."""
    if all(map(talk.facts.has, CLASSIC)):
        for name, member_id in (yield from _members(talk, "DescribeGroups", names)):
            member = {"memberId": member_id, "groupInstanceId": None, "reason": None}
            fields = {"groupId": name, "memberId": member_id, "members": [member]}
            yield from _ask(talk, "LeaveGroup", **fields)
    if all(map(talk.facts.has, CONSUMERS)):
        for name, member_id in (yield from _members(talk, "ConsumerGroupDescribe", names)):
            fields = {"groupId": name, "memberId": member_id, "memberEpoch": LEAVING}
            yield from _ask(talk, "ConsumerGroupHeartbeat", **fields)
    yield from _ask(talk, "DeleteGroups", groupsNames=names)


def _members(talk: Talk, api: str, names: list[str]) -> Lists:
    """Return the members of groups, each with the name of its group. Raises Broken."""
    answer = yield from _ask(talk, api, groups=names, groupIds=names)
    return [
        (group["groupId"], each["memberId"])
        for group in answer["groups"]
        for each in group["members"]
    ]


def _ask(talk: Talk, api: str, **fields: Any) -> Generator[Step, Received | None, dict[str, Any]]:
    """Return the answer of the newest version. Raises Broken."""
    version = talk.facts.range_of(api)[1]
    layout = talk.codec.form(f"{api}Request", version).layout
    reply = yield from talk.ask(api, version, filled(layout, fields))
    return dict(reply.value)
