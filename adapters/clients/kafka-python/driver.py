"""kafka-python as a driver: `ACTION HOST:PORT`; its last line is `ok`, or `error NAME text`."""

import sys

from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import KafkaAdminClient, NewTopic

REQUEST_MS = 3000
START_MS = 5000
ACTION_MS = 6000
EVENTS = "events"


class DriverTimeout(Exception):
    """The client had as long as this driver gives it."""


def main() -> int:
    _, action, bootstrap = sys.argv
    limits = {
        "bootstrap_servers": bootstrap,
        "request_timeout_ms": REQUEST_MS,
        "bootstrap_timeout_ms": START_MS,
    }
    try:
        ACTIONS[action](limits)
    except Exception as error:
        print("error", type(error).__name__, " ".join(str(error).split()))
        return 1
    print("ok")
    return 0


def topics(limits):
    with KafkaAdminClient(**limits) as admin:
        admin.list_topics()


def groups(limits):
    with KafkaAdminClient(**limits) as admin:
        admin.describe_groups(["group-a", "group-b"])


def create(limits):
    topic = NewTopic("made-by-a-client", num_partitions=1, replication_factor=1)
    with KafkaAdminClient(**limits) as admin:
        admin.create_topics([topic], timeout_ms=REQUEST_MS)


def produce(limits):
    within = {"max_block_ms": START_MS, "delivery_timeout_ms": ACTION_MS}
    producer = KafkaProducer(acks="all", **limits, **within)
    try:
        producer.send(EVENTS, key=b"k", value=b"v").get(ACTION_MS / 1000)
    finally:
        producer.close(1)


def consume(limits):
    consumer = KafkaConsumer(consumer_timeout_ms=ACTION_MS, group_id=None, **limits)
    try:
        consumer.assign([TopicPartition(EVENTS, 0)])
        consumer.seek_to_beginning()
        if next(consumer, None) is None:
            raise DriverTimeout(f"no record came within {ACTION_MS} ms")
    finally:
        consumer.close(autocommit=False)


ACTIONS = {
    "topics": topics,
    "groups": groups,
    "create": create,
    "produce": produce,
    "consume": consume,
}

if __name__ == "__main__":
    sys.exit(main())
