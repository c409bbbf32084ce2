"""Records sent before others have been written, to one topic or two, and for some time."""

import asyncio
import os

from aiokafka import AIOKafkaProducer
from writing import EVENTS, RECORD

SEVERAL = 8
MANY = 80_000
MANY_BYTES = 1_000_000
STEADY = 25
PAUSE_S = 0.1
GATHER_MS = 1000  # longer than it takes to have all flushed
OTHER = "orders.v2"
NEW = "made-by-writing"
LOGIN = {
    "security_protocol": "SASL_PLAINTEXT",
    "sasl_plain_username": os.environ.get("KAFKA_USER", "one,two=three"),
    "sasl_plain_password": os.environ.get("KAFKA_PASSWORD", "four=five,six"),
}


async def stream(limits):
    """Each is sent whatever becomes of the others, in a batch of its own."""
    async with AIOKafkaProducer(enable_idempotence=True, max_batch_size=1, **limits) as producer:
        values = (b"v%d" % number for number in range(SEVERAL))
        sent = [await producer.send(EVENTS, key=b"k", value=each, partition=0) for each in values]
        told = await asyncio.gather(*sent, return_exceptions=True)
    for each in told:
        if isinstance(each, BaseException):
            raise each
    return [each.offset for each in told]


async def flush(limits):
    """What is known of each when all have been flushed."""
    async with AIOKafkaProducer(acks="all", linger_ms=GATHER_MS, **limits) as producer:
        values = (b"v%d" % number for number in range(SEVERAL))
        sent = [await producer.send(EVENTS, key=b"k", value=each, partition=0) for each in values]
        await producer.flush()
        return ["written" if each.done() else "waiting" for each in sent]


async def many(limits):
    """Gathered in batches that are as large as can be."""
    gathers = {"enable_idempotence": True, "linger_ms": GATHER_MS, "max_batch_size": MANY_BYTES}
    async with AIOKafkaProducer(**gathers, **limits) as producer:
        sent = [await producer.send(EVENTS, partition=0, **RECORD) for _ in range(MANY)]
        for each in sent:
            await each


async def both(limits):
    """The second is sent whatever became of the first; those that were written are told."""
    written, failed = [], None
    async with AIOKafkaProducer(acks="all", **limits) as producer:
        for topic in (OTHER, EVENTS):
            try:
                await producer.send_and_wait(topic, partition=0, **RECORD)
                written.append(topic)
            except Exception as error:
                failed = error
    if not written:
        raise failed
    return written


async def made(limits):
    """To a topic that brokers are to make, as they may in any case."""
    async with AIOKafkaProducer(acks="all", **limits) as producer:
        await producer.send_and_wait(NEW, **RECORD)


async def steady(limits):
    """A record each tenth of a second, behind a login."""
    as_user = {**limits, **LOGIN, "sasl_mechanism": "PLAIN"}
    async with AIOKafkaProducer(acks="all", **as_user) as producer:
        for _ in range(STEADY):
            await producer.send_and_wait(EVENTS, **RECORD)
            await asyncio.sleep(PAUSE_S)


ACTIONS = {
    "stream": stream,
    "flush": flush,
    "many": many,
    "both": both,
    "made": made,
    "steady": steady,
}
