"""A topic of a dialogue's own: what is written to its partitions, and asked about them.

It is led by the broker that the dialogue talks to, and batches are written with the newest Produce.
So a broker that gets one API wrong is charged with that API alone.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.brokers.dialogues.talk import Talk, judged_by
from conformance.brokers.dialogues.topics.lifecycle import (
    create_topics,
    ids,
    newest,
    partition_leaders,
)
from conformance.brokers.dialogues.topics.requests import (
    assigned,
    created,
    errors,
    new,
    nodes,
)
from conformance.dialogue import Broken, Dialogue, NotApplicable, Received, Reconnect, Step
from conformance.error_codes import (
    INVALID_CONFIG,
    LEADER_NOT_AVAILABLE,
    NOT_LEADER_OR_FOLLOWER,
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
LISTED_BY_GREATEST_TIME = range(7, 100)
"""The versions of ListOffsets that know the timestamp -3 (KIP-734)."""
GREATEST_TIME, EARLIEST, LATEST = -3, -2, -1
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
Fields = Mapping[str, Any]


@dataclass(frozen=True)
class Log:
    """A topic that is this dialogue's own, and the batches written to its first partition so far.

    What is asked is asked of partition 0 unless another `index` is given.
    """

    talk: Talk
    name: str
    topic_id: str
    written: list[bytes] = field(default_factory=list)

    def produce(
        self, version: int, data: bytes, acks: int = -1, index: int = 0, **fields: Any
    ) -> Steps:
        """Return the error and the base offset of a batch that is written. Raises Broken."""
        found = yield from self.produced(version, {index: data}, acks=acks, **fields)
        return found[index]["errorCode"], found[index]["baseOffset"]

    def produced(self, version: int, given: Mapping[int, bytes], **fields: Any) -> Steps:
        """Return the results of writing to several partitions, by their indexes. Raises Broken."""
        topic = self.to_write(given)
        found = yield from self.produced_to_topics(version, [topic], **fields)
        return found[self.key(version)]

    def to_write(self, given: Mapping[int, bytes]) -> Fields:
        """Return this topic in a Produce, with batches by the indexes of partitions."""
        return {
            "name": self.name,
            "topicId": self.topic_id,
            "partitionData": [
                {"index": index, "records": b64encode(data).decode()}
                for index, data in given.items()
            ],
        }

    def produced_to_topics(self, version: int, topics: Sequence[Fields], **fields: Any) -> Steps:
        """Return the results of a Produce by topic and index. Raises Broken."""
        reply = yield from self.talk.ask(
            "Produce", version, self.to_produce(version, topics, **fields)
        )
        by = "topicId" if version >= BY_ID else "name"
        return {
            topic[by]: {each["index"]: each for each in topic["partitionResponses"]}
            for topic in reply.value["responses"]
        }

    def to_produce(self, version: int, topics: Sequence[Fields], **fields: Any) -> dict[str, Any]:
        """Return a Produce of these topics."""
        wanted = {
            "acks": -1,
            "timeoutMs": PATIENCE_MS,
            "transactionalId": None,
            "topicData": topics,
            **fields,
        }
        return filled(self.talk.codec.form("ProduceRequest", version).layout, wanted)

    def key(self, version: int) -> str:
        """Return what a Produce or a Fetch of this version names the topic by."""
        return self.topic_id if version >= BY_ID else self.name

    def fetch(
        self, version: int, offset: int, max_bytes: int = MAX_BYTES, index: int = 0, **fields: Any
    ) -> Steps:
        """Return the partition of an answer to a Fetch from an offset. Raises Broken."""
        topic = self.to_read({index: offset}, max_bytes)
        answer = yield from self.fetched(version, [topic], **fields)
        [found] = [each for topic in answer["responses"] for each in topic["partitions"]]
        return found

    def to_read(self, offsets: Mapping[int, int], max_bytes: int = MAX_BYTES) -> Fields:
        """Return this topic in a Fetch, from offsets by the indexes of partitions."""
        return {
            "topic": self.name,
            "topicId": self.topic_id,
            "partitions": [
                {
                    "partition": index,
                    "currentLeaderEpoch": -1,
                    "fetchOffset": offset,
                    "lastFetchedEpoch": -1,
                    "logStartOffset": -1,
                    "partitionMaxBytes": max_bytes,
                }
                for index, offset in offsets.items()
            ],
        }

    def fetched(self, version: int, topics: Sequence[Fields], **fields: Any) -> Steps:
        """Return the whole answer to a Fetch. Raises Broken.

        Apache Kafka names a topic again for those of its partitions that fail. So of several topics
        the results are not counted here.
        """
        wanted = {
            "replicaId": -1,
            "maxWaitMs": 0,
            "minBytes": 0,
            "maxBytes": MAX_BYTES,
            "sessionEpoch": -1,
            "topics": topics,
            **fields,
        }
        layout = self.talk.codec.form("FetchRequest", version).layout
        ask = self.talk.ask if len(topics) < 2 else self.talk.ask_for_any
        reply = yield from ask("Fetch", version, filled(layout, wanted))
        return reply.value

    def offset_at(self, version: int, time: int, **fields: Any) -> Steps:
        """Return the error and the offset that ListOffsets has for a time. Raises Broken."""
        found = yield from self.listed(version, time, **fields)
        return found["errorCode"], found["offset"]

    def listed(self, version: int, time: int, **fields: Any) -> Steps:
        """Return the partition of an answer to ListOffsets for a time. Raises Broken."""
        partition = {"partitionIndex": 0, "timestamp": time, "currentLeaderEpoch": -1}
        topics = [{"name": self.name, "partitions": [partition]}]
        wanted = {"replicaId": -1, "topics": topics, **fields}
        layout = self.talk.codec.form("ListOffsetsRequest", version).layout
        reply = yield from self.talk.ask("ListOffsets", version, filled(layout, wanted))
        [topic] = reply.value["topics"]
        [found] = topic["partitions"]
        return found

    def expect_end(self, offset: int) -> Dialogue:
        """Expect the log to end at an offset, by the newest ListOffsets. Raises Broken."""
        found = yield from self.offset_at(newest(self.talk, "ListOffsets"), LATEST)
        self.talk.expect("the error and the offset after the last record", (0, offset), found)

    def delete_before(self, version: int, offset: int) -> Steps:
        """Return the error and the low watermark of DeleteRecords. Raises Broken."""
        topic = {"name": self.name, "partitions": [{"partitionIndex": 0, "offset": offset}]}
        layout = self.talk.codec.form("DeleteRecordsRequest", version).layout
        value = filled(layout, {"topics": [topic], "timeoutMs": PATIENCE_MS})
        reply = yield from self.talk.ask("DeleteRecords", version, value)
        [found] = reply.value["topics"]
        [result] = found["partitions"]
        return result["errorCode"], result["lowWatermark"]


def batch(talk: Talk, first: int, *values: str, **fields: Any) -> bytes:
    """Return a batch of records with these values; `first` counts the records before it.

    `fields` are others of the batch.
    """
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
    return batch_of(talk, first, records, **fields)


def batch_of(talk: Talk, first: int, records: Sequence[Any], **fields: Any) -> bytes:
    """Return a batch of these records, each a second younger than the one before it.

    `first` counts the records before it.
    """
    at = talk.facts.time_ms + 1000 * first
    value = {
        **LAYOUT.default_value(),
        "lastOffsetDelta": len(records) - 1,
        "baseTimestamp": at,
        "maxTimestamp": at + max((each["timestampDelta"] for each in records), default=0),
        "records": list(records),
        **fields,
    }
    return bytes(talk.codec.encode(RECORD_BATCH, MAGIC, value))


def log(talk: Talk, *batches: Sequence[str]) -> Generator[Step, Received | None, Log]:
    """Return a log of these batches, each given by the values of its records.

    Raises Broken, charged to the rules that judge its making, and NotApplicable.
    """
    made = yield from new_log(talk)
    first = 0
    for values in batches:
        data = batch(talk, first, *values)
        yield from append(made, data, first)
        made.written.append(data)
        first += len(values)
    return made


def new_log(
    talk: Talk, partitions: int = 1, leader: int | None = None
) -> Generator[Step, Received | None, Log]:
    """Return empty logs that this broker leads, or the `leader`. Raises Broken and NotApplicable.

    The dialogue goes on with that broker.
    """
    if newest(talk, "Produce") not in PRODUCED:
        raise NotApplicable("Produce has no version with batches")
    made = yield from _new_log(talk, partitions, leader)
    return made


@judged_by("topics.assignment-followed")
def _new_log(
    talk: Talk, partitions: int, leader: int | None
) -> Generator[Step, Received | None, Log]:
    name = talk.facts.name("log")
    [first, *others] = yield from nodes(talk)
    node = first if leader is None else leader
    plain = {"numPartitions": partitions}  # one broker alone leads them without being assigned
    given = assigned(*[[node]] * partitions) if others else plain
    yield from create_topics(talk, newest(talk), new(name, **given))
    made = yield from _led(talk, name, partitions, node if others else None)
    return made


@judged_by("topics.created-with-configs")
def configured_log(talk: Talk, **configs: str) -> Generator[Step, Received | None, Log]:
    """Return an empty log whose topic has configs, with `_` for each dot of a name.

    Raises Broken, and NotApplicable where the broker has no such config.
    """
    name = talk.facts.name("log")
    [leader, *others] = yield from nodes(talk)
    given = [{"name": key.replace("_", "."), "value": value} for key, value in configs.items()]
    replicas = assigned([leader]) if others else {}
    topic = new(name, **replicas, configs=given)
    results = yield from created(talk, newest(talk), topic)
    if errors(results) == {name: [INVALID_CONFIG]}:
        raise NotApplicable(f"topics have no config {given[0]['name']} here")
    talk.expect("the errors", {name: [0]}, errors(results))
    made = yield from _led(talk, name, 1, leader if others else None)
    return made


def _led(
    talk: Talk, name: str, partitions: int, leader: int | None
) -> Generator[Step, Received | None, Log]:
    """Return the logs once they have leaders, on a connection to this leader if one is given."""
    if leader is not None:
        yield Reconnect(node=leader)

    def led() -> Steps:
        found = yield from partition_leaders(talk, name)()
        return len(found)

    yield from talk.eventually("the partitions that have a leader", partitions, led)
    named = yield from ids(talk, name)()
    return Log(talk, name, named.get(name) or "")


@judged_by("log.base-offset-told")
def append(made: Log, data: bytes, first: int, index: int = 0, **fields: Any) -> Dialogue:
    """Append a batch, once; a leader may take a moment to know that it leads. Raises Broken."""
    version = newest(made.talk, "Produce")
    found: list[tuple[int, int]] = []

    def leads() -> Steps:
        found[:] = [(yield from made.produce(version, data, index=index, **fields))]
        return found[0][0] not in NOT_LED_YET

    yield from made.talk.eventually("whether the leader takes records", True, leads)
    made.talk.expect("the error and the base offset", (0, first), found[0])


def fetched_whole(made: Log, version: int, index: int = 0) -> Steps:
    """Return the whole batches of a log that a Fetch from its begin has. Raises Broken."""
    found = yield from made.fetch(version, 0, index=index)
    expect_no_error(found)
    return split(b64decode(found["records"] or ""))


def expect_batches(made: Log, came: Sequence[bytes]) -> None:
    """Expect each byte of what was written but for those that a broker sets. Raises Broken."""
    for number, (written, fetched) in enumerate(zip(made.written, came, strict=True), 1):
        if beyond(written) != beyond(fetched):
            where = _first_difference(beyond(written), beyond(fetched))
            what = f"batch {number} is not as it was written, from byte {where} on"
            raise Broken(what, written.hex(), fetched)


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


def offset_of(data: bytes) -> int:
    """Return the base offset of a batch."""
    return int.from_bytes(data[:8], "big", signed=True)


def beyond(data: bytes) -> bytes:
    """Return a batch without what a broker sets as it appends."""
    return data[APPEND_FIELDS.stop :]


def _first_difference(one: bytes, other: bytes) -> int:
    """Return the offset in a batch of the first byte that differs."""
    pairs = enumerate(zip(one, other, strict=False))
    at = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
    return APPEND_FIELDS.stop + at


def expect_no_error(found: Any) -> None:
    """Raise Broken for a partition of a Fetch that has an error."""
    if code := found["errorCode"]:
        raise Broken(f"error {code} in place of records", "0", str(code))
