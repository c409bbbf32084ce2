"""Replicas reassigned, where one broker has them all."""

from __future__ import annotations

from conformance.brokers.exploring.asking import Hand, asking
from conformance.brokers.exploring.asking.topics import IN_TIME, a_name, some_indexes
from conformance.brokers.exploring.conversation import Value


@asking("AlterPartitionReassignments", weight=1)
def reassign(hand: Hand) -> Value:
    """The replicas that a partition has already, none, or impossible ones."""
    node = hand.model.node_id
    names = dict.fromkeys(hand.some(2, lambda: a_name(hand)))
    return {
        "timeoutMs": IN_TIME,
        "topics": [
            {
                "name": name,
                "partitions": [
                    {
                        "partitionIndex": index,
                        "replicas": hand.near([node], edge=(None, [node, node], [node + 1])),
                    }
                    for index in some_indexes(hand, name)
                ],
            }
            for name in names
        ],
    }
