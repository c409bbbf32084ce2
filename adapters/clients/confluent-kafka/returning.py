"""Members that subscribe once more: behind their end, or for another topic as well."""

import time

from common import EVENTS, read
from confluent_kafka import Consumer
from members import HEARTBEAT_MS, by_new_protocol

OTHER = "orders.v2"
CHANGE_S = 1
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
        consumer.subscribe([OTHER])
        end = time.monotonic() + CHANGE_S
        while (left := end - time.monotonic()) > 0:
            consumer.poll(left)
        consumer.subscribe([OTHER, EVENTS])
        read(consumer)
    finally:
        consumer.close()


ACTIONS = {"again": again, "change": change}
