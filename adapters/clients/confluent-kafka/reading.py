"""All records of a partition, each told as OFFSET/TIMESTAMP/KEY/VALUE."""

import time

from common import ACTION_S, EVENTS, DriverTimeout
from confluent_kafka import (
    OFFSET_BEGINNING,
    TIMESTAMP_NOT_AVAILABLE,
    Consumer,
    KafkaException,
    TopicPartition,
)

END = b"end"
OTHER = "orders.v2"
PAUSE_S = 0.5


def text(raw):
    return "null" if raw is None else raw.decode()


def told(message):
    kind, when = message.timestamp()
    when = "none" if kind == TIMESTAMP_NOT_AVAILABLE else when
    return f"{message.offset()}/{when}/{text(message.key())}/{text(message.value())}"


def reader(config, isolation="read_committed"):
    alone = {"group.id": "unused", "enable.auto.commit": False, "isolation.level": isolation}
    return Consumer({**config, **alone})


def read(config, isolation="read_committed"):
    consumer = reader(config, isolation)
    found, error = [], None
    try:
        consumer.assign([TopicPartition(EVENTS, 0, OFFSET_BEGINNING)])
        end = time.monotonic() + ACTION_S
        while (left := end - time.monotonic()) > 0:
            message = consumer.poll(left)
            if message is None:
                continue
            if message.error():
                error = message.error()
                if error.fatal():
                    break
                continue
            found.append(told(message))
            if message.key() == END:
                return found
    finally:
        consumer.close()
    if error is not None:
        raise KafkaException(error)
    raise DriverTimeout(f"no end came within {ACTION_S} s, and {len(found)} records")


def uncommitted(config):
    return read(config, "read_uncommitted")


def pause(config):
    """Two partitions that are read, and paused one after the other."""
    first, second = (TopicPartition(OTHER, index, OFFSET_BEGINNING) for index in range(2))
    consumer = reader(config)
    try:
        consumer.assign([first, second])
        read_each(consumer, 2)
        consumer.pause([first])
        poll_for(consumer)
        consumer.pause([second])
        poll_for(consumer)
        consumer.resume([first, second])
        read_each(consumer, 2)
    finally:
        consumer.close()


def aside(config):
    """Two topics that are read, of which one is paused."""
    both = [TopicPartition(OTHER, index, OFFSET_BEGINNING) for index in range(2)]
    consumer = reader(config)
    try:
        consumer.assign([*both, TopicPartition(EVENTS, 0, OFFSET_BEGINNING)])
        read_each(consumer, 3)
        consumer.pause(both)
        poll_for(consumer)
        consumer.resume(both)
        read_each(consumer, 3)
    finally:
        consumer.close()


def poll_for(consumer):
    end = time.monotonic() + PAUSE_S
    while (left := end - time.monotonic()) > 0:
        consumer.poll(left)


def read_each(consumer, partitions):
    end, found = time.monotonic() + ACTION_S, set()
    while len(found) < partitions:
        left = end - time.monotonic()
        if left <= 0:
            raise DriverTimeout(f"no record of each came within {ACTION_S} s")
        message = consumer.poll(left)
        if message is not None and not message.error():
            found.add((message.topic(), message.partition()))


ACTIONS = {"read": read, "uncommitted": uncommitted, "pause": pause, "aside": aside}
