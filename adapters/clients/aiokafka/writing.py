"""Records in each way of writing them, and transactions."""

import asyncio
import os
from functools import partial

from aiokafka import AIOKafkaProducer, TopicPartition

EVENTS = os.environ.get("KAFKA_TOPIC", "events")
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


async def produce(limits, **more):
    async with AIOKafkaProducer(**{"acks": "all", **limits, **more}) as producer:
        await producer.send_and_wait(EVENTS, **RECORD)


async def several(codec, limits):
    gathers = {"compression_type": codec, "linger_ms": GATHER_MS}
    async with AIOKafkaProducer(acks="all", **gathers, **limits) as producer:
        sent = [await producer.send(EVENTS, **each) for each in SEVERAL]
        return [each.offset for each in await asyncio.gather(*sent)]


async def unacknowledged(limits):
    await produce(limits, acks=0)


async def idempotent(limits):
    """The second record is written whatever became of the first."""
    async with AIOKafkaProducer(enable_idempotence=True, **limits) as producer:
        try:
            await producer.send_and_wait(EVENTS, **RECORD)
        finally:
            await producer.send_and_wait(EVENTS, **RECORD)


async def transact(limits):
    async with (
        AIOKafkaProducer(transactional_id="tx-a", **limits) as producer,
        producer.transaction(),
    ):
        await producer.send_and_wait(EVENTS, **RECORD)
        await producer.send_offsets_to_transaction({TopicPartition(EVENTS, 0): 1}, "group-a")


async def empty(limits):
    async with (
        AIOKafkaProducer(transactional_id="tx-a", **limits) as producer,
        producer.transaction(),
    ):
        pass


ACTIONS = {
    "produce": produce,
    "batch": partial(several, None),
    **{codec: partial(several, codec) for codec in ("gzip", "snappy", "lz4", "zstd")},
    "unacknowledged": unacknowledged,
    "idempotent": idempotent,
    "transact": transact,
    "empty": empty,
}
