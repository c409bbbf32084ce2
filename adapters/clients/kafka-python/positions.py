"""Records that are read one by one, and where the consumer says it is: OFFSET/POSITION."""

import time
from contextlib import closing

from common import ACTION_MS, EVENTS, DriverTimeout, made
from kafka import KafkaConsumer, TopicPartition

PARTITION = TopicPartition(EVENTS, 0)
PAUSE_MS = 200
END = b"end"


def position(limits):
    alone = {"group_id": None, "isolation_level": "read_committed", "enable_auto_commit": False}
    told = []
    with closing(made(KafkaConsumer, **alone, **limits)) as consumer:
        consumer.assign([PARTITION])
        consumer.seek_to_beginning()
        end = time.monotonic() + ACTION_MS / 1000
        while (left := end - time.monotonic()) > 0:
            found = consumer.poll(timeout_ms=int(left * 1000), max_records=1)
            for record in found.get(PARTITION, ()):
                told.append(f"{record.offset}/{consumer.position(PARTITION)}")
                if record.key == END:
                    return told
                if len(told) == 1:
                    rest(consumer)
    raise DriverTimeout(f"no end came within {ACTION_MS} ms, and {len(told)} records")


def rest(consumer):
    consumer.pause(PARTITION)
    end = time.monotonic() + PAUSE_MS / 1000
    while (left := end - time.monotonic()) > 0:
        consumer.poll(timeout_ms=int(left * 1000))
    consumer.resume(PARTITION)


ACTIONS = {"position": position}
