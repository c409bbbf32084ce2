"""Members that subscribe once more: behind their end, or for another topic as well."""

import time

from common import EVENTS, read
from confluent_kafka import Consumer
from members import HEARTBEAT_MS, by_new_protocol

OTHER = "orders.v2"
CHANGE_S = 0.8
GROUP = {"group.id": "group-a", "auto.offset.reset": "earliest"}


def again(config):
    """What is read is committed by the client itself."""
    consumer = Consumer({**by_new_protocol(config), **GROUP})
    try:
        consumer.subscribe([EVENTS])
        read(consumer)
        consumer.unsubscribe()
        consumer.subscribe([EVENTS])
        read(consumer)
    finally:
        consumer.close()


def change(config):
    often = {"heartbeat.interval.ms": HEARTBEAT_MS, "enable.auto.commit": False}
    consumer = Consumer({**config, **GROUP, **often})
    try:
        for topics in ([OTHER], [OTHER, EVENTS]):
            consumer.subscribe(topics)
            poll_for(consumer, CHANGE_S)
        consumer.subscribe([EVENTS])
        read(consumer)
    finally:
        consumer.close()


def poll_for(consumer, seconds):
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        consumer.poll(left)


ACTIONS = {"again": again, "change": change}
