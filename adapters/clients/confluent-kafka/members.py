"""Members of groups, in either protocol: a record is read, and its offset committed."""

import sys
import time
from contextlib import suppress

import confluent_kafka
from common import EVENTS, LOGIN, read
from confluent_kafka import Consumer, KafkaException, TopicPartition

MEMBER_S = 0.4  # long enough for some heartbeats
HEARTBEAT_MS = 100
REMAIN_S = 2.5
COMMITS = 30
PAUSE_S = 0.05
NEW_PROTOCOL_SINCE = (2, 4)  # of librdkafka


def commit_once(consumer):
    consumer.commit(asynchronous=False)
    consumer.poll(MEMBER_S)


def commit_often(consumer):
    for _ in range(COMMITS):
        with suppress(KafkaException):
            consumer.commit(offsets=[TopicPartition(EVENTS, 0, 1)], asynchronous=True)
        consumer.poll(PAUSE_S)


def commit_late(consumer):
    end = time.monotonic() + REMAIN_S
    while (left := end - time.monotonic()) > 0:
        consumer.poll(left)
    consumer.commit(offsets=[TopicPartition(EVENTS, 0, 1)], asynchronous=False)


def join(config, then=commit_once):
    return stay({**config, "heartbeat.interval.ms": HEARTBEAT_MS}, then)


def commits(config):
    return join(config, commit_often)


def remain(config):
    return join({**config, **LOGIN, "sasl.mechanisms": "PLAIN"}, commit_late)


def sticky(config):
    assignor = {"partition.assignment.strategy": "cooperative-sticky"}  # since 1.6
    return join({**config, **assignor})


def by_new_protocol(config):
    told = confluent_kafka.libversion()  # a text in some releases, or one and a number
    text = told if isinstance(told, str) else told[0]
    if tuple(int(each) for each in text.split(".")[:2]) < NEW_PROTOCOL_SINCE:
        print("unsupported it has no group.protocol")
        sys.exit(1)
    return {**config, "group.protocol": "consumer"}


def member(config):
    return stay(by_new_protocol(config))


def stay(config, then=commit_once):
    group = {"group.id": "group-a", "enable.auto.commit": False, "auto.offset.reset": "earliest"}
    consumer = Consumer({**config, **group})
    try:
        consumer.subscribe([EVENTS])
        errors = read(consumer)
        then(consumer)
    finally:
        consumer.close()
    return ["told", *(each.name() for each in errors)] if errors else ["quiet"]


ACTIONS = {"join": join, "sticky": sticky, "commits": commits, "member": member, "remain": remain}
