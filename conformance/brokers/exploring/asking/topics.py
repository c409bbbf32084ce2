"""Topics: created, described, given partitions, deleted."""

from __future__ import annotations

import hashlib

from conformance.brokers.exploring.asking import Hand, asking
from conformance.brokers.exploring.conversation import Value
from conformance.brokers.exploring.identities import PLACE
from conformance.brokers.exploring.model import uuid_text
from conformance.schema.layout import ZERO_UUID

NAMES = (f"{PLACE}a", f"{PLACE}b", f"{PLACE}c.d")
COLLIDING = {f"{PLACE}c.d", f"{PLACE}c_d"}
LONGEST = 249
ODD_NAMES = (
    f"{PLACE}c_d",
    f"{PLACE}nothing",
    f"{PLACE} ",
    f"{PLACE}\u00e4",
    PLACE.ljust(LONGEST, "l"),
    PLACE.ljust(LONGEST + 1, "l"),
    "",
    ".",
    "..",
)
"""Names that collide, that nothing has, or that no topic may have."""
IN_TIME, NO_TIME = 30_000, (0, -1)
CONFIGS = (
    ("cleanup.policy", "compact"),
    ("cleanup.policy", "delete"),
    ("max.message.bytes", "300"),
    ("max.message.bytes", "1000000"),
    ("message.timestamp.type", "LogAppendTime"),
    ("message.timestamp.type", "CreateTime"),
    ("retention.ms", "100000000"),
    ("retention.ms", "-1"),
    ("min.insync.replicas", "1"),
    ("segment.bytes", "10000000"),
)
BAD_CONFIGS = (
    ("cleanup.policy", "no such policy"),
    ("retention.ms", "many"),
    ("retention.ms", "-2"),
    ("no.such.config", "1"),
    ("message.timestamp.type", ""),
    ("max.message.bytes", None),
)


def there(hand: Hand) -> tuple[str, ...]:
    """Return the topics of this conversation that exist."""
    return tuple(name for name in hand.model.topics if name.startswith(PLACE))


def a_name(hand: Hand) -> str:
    """Return the name of a topic that is there, if one is; seldom another."""
    found = there(hand)
    return str(hand.near(*found or NAMES, edge=(*NAMES, *ODD_NAMES)))


def a_topic_id(hand: Hand, name: str | None) -> str:
    """Return the id of the topic of this name as an answer gave it, else one that nothing has."""
    topic = hand.model.topics.get(name or "")
    is_known = topic is not None and topic.topic_id in hand.identities.pairs["topic"].targets
    return topic.topic_id if topic is not None and is_known else unknown_id(name or "")


def unknown_id(name: str) -> str:
    """Return an id that no topic has, another one for each name."""
    digits = hashlib.sha256(name.encode()).hexdigest()
    return uuid_text(b"\xff" * 8 + bytes.fromhex(digits[:16]))


def an_index(hand: Hand, name: str) -> int:
    """Return a partition of a topic; seldom one that does not exist."""
    topic = hand.model.topics.get(name)
    number = len(topic.replicas) if topic else 1
    return int(hand.near(*range(number), edge=(number, -1, 2**31 - 1)))


def a_time(hand: Hand) -> int:
    """Return a time to wait, seldom none; then one topic is asked for.

    Of several without time, Apache Kafka lists one twice that is given twice.
    """
    return int(hand.near(IN_TIME, edge=NO_TIME))


def some_indexes(hand: Hand, name: str) -> list[int]:
    """Return one partition of a topic or two."""
    return list(dict.fromkeys(hand.some(2, lambda: an_index(hand, name))))


@asking("CreateTopics", weight=4)
def create(hand: Hand) -> Value:
    """Topics with numbers of partitions or assignments, configs, and only to be validated."""
    node = hand.model.node_id
    time = a_time(hand)
    topics = hand.some(3 if time > 0 else 1, lambda: _new_topic(hand, node))
    if {each["name"] for each in topics} >= COLLIDING:  # Apache Kafka looks at older topics alone
        topics = [each for each in topics if each["name"] not in COLLIDING]
    return {
        "topics": topics,
        "timeoutMs": time,
        "validateOnly": hand.rarely(),
    }


def _new_topic(hand: Hand, node: int) -> Value:
    topic = {
        "name": hand.near(*NAMES, edge=ODD_NAMES),
        "numPartitions": hand.near(1, 2, 3, -1, edge=(0, -2, 10)),
        "replicationFactor": hand.near(1, -1, edge=(0, -2, 2, 32_767)),
        "assignments": [],
        "configs": hand.some(2, lambda: _config(hand), least=0),
    }
    if hand.rarely():
        topic["assignments"] = hand.some(3, lambda: _assignment(hand, node))
        if not hand.rarely():
            topic |= {"numPartitions": -1, "replicationFactor": -1}
    return topic


def _assignment(hand: Hand, node: int) -> Value:
    replicas = hand.near([node], edge=([], [node, node], [node + 1], [-1]))
    return {"partitionIndex": hand.pick(0, 0, 1, 2, -1), "brokerIds": replicas}


def _config(hand: Hand) -> Value:
    name, value = hand.near(*CONFIGS, edge=BAD_CONFIGS)
    return {"name": name, "value": value}


@asking("Metadata", weight=2)
def describe_topics(hand: Hand) -> Value:
    """Topics by name or by id, all, or none; topics that come to be by asking."""
    named = hand.version < 10 or not hand.rarely()
    topics = hand.some(3, lambda: _wanted(hand, named), least=0 if hand.rarely() else 1)
    if hand.version > 0 and hand.rarely():
        topics = []
    return {
        "topics": None if hand.version > 0 and hand.rarely() else topics,
        "allowAutoTopicCreation": hand.rarely(),
        "includeTopicAuthorizedOperations": hand.rarely(),
        "includeClusterAuthorizedOperations": False,
    }


def _wanted(hand: Hand, named: bool) -> Value:
    name = a_name(hand)
    if named:
        return {"name": name, "topicId": ZERO_UUID}
    return {"name": None, "topicId": hand.near(a_topic_id(hand, name), edge=(unknown_id(name),))}


@asking("DeleteTopics", weight=1)
def delete_topics(hand: Hand) -> Value:
    """Topics by name or by id, some twice."""
    time = a_time(hand)
    names = hand.some(2 if time > 0 else 1, lambda: a_name(hand))
    return {
        "topicNames": names,
        "topics": [_deleted(hand, name) for name in names],
        "timeoutMs": time,
    }


def _deleted(hand: Hand, name: str) -> Value:
    by_name: Value = {"name": name, "topicId": ZERO_UUID}
    by_id: Value = {"name": None, "topicId": a_topic_id(hand, name)}
    both, neither = {**by_name, "topicId": by_id["topicId"]}, {**by_id, "topicId": ZERO_UUID}
    return dict(hand.near(by_name, by_id, edge=(both, neither)))


@asking("CreatePartitions", weight=2)
def add_partitions(hand: Hand) -> Value:
    """More partitions, as many, fewer, or too many; with assignments or without."""
    time = a_time(hand)
    return {
        "topics": hand.some(2 if time > 0 else 1, lambda: _grown(hand)),
        "timeoutMs": time,
        "validateOnly": hand.rarely(),
    }


def _grown(hand: Hand) -> Value:
    name, node = a_name(hand), hand.model.node_id
    topic = hand.model.topics.get(name)
    number = len(topic.replicas) if topic else 1
    count = hand.near(number + 1, number + 2, edge=(number, number - 1, 0, -1))
    assignments = None
    if hand.rarely():
        replicas = hand.near([node], edge=([], [node, node], [node + 1]))
        added = hand.near(max(count - number, 0), edge=(0, 1, 2))
        assignments = [{"brokerIds": replicas} for _ in range(added)]
    return {"name": name, "count": count, "assignments": assignments}
