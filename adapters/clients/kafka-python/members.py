"""Members of groups: a record is read, and its offset committed."""

import time

from common import (
    ACTION_MS,
    EVENTS,
    HEARTBEAT_MS,
    LOGIN,
    SESSION_MS,
    Unsupported,
    made,
    read,
)
from kafka import KafkaConsumer, TopicPartition
from kafka.structs import OffsetAndMetadata

PARTITION = TopicPartition(EVENTS, 0)
MEMBER_MS = 400  # long enough for some heartbeats
REMAIN_S = 2.5
CHANGE_S = 0.8
OTHER = "orders.v2"
COMMITS = 30
PAUSE_MS = 50


def sticky(limits):
    try:
        from kafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor
    except ImportError:  # before 2.0.2
        raise Unsupported("it has no sticky assignor") from None
    return join(limits, partition_assignment_strategy=(StickyPartitionAssignor,))


def commit_once(consumer):
    try:
        consumer.commit()
    finally:  # a commit that is refused does not end a member
        consumer.poll(MEMBER_MS)


def commit_often(consumer):
    """None waits for another, and whatever becomes of each."""
    offset = OffsetAndMetadata(*(1, "", -1)[: len(OffsetAndMetadata._fields)])
    for _ in range(COMMITS):
        consumer.commit_async({PARTITION: offset})
        consumer.poll(PAUSE_MS)


def commit_late(consumer):
    poll_for(consumer, REMAIN_S)
    consumer.commit()


def remain(limits):
    return join({**limits, **LOGIN, "sasl_mechanism": "PLAIN"}, commit_late)


def commits(limits):
    return join(limits, commit_often)


def change(limits):
    """Other topics are subscribed to while the group may still be taking the member in."""
    consumer = member(limits)
    try:
        for topics in ([OTHER], [OTHER, EVENTS]):
            consumer.subscribe(topics)
            poll_for(consumer, CHANGE_S)
        consumer.subscribe([EVENTS])
        read(consumer)
    finally:
        consumer.close(autocommit=False)


def poll_for(consumer, seconds):
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        consumer.poll(int(left * 1000))


def member(limits, **more):
    group = {
        "group_id": "group-a",
        "heartbeat_interval_ms": HEARTBEAT_MS,
        "session_timeout_ms": SESSION_MS,
        "enable_auto_commit": False,
        "auto_offset_reset": "earliest",
        "consumer_timeout_ms": ACTION_MS,
    }
    return made(KafkaConsumer, **limits, **group, **more)


def join(limits, then=commit_once, **more):
    consumer = member(limits, **more)
    try:
        consumer.subscribe([EVENTS])
        read(consumer)
        then(consumer)
    finally:
        consumer.close(autocommit=False)
    return ["quiet"]  # an error would have ended it


ACTIONS = {"join": join, "sticky": sticky, "commits": commits, "remain": remain, "change": change}
