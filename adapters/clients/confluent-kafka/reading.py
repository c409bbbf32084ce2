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


def text(raw):
    return "null" if raw is None else raw.decode()


def told(message):
    kind, when = message.timestamp()
    when = "none" if kind == TIMESTAMP_NOT_AVAILABLE else when
    return f"{message.offset()}/{when}/{text(message.key())}/{text(message.value())}"


def read(config):
    alone = {"group.id": "unused", "enable.auto.commit": False, "isolation.level": "read_committed"}
    consumer = Consumer({**config, **alone})
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


ACTIONS = {"read": read}
