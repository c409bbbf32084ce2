"""Producers: their ids, and transactions from the first partition to the end."""

from __future__ import annotations

from conformance.brokers.exploring.asking import Hand, asking
from conformance.brokers.exploring.asking.offsets import GROUPS
from conformance.brokers.exploring.asking.records import epoch_of, known_producers
from conformance.brokers.exploring.asking.topics import a_name, some_indexes
from conformance.brokers.exploring.conversation import Value
from conformance.brokers.exploring.identities import PLACE

TRANSACTIONAL_IDS = (f"{PLACE}transactional-a", f"{PLACE}transactional-b")
TIMEOUT_MS = 60_000
OF_CLIENTS = range(4)
"""The versions of AddPartitionsToTxn that clients send; brokers send the others to each other."""
RAISES_SINCE = 5
"""The first version of EndTxn that returns the next epoch."""
NOT_A_PRODUCER = 2**40


def a_transactional_id(hand: Hand) -> str:
    """Return a transactional id that has a producer, if one has; seldom another."""
    known = tuple(hand.model.transactions)
    return str(hand.near(*known or TRANSACTIONAL_IDS, edge=(*TRANSACTIONAL_IDS, f"{PLACE}no-id")))


def of_a_producer(hand: Hand) -> Value:
    """Return a transactional id, its producer and its epoch; seldom others."""
    name = a_transactional_id(hand)
    found = hand.model.transactions.get(name)
    producer = found.producer_id if found else NOT_A_PRODUCER
    if producer not in known_producers(hand):
        producer = NOT_A_PRODUCER
    epoch = epoch_of(hand, producer)
    odd = (epoch + 1, epoch - 1) if epoch else (epoch + 1,)
    return {
        "transactionalId": name,
        "producerId": hand.near(producer, edge=(NOT_A_PRODUCER,)),
        "producerEpoch": hand.near(epoch, edge=odd),
    }


@asking("InitProducerId", weight=3)
def init_producer(hand: Hand) -> Value:
    """An id without a transactional id, or with one, for the first time or again."""
    return {
        "transactionalId": hand.pick(None, *TRANSACTIONAL_IDS),
        "transactionTimeoutMs": hand.near(TIMEOUT_MS, edge=(0, -1, 900_000, 900_001)),
        "producerId": -1,
        "producerEpoch": -1,
    }


@asking("AddPartitionsToTxn", OF_CLIENTS, weight=3)
def add_to_transaction(hand: Hand) -> Value:
    """Partitions of one topic or of two."""
    producer = of_a_producer(hand)
    fields = {f"v3AndBelow{name[0].upper()}{name[1:]}": each for name, each in producer.items()}
    names = dict.fromkeys(hand.some(2, lambda: a_name(hand)))
    return {
        **fields,
        "v3AndBelowTopics": [
            {
                "name": name,
                "partitions": some_indexes(hand, name),
            }
            for name in names
        ],
    }


@asking("EndTxn", weight=3)
def end_transaction(hand: Hand) -> Value:
    """A commit, or an abort; of a transaction without records only in the older versions.

    Where such a one is ended in version 5, Apache Kafka 4.3.1 and 4.4.0 count its control record
    and do not return it. No client mixes AddPartitionsToTxn with that version.
    """
    producer = of_a_producer(hand)
    if hand.version >= RAISES_SINCE and not has_records(hand, producer["transactionalId"]):
        producer["transactionalId"] = f"{PLACE}no-id"
    return {**producer, "committed": hand.pick(True, False)}


def has_records(hand: Hand, name: str) -> bool:
    """True unless a partition is in a transaction without records in it."""
    found = hand.model.transactions.get(name)
    for topic, index in found.partitions if found else ():
        known = hand.model.topics.get(topic)
        producer = (
            known.producers.get(index, {}).get(found.producer_id) if known and found else None
        )
        if producer is None or producer.since is None:
            return False
    return True


@asking("AddOffsetsToTxn", weight=1)
def add_offsets(hand: Hand) -> Value:
    """The offsets of a group."""
    return {**of_a_producer(hand), "groupId": hand.pick(*GROUPS)}
