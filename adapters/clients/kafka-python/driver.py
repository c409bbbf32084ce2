"""kafka-python as a driver: `ACTION HOST:PORT`; its last line is `ok`, or `error NAME text`."""

import os
import sys
from contextlib import closing

import administering
import altering
import large
import members
import pausing
import positions
import reading
import sending
import twice
import writing
from common import (
    ACTION_MS,
    EVENTS,
    HEARTBEAT_MS,
    LOGIN,
    REQUEST_MS,
    SESSION_MS,
    START_MS,
    Unsupported,
    has,
    made,
    poll,
    read,
)
from kafka import KafkaConsumer, TopicPartition
from kafka.admin import KafkaAdminClient, NewTopic
from tokens import by_token

PARTITION = TopicPartition(EVENTS, 0)


def main() -> int:
    _, action, bootstrap = sys.argv
    limits = {
        "bootstrap_servers": bootstrap,
        "request_timeout_ms": REQUEST_MS,
        "bootstrap_timeout_ms": START_MS,
        "api_version_auto_timeout_ms": START_MS,
    }
    if release := os.environ.get("KAFKA_RELEASE"):
        limits["api_version"] = tuple(int(each) for each in release.split(".")[:3])
    if action not in ACTIONS:
        print("unsupported it has no", action)
        return 1
    try:
        told = ACTIONS[action](limits)
    except Unsupported as error:
        print("unsupported", error)
        return 1
    except Exception as error:
        print("error", type(error).__name__, " ".join(str(error).split()))
        return 1
    print("ok", *(told or ()))
    return 0


def topics(limits):
    with closing(made(KafkaAdminClient, **limits)) as admin:
        has(admin, "list_topics")()


def login(limits, mechanism="PLAIN"):
    topics({**limits, **LOGIN, "sasl_mechanism": mechanism})


def scram(limits):
    login(limits, "SCRAM-SHA-256")


def oauth(limits):
    topics({**limits, **by_token()})


def gssapi(limits):
    how = {"security_protocol": "SASL_PLAINTEXT", "sasl_mechanism": "GSSAPI"}
    topics({**limits, **how, "sasl_kerberos_service_name": "kafka"})


def groups(limits):
    with closing(made(KafkaAdminClient, **limits)) as admin:
        has(admin, "describe_groups", "describe_consumer_groups")(["group-a", "group-b"])


def create(limits):
    topic = NewTopic("made-by-a-client", num_partitions=1, replication_factor=1)
    with closing(made(KafkaAdminClient, **limits)) as admin:
        admin.create_topics([topic], timeout_ms=REQUEST_MS)


def consume(limits):
    alone = {"group_id": None, "isolation_level": "read_committed"}
    consumer = made(KafkaConsumer, consumer_timeout_ms=ACTION_MS, **alone, **limits)
    try:
        consumer.assign([PARTITION])
        consumer.seek_to_beginning()
        read(consumer)
    finally:
        consumer.close(autocommit=False)


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
        poll(consumer)
        consumer.commit()
    finally:
        consumer.close(autocommit=False)


ACTIONS = {
    "topics": topics,
    "groups": groups,
    "create": create,
    **writing.ACTIONS,
    **sending.ACTIONS,
    **twice.ACTIONS,
    **large.ACTIONS,
    **administering.ACTIONS,
    **altering.ACTIONS,
    **reading.ACTIONS,
    **pausing.ACTIONS,
    **positions.ACTIONS,
    "consume": consume,
    **members.ACTIONS,
    "lookup": lookup,
    "resume": resume,
    "login": login,
    "scram": scram,
    "oauth": oauth,
    "gssapi": gssapi,
}

if __name__ == "__main__":
    sys.exit(main())
