"""A member of a group with server-side assignment (KIP-848), until it leaves; and one that
subscribes once more, after it left or for another topic.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from conformance import error_codes
from conformance.api_keys import CONSUMER_GROUP_HEARTBEAT
from conformance.reference.client.actions.joining import GROUP, Joining
from conformance.reference.client.cluster import TOPIC
from conformance.reference.client.steps import Asking, Course, Failed, Trying, Wait
from conformance.schema.layout import ZERO_UUID
from conformance.testee_protocol import Value

JOINING, LEAVING = 0, -1
OWN_ID_SINCE = 1
"""The first version in which a member brings its own id (KIP-1082)."""
MEMBER_ID = str(uuid.uuid5(uuid.NAMESPACE_URL, "kafka-conformance"))
"""A constant id, so that requests can be compared; no two of our clients are in one group."""
REBALANCE_MS = 6000
LEAST_PAUSE_S = 0.1
LOST = frozenset({error_codes.FENCED_MEMBER_EPOCH, error_codes.UNKNOWN_MEMBER_ID})
"""The errors after which a client is no member any more, and joins again with its id."""


class Consumers(Joining):
    """A member of a group that reads a record.

    `generation` is its epoch, `owned` are its partitions of the one topic, whose id is `owned_id`:
    if Metadata has no ids it is the one that is assigned. `has_said` says that the coordinator was
    sent all fields, `is_confirmed` that it was sent the present assignment, `interval_s` is the
    time between heartbeats.
    """

    stay_s = 0.4

    def __init__(self) -> None:
        super().__init__()
        self.owned: list[int] = []
        self.owned_id = ""
        self.has_said = False
        self.is_assigned = False
        self.is_confirmed = False
        self.interval_s = 0.0

    def member(self) -> Course:
        """Read one record as a member of a group, commit it, and leave."""
        self.generation = JOINING
        yield from self.trying(self.be_consumer, f"the group {GROUP}")

    def passing(self) -> frozenset[int]:
        """Return the errors that may pass, those of members' epochs included."""
        epochs = {error_codes.FENCED_MEMBER_EPOCH, error_codes.STALE_MEMBER_EPOCH}
        return super().passing() | epochs

    def be_consumer(self) -> Trying:
        """Be a member from the first request to the last; return the first error code."""
        topic_id = yield from self.reach_leader()
        self.has_said = False
        if code := (yield from self.reach_coordinator()):
            return code
        if code := (yield from self.become_member(topic_id)):
            return code
        self.indices = self.owned
        if code := (yield from self.read_share(topic_id)):
            return self.lost(code)
        if code := (yield from self.reach_coordinator()):
            return code
        if code := (yield from self.commit(topic_id)):
            return self.lost(code)
        if code := (yield from self.stay_on(topic_id)):
            return code
        return (yield from self.depart())

    def lost(self, code: int) -> int:
        """Return the error code; a client that is no member now drops its state to join again."""
        if code in LOST:
            self.generation, self.owned, self.is_assigned = JOINING, [], False
        return code

    def become_member(self, topic_id: str) -> Trying:
        """Send heartbeats until partitions are assigned and confirmed; return the error code.

        Raises Failed.
        """
        for _ in range(self.attempts):
            if code := (yield from self.heartbeat(topic_id)):
                return code
            if self.is_assigned and self.is_confirmed:
                break
            yield Wait(self.pause_s())
        if not self.owned:
            raise Failed("nothing was assigned")
        return error_codes.NONE

    def heartbeat(self, topic_id: str) -> Trying:
        """Send a heartbeat, and take a new assignment; return the error code."""
        answer = yield from self.beat_with(self.said_of_itself())
        if answer["errorCode"]:
            return self.lost(int(answer["errorCode"]))
        if not self.is_epoch(answer["memberEpoch"]):
            return error_codes.NONE
        self.has_said = self.is_confirmed = True
        self.generation = answer["memberEpoch"]
        self.member_id = answer["memberId"] or self.member_id
        self.interval_s = answer["heartbeatIntervalMs"] / 1000
        if answer["assignment"] is not None:
            self.take_share(answer["assignment"], topic_id)
        return error_codes.NONE

    def said_of_itself(self) -> Value:
        """Return all fields if it joins or was refused, else its partitions if they changed."""
        owned = [{"topicId": self.owned_id, "partitions": self.owned}] if self.owned else []
        subscription = {"subscribedTopicNames": [TOPIC], "rebalanceTimeoutMs": REBALANCE_MS}
        if not self.has_said:
            return {**subscription, "topicPartitions": owned}
        return {} if self.is_confirmed else {"topicPartitions": owned}

    def beat_with(self, said: Value) -> Asking:
        """Send a heartbeat in its epoch, or in one that `said` has."""
        version = self.version_of(CONSUMER_GROUP_HEARTBEAT)
        if version >= OWN_ID_SINCE:
            self.member_id = self.member_id or MEMBER_ID
        member = {"groupId": GROUP, "memberId": self.member_id, "memberEpoch": self.generation}
        return (yield from self.ask(CONSUMER_GROUP_HEARTBEAT, version, {**member, **said}))

    def take_share(self, assignment: Value, topic_id: str) -> None:
        """Take an assignment, which then has to be confirmed."""
        every = assignment["topicPartitions"]
        topics = [each for each in every if topic_id in (each["topicId"], ZERO_UUID)]
        self.owned_id = topics[0]["topicId"] if topics else topic_id
        self.owned = self.partitions_in(topics)
        self.is_assigned, self.is_confirmed = True, False

    def partitions_in(self, topics: Sequence[Value]) -> list[int]:
        """Return the partitions of an assignment, each once."""
        return sorted({index for each in topics for index in each["partitions"]})

    def is_epoch(self, epoch: int) -> bool:
        """True for an epoch of a member: those below 0 mean that it leaves."""
        return epoch >= JOINING

    def stay_on(self, topic_id: str) -> Trying:
        """Send heartbeats for some time, at the coordinator's interval; return the error code."""
        waited_s = 0.0
        while waited_s < self.stay_s:
            pause_s = self.pause_s()
            yield Wait(min(pause_s, self.stay_s - waited_s))
            waited_s += pause_s
            if waited_s <= self.stay_s and (code := (yield from self.heartbeat(topic_id))):
                return code
        return error_codes.NONE

    def pause_s(self) -> float:
        """Return the seconds until the next heartbeat: 0 if it has to confirm an assignment."""
        return max(self.interval_s, LEAST_PAUSE_S) if self.is_confirmed else 0.0

    def depart(self) -> Trying:
        """Leave; return the error code."""
        answer = yield from self.beat_with({"memberEpoch": LEAVING})
        return int(answer["errorCode"])

    def asked_as(self) -> Value:
        """Return its identity for requests about committed offsets."""
        is_member = self.generation > JOINING
        member = {"memberId": self.member_id, "memberEpoch": self.generation}
        return {**super().asked_as(), **(member if is_member else {})}


OTHER = "orders.v2"
SETTLED_S = 3.0
"""Seconds that it lets others join before it changes its subscription."""


class Returning(Consumers):
    """A client that is a member twice."""

    def member_again(self) -> Course:
        """Read one record as a member, leave, and join again."""
        for _ in range(2):
            self.come_back()
            yield from self.trying(self.be_consumer, f"the group {GROUP}")

    def come_back(self) -> None:
        """Drop its membership and its partitions."""
        self.generation, self.owned = JOINING, []
        self.is_assigned = self.is_read = False

    def member_changes(self) -> Course:
        """Join for one topic, and again for another."""
        self.named = OTHER
        yield from self.trying(self.enter_only, f"the group {GROUP}")
        yield Wait(SETTLED_S)
        self.named = TOPIC
        yield from self.trying(self.be_member, f"the group {GROUP}")

    def enter_only(self) -> Trying:
        """Join, and take what is assigned; return the first error code."""
        for step in (self.reach_coordinator, self.enter, self.receive_share):
            if code := (yield from step()):
                return self.refused(code)
        return error_codes.NONE
