"""A member of a group: it joins, reads from the committed offset on, commits, and leaves."""

from __future__ import annotations

import base64
import struct
from typing import Any

from conformance import error_codes
from conformance.api_keys import (
    HEARTBEAT,
    JOIN_GROUP,
    LEAVE_GROUP,
    OFFSET_COMMIT,
    OFFSET_FETCH,
    SYNC_GROUP,
)
from conformance.reference.client.actions.consuming import Consuming
from conformance.reference.client.actions.groups import Groups
from conformance.reference.client.steps import Asking, Course, Failed, Trying
from conformance.testee_protocol import Value

GROUP = "group-a"
STICKY = "sticky"
QUIET = "quiet"
"""The word of a member that reported no error to its caller on the way."""
REBALANCE_MS = 6000
COMMITS = 5
"""The number of commits if it commits many times: enough for a group to change meanwhile."""
PROTOCOL = {"protocolType": "consumer", "protocolName": "range"}
SUBSCRIPTION, ASSIGNMENT = "ConsumerProtocolSubscription", "ConsumerProtocolAssignment"
GROUPS_SINCE = 8
"""The first version of OffsetFetch that asks about several groups."""
AGAIN = frozenset(
    {
        error_codes.ILLEGAL_GENERATION,
        error_codes.UNKNOWN_MEMBER_ID,
        error_codes.REBALANCE_IN_PROGRESS,
        error_codes.MEMBER_ID_REQUIRED,
    }
)
"""The errors after which a member joins again."""


class Joining(Consuming, Groups):
    """A member that reads a record. `member_id` is its id at the coordinator, or empty."""

    assignor = PROTOCOL["protocolName"]
    commits_left = 1

    def __init__(self) -> None:
        super().__init__()
        self.member_id = ""
        self.generation = -1
        self.others: list[str] = []

    def join(self) -> Course:
        """Read one record as a member of a group, commit it, and leave."""
        yield from self.report()
        yield from self.trying(self.be_member, f"the group {GROUP}")
        self.told = [QUIET]

    def sticky(self) -> Course:
        """Join with an assignor that leaves members their partitions."""
        self.assignor = STICKY
        yield from self.join()

    def commits(self) -> Course:
        """Join, and commit the offset many times."""
        self.commits_left = COMMITS
        yield from self.join()

    def resume(self) -> Course:
        """Read one record at the group's offset, without being a member, and commit it."""
        yield from self.trying(self.be_reader, f"the group {GROUP}")

    def be_reader(self) -> Trying:
        """Read at the committed offset, and commit; return the first error code."""
        topic_id = yield from self.reach_leader()
        if code := (yield from self.reach_coordinator()):
            return code
        if code := (yield from self.read_committed(topic_id)):
            return code
        if code := (yield from self.reach_coordinator()):
            return code
        return (yield from self.commit(topic_id))

    def passing(self) -> frozenset[int]:
        """Return the errors that may pass, those of members included."""
        return super().passing() | AGAIN

    def be_member(self) -> Trying:
        """Be a member from the first request to the last; return the first error code."""
        topic_id = yield from self.reach_leader()
        for step in (self.reach_coordinator, self.enter, self.receive_share):
            if code := (yield from step()):
                return self.refused(code)
        if code := (yield from self.read_share(topic_id)):
            return code
        return (yield from self.finish(topic_id))

    def read_share(self, topic_id: str) -> Trying:
        """Read from one partition after the other; return the first error code. Raises Failed."""
        self.is_read = False
        for index in self.indices:
            self.partition = index
            if index and (code := (yield from self.reach_coordinator())):
                return code
            if code := (yield from self.read_committed(topic_id)):
                return code
        if not self.is_read:
            raise Failed("no partition has a record")
        return error_codes.NONE

    def read_committed(self, topic_id: str) -> Trying:
        """Read a partition at the group's offset; return the first error code."""
        committed = yield from self.committed(topic_id)
        if committed["errorCode"]:
            return int(committed["errorCode"])
        self.epoch = committed.get("committedLeaderEpoch", -1)
        return (yield from self.read_on(committed["committedOffset"]))

    def refused(self, code: int) -> int:
        """Return the error code; a member that is unknown drops its id."""
        if code == error_codes.UNKNOWN_MEMBER_ID:
            self.member_id = ""
        return code

    def reach_coordinator(self) -> Trying:
        """Connect to the group's coordinator; return the error code of the search."""
        found = (yield from self.coordinators([GROUP]))[GROUP]
        if not found["errorCode"]:
            yield from self.connect((found["host"], found["port"]))
        return int(found["errorCode"])

    def enter(self) -> Trying:
        """Join; return the error code."""
        metadata = self.packed(SUBSCRIPTION, {"topics": [self.named], **self.says_it_has()})
        wanted = {
            "groupId": GROUP,
            "sessionTimeoutMs": 6000,
            "rebalanceTimeoutMs": REBALANCE_MS,
            "memberId": self.member_id,
            "protocolType": PROTOCOL["protocolType"],
            "protocols": [{"name": self.assignor, "metadata": metadata}],
        }
        usual_s = self.patience_s
        self.patience_s = max(usual_s, self.awaited_ms() / 1000)
        answer = yield from self.ask(JOIN_GROUP, self.version_of(JOIN_GROUP), wanted)
        self.patience_s = usual_s
        if answer["errorCode"] in (error_codes.NONE, error_codes.MEMBER_ID_REQUIRED):
            self.member_id = answer["memberId"]
            self.generation = answer["generationId"]
            self.others = [each["memberId"] for each in answer["members"]]
        return int(answer["errorCode"])

    def awaited_ms(self) -> int:
        """Return the rebalance timeout: how long, in ms, other members may take to join."""
        return REBALANCE_MS

    def says_it_has(self) -> Value:
        """Return fields with its earlier share, for an assignor that leaves it that."""
        return {}

    def packed(self, message: str, wanted: Value) -> str:
        """Return a struct that members exchange, after its version, which is 0 here."""
        form = self.codec.form(message, 0)
        value = {**form.layout.default_value(), **wanted}
        return base64.b64encode(struct.pack(">h", 0) + self.codec.write(form, value)).decode()

    def receive_share(self) -> Trying:
        """Assign the partitions, and take its own share; return the error code. Raises Failed."""
        named = {**PROTOCOL, "protocolName": self.assignor}
        wanted = {**self.membership(), **named, "assignments": self.shares()}
        answer = yield from self.ask(SYNC_GROUP, self.version_of(SYNC_GROUP), wanted)
        if not answer["errorCode"] and not answer["assignment"]:
            raise Failed("nothing was assigned")
        return int(answer["errorCode"])

    def shares(self) -> list[Value]:
        """Return an assignment of everything to itself, and nothing to the others."""
        mine: Value = {
            "assignedPartitions": [{"topic": self.named, "partitions": list(self.indices)}]
        }
        nothing: Value = {"assignedPartitions": []}
        return [
            {"memberId": each, "assignment": self.packed(ASSIGNMENT, share)}
            for each in self.others
            for share in [mine if each == self.member_id else nothing]
        ]

    def beat(self) -> Trying:
        """Send a heartbeat; return the error code."""
        answer = yield from self.ask(HEARTBEAT, self.version_of(HEARTBEAT), self.membership())
        return int(answer["errorCode"])

    def membership(self) -> Value:
        """Return its identity for most requests of a member."""
        return {"groupId": GROUP, "memberId": self.member_id, "generationId": self.generation}

    def topic(self, topic_id: str, **more: Any) -> Value:
        """Return the topic by name and by id, so that any version has the one it needs."""
        return {"name": self.named, "topicId": topic_id, **more}

    def asked_as(self) -> Value:
        """Return its identity for requests about committed offsets."""
        return {"groupId": GROUP}

    def committed(self, topic_id: str) -> Asking:
        """Return the committed offset of the partition, or the error in its place."""
        version = self.version_with(OFFSET_FETCH, topic_id)
        topics = [self.topic(topic_id, partitionIndexes=[self.partition])]
        group = {**self.asked_as(), "topics": topics}
        wanted = {"groups": [group]} if version >= GROUPS_SINCE else group
        answer = yield from self.ask(OFFSET_FETCH, version, wanted)
        found: Value = self.first_entry(answer, "groups") if version >= GROUPS_SINCE else answer
        if found.get("errorCode", error_codes.NONE):
            return found
        partitions = [each for topic in found["topics"] for each in topic["partitions"]]
        return (
            partitions[0] if partitions else {"errorCode": error_codes.NONE, "committedOffset": -1}
        )

    def read_on(self, offset: int) -> Trying:
        """Read from there, or from the begin of the topic; return the error code."""
        topic_id = yield from self.reach_leader()
        if offset < 0:
            begin = yield from self.begin()
            if begin["errorCode"]:
                return int(begin["errorCode"])
            offset = begin["offset"]
        return (yield from self.read_valid(topic_id, offset))

    def finish(self, topic_id: str) -> Trying:
        """Commit, send a heartbeat, and leave; return the first error code."""
        if code := (yield from self.reach_coordinator()):
            return code
        while self.commits_left:
            if code := (yield from self.commit(topic_id)):
                return self.refused(code)
            if code := (yield from self.stay()):
                return self.refused(code)
            self.commits_left -= 1
        return (yield from self.leave())

    def stay(self) -> Trying:
        """Send a heartbeat, and join again if the group changes; return the error code."""
        for _ in range(self.attempts):
            code = yield from self.beat()
            if code == error_codes.NOT_COORDINATOR:
                yield from self.look_again()
                continue
            if code != error_codes.REBALANCE_IN_PROGRESS:
                break
            self.refused(code)
            for step in (self.enter, self.receive_share):
                if again := (yield from step()):
                    return again
        return code

    def look_again(self) -> Course:
        """Look for the coordinator again, as the present one is none any more."""
        yield from self.reach_coordinator()

    def commit(self, topic_id: str) -> Trying:
        """Commit the offset after the record; return the error code."""
        version = self.version_with(OFFSET_COMMIT, topic_id)
        partition = {"partitionIndex": self.partition, "committedOffset": self.position}
        wanted = {
            **self.membership(),
            "generationIdOrMemberEpoch": self.generation,
            "topics": [self.topic(topic_id, partitions=[partition])],
        }
        answer = yield from self.ask(OFFSET_COMMIT, version, wanted)
        codes = [each["errorCode"] for topic in answer["topics"] for each in topic["partitions"]]
        return max(codes, key=abs, default=-1)

    def leave(self) -> Trying:
        """Leave; return the error code."""
        wanted = {**self.membership(), "members": [{"memberId": self.member_id}]}
        answer = yield from self.ask(LEAVE_GROUP, self.version_of(LEAVE_GROUP), wanted)
        codes = [answer["errorCode"], *(each["errorCode"] for each in answer.get("members", []))]
        return next(filter(None, codes), error_codes.NONE)
