"""The offsets that a group commits and asks for again, without being a member.

The group and its topic are this dialogue's own, and the group's coordinator is looked up first. A
commit without a generation is legal for a group without members, as tools of administrators do it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.coordinators import coordinators
from conformance.brokers.dialogues.talk import Talk, judged_by
from conformance.brokers.dialogues.topics.lifecycle import create_topics, ids, newest
from conformance.brokers.dialogues.topics.requests import WRITES, new, removed
from conformance.dialogue import Broken, Dialogue, Received, Reconnect, Step
from conformance.error_codes import (
    COORDINATOR_LOAD_IN_PROGRESS,
    COORDINATOR_NOT_AVAILABLE,
    ILLEGAL_GENERATION,
    NOT_COORDINATOR,
    OFFSET_METADATA_TOO_LARGE,
    UNKNOWN_MEMBER_ID,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from conformance.schema.filling import filled

NEEDS = ("Metadata", "CreateTopics", "DeleteTopics", "FindCoordinator")
ASKING, COMMITTING = (*NEEDS, "OffsetCommit"), (*NEEDS, "OffsetFetch")
ANY = range(1, 100)
NULL_SINCE = range(2, 100)
"""The versions of OffsetFetch that ask for all by null."""
GROUPS_SINCE, IDS_SINCE, EPOCHS_SINCE = 8, 10, 5
"""The first versions of OffsetFetch with several groups, ids of topics, and leaders' epochs."""
COMMITTED_EPOCHS_SINCE = 6
NOT_READY = (COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR)
NONE = (-1, -1, "")
PARTITIONS = 3
METADATA = "where I was"
LONG = 5_000
"""More bytes than Apache Kafka takes as metadata, where nothing else is configured: 4096."""

Steps = Generator[Step, Received | None, Any]
Kept = tuple[int, int, str]
"""An offset, the leader's epoch, and the metadata."""


@dataclass(frozen=True)
class Group:
    """A group of this dialogue's own, and the topic that it reads."""

    talk: Talk
    name: str
    topic: str
    topic_id: str

    def commit(self, version: int, offsets: dict[int, Kept], **fields: Any) -> Steps:
        """Return the error of each partition, by its index. Raises Broken."""
        partitions = [
            {
                "partitionIndex": index,
                "committedOffset": offset,
                "committedLeaderEpoch": epoch,
                "committedMetadata": metadata,
            }
            for index, (offset, epoch, metadata) in offsets.items()
        ]
        topic = {"name": self.topic, "topicId": self.topic_id, "partitions": partitions}
        wanted = {
            "groupId": self.name,
            "generationIdOrMemberEpoch": -1,
            "memberId": "",
            "groupInstanceId": None,
            "retentionTimeMs": -1,
            "topics": [topic],
            **fields,
        }
        layout = self.talk.codec.form("OffsetCommitRequest", version).layout
        reply = yield from self.talk.ask("OffsetCommit", version, filled(layout, wanted))
        [found] = reply.value["topics"]
        return {each["partitionIndex"]: each["errorCode"] for each in found["partitions"]}

    def fetch(self, version: int, indexes: Iterable[int] | None, name: str = "") -> Steps:
        """Return what the group committed, by partition; of all partitions for None.

        `name` is another group to be asked for. Raises Broken.
        """
        asked = None
        if indexes is not None:
            topic = {"name": self.topic, "topicId": self.topic_id}
            asked = [{**topic, "partitionIndexes": list(indexes)}]
        group = {"groupId": name or self.name, "topics": asked}
        layout = self.talk.codec.form("OffsetFetchRequest", version).layout
        value = filled(layout, {**group, "groups": [group]})
        reply = yield from self.talk.ask("OffsetFetch", version, value)
        found = reply.value
        if version >= GROUPS_SINCE:
            [found] = found["groups"]
        if code := found.get("errorCode", 0):
            raise Broken(f"error {code} in place of offsets", "0", str(code))
        key, wanted = ("topicId", self.topic_id) if version >= IDS_SINCE else ("name", self.topic)
        topics = [each["partitions"] for each in found["topics"] if each[key] == wanted]
        partitions = [each for listed in topics for each in listed]
        if failed := [each["errorCode"] for each in partitions if each["errorCode"]]:
            raise Broken(f"error {failed[0]} in place of an offset", "0", str(failed[0]))
        return {
            each["partitionIndex"]: (
                each["committedOffset"],
                each.get("committedLeaderEpoch", -1),
                each["metadata"] or "",
            )
            for each in partitions
        }


def group(talk: Talk) -> Generator[Step, Received | None, Group]:
    """Return a group that has committed nothing, at its coordinator. Raises Broken."""
    topic, name = talk.facts.name("read"), talk.facts.name("group")
    yield from create_topics(talk, newest(talk), new(topic, numPartitions=PARTITIONS))
    named = yield from ids(talk, topic)()
    [found] = yield from coordinators(talk, newest(talk, "FindCoordinator"), [name])
    if len(talk.facts.nodes) > 1:
        yield Reconnect(node=found["nodeId"])
    return Group(talk, name, topic, named.get(topic) or "")


def _committed(made: Group, offsets: dict[int, Kept]) -> Dialogue:
    """Commit offsets by the newest version."""
    yield from _commit(made, newest(made.talk, "OffsetCommit"), offsets)


@judged_by("offsets.commit-taken")
def _commit(made: Group, version: int, offsets: dict[int, Kept]) -> Dialogue:
    """Commit offsets; a coordinator may take a moment to be ready."""
    found: dict[int, int] = {}

    def ready() -> Steps:
        found.update((yield from made.commit(version, offsets)))
        return not any(code in NOT_READY for code in found.values())

    yield from made.talk.eventually("whether the coordinator is ready", True, ready)
    made.talk.expect("the errors by partition", dict.fromkeys(offsets, 0), found)


@question("offsets.commit-taken", "OffsetCommit", ANY, needs=COMMITTING, wants=WRITES)
def _offsets_to_commit(talk: Talk, version: int) -> Dialogue:
    """Expect offsets of two partitions to be taken, and the second commit to replace the first."""
    made = yield from group(talk)
    yield from _commit(made, version, {0: (5, -1, METADATA), 1: (7, -1, "")})
    yield from _commit(made, version, {0: (3, -1, "")})
    found = yield from made.fetch(newest(talk, "OffsetFetch"), [0, 1])
    due = {0: 3, 1: 7}
    talk.expect("the offsets", due, {index: offset for index, (offset, *_) in found.items()})
    yield from removed(talk, made.topic)


@question("offsets.come-back", "OffsetFetch", ANY, needs=ASKING, wants=WRITES)
def _offsets_that_were_committed(talk: Talk, version: int) -> Dialogue:
    """Expect offset, leader's epoch and metadata as they were committed."""
    made = yield from group(talk)
    given: dict[int, Kept] = {0: (5, 3, METADATA), 1: (2**40, 0, ""), 2: (0, 1, "\u00e9")}
    yield from _committed(made, given)
    has_epochs = version >= EPOCHS_SINCE and newest(talk, "OffsetCommit") >= COMMITTED_EPOCHS_SINCE
    due = given if has_epochs else {at: (off, -1, text) for at, (off, _, text) in given.items()}
    found = yield from made.fetch(version, [0, 1, 2])
    talk.expect("the offsets, epochs and metadata", due, found)
    yield from removed(talk, made.topic)


@question("offsets.none-is-minus-one", "OffsetFetch", ANY, needs=ASKING, wants=WRITES)
def _offsets_that_nobody_committed(talk: Talk, version: int) -> Dialogue:
    """Expect -1 of a partition without an offset, and of another group."""
    made = yield from group(talk)
    yield from _committed(made, {1: (4, -1, "")})
    found = yield from made.fetch(version, [0])
    talk.expect("the offset of a partition that has none", {0: NONE}, found)
    other = talk.facts.name("other-group")
    found = yield from made.fetch(version, [1], name=other)
    talk.expect("the offset of a group that committed nothing", {1: NONE}, found)
    yield from removed(talk, made.topic)


@question("offsets.null-asks-for-all", "OffsetFetch", NULL_SINCE, needs=ASKING, wants=WRITES)
def _all_offsets_of_a_group(talk: Talk, version: int) -> Dialogue:
    """Expect those partitions alone that have an offset."""
    made = yield from group(talk)
    yield from _committed(made, {0: (4, -1, ""), 2: (6, -1, METADATA)})
    found = yield from made.fetch(version, None)
    offsets = {index: offset for index, (offset, *_) in sorted(found.items())}
    talk.expect("the offsets", {0: 4, 2: 6}, offsets)
    yield from removed(talk, made.topic)


@question("offsets.unknown-partition-refused", "OffsetCommit", ANY, needs=COMMITTING, wants=WRITES)
def _offset_of_a_partition_that_is_not_there(talk: Talk, version: int) -> Dialogue:
    """Expect an error for that partition alone, and the other to be committed."""
    made = yield from group(talk)
    yield from _commit(made, version, {0: (1, -1, "")})
    found = yield from made.commit(version, {0: (8, -1, ""), PARTITIONS: (9, -1, "")})
    due = {0: 0, PARTITIONS: UNKNOWN_TOPIC_OR_PARTITION}
    talk.expect("the errors by partition", due, found)
    kept = yield from made.fetch(newest(talk, "OffsetFetch"), [0])
    talk.expect("the offset", {0: (8, -1, "")}, kept)
    yield from removed(talk, made.topic)


@question("offsets.long-metadata-refused", "OffsetCommit", ANY, needs=COMMITTING, wants=WRITES)
def _metadata_above_the_limit(talk: Talk, version: int) -> Dialogue:
    made = yield from group(talk)
    yield from _commit(made, version, {0: (1, -1, "")})
    found = yield from made.commit(version, {0: (8, -1, "x" * LONG)})
    talk.expect("the error by partition", {0: OFFSET_METADATA_TOO_LARGE}, found)
    kept = yield from made.fetch(newest(talk, "OffsetFetch"), [0])
    talk.expect("the offset", {0: (1, -1, "")}, kept)
    yield from removed(talk, made.topic)


@question("offsets.stranger-refused", "OffsetCommit", ANY, needs=COMMITTING, wants=WRITES)
def _commit_of_a_member_that_is_not_there(talk: Talk, version: int) -> Dialogue:
    made = yield from group(talk)
    yield from _commit(made, version, {0: (1, -1, "")})
    stranger = {"generationIdOrMemberEpoch": 1, "memberId": talk.facts.name("stranger")}
    found = yield from made.commit(version, {0: (8, -1, "")}, **stranger)
    if found[0] not in (UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION):
        due = f"{UNKNOWN_MEMBER_ID} or {ILLEGAL_GENERATION}"
        what = f"the error for a member that is not there: expected {due}, got {found[0]}"
        raise Broken(what, due)
    kept = yield from made.fetch(newest(talk, "OffsetFetch"), [0])
    talk.expect("the offset", {0: (1, -1, "")}, kept)
    yield from removed(talk, made.topic)
