"""All records of a partition, each told as OFFSET/TIMESTAMP/KEY/VALUE."""

import time
from contextlib import closing

from common import ACTION_MS, EVENTS, DriverTimeout, made
from kafka import KafkaConsumer, TopicPartition

PARTITION = TopicPartition(EVENTS, 0)
END = b"end"


def text(raw):
    return "null" if raw is None else raw.decode()


def told(record):
    when = "none" if record.timestamp is None else record.timestamp
    return f"{record.offset}/{when}/{text(record.key)}/{text(record.value)}"


def uncommitted(limits):
    return read(limits, "read_uncommitted")


def read(limits, isolation="read_committed"):
    alone = {"group_id": None, "isolation_level": isolation, "enable_auto_commit": False}
    consumer = made(KafkaConsumer, consumer_timeout_ms=ACTION_MS, **alone, **limits)
    end, found = time.monotonic() + ACTION_MS / 1000, []
    with closing(consumer):
        consumer.assign([PARTITION])
        consumer.seek_to_beginning()
        for record in consumer:
            found.append(told(record))
            if record.key == END:
                return found
            if time.monotonic() > end:
                break
    raise DriverTimeout(f"no end came within {ACTION_MS} ms, and {len(found)} records")


ACTIONS = {"read": read, "uncommitted": uncommitted}
