"""Consumers whose coordinator shares out (KIP-848): they do everything by heartbeats.

No heartbeat waits for another member. So one connection serves for all members of a group.
"""

from __future__ import annotations

import uuid
from base64 import urlsafe_b64encode
from collections.abc import Generator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.coordinators import coordinators
from conformance.brokers.dialogues.groups.membership import NOT_READY, Steps
from conformance.brokers.dialogues.harmless import NO_SUCH_MEMBER
from conformance.brokers.dialogues.talk import Talk, judged_by
from conformance.brokers.dialogues.topics.lifecycle import create_topics, ids, newest
from conformance.brokers.dialogues.topics.requests import WRITES, new, removed
from conformance.dialogue import Dialogue, NotApplicable, Received, Reconnect, Step
from conformance.error_codes import (
    FENCED_MEMBER_EPOCH,
    UNKNOWN_MEMBER_ID,
    UNSUPPORTED_ASSIGNOR,
    UNSUPPORTED_VERSION,
)
from conformance.schema.filling import filled

HEARTBEAT = "ConsumerGroupHeartbeat"
ANY = range(100)
NEEDS = ("FindCoordinator", "Metadata", "CreateTopics", "DeleteTopics")
OWN_ID_SINCE = 1
"""The first version in which a consumer brings its own id (KIP-1082)."""
LEAVING = -1
PARTITIONS = 4
REBALANCE_MS = 10_000
NEVER_GIVEN = 1000
"""The distance from a consumer's own epoch to one that it was never given."""


@dataclass
class Consumer:
    """A consumer: its epoch, and the partitions that it was assigned last, by topic id."""

    talk: Talk
    group: str
    topic: str
    version: int
    member_id: str = ""
    epoch: int = 0
    has: dict[str, list[int]] = field(default_factory=dict)

    def beside(self) -> Consumer:
        """Return another consumer of the group."""
        return Consumer(self.talk, self.group, self.topic, self.version, _own_id(self.version))

    def beat(self, **fields: Any) -> Steps:
        """Return the answer to a heartbeat, once the coordinator is ready. Raises Broken.

        Raises NotApplicable where the broker lists the API, and has this protocol disabled.
        """
        owned = [{"topicId": key, "partitions": each} for key, each in self.has.items()]
        joins = {
            "rebalanceTimeoutMs": REBALANCE_MS,
            "subscribedTopicNames": [self.topic],
            "topicPartitions": [],
        }
        stays = {
            "rebalanceTimeoutMs": -1,
            "subscribedTopicNames": None,
            "topicPartitions": owned,
        }
        wanted = {
            "groupId": self.group,
            "memberId": self.member_id,
            "memberEpoch": self.epoch,
            "instanceId": None,
            "rackId": None,
            "subscribedTopicRegex": None,
            "serverAssignor": None,
            **(stays if self.epoch else joins),
            **fields,
        }
        layout = self.talk.codec.form(f"{HEARTBEAT}Request", self.version).layout
        found: list[dict[str, Any]] = []

        def ready() -> Steps:
            reply = yield from self.talk.ask(HEARTBEAT, self.version, filled(layout, wanted))
            found[:] = [reply.value]
            return reply.value["errorCode"] not in NOT_READY

        yield from self.talk.eventually("whether the coordinator is ready", True, ready)
        if found[0]["errorCode"] == UNSUPPORTED_VERSION:
            raise NotApplicable("groups in the protocol of KIP-848 are disabled")
        return found[0]

    def stays(self) -> Dialogue:
        """Send a heartbeat, and take over what the answer has. Raises Broken."""
        answer = yield from self.beat()
        self.talk.expect("the error for a heartbeat", 0, answer["errorCode"])
        self.member_id, self.epoch = answer["memberId"] or self.member_id, answer["memberEpoch"]
        if answer["assignment"] is not None:
            topics = answer["assignment"]["topicPartitions"]
            self.has = {each["topicId"]: sorted(each["partitions"]) for each in topics}

    @judged_by("groups.epoch-given")
    def joins(self) -> Dialogue:
        """Join. Raises Broken."""
        yield from self.stays()
        self.talk.expect("whether the epoch is above 0", True, self.epoch > 0)

    def leaves(self) -> Steps:
        """Return the answer to a heartbeat by which the consumer leaves. Raises Broken."""
        return (yield from self.beat(memberEpoch=LEAVING))


def _own_id(version: int) -> str:
    """Return an id that a consumer makes for itself, "" in the version without such ids."""
    if version < OWN_ID_SINCE:
        return ""
    return urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")


def _consumer(talk: Talk, version: int) -> Generator[Step, Received | None, Consumer]:
    """Return a consumer that has not joined, at its group's coordinator. Raises Broken."""
    group, topic = talk.facts.name("group"), talk.facts.name("read")
    [found] = yield from coordinators(talk, newest(talk, "FindCoordinator"), [group])
    if len(talk.facts.nodes) > 1:
        yield Reconnect(node=found["nodeId"])
    return Consumer(talk, group, topic, version, _own_id(version))


def _reading(talk: Talk, version: int) -> Generator[Step, Received | None, Consumer]:
    """Return a consumer that has joined, and whose topic is there. Raises Broken."""
    made = yield from _consumer(talk, version)
    yield from create_topics(talk, newest(talk), new(made.topic, numPartitions=PARTITIONS))
    yield from made.joins()
    return made


@judged_by("groups.partitions-assigned")
def _assigned(made: Consumer) -> Dialogue:
    """Expect all partitions of the topic, in time. Raises Broken."""
    named = yield from ids(made.talk, made.topic)()
    due = {named[made.topic]: list(range(PARTITIONS))}

    def has() -> Steps:
        yield from made.stays()
        return made.has

    yield from made.talk.eventually("the partitions by topic", due, has)


def _gone(made: Consumer, *others: Consumer) -> Dialogue:
    """Have consumers leave, and delete the topic and the group where the broker can."""
    talk = made.talk
    for each in (made, *others):
        yield from each.leaves()
    yield from removed(talk, made.topic)
    if talk.facts.has("DeleteGroups"):
        version = newest(talk, "DeleteGroups")
        layout = talk.codec.form("DeleteGroupsRequest", version).layout
        yield from talk.ask("DeleteGroups", version, filled(layout, {"groupsNames": [made.group]}))


@question("groups.epoch-given", HEARTBEAT, ANY, needs=NEEDS, wants=WRITES)
def _consumer_that_joins(talk: Talk, version: int) -> Dialogue:
    made = yield from _consumer(talk, version)
    yield from create_topics(talk, newest(talk), new(made.topic, numPartitions=PARTITIONS))
    answer = yield from made.beat()
    talk.expect("the error", 0, answer["errorCode"])
    talk.expect("whether the epoch is above 0", True, answer["memberEpoch"] > 0)
    talk.expect("whether there is a time", True, answer["heartbeatIntervalMs"] > 0)
    given, due = answer["memberId"], made.member_id
    talk.expect("whether the id is the consumer's", True, bool(given) if not due else given == due)
    made.member_id, made.epoch = given, answer["memberEpoch"]
    yield from _gone(made)


@question("groups.partitions-assigned", HEARTBEAT, ANY, needs=NEEDS, wants=WRITES)
def _all_partitions_of_a_topic(talk: Talk, version: int) -> Dialogue:
    made = yield from _reading(talk, version)
    yield from _assigned(made)
    yield from _gone(made)


@question("groups.new-topic-assigned", HEARTBEAT, ANY, needs=NEEDS, wants=WRITES)
def _topic_that_comes_later(talk: Talk, version: int) -> Dialogue:
    """Expect no partitions first, and all once the topic is there."""
    made = yield from _consumer(talk, version)
    yield from made.stays()
    talk.expect("the partitions of a topic that is not there", {}, made.has)
    yield from create_topics(talk, newest(talk), new(made.topic, numPartitions=PARTITIONS))
    named = yield from ids(talk, made.topic)()

    def has() -> Steps:
        yield from made.stays()
        return made.has

    due = {named[made.topic]: list(range(PARTITIONS))}
    yield from talk.eventually("the partitions by topic", due, has)
    yield from _gone(made)


@question("groups.shared-among-consumers", HEARTBEAT, ANY, needs=NEEDS, wants=WRITES)
def _two_consumers(talk: Talk, version: int) -> Dialogue:
    """Expect each partition at one of two consumers in the end, and at both at no time."""
    first = yield from _reading(talk, version)
    yield from _assigned(first)
    second = first.beside()
    yield from second.joins()
    [topic_id] = first.has

    def shared() -> Steps:
        for each in (first, second):
            mine, others = (one.has.get(topic_id, []) for one in (first, second))
            twice = sorted(set(mine) & set(others))
            talk.expect("the partitions of both consumers", [], twice)
            yield from each.stays()
        has = [one.has.get(topic_id, []) for one in (first, second)]
        return [all(has), sorted(chain(*has))]

    due = [True, list(range(PARTITIONS))]
    what = "whether both have partitions, and the partitions that one has"
    yield from talk.eventually(what, due, shared)
    yield from _gone(first, second)


@question("groups.fenced-epoch-refused", HEARTBEAT, ANY, needs=NEEDS, wants=WRITES)
def _epoch_that_was_never_given(talk: Talk, version: int) -> Dialogue:
    made = yield from _reading(talk, version)
    answer = yield from made.beat(memberEpoch=made.epoch + NEVER_GIVEN)
    what = "the error for an epoch that was never given"
    talk.expect(what, FENCED_MEMBER_EPOCH, answer["errorCode"])
    yield from _gone(made)


@question("groups.unknown-consumer-refused", HEARTBEAT, ANY, needs=NEEDS, wants=WRITES)
def _heartbeat_of_a_consumer_that_is_not_there(talk: Talk, version: int) -> Dialogue:
    made = yield from _reading(talk, version)
    answer = yield from made.beat(memberId=NO_SUCH_MEMBER)
    talk.expect("the error for a stranger", UNKNOWN_MEMBER_ID, answer["errorCode"])
    yield from _gone(made)


@question("groups.consumer-leaves", HEARTBEAT, ANY, needs=NEEDS, wants=WRITES)
def _consumer_that_left(talk: Talk, version: int) -> Dialogue:
    made = yield from _reading(talk, version)
    other = made.beside()
    yield from other.joins()  # the group stays
    answer = yield from made.leaves()
    seen = [answer["errorCode"], answer["memberEpoch"]]
    talk.expect("the error and the epoch of a consumer that leaves", [0, LEAVING], seen)
    after = yield from made.beat()
    what = "the error for a heartbeat of one that left"
    talk.expect(what, UNKNOWN_MEMBER_ID, after["errorCode"])
    yield from _gone(other)


@question("groups.unknown-assignor-refused", HEARTBEAT, ANY, needs=NEEDS, wants=WRITES)
def _assignor_that_is_not_there(talk: Talk, version: int) -> Dialogue:
    made = yield from _reading(talk, version)
    other = made.beside()
    answer = yield from other.beat(serverAssignor=talk.facts.name("assignor"))
    talk.expect("the error", UNSUPPORTED_ASSIGNOR, answer["errorCode"])
    yield from _gone(made)
