"""Logs: written to, read, looked up and cut off."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from conformance.brokers.exploring.asking import Hand, asking
from conformance.brokers.exploring.asking.topics import a_name, a_topic_id, an_index
from conformance.brokers.exploring.conversation import Value
from conformance.reference.broker.cluster import Producer, Topic
from conformance.schema.record_batch import LAYOUT, MAGIC, RECORD_BATCH

BATCHES = range(3, 100)
"""The versions of Produce with batches; the model keeps no message sets of older formats."""
FETCHES = range(4, 100)
LISTED = range(1, 100)
"""The versions of ListOffsets with one offset for each partition; 4.0 removed the one before."""
TIME_MS = 1_790_000_000_000
IN_TIME = 30_000
TRANSACTIONAL, CONTROL, APPEND_TIME = 1 << 4, 1 << 5, 1 << 3
ATTRIBUTES = 22
"""The offset of the low byte of a batch's attributes."""
EARLIEST, LATEST, YOUNGEST = -2, -1, -3
MANY = 1 << 20
HIGHEST = 2**31 - 1
SEQUENCES = 2**31


def log_of(hand: Hand, name: str, index: int) -> tuple[int, int]:
    """Return the begin and the end of a log as the model has it, zeros without one."""
    topic = hand.model.topics.get(name)
    if topic is None or not 0 <= index < len(topic.replicas):
        return 0, 0
    return hand.model.log_begin(topic, index), hand.model.log_end(topic, index)


def an_offset(hand: Hand, name: str, index: int) -> int:
    """Return an offset within a log, at one of its ends, or seldom outside."""
    begin, end = log_of(hand, name, index)
    inside = (begin, end, *range(begin, end))
    return int(hand.near(*inside, edge=(end + 1, begin - 1, -1, 2**62)))


def known_producers(hand: Hand) -> list[int]:
    """Return the ids of producers that answers gave, in the order in which they came."""
    return list(hand.identities.pairs["producer"].targets)


def epoch_of(hand: Hand, producer: int) -> int:
    """Return the last epoch of a producer that an answer gave."""
    known = hand.identities.epochs.get(producer)
    return max(known.targets) if known and known.targets else 0


def transactional_id_of(hand: Hand, producer: int) -> str | None:
    """Return the transactional id of a producer, None without one."""
    found = hand.model.transactions.items()
    return next((name for name, each in found if each.producer_id == producer), None)


@asking("Produce", BATCHES, weight=6)
def produce(hand: Hand) -> Value:
    """Batches without a producer, or of one: the next, the same again, with a gap."""
    producer = hand.pick(-1, *known_producers(hand))
    topics = hand.some(2, lambda: a_name(hand)) if hand.rarely() else [a_name(hand)]
    return {
        "transactionalId": transactional_id_of(hand, producer),
        "acks": hand.near(-1, -1, 1, edge=(0, 2, -2)),
        "timeoutMs": IN_TIME,
        "topicData": [_to_topic(hand, name, producer) for name in dict.fromkeys(topics)],
    }


def _to_topic(hand: Hand, name: str, producer: int) -> Value:
    indexes = (
        hand.some(2, lambda: an_index(hand, name)) if hand.rarely() else [an_index(hand, name)]
    )
    return {
        "name": name,
        "topicId": a_topic_id(hand, name),
        "partitionData": [
            {"index": index, "records": _records(hand, name, index, producer)}
            for index in dict.fromkeys(indexes)
        ],
    }


def _records(hand: Hand, name: str, index: int, producer: int) -> str | None:
    if hand.rarely(5):
        return _odd_records(hand, name, index, producer)
    return _text(_batch(hand, name, index, producer))


def _odd_records(hand: Hand, name: str, index: int, producer: int) -> str | None:
    """Return records that a broker has to refuse."""
    data = _batch(hand, name, index, producer)
    odd = hand.pick("checksum", "magic", "twice", "cut", "control", "delta", "none", "long")
    match odd:
        case "checksum":
            return _text(data[:-1] + bytes([data[-1] ^ 1]))
        case "magic":
            return _text(data[:16] + b"\x03" + data[17:])
        case "twice":
            return _text(data + data)
        case "cut":
            return _text(data[:-1])
        case "control":
            return _text(_batch(hand, name, index, producer, attributes=CONTROL))
        case "delta":
            return _text(_batch(hand, name, index, producer, lastOffsetDelta=7))
        case "none":
            return ""
    return _text(_batch(hand, name, index, producer, values=["x" * 400]))


def _batch(
    hand: Hand, name: str, index: int, producer: int, values: Any = None, **fields: Any
) -> bytes:
    values = values or [f"{hand.pick('a', 'b')}{at}" for at in range(hand.pick(1, 1, 2, 3))]
    first = TIME_MS + 1000 * hand.pick(0, 1, 2, 3)
    step = hand.pick(1000, 0, -500)
    value = {
        **LAYOUT.default_value(),
        "lastOffsetDelta": len(values) - 1,
        "attributes": hand.near(0, edge=(1, 2, 3, 4)),
        "baseTimestamp": first,
        "maxTimestamp": first + max(step * (len(values) - 1), 0),
        **_of_producer(hand, name, index, producer),
        "records": [_record(at, step, each) for at, each in enumerate(values)],
    }
    value["attributes"] |= fields.pop("attributes", 0)
    if producer >= 0 and transactional_id_of(hand, producer) and not hand.rarely(16):
        value["attributes"] |= TRANSACTIONAL
    return bytes(hand.model.writes.encode(RECORD_BATCH, MAGIC, {**value, **fields}))


def plain_records(hand: Hand) -> str:
    """Return a batch of no producer."""
    return _text(_batch(hand, "", 0, -1))


def _record(at: int, step: int, text: str) -> Value:
    return {
        "attributes": 0,
        "timestampDelta": step * at,
        "offsetDelta": at,
        "key": _text(f"key-{at}".encode()) if at else None,
        "value": _text(text.encode()),
        "headers": [{"key": "h", "value": _text(b"v")}] if at else [],
    }


def _of_producer(hand: Hand, name: str, index: int, producer: int) -> Value:
    if producer < 0:
        return {}
    topic = hand.model.topics.get(name)
    known = topic.producers.get(index, {}).get(producer) if topic else None
    epoch = epoch_of(hand, producer)
    odd = (epoch - 1, epoch + 1) if epoch else (epoch + 1,)
    return {
        "producerId": producer,
        "producerEpoch": hand.near(epoch, edge=odd),
        "baseSequence": _sequence(hand, known, epoch),
    }


def _sequence(hand: Hand, known: Producer | None, epoch: int) -> int:
    """Return the next sequence; seldom one that was there, or that leaves a gap."""
    if known is None or not known.sent or known.epoch < epoch:
        return int(hand.near(0, edge=(1, 5)))
    first, last, _ = known.sent[-1]
    following = (last + 1) % SEQUENCES
    return int(hand.near(following, following, first, edge=(following + 1, 0, known.sent[0][0])))


def _text(data: bytes) -> str:
    return b64encode(data).decode()


@asking("Fetch", FETCHES, weight=4)
def fetch(hand: Hand) -> Value:
    """Partitions from an offset, within limits, by both kinds of readers."""
    names = hand.some(2, lambda: a_name(hand)) if hand.rarely() else [a_name(hand)]
    return {
        "replicaId": -1,
        "maxWaitMs": 0,
        "minBytes": hand.near(0, edge=(1,)),
        "maxBytes": hand.near(MANY, edge=(0, 1, 100, 200)),
        "isolationLevel": hand.pick(0, 1),
        "sessionId": 0,
        "sessionEpoch": -1,
        "topics": [_from_topic(hand, name) for name in dict.fromkeys(names)],
    }


def _from_topic(hand: Hand, name: str) -> Value:
    indexes = hand.some(3, lambda: an_index(hand, name))
    return {
        "topic": name,
        "topicId": a_topic_id(hand, name),
        "partitions": [
            {
                "partition": index,
                "currentLeaderEpoch": hand.near(-1, 0, edge=(1,)),
                "fetchOffset": an_offset(hand, name, index),
                "lastFetchedEpoch": -1,
                "logStartOffset": -1,
                "partitionMaxBytes": hand.near(MANY, edge=(0, 1, 100, 200)),
            }
            for index in dict.fromkeys(indexes)
        ],
    }


@asking("ListOffsets", LISTED, weight=3)
def list_offsets(hand: Hand) -> Value:
    """The ends of logs, and the first record of a time or later."""
    names = hand.some(2, lambda: a_name(hand)) if hand.rarely() else [a_name(hand)]
    return {
        "replicaId": -1,
        "isolationLevel": hand.pick(0, 1),
        "topics": [_listed(hand, name) for name in dict.fromkeys(names)],
    }


def _listed(hand: Hand, name: str) -> Value:
    indexes = hand.some(2, lambda: an_index(hand, name))
    topic = hand.model.topics.get(name)
    ends = (LATEST, EARLIEST)
    times: tuple[int, ...] = ()
    edge: tuple[int, ...] = ()
    if not has_times_of_broker(topic):
        times, edge = tuple(TIME_MS + 500 * at for at in range(8)), (0, TIME_MS + 10_000_000)
    return {
        "name": name,
        "partitions": [
            {
                "partitionIndex": index,
                "currentLeaderEpoch": hand.near(-1, 0, edge=(1,)),
                "timestamp": hand.near(*ends * 4, *times, edge=edge),
            }
            for index in dict.fromkeys(indexes)
        ],
    }


def has_times_of_broker(topic: Topic | None) -> bool:
    """True if a broker has set times in a topic, as in the markers of transactions.

    No two brokers set the same.
    """
    logs = topic.logs.values() if topic else ()
    batches = (each.data for log in logs for each in log if len(each.data) > ATTRIBUTES)
    return any(data[ATTRIBUTES] & (APPEND_TIME | CONTROL) for data in batches)


@asking("DeleteRecords", weight=2)
def delete_records(hand: Hand) -> Value:
    """Records before an offset, or all."""
    name = a_name(hand)
    indexes = hand.some(2, lambda: an_index(hand, name))
    return {
        "timeoutMs": IN_TIME,
        "topics": [
            {
                "name": name,
                "partitions": [
                    {
                        "partitionIndex": index,
                        "offset": hand.near(an_offset(hand, name, index), -1, edge=()),
                    }
                    for index in dict.fromkeys(indexes)
                ],
            }
        ],
    }


@asking("OffsetForLeaderEpoch", weight=1)
def end_of_epoch(hand: Hand) -> Value:
    """The end of the leader's epoch, of one before it, or of one to come."""
    name = a_name(hand)
    return {
        "replicaId": -2 if hand.version > 2 else -1,
        "topics": [
            {
                "topic": name,
                "partitions": [
                    {
                        "partition": an_index(hand, name),
                        "currentLeaderEpoch": hand.near(-1, 0, edge=(1,)),
                        "leaderEpoch": hand.near(0, edge=(1, -1)),
                    }
                ],
            }
        ],
    }
