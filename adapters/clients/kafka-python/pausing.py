"""Partitions that are read, and paused one after the other or both at once, or assigned so."""

import time
from contextlib import closing

from common import ACTION_MS, EVENTS, DriverTimeout, made
from kafka import KafkaConsumer, TopicPartition

BOTH = FIRST, SECOND = TopicPartition("orders.v2", 0), TopicPartition("orders.v2", 1)
PAUSE_MS = 500


def pause(limits):
    with closing(made(KafkaConsumer, group_id=None, **limits)) as consumer:
        consumer.assign(BOTH)
        consumer.seek_to_beginning()
        read_each(consumer, BOTH)
        consumer.pause(FIRST)
        poll_for(consumer)
        consumer.pause(SECOND)
        poll_for(consumer)
        consumer.resume(*BOTH)
        read_each(consumer, BOTH)


def aside(limits):
    every = (*BOTH, TopicPartition(EVENTS, 0))
    with closing(made(KafkaConsumer, group_id=None, **limits)) as consumer:
        consumer.assign(every)
        consumer.seek_to_beginning()
        read_each(consumer, every)
        consumer.pause(*BOTH)
        poll_for(consumer)
        consumer.resume(*BOTH)
        read_each(consumer, every)


def widen(limits):
    with closing(made(KafkaConsumer, group_id=None, **limits)) as consumer:
        consumer.assign([FIRST])
        consumer.seek_to_beginning(FIRST)
        read_each(consumer, [FIRST])
        consumer.assign(BOTH)
        consumer.seek_to_beginning(SECOND)
        read_each(consumer, BOTH)
    return ["quiet"]  # an error would have ended it


def poll_for(consumer):
    end = time.monotonic() + PAUSE_MS / 1000
    while (left := end - time.monotonic()) > 0:
        consumer.poll(timeout_ms=int(left * 1000))


def read_each(consumer, partitions):
    end, found = time.monotonic() + ACTION_MS / 1000, set()
    while len(found) < len(partitions):
        left = end - time.monotonic()
        if left <= 0:
            raise DriverTimeout(f"no record of each came within {ACTION_MS} ms")
        found.update(consumer.poll(timeout_ms=int(left * 1000)))


ACTIONS = {"pause": pause, "aside": aside, "widen": widen}
