"""Large records, of which none waits for another."""

import asyncio

from aiokafka import AIOKafkaProducer
from writing import EVENTS

LENGTH = 500_000
SHORT = 100
ROUNDS = ((b"a" * LENGTH, b"b" * SHORT), (b"c" * LENGTH, b"d" * LENGTH))


async def large(limits):
    """Each is sent whatever becomes of the others, in a batch of its own."""
    told = []
    async with AIOKafkaProducer(acks="all", max_batch_size=1, **limits) as producer:
        for values in ROUNDS:
            sent = [producer.send(EVENTS, key=b"k", value=each, partition=0) for each in values]
            told += await asyncio.gather(*(written(each) for each in sent), return_exceptions=True)
    for each in told:
        if isinstance(each, BaseException):
            raise each


async def written(sending):
    await (await sending)


ACTIONS = {"large": large}
