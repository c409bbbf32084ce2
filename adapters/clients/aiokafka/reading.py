"""All records of a partition, each told as OFFSET/TIMESTAMP/KEY/VALUE."""

import time

from aiokafka import AIOKafkaConsumer, TopicPartition

PARTITION = TopicPartition("events", 0)
FIRST, SECOND = TopicPartition("orders.v2", 0), TopicPartition("orders.v2", 1)
PAUSE_S = 0.5
END = b"end"


def text(raw):
    return "null" if raw is None else raw.decode()


def told(record):
    when = "none" if record.timestamp is None else record.timestamp
    return f"{record.offset}/{when}/{text(record.key)}/{text(record.value)}"


async def uncommitted(limits):
    return await read(limits, "read_uncommitted")


async def read(limits, isolation="read_committed"):
    alone = {"group_id": None, "isolation_level": isolation}
    found = []
    async with AIOKafkaConsumer(**alone, **limits) as consumer:
        consumer.assign([PARTITION])
        await consumer.seek_to_beginning(PARTITION)
        async for record in consumer:
            found.append(told(record))
            if record.key == END:
                break
    return found


async def pause(limits):
    """Two partitions that are read, and paused one after the other."""
    async with AIOKafkaConsumer(group_id=None, **limits) as consumer:
        consumer.assign([FIRST, SECOND])
        await consumer.seek_to_beginning(FIRST, SECOND)
        await read_each(consumer, 2)
        consumer.pause(FIRST)
        await poll_for(consumer)
        consumer.pause(SECOND)
        await poll_for(consumer)
        consumer.resume(FIRST, SECOND)
        await read_each(consumer, 2)


async def aside(limits):
    """Two topics that are read, of which one is paused."""
    async with AIOKafkaConsumer(group_id=None, **limits) as consumer:
        consumer.assign([FIRST, SECOND, PARTITION])
        await consumer.seek_to_beginning(FIRST, SECOND, PARTITION)
        await read_each(consumer, 3)
        consumer.pause(FIRST, SECOND)
        await poll_for(consumer)
        consumer.resume(FIRST, SECOND)
        await read_each(consumer, 3)


async def widen(limits):
    """A partition that is read, and then another one beside it."""
    async with AIOKafkaConsumer(group_id=None, **limits) as consumer:
        consumer.assign([FIRST])
        await consumer.seek_to_beginning(FIRST)
        await read_each(consumer, 1)
        consumer.assign([FIRST, SECOND])
        await consumer.seek_to_beginning(FIRST, SECOND)
        await read_each(consumer, 2)
    return ["quiet"]  # an error would have ended it


async def poll_for(consumer):
    end = time.monotonic() + PAUSE_S
    while (left := end - time.monotonic()) > 0:
        await consumer.getmany(timeout_ms=int(left * 1000))


async def read_each(consumer, partitions):
    found = set()
    while len(found) < partitions:
        found.update(await consumer.getmany(timeout_ms=100))


ACTIONS = {
    "read": read,
    "uncommitted": uncommitted,
    "pause": pause,
    "aside": aside,
    "widen": widen,
}
