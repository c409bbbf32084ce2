"""A partition that is read, and then another one beside it."""

import time

from common import ACTION_S, DriverTimeout
from confluent_kafka import OFFSET_BEGINNING, KafkaException, TopicPartition
from reading import OTHER, reader


def widen(config):
    """What it returns are the errors on the way, which passed."""
    first, second = (TopicPartition(OTHER, index, OFFSET_BEGINNING) for index in range(2))
    consumer = reader(config)
    try:
        consumer.assign([first])
        errors = read_each(consumer, 1)
        consumer.assign([first, second])
        errors += read_each(consumer, 2)
    finally:
        consumer.close()
    return ["told", *(each.name() for each in errors)] if errors else ["quiet"]


def read_each(consumer, partitions):
    end, found, told = time.monotonic() + ACTION_S, set(), []
    while len(found) < partitions and (left := end - time.monotonic()) > 0:
        message = consumer.poll(left)
        if message is not None and message.error():
            told.append(message.error())
        elif message is not None:
            found.add(message.partition())
    if len(found) < partitions and told:
        raise KafkaException(told[-1])
    if len(found) < partitions:
        raise DriverTimeout(f"no record of each came within {ACTION_S} s")
    return told


ACTIONS = {"widen": widen}
