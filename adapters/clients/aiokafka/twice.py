"""Two transactions, the first of which may fail, and records whose time is up."""

import asyncio

from aiokafka import AIOKafkaProducer
from sending import SEVERAL
from writing import EVENTS, GATHER_MS, RECORD
from writing import SEVERAL as AT_ONCE

WAIT_MS = 64
LATER_S = 2.5
FIRST = tuple(b"v%d" % number for number in range(SEVERAL))


async def twice(limits):
    """What became of each."""
    alone = {"transactional_id": "tx-a", "max_batch_size": 1, "retry_backoff_ms": WAIT_MS}
    async with AIOKafkaProducer(**{**limits, **alone}) as producer:
        return [await committed(producer, values) for values in (FIRST, (b"w",))]


async def committed(producer, values):
    """Whether these are committed, or else aborted."""
    await producer.begin_transaction()
    try:
        for value in values:
            await producer.send(EVENTS, key=b"k", value=value, partition=0)
        await producer.commit_transaction()
    except Exception:
        await producer.abort_transaction()
        return "aborted"
    return "committed"


async def later(limits):
    """How often it was told of each record."""
    asks = {"request_timeout_ms": 1500, "metadata_max_age_ms": 200, "linger_ms": GATHER_MS}
    async with AIOKafkaProducer(**{**limits, **asks, "enable_idempotence": True}) as producer:
        told = [[] for _ in (*AT_ONCE, RECORD)]
        for message, to in zip(AT_ONCE, told[:-1], strict=True):
            (await producer.send(EVENTS, partition=0, **message)).add_done_callback(to.append)
        await asyncio.sleep(LATER_S)
        last = await producer.send(EVENTS, partition=0, **RECORD)
        last.add_done_callback(told[-1].append)
        await last
        return [len(each) for each in told]


ACTIONS = {"twice": twice, "later": later}
