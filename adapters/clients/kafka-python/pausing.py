"""Two partitions that are read, and paused one after the other."""

import time
from contextlib import closing

from common import ACTION_MS, DriverTimeout, made
from kafka import KafkaConsumer, TopicPartition

BOTH = FIRST, SECOND = TopicPartition("orders.v2", 0), TopicPartition("orders.v2", 1)
PAUSE_MS = 500


def pause(limits):
    with closing(made(KafkaConsumer, group_id=None, **limits)) as consumer:
        consumer.assign(BOTH)
        consumer.seek_to_beginning()
        read_both(consumer)
        consumer.pause(FIRST)
        poll_for(consumer)
        consumer.pause(SECOND)
        poll_for(consumer)
        consumer.resume(*BOTH)
        read_both(consumer)


def poll_for(consumer):
    end = time.monotonic() + PAUSE_MS / 1000
    while (left := end - time.monotonic()) > 0:
        consumer.poll(timeout_ms=int(left * 1000))


def read_both(consumer):
    end, found = time.monotonic() + ACTION_MS / 1000, set()
    while len(found) < 2:
        left = end - time.monotonic()
        if left <= 0:
            raise DriverTimeout(f"no record of each came within {ACTION_MS} ms")
        found.update(consumer.poll(timeout_ms=int(left * 1000)))


ACTIONS = {"pause": pause}
