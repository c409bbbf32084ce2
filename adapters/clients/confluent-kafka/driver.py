"""confluent-kafka as a driver: `ACTION HOST:PORT`; its last line is `ok`, or `error NAME text`."""

import sys
import time

import altering
import confluent_kafka
import electing
import large
import members
import positions
import reading
import returning
import sending
import twice
import widening
import writing
from common import (
    ACTION_S,
    EVENTS,
    LOGIN,
    REQUEST_MS,
    START_S,
    TOKEN,
    has,
    read,
    wait,
)
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, ConfigResource, NewTopic


def main() -> int:
    _, action, bootstrap = sys.argv
    if action not in ACTIONS:
        print("unsupported it has no", action)
        return 1
    try:
        told_of = ACTIONS[action]({"bootstrap.servers": bootstrap, "socket.timeout.ms": REQUEST_MS})
    except KafkaException as error:
        print("error", *told(error.args[0]))
    except Exception as error:
        print("error", type(error).__name__, " ".join(str(error).split()))
    else:
        print("ok", *(told_of or ()))
        return 0
    return 1


def told(error):
    """The words of a KafkaError."""
    return (error.name(), " ".join(error.str().split())) if hasattr(error, "name") else (error,)


def topics(config):
    AdminClient(config).list_topics(timeout=START_S)


def cluster(config):
    return [AdminClient(config).list_topics(timeout=START_S).controller_id]


def groups(config):
    describe = has(AdminClient(config), "describe_consumer_groups")
    asked = describe(["group-a", "group-b"], request_timeout=ACTION_S)
    for answer in asked.values():
        wait(answer)


def create(config):
    admin = AdminClient(config)
    topic = NewTopic("made-by-a-client", num_partitions=1, replication_factor=1)
    for answer in admin.create_topics([topic], request_timeout=ACTION_S).values():
        wait(answer)


def login(config, mechanism="PLAIN"):
    topics({**config, **LOGIN, "sasl.mechanisms": mechanism})


def scram(config):
    login(config, "SCRAM-SHA-256")


def oauth(config):
    until = {"oauth_cb": lambda _: (TOKEN, time.time() + 3600)}
    how = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanisms": "OAUTHBEARER"}
    admin = AdminClient({**config, **how, **until})
    admin.poll(0)  # the token is asked for here
    admin.list_topics(timeout=START_S)


def listing(config):
    admin = AdminClient(config)
    if hasattr(admin, "list_consumer_groups"):
        answer = admin.list_consumer_groups(request_timeout=ACTION_S)
        wait(answer)
        for error in answer.result().errors:
            raise error if isinstance(error, KafkaException) else KafkaException(error)
        return [each.group_id for each in answer.result().valid]
    return [each.id for each in has(admin, "list_groups")(timeout=ACTION_S)]


def offsets(config):
    listed = has(AdminClient(config), "list_consumer_group_offsets")
    asked = [confluent_kafka.ConsumerGroupTopicPartitions("group-a")]
    for answer in listed(asked, request_timeout=ACTION_S).values():
        wait(answer)


def configs(config, *ids):
    brokers = [ConfigResource(ConfigResource.Type.BROKER, each) for each in ids or ("1",)]
    admin = AdminClient(config)
    calls = [admin.describe_configs([each], request_timeout=ACTION_S) for each in brokers]
    for answer in [each for call in calls for each in call.values()]:
        wait(answer)


def brokers(config):
    configs(config, "1", "2")


def ends(config):
    consumer = Consumer({**config, "group.id": "unused", "isolation.level": "read_committed"})
    try:
        consumer.get_watermark_offsets(TopicPartition(EVENTS, 0), timeout=ACTION_S)
    finally:
        consumer.close()


def consume(config):
    consumer = Consumer({**config, "group.id": "unused", "enable.auto.commit": False})
    try:
        consumer.assign([TopicPartition(EVENTS, 0, OFFSET_BEGINNING)])
        read(consumer)
    finally:
        consumer.close()


ACTIONS = {
    "topics": topics,
    "cluster": cluster,
    "groups": groups,
    "create": create,
    **writing.ACTIONS,
    **sending.ACTIONS,
    **twice.ACTIONS,
    **large.ACTIONS,
    **reading.ACTIONS,
    **widening.ACTIONS,
    **positions.ACTIONS,
    **altering.ACTIONS,
    "consume": consume,
    **members.ACTIONS,
    **returning.ACTIONS,
    "login": login,
    "scram": scram,
    "oauth": oauth,
    "listing": listing,
    "offsets": offsets,
    "configs": configs,
    "brokers": brokers,
    "ends": ends,
    "elect": electing.elect,
}

if __name__ == "__main__":
    sys.exit(main())
