"""Members of groups: a record is read, and its offset committed."""

import asyncio
import os

from aiokafka import AIOKafkaConsumer, TopicPartition
from sending import LOGIN

try:
    from aiokafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor
except ImportError:  # before 0.8 it is kafka-python's
    StickyPartitionAssignor = None

EVENTS = os.environ.get("KAFKA_TOPIC", "events")
PARTITION = TopicPartition(EVENTS, 0)
MEMBER_S = 0.4  # long enough for some heartbeats
HEARTBEAT_MS = 100
REMAIN_S = 2.5
CHANGE_S = 0.8
OTHER = "orders.v2"
COMMITS = 30
PAUSE_S = 0.05


async def sticky(limits):
    return await join(limits, partition_assignment_strategy=(StickyPartitionAssignor,))


async def commit_once(consumer):
    await consumer.commit()
    await asyncio.sleep(MEMBER_S)


async def commit_often(consumer):
    """None waits for another, and whatever becomes of each."""
    commits = []
    for _ in range(COMMITS):
        commits.append(asyncio.create_task(consumer.commit({PARTITION: 1})))
        await asyncio.sleep(PAUSE_S)
    await asyncio.gather(*commits, return_exceptions=True)


async def commit_late(consumer):
    await asyncio.sleep(REMAIN_S)
    await consumer.commit()


async def remain(limits):
    return await join({**limits, **LOGIN, "sasl_mechanism": "PLAIN"}, commit_late)


async def commits(limits):
    return await join(limits, commit_often)


async def join(limits, then=commit_once, **more):
    async with member(limits, EVENTS, **more) as consumer:
        await consumer.getone()
        await then(consumer)
    return ["quiet"]  # an error would have ended it


async def change(limits):
    """Other topics are subscribed to while the group may still be taking the member in."""
    async with member(limits) as consumer:
        for topics in ([OTHER], [OTHER, EVENTS]):
            consumer.subscribe(topics)
            await asyncio.sleep(CHANGE_S)
        consumer.subscribe([EVENTS])
        await consumer.getone()


def member(limits, *topics, **more):
    group = {
        "group_id": "group-a",
        "heartbeat_interval_ms": HEARTBEAT_MS,
        "enable_auto_commit": False,
        "auto_offset_reset": "earliest",
    }
    if release := os.environ.get("KAFKA_RELEASE"):
        group["api_version"] = release
    return AIOKafkaConsumer(*topics, **group, **more, **limits)


ACTIONS = {
    "join": join,
    "commits": commits,
    "remain": remain,
    "change": change,
    **({"sticky": sticky} if StickyPartitionAssignor else {}),
}
