"""What an application asks about a cluster, and has done to it."""

from contextlib import closing

from common import EVENTS, REQUEST_MS, has, made
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient, NewPartitions
from kafka.errors import for_code

PREFERRED = 0


def admin(limits):
    return closing(made(KafkaAdminClient, **limits))


def listing(limits):
    with admin(limits) as one:
        has(one, "list_groups", "list_consumer_groups")()


def offsets(limits):
    with admin(limits) as one:
        listed = has(one, "list_consumer_group_offsets", "list_group_offsets")
        named = listed.__name__ == "list_group_offsets"
        listed({"group-a": None} if named else "group-a")


def configs(limits, *ids):
    with admin(limits) as one:
        brokers = [ConfigResource(ConfigResourceType.BROKER, each) for each in ids or ("1",)]
        answers = one.describe_configs(brokers)
    for each in answers if isinstance(answers, list) else [answers]:
        check(each)


def check(answer):
    """Releases before 3.0 hand answers over as they came: one, or since 2.0 a list of them."""
    for code, text, *_ in getattr(answer, "resources", ()):
        if code:
            raise for_code(code)(text)


def brokers(limits):
    configs(limits, "1", "2")


def grow(limits):
    with admin(limits) as one:
        is_number = hasattr(one, "list_groups")  # as since 3.0
        count = 2 if is_number else NewPartitions(total_count=2)
        one.create_partitions({EVENTS: count}, timeout_ms=REQUEST_MS, validate_only=True)


def describe(limits):
    with admin(limits) as one:
        has(one, "describe_topics")([EVENTS])


def elect(limits):
    with admin(limits) as one:
        has(one, "elect_leaders", "perform_leader_election")(PREFERRED, {EVENTS: [0]})


def cluster(limits):
    with admin(limits) as one:
        return [has(one, "describe_cluster")()["controller_id"]]


ACTIONS = {
    "listing": listing,
    "offsets": offsets,
    "configs": configs,
    "brokers": brokers,
    "grow": grow,
    "describe": describe,
    "elect": elect,
    "cluster": cluster,
}
