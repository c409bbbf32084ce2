"""One record read from the leader, from the begin of the topic, after any empty answers."""

from __future__ import annotations

from collections.abc import Sequence

from conformance import error_codes
from conformance.api_keys import FETCH, LIST_OFFSETS, OFFSET_FOR_LEADER_EPOCH
from conformance.reference.client.batches import Batches
from conformance.reference.client.cluster import TOPIC, ClientCluster
from conformance.reference.client.steps import Asking, Course, Failed, Trying, Wait
from conformance.testee_protocol import Value

FETCH_WAIT_S = 0.4
READ_COMMITTED = 1
MOST_BYTES = 8 << 20
LATEST, EARLIEST, SOME_TIME = -1, -2, 1


class Consuming(Batches, ClientCluster):
    """The actions that read a record.

    `reading_s` is the time that it waits for one, `position` the offset after it. `got` are the
    records of the last answer that had any. `epoch` is that of the leader under which the record at
    its first offset was written.
    """

    reading_s = 8.0
    position = 0
    got: Sequence[Value] = ()
    epoch = -1
    is_read = False
    at_replica = False
    isolation = READ_COMMITTED

    def consume(self) -> Course:
        """Read one record, from the begin of the topic."""
        yield from self.report()
        yield from self.trying(self.read_topic, f"the topic {TOPIC}")

    def read_topic(self) -> Trying:
        """Read from the present leader until a record comes; return the partition's error code."""
        topic_id = yield from self.reach_leader()
        begin = yield from self.begin()
        if begin["errorCode"]:
            return int(begin["errorCode"])
        return (yield from self.read_valid(topic_id, begin["offset"]))

    def lookup(self) -> Course:
        """Ask for the first offset, the next one, and that of a time."""
        yield from self.trying(self.look_up, f"the topic {TOPIC}")

    def ask_latest(self) -> Course:
        """Ask where the partition ends."""
        yield from self.trying(self.look_up_end, f"the topic {TOPIC}")

    def look_up_end(self) -> Trying:
        """Ask the present leader where the partition ends; return the error code."""
        yield from self.reach_leader()
        return int((yield from self.offset_at(LATEST))["errorCode"])

    def look_up(self) -> Trying:
        """Ask the present leader for three offsets; return the first error code."""
        yield from self.reach_leader()
        for timestamp in (EARLIEST, LATEST, SOME_TIME):
            found = yield from self.offset_at(timestamp)
            if found["errorCode"]:
                return int(found["errorCode"])
        return error_codes.NONE

    def begin(self) -> Asking:
        """Return the offset at which the partition begins. Raises Failed without one."""
        found = yield from self.offset_at(EARLIEST)
        self.epoch = found.get("leaderEpoch", -1)
        if found["offset"] < 0 and not found["errorCode"]:
            raise Failed("nobody tells where the partition begins")
        return found

    def offset_at(self, timestamp: int) -> Asking:
        """Return the offset of the partition at a time, with its error."""
        partition = {"partitionIndex": self.partition, "timestamp": timestamp}
        topic = {"name": self.named, "partitions": [partition]}
        wanted = {"replicaId": -1, "topics": [topic]}
        answer = yield from self.ask(LIST_OFFSETS, self.version_of(LIST_OFFSETS), wanted)
        return self.first_entry(answer, "topics", "partitions")

    def read_valid(self, topic_id: str, offset: int) -> Trying:
        """Read from an offset, after checking that the leader has it (KIP-320)."""
        if OFFSET_FOR_LEADER_EPOCH in self.served and -1 < self.epoch < self.leader_epoch:
            found = yield from self.end_of_epoch()
            if found["errorCode"]:
                return int(found["errorCode"])
            offset = yield from self.still_there(offset, found)
        return (yield from self.read_from(topic_id, offset))

    def end_of_epoch(self) -> Asking:
        """Return the offset at which the epoch of its first record ended."""
        version = self.version_of(OFFSET_FOR_LEADER_EPOCH)
        epochs = {"currentLeaderEpoch": self.leader_epoch, "leaderEpoch": self.epoch}
        topic = {"topic": TOPIC, "partitions": [{"partition": self.partition, **epochs}]}
        wanted = {"replicaId": -1, "topics": [topic]}
        answer = yield from self.ask(OFFSET_FOR_LEADER_EPOCH, version, wanted)
        return self.first_entry(answer, "topics", "partitions")

    def still_there(self, offset: int, end: Value) -> Trying:
        """Return the offset, the epoch's end if that is lower, or the log's begin if unknown."""
        if end["endOffset"] < 0:
            return (yield from self.first_offset())
        return min(offset, int(end["endOffset"]))

    def first_offset(self) -> Trying:
        """Return the first offset of the log. Raises Failed."""
        begin = yield from self.begin()
        self.check(begin["errorCode"], "the begin of the topic")
        return int(begin["offset"])

    def read_from(self, topic_id: str, offset: int) -> Trying:
        """Read until a record comes; return the error code of the partition. Raises Failed.

        With several partitions, one answer without a record suffices for each but the last.
        """
        waited_s = 0.0
        while waited_s < self.reading_s:
            found = yield from self.fetch(topic_id, offset)
            if self.is_gone(found):
                offset = yield from self.begin_again(offset)
                waited_s += self.backoff_s
                continue
            if found["errorCode"]:
                return int(found["errorCode"])
            records, following = self.records_of(found, offset)
            self.position = following
            if records:
                self.is_read, self.got = True, records
                return error_codes.NONE
            if following == offset:
                if self.is_read or self.partition != self.indices[-1]:
                    return error_codes.NONE
                yield Wait(self.backoff_s)
                waited_s += self.backoff_s + FETCH_WAIT_S
            offset = following
            yield from self.go_to_replica(found.get("preferredReadReplica", -1))
        raise Failed(f"no record came within {self.reading_s:g} s")

    def begin_again(self, offset: int) -> Trying:
        """Return an offset in range: the same at the leader after a replica, else the first one."""
        if self.at_replica:
            self.at_replica = False
            yield from self.reach_leader()
            return offset
        return (yield from self.first_offset())

    def is_gone(self, found: Value) -> bool:
        """True if the offset is out of the log's range."""
        return bool(found["errorCode"] == error_codes.OFFSET_OUT_OF_RANGE)

    def go_to_replica(self, node_id: int) -> Course:
        """Read from this replica from now on (KIP-392), if the id is one."""
        if node_id >= 0:
            self.at_replica = yield from self.reach((yield from self.metadata(TOPIC)), node_id)

    def fetch(self, topic_id: str, offset: int) -> Asking:
        """Return the records of the partition from an offset on."""
        version = self.version_with(FETCH, topic_id)
        partition = {
            "partition": self.partition,
            "currentLeaderEpoch": self.leader_epoch,
            "fetchOffset": offset,
            "partitionMaxBytes": MOST_BYTES,
        }
        topic = {"topic": self.named, "topicId": topic_id, "partitions": [partition]}
        wanted = {
            "replicaId": -1,
            "maxWaitMs": int(FETCH_WAIT_S * 1000),
            "minBytes": 1,
            "maxBytes": MOST_BYTES,
            "isolationLevel": self.isolation,
            "topics": [topic],
        }
        answer = yield from self.ask(FETCH, version, wanted)
        self.check(answer.get("errorCode", error_codes.NONE), "the fetch")
        found: list[Value] = [each for item in answer["responses"] for each in item["partitions"]]
        return self.one_of(found) if found else {"errorCode": error_codes.NONE, "records": None}

    def one_of(self, found: list[Value]) -> Value:
        """Return the entry of the partition, which may be in the answer twice."""
        return found[0]
