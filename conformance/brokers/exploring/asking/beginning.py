"""The begin of most conversations: a topic, without which little can be asked."""

from __future__ import annotations

from conformance.brokers.exploring.asking import Hand
from conformance.brokers.exploring.asking.records import IN_TIME, plain_records
from conformance.brokers.exploring.asking.topics import NAMES
from conformance.brokers.exploring.conversation import Value

LAST_BY_NAME = {"Produce": 12}
"""The last versions that name topics by their names, which need no answer to be known."""


def first_requests(hand: Hand) -> list[tuple[str, Value]]:
    """Return a new topic, often with a few batches in it; seldom nothing."""
    if hand.rarely():
        return []
    topic = {"name": NAMES[0], "numPartitions": hand.pick(1, 2), "replicationFactor": 1}
    begun: list[tuple[str, Value]] = [("CreateTopics", {"topics": [topic], "timeoutMs": IN_TIME})]
    for _ in range(hand.pick(0, 1, 2)):
        data = {"index": 0, "records": plain_records(hand)}
        topics = [{"name": NAMES[0], "partitionData": [data]}]
        value = {"transactionalId": None, "acks": -1, "timeoutMs": IN_TIME, "topicData": topics}
        begun.append(("Produce", value))
    return begun
