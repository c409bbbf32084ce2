"""Leaders and their epochs: replicas to read from, epochs, topics that are created again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from conformance import error_codes
from conformance.clients.scenarios.actions import END, FILLED, Action
from conformance.clients.scenarios.batches import batch
from conformance.clients.scenarios.judging import all_of, asks_at_most, where_asked
from conformance.clients.scenarios.records.logs import SECOND, NotLeader
from conformance.clients.scenarios.scenario import Scenario, id_of
from conformance.clients.scenarios.visit import Sent, Visit, succeeds, survives
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.broker.cluster import Request, Topic, Value
from conformance.reference.broker.errors import Refused
from conformance.reference.broker.records.fetch import Batch
from conformance.reference.broker.releases import FOR_EPOCHS, stored_versions

IDS_SINCE = 10
"""The first version of Metadata that has ids of topics."""
EPOCHS_SINCE = 4
"""The first version of ListOffsets that returns epochs of leaders."""
GIVEN = ("k", "v")
LED, LEADS = 3, 5
"""The epochs of the leader that wrote the records, and of the one that leads now."""
NO_EPOCH = -1
NO_OFFSET = -1
MOST_ASKED = 10
"""A client that asks OffsetForLeaderEpoch more often than this has no end of it."""
BEGIN = 10
"""The first offset of a log whose earlier records were deleted."""


def reads_nowhere(visit: Visit) -> None:
    """Judge that no Fetch reads from a partition for which no offset was returned."""
    for each in visit.of("Fetch"):
        if each.value is not None and list(_partitions(each)):
            what = f"Fetch v{each.version} reads where no offset was told"
            raise Broken(what, "no Fetch", each.frame)
    survives(visit)


class OutOfRange(Scenario):
    """Holds records from offset 10 on, and an offset of the group that is gone."""

    about = "FetchRequest"
    action = "join"
    decides: ClassVar = {"client-records.out-of-range-reset": succeeds}

    def records(self) -> list[Batch]:
        return [batch(BEGIN, GIVEN)]

    def no_offsets(self, request: Request, topics: list[Value] | None) -> list[Value]:
        return committed_at(super().no_offsets(request, topics), 1, NO_EPOCH)


class OutOfRangeTold(OutOfRange):
    """The same, and tells where the log begins and ends, which is -1 where a broker does not."""

    def fetched_of(self, request: Request, item: Value, wanted: Value) -> Value:
        found = super().fetched_of(request, item, wanted)
        if found["errorCode"] != error_codes.OFFSET_OUT_OF_RANGE:
            return found
        ends = {"highWatermark": BEGIN + 1, "lastStableOffset": BEGIN + 1}
        return {**found, "logStartOffset": BEGIN, **ends}


def committed_at(topics: list[Value], offset: int, epoch: int) -> list[Value]:
    """Return topics of an answer to OffsetFetch, each with this offset."""
    told = {"committedOffset": offset, "committedLeaderEpoch": epoch}
    return [
        {**each, "partitions": [{**one, **told} for one in each["partitions"]]} for each in topics
    ]


class TopicMadeAnew(Scenario):
    """Holds a topic that was made anew, which the first Metadata tells of as it was before."""

    about = "MetadataRequest"
    action = "consume"
    others: ClassVar = {SECOND: NotLeader}
    decides: ClassVar = {
        "client-records.topic-made-anew-is-read": where_asked(
            "Metadata", succeeds, range(IDS_SINCE, 100)
        )
    }

    def described_topic(self, topic: Topic) -> Value:
        """Return the topic with another id and a higher epoch, until the old leader was asked."""
        told = super().described_topic(topic)
        old = self.company[-1]
        if topic.name != FILLED or getattr(old, "asked", False):
            return told
        nodes = {"replicaNodes": [old.node_id], "isrNodes": [old.node_id]}
        led = {"leaderId": old.node_id, "leaderEpoch": LEADS, **nodes}
        partitions = [{**each, **led} for each in told["partitions"]]
        return {**told, "topicId": id_of(f"old-{FILLED}"), "partitions": partitions}


def reads_at(node: int) -> Any:
    """Return the judgement that the client succeeds, if it asked this node for records."""

    def judge(visit: Visit) -> None:
        if not any(each.node == node for each in visit.of("Fetch")):
            raise NotApplicable("it did not ask the replica for records")
        succeeds(visit)

    return judge


class PreferredReplicaLags(Scenario):
    """Names a replica to read from, which then says that it is none."""

    about = "FetchRequest"
    action = "consume"
    others: ClassVar = {SECOND: NotLeader}
    decides: ClassVar = {"client-records.preferred-replica-left": reads_at(SECOND)}

    def described_topic(self, topic: Topic) -> Value:
        told = super().described_topic(topic)
        both = {"replicaNodes": [self.node_id, SECOND], "isrNodes": [self.node_id, SECOND]}
        return {**told, "partitions": [{**each, **both} for each in told["partitions"]]}

    def fetched_of(self, request: Request, item: Value, wanted: Value) -> Value:
        """Return no records and the other broker as preferred replica, until that one was asked."""
        found = super().fetched_of(request, item, wanted)
        other = self.company[-1]
        if request.version < 11 or getattr(other, "asked", False) or found["errorCode"]:
            return found
        return {**found, "preferredReadReplica": other.node_id, "records": ""}


class _Led(Scenario):
    """Serves OffsetForLeaderEpoch, of a partition that another led before."""

    about = "OffsetForLeaderEpochRequest"
    action: ClassVar[Action] = "consume"

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.versions = {**self.versions, **stored_versions(names=FOR_EPOCHS)}

    def described_partition(self, index: int, replicas: list[int]) -> Value:
        """Return the partition with the present leader's epoch."""
        return {**super().described_partition(index, replicas), "leaderEpoch": LEADS}

    def offset_of(self, request: Request, item: Value, wanted: Value) -> Value:
        """Return the offset with the epoch of the leader that wrote the record."""
        found = super().offset_of(request, item, wanted)
        has_epoch = request.version >= EPOCHS_SINCE and not found["errorCode"]
        return {**found, "leaderEpoch": LED} if has_epoch else found

    def no_offsets(self, request: Request, topics: list[Value] | None) -> list[Value]:
        """The offset that the group has come to, and its epoch."""
        return committed_at(super().no_offsets(request, topics), 1, LED)

    def records(self) -> list[Batch]:
        return [of_epoch(batch(offset, GIVEN), LED) for offset in range(2)]


def of_epoch(written: Batch, epoch: int) -> Batch:
    """A batch of a leader's epoch, which its checksum does not cover."""
    at = 12
    data = written.data[:at] + epoch.to_bytes(4, "big") + written.data[at + 4 :]
    return replace(written, data=data)


reads_on = all_of(asks_at_most(MOST_ASKED, "OffsetForLeaderEpoch"), succeeds)
READ_ON: Mapping[str, Any] = {
    "client-records.epoch-grown-read-on": where_asked("OffsetForLeaderEpoch", reads_on)
}


class EpochGrown(_Led):
    """Leads since a higher epoch than that of the records, all of which it has."""

    decides: ClassVar = READ_ON


class EpochGrownForMembers(_Led):
    """Leads since a higher epoch than that of the offset that a group has come to."""

    action = "join"
    decides: ClassVar = READ_ON


class EpochUnknown(_Led):
    """Does not know any more where the epoch ended of the offset that a group has come to."""

    action = "join"
    decides: ClassVar = READ_ON

    def end_of_epoch(self, topic: Topic, index: int, epoch: int) -> Value:
        del topic, index, epoch
        return {"leaderEpoch": NO_EPOCH, "endOffset": NO_OFFSET}


def epoch_as_told(visit: Visit) -> None:
    """Judge that each Fetch has the leader's epoch from Metadata, or none."""
    found = False
    for each in visit.of("Fetch"):
        for topic in each.value["topics"] if each.value else ():
            for one in topic["partitions"]:
                found = found or one.get("currentLeaderEpoch", NO_EPOCH) != NO_EPOCH
                if one.get("currentLeaderEpoch", NO_EPOCH) not in (NO_EPOCH, LEADS):
                    what = f"Fetch v{each.version} has leader epoch {one['currentLeaderEpoch']}"
                    raise Broken(what, f"{LEADS}, as in Metadata, or {NO_EPOCH}", each.frame)
    if not found:
        raise NotApplicable("it tells no epoch of a leader in Fetch")


class OlderBatches(_Led):
    """Leads since a higher epoch than that of the batches that it gives one by one."""

    about = "FetchRequest"
    action = "read"
    decides: ClassVar = {
        "client-records.leader-epoch-as-told": all_of(epoch_as_told, survives),
        "client-records.epoch-grown-read-on": reads_on,
    }

    def records(self) -> list[Batch]:
        keys = ("k", "k", END)
        return [of_epoch(batch(offset, (key, "v")), LED) for offset, key in enumerate(keys)]

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        return next((each.data for each in self.batches(topic, index) if each.end > offset), b"")


def asks_each_its_own(visit: Visit) -> None:
    """Each broker is asked of partitions that it leads, and of no other."""
    asked = [
        (each, index)
        for api in ("ListOffsets", "Fetch", "OffsetForLeaderEpoch")
        for each in visit.of(api)
        if each.value is not None
        for index in _partitions(each)
    ]
    if not any(each.node == SECOND for each, _ in asked):
        raise NotApplicable("it did not ask both brokers for what they lead")
    for each, index in asked:
        if each.node != index + 1:
            what = f"{each.api} asks broker {each.node} of partition {index} of another"
            raise Broken(what, f"broker {index + 1}", each.frame)


def _partitions(asked: Sent) -> list[int]:
    """Return the indexes of the partitions that a request is about."""
    name = "partitionIndex" if asked.api == "ListOffsets" else "partition"
    return [int(one[name]) for one in _asked_of(asked)]


def _asked_of(asked: Sent) -> list[Value]:
    """Return the parts of a request on each partition."""
    assert asked.value is not None
    return [one for topic in asked.value["topics"] for one in topic["partitions"]]


def asks_once_for_offsets(visit: Visit) -> None:
    """Judge that no partition is asked for the same offset twice, once it was returned."""
    seen: set[tuple[int, int]] = set()
    for each in visit.of("ListOffsets"):
        for one in _asked_of(each) if each.value is not None else ():
            asked = one["partitionIndex"], one["timestamp"]
            if asked in seen:
                what = f"ListOffsets asks again for partition {asked[0]}"
                raise Broken(what, "once", each.frame)
            seen.add(asked)
    if len({index for index, _ in seen}) < 2:
        raise NotApplicable("it did not ask ListOffsets of both partitions")


class HalfOfIt(Scenario, is_known=False):
    """Leads one of two partitions, of which the second one alone holds a record."""

    filled: ClassVar = 1
    halved: ClassVar = FILLED

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.add_topic(Topic(self.halved, id_of(self.halved), [[1], [SECOND]]))

    @property
    def nodes(self) -> list[int]:
        return [1, SECOND]

    def leads(self, index: int) -> bool:
        """True if it leads a partition of the topic that is read."""
        return index + 1 == self.node_id

    def batches(self, topic: Topic, index: int) -> list[Batch]:
        """Return the batches, if this is the partition with records."""
        return super().batches(topic, index) if index == self.filled else []

    def check_partition(self, topic: Topic, index: int) -> None:
        super().check_partition(topic, index)
        if topic.name == self.halved and not self.leads(index):
            raise Refused(error_codes.NOT_LEADER_OR_FOLLOWER)

    def offset_of(self, request: Request, item: Value, wanted: Value) -> Value:
        found = super().offset_of(request, item, wanted)
        if item["name"] != self.halved or self.leads(wanted["partitionIndex"]):
            return found
        return {**found, "errorCode": error_codes.NOT_LEADER_OR_FOLLOWER, "offset": -1}


EACH_ITS_OWN: Mapping[str, Any] = {
    "client-records.each-leader-read": succeeds,
    "client-requests.leader-asked": asks_each_its_own,
}


class _FilledFirst(HalfOfIt):
    """Leads half of the partitions, with a record in the first one."""

    filled = 0


class LeaderOfFullHalf(_FilledFirst):
    """Leads the one of two partitions that holds a record, and another broker the other one."""

    about = "ListOffsetsRequest"
    action = "join"
    others: ClassVar = {SECOND: _FilledFirst}
    decides: ClassVar = {
        **EACH_ITS_OWN,
        "client-requests.offsets-asked-once": asks_once_for_offsets,
    }


class LeaderOfHalf(HalfOfIt):
    """Leads one of two partitions, and another broker the other one, which holds a record."""

    about = "ListOffsetsRequest"
    action = "join"
    others: ClassVar = {SECOND: HalfOfIt}
    decides: ClassVar = {
        **EACH_ITS_OWN,
        "client-requests.offsets-asked-once": asks_once_for_offsets,
    }


class _HalfOfItLed(HalfOfIt, _Led):
    """Leads half of the partitions, with an older epoch."""


class LeaderOfHalfSinceAnEpoch(_HalfOfItLed):
    """Leads one of two partitions, and another broker the other one, since a higher epoch."""

    action = "join"
    others: ClassVar = {SECOND: _HalfOfItLed}
    decides: ClassVar = EACH_ITS_OWN

    def no_offsets(self, request: Request, topics: list[Value] | None) -> list[Value]:
        """The offset that the group has come to, where there is one."""
        return committed_at(super().no_offsets(request, topics), 0, LED)


class NoOffsetToBeginAt(Scenario):
    """Tells no error and no offset, which is -1, where a reader asks for the first one."""

    about = "ListOffsetsRequest"
    action = "consume"
    decides: ClassVar = {"client-records.no-offset-not-read-from": reads_nowhere}

    def offset_of(self, request: Request, item: Value, wanted: Value) -> Value:
        return {**super().offset_of(request, item, wanted), "offset": NO_OFFSET}
