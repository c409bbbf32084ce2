"""The offset at which a member of a group begins to read, and the offsets that it commits."""

from __future__ import annotations

from typing import ClassVar

from conformance.api_keys import OFFSET_COMMIT
from conformance.clients.scenarios.actions import FILLED
from conformance.clients.scenarios.batches import batch
from conformance.clients.scenarios.every_request import kept_as_ever
from conformance.clients.scenarios.judging import all_of
from conformance.clients.scenarios.records.leaders import LED, NO_EPOCH, of_epoch
from conformance.clients.scenarios.scenario import Scenario, id_of
from conformance.clients.scenarios.visit import Visit, require, succeeds
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.groups.members import IDS_SINCE

COMMITTED = 1


def begins_at_committed(visit: Visit) -> None:
    """The first Fetch of the partition is from the offset that is committed."""
    asked = [each for each in visit.of("Fetch") if each.value and each.value["topics"]]
    if not visit.of("OffsetFetch") or not asked:
        raise NotApplicable("it did not ask what is committed and then for records")
    found = [
        one["fetchOffset"]
        for topic in asked[0].value["topics"]  # type: ignore[index]
        if topic.get("topic", FILLED) == FILLED
        and topic.get("topicId", id_of(FILLED)) == id_of(FILLED)
        for one in topic["partitions"]
    ]
    if found and found[0] != COMMITTED:
        what = f"it reads from offset {found[0]}, and {COMMITTED} is committed"
        raise Broken(what, str(COMMITTED), asked[0].frame)


class CommittedBefore(Scenario, about="OffsetFetchRequest", action="join"):
    """Has an offset of the group, in the midst of what the topic holds."""

    decides: ClassVar = {"client-groups.begins-at-committed": all_of(begins_at_committed, succeeds)}
    contents: ClassVar = [batch(offset, ("k", "v")) for offset in range(3)]

    def offsets(self, request: Request, group: str, topics: list[Value] | None) -> list[Value]:
        """Return the offset of the topic that is read, also if the request names no topic."""
        by_id = request.version >= IDS_SINCE
        named = topics if topics is not None else [_whole_topic(by_id)]
        return [
            {**each, "partitions": [self.kept(one) for one in each["partitions"]]}
            for each in super().offsets(request, group, named)
        ]

    def kept(self, partition: Value) -> Value:
        return {**partition, "committedOffset": COMMITTED, "committedLeaderEpoch": 0}


class CommittedToResume(CommittedBefore, action="resume"):
    """Has an offset of the group, to a client that is no member of it."""


def _whole_topic(by_id: bool) -> Value:
    name = {"topicId": id_of(FILLED)} if by_id else {"name": FILLED}
    return {**name, "partitionIndexes": [0]}


class CommittedInCompactedEnd(CommittedBefore, about="FetchRequest"):
    """Has an offset of the group behind the last record that compaction left in a batch."""

    decides: ClassVar = {"client-records.compacted-end-passed": succeeds}
    contents: ClassVar = [batch(0, ("k", "v"), length=5), batch(5, ("k", "v"))]
    is_batch_by_batch = True


def commits_the_next(visit: Visit) -> None:
    """Judge that a member commits the offset after the one record, or the offset it began with."""
    committed = [
        (each, one["committedOffset"])
        for each in visit.of("OffsetCommit")
        if each.value
        for topic in each.value["topics"]
        for one in topic["partitions"]
    ]
    require(committed, "it committed nothing")
    for each, offset in committed:
        if offset != 1:
            what = f"OffsetCommit v{each.version} has offset {offset} behind the record of offset 0"
            raise Broken(what, "1", each.frame)


class OneRecordToCommit(Scenario, about="OffsetCommitRequest", action="join"):
    """Holds one record, which the client is to read and commit as a member of a group."""

    decides: ClassVar = {"client-groups.next-offset-committed": commits_the_next}


class CommitToOlder(OneRecordToCommit, about="OffsetCommitRequest"):
    """Serves OffsetCommit as Kafka 1.0 did, in which it says how long an offset is to be kept."""

    served: ClassVar = {OFFSET_COMMIT: (2, 3)}
    release = "1.0.0"
    decides: ClassVar = {"client-groups.offsets-kept-as-ever": kept_as_ever}


def epoch_as_read(visit: Visit) -> None:
    """Judge that a commit after the record has the epoch of the record's leader, or none."""
    committed = [
        (each, one["committedLeaderEpoch"])
        for each in visit.of("OffsetCommit")
        for topic in (each.value or {}).get("topics", [])
        for one in topic["partitions"]
        if "committedLeaderEpoch" in one
    ]
    require(committed, "it committed nothing with an epoch")
    for each, epoch in committed:
        if epoch not in (LED, NO_EPOCH):
            what = f"OffsetCommit v{each.version} has epoch {epoch} behind a record of epoch {LED}"
            raise Broken(what, f"{LED} or {NO_EPOCH}", each.frame)


class OneRecordOfAnEpoch(OneRecordToCommit):
    """Holds one record of a later epoch of the leader, to be read and committed by a member."""

    decides: ClassVar = {"client-groups.epoch-as-read": epoch_as_read}

    def described_partition(self, index: int, replicas: list[int]) -> Value:
        return {**super().described_partition(index, replicas), "leaderEpoch": LED}

    contents: ClassVar = [of_epoch(batch(0, ("k", "v")), LED)]
