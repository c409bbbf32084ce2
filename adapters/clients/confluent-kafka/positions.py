"""Records that are read one by one, and where the consumer says it is: OFFSET/POSITION."""

import time

from common import ACTION_S, EVENTS, DriverTimeout
from confluent_kafka import OFFSET_BEGINNING, KafkaException, TopicPartition
from reading import END, reader

PAUSE_S = 0.2


def position(config):
    partition = TopicPartition(EVENTS, 0, OFFSET_BEGINNING)
    consumer, told, error = reader(config), [], None
    try:
        consumer.assign([partition])
        end = time.monotonic() + ACTION_S
        while (left := end - time.monotonic()) > 0:
            message = consumer.poll(left)
            if message is None or message.error():
                error = message.error() if message else error
                continue
            (at,) = consumer.position([partition])
            told.append(f"{message.offset()}/{at.offset}")
            if message.key() == END:
                return told
            if len(told) == 1:
                consumer.pause([partition])
                time.sleep(PAUSE_S)
                consumer.resume([partition])
    finally:
        consumer.close()
    if error is not None:
        raise KafkaException(error)
    raise DriverTimeout(f"no end came within {ACTION_S} s, and {len(told)} records")


ACTIONS = {"position": position}
