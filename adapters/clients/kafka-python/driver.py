"""kafka-python as a driver: `ACTION HOST:PORT`; its last line is `ok`, or `error NAME text`."""

import sys
from contextlib import closing

from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import KafkaAdminClient, NewTopic

REQUEST_MS = 3000
START_MS = 5000
ACTION_MS = 6000
MEMBER_MS = 400  # long enough for some heartbeats
HEARTBEAT_MS = 100
SESSION_MS = 2500  # less than a request may take, as releases before 2.1 demand
RETRIES = 10  # releases before 2.1 try once by themselves
EVENTS = "events"
PARTITION = TopicPartition(EVENTS, 0)


class Unsupported(Exception):
    """The client has no such action."""


class DriverTimeout(Exception):
    """The client had as long as this driver gives it."""


def main() -> int:
    _, action, bootstrap = sys.argv
    limits = {
        "bootstrap_servers": bootstrap,
        "request_timeout_ms": REQUEST_MS,
        "bootstrap_timeout_ms": START_MS,
        "api_version_auto_timeout_ms": START_MS,
    }
    if action not in ACTIONS:
        print("unsupported it has no", action)
        return 1
    try:
        ACTIONS[action](limits)
    except Unsupported as error:
        print("unsupported", error)
        return 1
    except Exception as error:
        print("error", type(error).__name__, " ".join(str(error).split()))
        return 1
    print("ok")
    return 0


def made(kind, **settings):
    """A client with those of the settings that its release knows."""
    return kind(**{key: value for key, value in settings.items() if key in kind.DEFAULT_CONFIG})


def has(client, *names):
    """The first of these methods that its release has."""
    for name in names:
        if hasattr(client, name):
            return getattr(client, name)
    raise Unsupported(f"it has no {names[0]}")


def topics(limits):
    with closing(made(KafkaAdminClient, **limits)) as admin:
        has(admin, "list_topics")()


def login(limits, mechanism="PLAIN"):
    user = {"sasl_plain_username": "one,two=three", "sasl_plain_password": "four=five,six"}
    how = {"security_protocol": "SASL_PLAINTEXT", "sasl_mechanism": mechanism}
    topics({**limits, **how, **user})


def scram(limits):
    login(limits, "SCRAM-SHA-256")


def groups(limits):
    with closing(made(KafkaAdminClient, **limits)) as admin:
        has(admin, "describe_groups", "describe_consumer_groups")(["group-a", "group-b"])


def create(limits):
    topic = NewTopic("made-by-a-client", num_partitions=1, replication_factor=1)
    with closing(made(KafkaAdminClient, **limits)) as admin:
        admin.create_topics([topic], timeout_ms=REQUEST_MS)


def produce(limits):
    within = {"max_block_ms": START_MS, "delivery_timeout_ms": ACTION_MS, "retries": RETRIES}
    producer = made(KafkaProducer, acks="all", **limits, **within)
    try:
        producer.send(EVENTS, key=b"k", value=b"v").get(ACTION_MS / 1000)
    finally:
        producer.close(1)


def consume(limits):
    alone = {"group_id": None, "isolation_level": "read_committed"}
    consumer = made(KafkaConsumer, consumer_timeout_ms=ACTION_MS, **alone, **limits)
    try:
        consumer.assign([PARTITION])
        consumer.seek_to_beginning()
        read(consumer)
    finally:
        consumer.close(autocommit=False)


def read(consumer):
    if next(consumer, None) is None:
        raise DriverTimeout(f"no record came within {ACTION_MS} ms")


def lookup(limits):
    with closing(made(KafkaConsumer, group_id=None, **limits)) as consumer:
        consumer.beginning_offsets([PARTITION])
        consumer.end_offsets([PARTITION])
        consumer.offsets_for_times({PARTITION: 1})


def resume(limits):
    group = {"group_id": "group-a", "enable_auto_commit": False, "auto_offset_reset": "earliest"}
    within = {"consumer_timeout_ms": ACTION_MS, "session_timeout_ms": SESSION_MS}
    consumer = made(KafkaConsumer, **within, heartbeat_interval_ms=HEARTBEAT_MS, **group, **limits)
    try:
        consumer.assign([PARTITION])
        read(consumer)
        consumer.commit()
    finally:
        consumer.close(autocommit=False)


def join(limits):
    group = {
        "group_id": "group-a",
        "heartbeat_interval_ms": HEARTBEAT_MS,
        "session_timeout_ms": SESSION_MS,
        "enable_auto_commit": False,
        "auto_offset_reset": "earliest",
        "consumer_timeout_ms": ACTION_MS,
    }
    consumer = made(KafkaConsumer, **limits, **group)
    try:
        consumer.subscribe([EVENTS])
        read(consumer)
        try:
            consumer.commit()
        finally:  # a commit that is refused does not end a member
            consumer.poll(MEMBER_MS)
    finally:
        consumer.close(autocommit=False)


ACTIONS = {
    "topics": topics,
    "groups": groups,
    "create": create,
    "produce": produce,
    "consume": consume,
    "join": join,
    "lookup": lookup,
    "resume": resume,
    "login": login,
    "scram": scram,
}

if __name__ == "__main__":
    sys.exit(main())
