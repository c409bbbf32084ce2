"""A log of one partition: what is written to it, read from it, looked up in it and deleted.

Each dialogue makes a topic of one partition at the broker that it talks to, and writes batches with
the newest Produce. So a broker that gets one API wrong is charged with that API alone.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.talk import Talk, judged_by
from conformance.brokers.dialogues.topics.lifecycle import (
    create_topics,
    ids,
    newest,
    partition_leaders,
)
from conformance.brokers.dialogues.topics.requests import WRITES, assigned, new, nodes, removed
from conformance.dialogue import Broken, Dialogue, NotApplicable, Received, Reconnect, Step
from conformance.error_codes import (
    CORRUPT_MESSAGE,
    LEADER_NOT_AVAILABLE,
    NOT_LEADER_OR_FOLLOWER,
    OFFSET_OUT_OF_RANGE,
    UNKNOWN_TOPIC_ID,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from conformance.schema.filling import filled
from conformance.schema.record_batch import LAYOUT, MAGIC, RECORD_BATCH

TOPICS = ("Metadata", "CreateTopics", "DeleteTopics")
BATCHES_SINCE = {"Produce": 3, "Fetch": 4}
"""The first versions that have batches of magic 2, without message sets of older formats."""
PRODUCED, FETCHED = (range(first, 100) for first in BATCHES_SINCE.values())
BY_ID = 13
"""The first version of Produce and of Fetch that names topics by their ids."""
LISTED = range(1, 100)
"""The versions of ListOffsets that have one offset for each partition."""
TIME_SINCE = 10_000
"""The time in ms of the first record; each is a second younger than the one before it."""
EARLIEST, LATEST = -2, -1
PATIENCE_MS = 10_000
MAX_BYTES = 1 << 20
NOT_LED_YET = (
    UNKNOWN_TOPIC_OR_PARTITION,
    LEADER_NOT_AVAILABLE,
    NOT_LEADER_OR_FOLLOWER,
    UNKNOWN_TOPIC_ID,
)
"""The errors of a broker that does not know yet that it leads a new partition."""
APPEND_FIELDS = slice(0, 16)
"""The base offset, the length and the leader's epoch, which a broker sets as it appends."""

Steps = Generator[Step, Received | None, Any]


@dataclass(frozen=True)
class Log:
    """A partition that is this dialogue's own: its topic, and the batches written to it so far."""

    talk: Talk
    name: str
    topic_id: str
    written: list[bytes] = field(default_factory=list)

    def produce(self, version: int, data: bytes, acks: int = -1) -> Steps:
        """Return the error and the base offset of a batch that is written. Raises Broken."""
        wanted = {
            "acks": acks,
            "timeoutMs": PATIENCE_MS,
            "transactionalId": None,
            "topicData": [
                {
                    "name": self.name,
                    "topicId": self.topic_id,
                    "partitionData": [{"index": 0, "records": b64encode(data).decode()}],
                }
            ],
        }
        layout = self.talk.codec.form("ProduceRequest", version).layout
        reply = yield from self.talk.ask("Produce", version, filled(layout, wanted))
        [topic] = reply.value["responses"]
        [found] = topic["partitionResponses"]
        return found["errorCode"], found["baseOffset"]

    def fetch(self, version: int, offset: int, max_bytes: int = MAX_BYTES) -> Steps:
        """Return the partition of an answer to a Fetch from an offset. Raises Broken."""
        wanted = {
            "replicaId": -1,
            "maxWaitMs": 0,
            "minBytes": 0,
            "maxBytes": MAX_BYTES,
            "sessionEpoch": -1,
            "topics": [
                {
                    "topic": self.name,
                    "topicId": self.topic_id,
                    "partitions": [
                        {
                            "partition": 0,
                            "currentLeaderEpoch": -1,
                            "fetchOffset": offset,
                            "lastFetchedEpoch": -1,
                            "logStartOffset": -1,
                            "partitionMaxBytes": max_bytes,
                        }
                    ],
                }
            ],
        }
        layout = self.talk.codec.form("FetchRequest", version).layout
        reply = yield from self.talk.ask("Fetch", version, filled(layout, wanted))
        [topic] = reply.value["responses"]
        [found] = topic["partitions"]
        return found

    def offset_at(self, version: int, time: int) -> Steps:
        """Return the error and the offset that ListOffsets has for a time. Raises Broken."""
        partition = {"partitionIndex": 0, "timestamp": time, "currentLeaderEpoch": -1}
        wanted = {"replicaId": -1, "topics": [{"name": self.name, "partitions": [partition]}]}
        layout = self.talk.codec.form("ListOffsetsRequest", version).layout
        reply = yield from self.talk.ask("ListOffsets", version, filled(layout, wanted))
        [topic] = reply.value["topics"]
        [found] = topic["partitions"]
        return found["errorCode"], found["offset"]

    def delete_before(self, version: int, offset: int) -> Steps:
        """Return the error and the low watermark of DeleteRecords. Raises Broken."""
        topic = {"name": self.name, "partitions": [{"partitionIndex": 0, "offset": offset}]}
        layout = self.talk.codec.form("DeleteRecordsRequest", version).layout
        value = filled(layout, {"topics": [topic], "timeoutMs": PATIENCE_MS})
        reply = yield from self.talk.ask("DeleteRecords", version, value)
        [found] = reply.value["topics"]
        [result] = found["partitions"]
        return result["errorCode"], result["lowWatermark"]


def batch(talk: Talk, first: int, *values: str) -> bytes:
    """Return a batch of records with these values; `first` counts the records before it."""
    records = [
        {
            "attributes": 0,
            "timestampDelta": 1000 * delta,
            "offsetDelta": delta,
            "key": b64encode(f"key-{first + delta}".encode()).decode(),
            "value": b64encode(value.encode()).decode(),
            "headers": [{"key": "number", "value": b64encode(bytes([first + delta])).decode()}],
        }
        for delta, value in enumerate(values)
    ]
    at = TIME_SINCE + 1000 * first
    fields = {
        **LAYOUT.default_value(),
        "lastOffsetDelta": len(values) - 1,
        "baseTimestamp": at,
        "maxTimestamp": at + 1000 * (len(values) - 1),
        "records": records,
    }
    return bytes(talk.codec.encode(RECORD_BATCH, MAGIC, fields))


def log(talk: Talk, *batches: Sequence[str]) -> Generator[Step, Received | None, Log]:
    """Return a log of these batches, each given by the values of its records.

    Raises Broken, charged to the rules that judge its making, and NotApplicable.
    """
    high = newest(talk, "Produce")
    if high not in PRODUCED:
        raise NotApplicable("Produce has no version with batches")
    made = yield from _new_log(talk)
    first = 0
    for values in batches:
        data = batch(talk, first, *values)
        yield from _append(made, high, data, first)
        made.written.append(data)
        first += len(values)
    return made


@judged_by("topics.assignment-followed")
def _new_log(talk: Talk) -> Generator[Step, Received | None, Log]:
    name = talk.facts.name("log")
    [leader, *others] = yield from nodes(talk)
    yield from create_topics(talk, newest(talk), new(name, **assigned([leader])))
    if others:
        yield Reconnect(node=leader)

    def led() -> Steps:
        found = yield from partition_leaders(talk, name)()
        return len(found)

    yield from talk.eventually("the partitions that have a leader", 1, led)
    named = yield from ids(talk, name)()
    return Log(talk, name, named.get(name) or "")


@judged_by("log.base-offset-told")
def _append(made: Log, version: int, data: bytes, first: int) -> Dialogue:
    """Append a batch, once; a leader may take a moment to know that it leads."""
    found: list[tuple[int, int]] = []

    def leads() -> Steps:
        found[:] = [(yield from made.produce(version, data))]
        return found[0][0] not in NOT_LED_YET

    yield from made.talk.eventually("whether the leader takes records", True, leads)
    made.talk.expect("the error and the base offset", (0, first), found[0])


@question("log.base-offset-told", "Produce", PRODUCED, needs=TOPICS, wants=WRITES)
def _offsets_of_batches(talk: Talk, version: int) -> Dialogue:
    """Expect the offset of a batch to be the number of records before it."""
    made = yield from log(talk, ["a"])
    two = yield from made.produce(version, batch(talk, 1, "b", "c"))
    talk.expect("the error and the base offset of the second batch", (0, 1), two)
    three = yield from made.produce(version, batch(talk, 3, "d"), acks=1)
    talk.expect("the error and the base offset of the third batch", (0, 3), three)
    yield from removed(talk, made.name)


@question("log.fetched-as-written", "Fetch", FETCHED, needs=(*TOPICS, "Produce"), wants=WRITES)
def _batches_that_were_written(talk: Talk, version: int) -> Dialogue:
    """Expect each byte of two batches but for those that a broker sets."""
    made = yield from log(talk, ["first", "second"], ["third"])
    found = yield from made.fetch(version, 0)
    _expect_no_error(found)
    came = split(b64decode(found["records"] or ""))
    talk.expect("the base offsets of the batches", [0, 2], [_offset(each) for each in came])
    for number, (written, fetched) in enumerate(zip(made.written, came, strict=True), 1):
        if _beyond(written) != _beyond(fetched):
            where = _first_difference(_beyond(written), _beyond(fetched))
            what = f"batch {number} is not as it was written, from byte {where} on"
            raise Broken(what, written.hex(), fetched)
    yield from removed(talk, made.name)


@question("log.begins-where-asked", "Fetch", FETCHED, needs=(*TOPICS, "Produce"), wants=WRITES)
def _offsets_within_a_log(talk: Talk, version: int) -> Dialogue:
    """Expect a Fetch to begin with the batch that holds the offset."""
    made = yield from log(talk, ["a", "b"], ["c", "d", "e"], ["f"])
    due = {0: 0, 1: 0, 2: 2, 4: 2, 5: 5}
    for offset, begin in due.items():
        found = yield from made.fetch(version, offset)
        _expect_no_error(found)
        came = split(b64decode(found["records"] or ""))
        first = [_offset(each) for each in came[:1]]
        talk.expect(f"the base offset of the first batch for offset {offset}", [begin], first)
    yield from removed(talk, made.name)


@question("log.end-is-empty", "Fetch", FETCHED, needs=(*TOPICS, "Produce"), wants=WRITES)
def _end_of_a_log(talk: Talk, version: int) -> Dialogue:
    """Expect neither records nor an error at the end of a log, and the end as high watermark."""
    made = yield from log(talk, ["a", "b"])
    found = yield from made.fetch(version, 2)
    _expect_no_error(found)
    talk.expect("the records at the end of the log", "", found["records"] or "")
    talk.expect("the high watermark", 2, found["highWatermark"])
    yield from removed(talk, made.name)


@question("log.out-of-range-refused", "Fetch", FETCHED, needs=(*TOPICS, "Produce"), wants=WRITES)
def _offsets_beyond_a_log(talk: Talk, version: int) -> Dialogue:
    made = yield from log(talk, ["a", "b"])
    for offset in (3, 1_000_000):
        found = yield from made.fetch(version, offset)
        what = f"the error for offset {offset} of a log of 2 records"
        talk.expect(what, OFFSET_OUT_OF_RANGE, found["errorCode"])
    yield from removed(talk, made.name)


@question("log.first-batch-whole", "Fetch", FETCHED, needs=(*TOPICS, "Produce"), wants=WRITES)
def _batch_above_the_limit(talk: Talk, version: int) -> Dialogue:
    """Expect the first batch even if it is longer than the partition's limit (KIP-74)."""
    made = yield from log(talk, ["a" * 1000], ["b"])
    found = yield from made.fetch(version, 0, max_bytes=100)
    _expect_no_error(found)
    came = split(b64decode(found["records"] or ""))
    talk.expect("the base offset of the first batch", [0], [_offset(each) for each in came[:1]])
    yield from removed(talk, made.name)


@question("log.ends-listed", "ListOffsets", LISTED, needs=(*TOPICS, "Produce"), wants=WRITES)
def _begin_and_end(talk: Talk, version: int) -> Dialogue:
    made = yield from log(talk, ["a", "b"], ["c"])
    for time, offset in ((EARLIEST, 0), (LATEST, 3)):
        found = yield from made.offset_at(version, time)
        talk.expect(f"the error and the offset for timestamp {time}", (0, offset), found)
    yield from removed(talk, made.name)


@question("log.first-as-young", "ListOffsets", LISTED, needs=(*TOPICS, "Produce"), wants=WRITES)
def _offsets_at_times(talk: Talk, version: int) -> Dialogue:
    """Expect the first record of a time or later, within a batch as well, and none after all."""
    made = yield from log(talk, ["a", "b"], ["c"])
    last = TIME_SINCE + 2000
    due = {0: 0, TIME_SINCE + 1: 1, TIME_SINCE + 1000: 1, last: 2, last + 1: -1}
    for time, offset in due.items():
        found = yield from made.offset_at(version, time)
        talk.expect(f"the error and the offset for timestamp {time}", (0, offset), found)
    yield from removed(talk, made.name)


@question(
    "log.corrupt-refused",
    "Produce",
    PRODUCED,
    needs=(*TOPICS, "ListOffsets"),
    wants=WRITES,
    malformed=True,
)
def _batch_of_a_wrong_checksum(talk: Talk, version: int) -> Dialogue:
    """Expect an error, and that nothing is appended."""
    made = yield from log(talk, ["a"])
    data = batch(talk, 1, "b")
    code, _ = yield from made.produce(version, data[:-1] + bytes([data[-1] ^ 1]))
    talk.expect("the error for a batch whose checksum is wrong", CORRUPT_MESSAGE, code)
    listed = newest(talk, "ListOffsets")
    end = yield from made.offset_at(listed, LATEST)
    talk.expect("the error and the offset after the last record", (0, 1), end)
    yield from removed(talk, made.name)


@question(
    "log.deleted-is-gone",
    "DeleteRecords",
    range(100),
    needs=(*TOPICS, "Produce", "ListOffsets"),
    wants=WRITES,
)
def _records_that_are_deleted(talk: Talk, version: int) -> Dialogue:
    made = yield from log(talk, ["a", "b"], ["c"])
    found = yield from made.delete_before(version, 1)
    talk.expect("the error and the low watermark", (0, 1), found)
    listed = newest(talk, "ListOffsets")
    begin = yield from made.offset_at(listed, EARLIEST)
    talk.expect("the error and the first offset", (0, 1), begin)
    beyond, _ = yield from made.delete_before(version, 4)
    talk.expect("the error for an offset after the end", OFFSET_OUT_OF_RANGE, beyond)
    every = yield from made.delete_before(version, -1)
    talk.expect("the error and the low watermark for offset -1", (0, 3), every)
    yield from removed(talk, made.name)


def split(records: bytes) -> list[bytes]:
    """Return the whole batches of a records field; the last may be cut by a limit."""
    found = []
    while len(records) >= 12:
        end = 12 + int.from_bytes(records[8:12], "big", signed=True)
        if not 12 < end <= len(records):
            break
        found.append(records[:end])
        records = records[end:]
    return found


def _offset(data: bytes) -> int:
    return int.from_bytes(data[:8], "big", signed=True)


def _beyond(data: bytes) -> bytes:
    """Return a batch without what a broker sets as it appends."""
    return data[APPEND_FIELDS.stop :]


def _first_difference(one: bytes, other: bytes) -> int:
    """Return the offset in a batch of the first byte that differs."""
    pairs = enumerate(zip(one, other, strict=False))
    at = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
    return APPEND_FIELDS.stop + at


def _expect_no_error(found: Any) -> None:
    if code := found["errorCode"]:
        raise Broken(f"error {code} in place of records", "0", str(code))
