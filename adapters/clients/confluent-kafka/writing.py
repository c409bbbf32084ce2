"""Records in the other ways of writing them, and transactions."""

from functools import partial

from common import ACTION_S, EVENTS, has, write
from confluent_kafka import Consumer, Producer, TopicPartition

RECORD = {"key": b"k", "value": b"v"}
WRITTEN_MS = 1_700_000_000_000
LONGEST_MS = 30 * 24 * 60 * 60 * 1000
GATHER_MS = 100
SEVERAL = (
    {**RECORD, "timestamp": WRITTEN_MS},
    {"value": b"w", "timestamp": WRITTEN_MS + 1000},
    {"key": b"x", "timestamp": WRITTEN_MS + LONGEST_MS},
    {"key": b"", "value": b"", "timestamp": WRITTEN_MS - 1000, "headers": [("h", b"1")]},
)


def producer(config, **more):
    limits = {"acks": "all", "message.timeout.ms": ACTION_S * 1000}
    return Producer({**config, **limits, **more})


def produce(config):
    write(producer(config), RECORD)


def several(codec, config):
    return write(producer(config, **{"compression.type": codec, "linger.ms": GATHER_MS}), *SEVERAL)


def unacknowledged(config):
    write(producer(config, acks=0), RECORD)


def idempotent(config):
    """The second record is written whatever became of the first."""
    one = producer(config, **{"enable.idempotence": True})
    try:
        write(one, RECORD)
    finally:
        write(one, RECORD)


def patient(config):
    longest = {"request.timeout.ms": 900_000, "message.timeout.ms": 2**31 - 1}
    write(producer(config, **longest), RECORD)


def begun(config):
    """A producer that has begun a transaction."""
    one = producer(config, **{"transactional.id": "tx-a"})
    has(one, "init_transactions")(ACTION_S)
    one.begin_transaction()
    return one


def transact(config):
    one = begun(config)
    write(one, RECORD)
    consumer = Consumer({**config, "group.id": "group-a"})
    try:
        group = has(consumer, "consumer_group_metadata")()
        one.send_offsets_to_transaction([TopicPartition(EVENTS, 0, 1)], group, ACTION_S)
    finally:
        consumer.close()
    one.commit_transaction(ACTION_S)


def empty(config):
    begun(config).commit_transaction(ACTION_S)


ACTIONS = {
    "produce": produce,
    "batch": partial(several, "none"),
    **{codec: partial(several, codec) for codec in ("gzip", "snappy", "lz4", "zstd")},
    "unacknowledged": unacknowledged,
    "idempotent": idempotent,
    "patient": patient,
    "transact": transact,
    "empty": empty,
}
