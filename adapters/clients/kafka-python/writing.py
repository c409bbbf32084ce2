"""Records in each way of writing them, and transactions."""

from contextlib import contextmanager
from functools import partial

from common import ACTION_MS, EVENTS, START_MS, Unsupported, has, made
from kafka import KafkaProducer, TopicPartition
from kafka.structs import OffsetAndMetadata

RETRIES = 10  # releases before 2.1 try once by themselves
RECORD = {"key": b"k", "value": b"v"}
WRITTEN_MS = 1_700_000_000_000
LONGEST_MS = 30 * 24 * 60 * 60 * 1000
GATHER_MS = 100
SEVERAL = (
    {**RECORD, "timestamp_ms": WRITTEN_MS},
    {"value": b"w", "timestamp_ms": WRITTEN_MS + 1000},
    {"key": b"x", "timestamp_ms": WRITTEN_MS + LONGEST_MS},
    {"key": b"", "value": b"", "timestamp_ms": WRITTEN_MS - 1000, "headers": [("h", b"1")]},
)


@contextmanager
def producing(limits, **more):
    for name in more:
        if name not in KafkaProducer.DEFAULT_CONFIG:
            raise Unsupported(f"it has no {name}")
    within = {"max_block_ms": START_MS, "delivery_timeout_ms": ACTION_MS, "retries": RETRIES}
    producer = made(KafkaProducer, **{"acks": "all", **limits, **within, **more})
    try:
        yield producer
    finally:
        producer.close(1)


def write(producer, *messages):
    sent = [producer.send(EVENTS, **each) for each in messages]
    return [each.get(ACTION_MS / 1000).offset for each in sent]


def produce(limits, **more):
    with producing(limits, **more) as producer:
        write(producer, RECORD)


def several(codec, limits):
    with producing(limits, compression_type=codec, linger_ms=GATHER_MS) as producer:
        return write(producer, *SEVERAL)


def unacknowledged(limits):
    produce(limits, acks=0)


def idempotent(limits):
    """The second record is written whatever became of the first."""
    with producing(limits, enable_idempotence=True) as producer:
        try:
            write(producer, RECORD)
        finally:
            write(producer, RECORD)


def transact(limits):
    with producing(limits, transactional_id="tx-a") as producer:
        has(producer, "init_transactions")()
        producer.begin_transaction()
        write(producer, RECORD)
        offset = (1, "", -1)[: len(OffsetAndMetadata._fields)]
        offsets = {TopicPartition(EVENTS, 0): OffsetAndMetadata(*offset)}
        producer.send_offsets_to_transaction(offsets, "group-a")
        producer.commit_transaction()


def empty(limits):
    with producing(limits, transactional_id="tx-a") as producer:
        has(producer, "init_transactions")()
        producer.begin_transaction()
        producer.commit_transaction()


ACTIONS = {
    "produce": produce,
    "batch": partial(several, None),
    **{codec: partial(several, codec) for codec in ("gzip", "snappy", "lz4", "zstd")},
    "unacknowledged": unacknowledged,
    "idempotent": idempotent,
    "transact": transact,
    "empty": empty,
}
