"""One member of a group of this dialogue's own, and its requests to the group's coordinator."""

from __future__ import annotations

import struct
from base64 import b64encode
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.brokers.dialogues.coordinators import coordinators
from conformance.brokers.dialogues.talk import Talk, judged_by
from conformance.brokers.dialogues.topics.lifecycle import newest
from conformance.dialogue import Dialogue, Received, Reconnect, Send, Step, Switch
from conformance.error_codes import (
    COORDINATOR_LOAD_IN_PROGRESS,
    COORDINATOR_NOT_AVAILABLE,
    MEMBER_ID_REQUIRED,
    NOT_COORDINATOR,
)
from conformance.schema.filling import filled

NOT_READY = (COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR)
ANY = range(100)
JOINING = ("FindCoordinator", "LeaveGroup")
"""The requests beside JoinGroup that a member sends which joins and leaves."""
MEMBERS = (*JOINING, "JoinGroup")
SYNCED = (*MEMBERS, "SyncGroup")
TYPE = "consumer"
PROTOCOLS = ("roundrobin", "range")
SESSION_MS, REBALANCE_MS = 10_000, 10_000
MEMBERS_SINCE = 3
"""The first version of LeaveGroup that names several members."""
Steps = Generator[Step, Received | None, Any]


def told(user_data: str) -> str:
    """Return a subscription, or a share, of no topic: version 0 of it with these user data."""
    data = user_data.encode()
    return b64encode(struct.pack(">hii", 0, 0, len(data)) + data).decode()


@dataclass
class Member:
    """A member of a group: the ids that it was given, and the coordinator's node.

    `line` is the name of its connection. `waits` is the version and the number of
    the JoinGroup that it sent last.
    """

    talk: Talk
    group: str
    node: int | None = None
    line: str = ""
    member_id: str = ""
    generation: int = -1
    instance: str | None = None
    protocols: tuple[str, ...] = PROTOCOLS
    waits: tuple[int, int] = (0, 0)

    @property
    def place(self) -> dict[str, Any]:
        """The fields that say which member this is."""
        return {
            "groupId": self.group,
            "memberId": self.member_id,
            "groupInstanceId": self.instance,
            "generationId": self.generation,
        }

    @property
    def metadata(self) -> dict[str, str]:
        """The metadata of this member by protocol."""
        return {name: told(f"{name}-{self.line or 'first'}") for name in self.protocols}

    def beside(self, line: str, **fields: Any) -> Member:
        """Return another member of the group, on a connection of its own."""
        return Member(self.talk, self.group, self.node, line, **fields)

    def ask(self, api: str, version: int, **fields: Any) -> Steps:
        """Return the answer to a request of this member. Raises Broken."""
        layout = self.talk.codec.form(f"{api}Request", version).layout
        value = filled(layout, {**self.place, **fields})
        reply = yield from self.talk.ask(api, version, value)
        return reply.value

    def joining(self, **fields: Any) -> dict[str, Any]:
        """Return the fields of a JoinGroup."""
        given = [{"name": name, "metadata": each} for name, each in self.metadata.items()]
        return {
            **self.place,
            "sessionTimeoutMs": SESSION_MS,
            "rebalanceTimeoutMs": REBALANCE_MS,
            "protocolType": TYPE,
            "protocols": given,
            **fields,
        }

    def send_join(self, version: int, **fields: Any) -> Dialogue:
        """Send a JoinGroup, whose answer may have to wait for other members."""
        layout = self.talk.codec.form("JoinGroupRequest", version).layout
        number = self.talk.number()
        self.waits = version, number
        value = filled(layout, self.joining(**fields))
        yield Send(self.talk.frame("JoinGroup", version, value, number))

    def hear_joined(self) -> Steps:
        """Return the answer to the JoinGroup that was sent last. Raises Broken."""
        reply = yield from self.talk.answer("JoinGroup", *self.waits)
        return reply.value

    def join_once(self, version: int, **fields: Any) -> Steps:
        """Return the answer to a JoinGroup, once the coordinator is ready. Raises Broken."""
        found: list[dict[str, Any]] = []

        def ready() -> Steps:
            yield from self.send_join(version, **fields)
            found[:] = [(yield from self.hear_joined())]
            return found[0]["errorCode"] not in NOT_READY

        yield from self.talk.eventually("whether the coordinator is ready", True, ready)
        return found[0]

    def join(self, version: int) -> Steps:
        """Return the answer to a JoinGroup, which gets an id first where it has to."""
        answer = yield from self.join_once(version)
        if answer["errorCode"] == MEMBER_ID_REQUIRED:
            self.member_id = answer["memberId"]
            answer = yield from self.join_once(version)
        self.keep(answer)
        return answer

    def keep(self, answer: Mapping[str, Any]) -> None:
        """Take over the id and the generation from the answer to a JoinGroup."""
        self.member_id, self.generation = answer["memberId"], answer["generationId"]

    @judged_by("groups.joined-as-leader")
    def joined(self) -> Dialogue:
        """Join by the newest version. Raises Broken."""
        answer = yield from self.join(newest(self.talk, "JoinGroup"))
        self.talk.expect("the error for a member that joins", 0, answer["errorCode"])

    def sync(self, version: int, shares: Mapping[str, str] | None = None) -> Steps:
        """Return the answer to a SyncGroup with these shares by member. Raises Broken."""
        given = [{"memberId": key, "assignment": each} for key, each in (shares or {}).items()]
        protocol = {"protocolType": TYPE, "protocolName": self.protocols[0]}
        return (yield from self.ask("SyncGroup", version, assignments=given, **protocol))

    @judged_by("groups.share-comes-back")
    def settled(self, share: str = "mine") -> Dialogue:
        """Join, and share out to itself, by the newest versions. Raises Broken."""
        yield from self.joined()
        shares = {self.member_id: told(share)}
        answer = yield from self.sync(newest(self.talk, "SyncGroup"), shares)
        self.talk.expect("the error for the shares", 0, answer["errorCode"])

    def heartbeat(self, version: int, **fields: Any) -> Steps:
        """Return the error of a Heartbeat. Raises Broken."""
        return (yield from self.ask("Heartbeat", version, **fields))["errorCode"]

    def leave(self, version: int, *member_ids: str) -> Steps:
        """Return the errors of a LeaveGroup, one for each member in versions that name several."""
        ids = member_ids or (self.member_id,)
        members = [{"memberId": each, "groupInstanceId": None, "reason": None} for each in ids]
        answer = yield from self.ask("LeaveGroup", version, members=members)
        if version < MEMBERS_SINCE or answer["errorCode"]:
            return [answer["errorCode"]]
        return [each["errorCode"] for each in answer["members"]]

    def delete(self, version: int) -> Steps:
        """Return the error for the deletion of the group. Raises Broken."""
        answer = yield from self.ask("DeleteGroups", version, groupsNames=[self.group])
        [result] = answer["results"]
        return result["errorCode"]

    def gone(self) -> Dialogue:
        """Leave, and delete the group where the broker can; how that goes is judged elsewhere."""
        yield from self.leave(newest(self.talk, "LeaveGroup"))
        yield from deleted(self)

    def here(self) -> Dialogue:
        """Go on with the connection of this member."""
        yield Switch(self.line, self.node)


def deleted(member: Member) -> Dialogue:
    """Delete the group of a member where the broker can; how that goes is judged elsewhere."""
    if member.talk.facts.has("DeleteGroups"):
        yield from member.delete(newest(member.talk, "DeleteGroups"))


def member(talk: Talk, **fields: Any) -> Generator[Step, Received | None, Member]:
    """Return a member that has not joined, at the coordinator of its group. Raises Broken."""
    name = talk.facts.name("group")
    [found] = yield from coordinators(talk, newest(talk, "FindCoordinator"), [name])
    if len(talk.facts.nodes) > 1:
        yield Reconnect(node=found["nodeId"])
        return Member(talk, name, found["nodeId"], **fields)
    return Member(talk, name, **fields)
