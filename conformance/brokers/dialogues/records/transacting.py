"""A producer of transactions, and what it asks of its coordinator and of the leader of its logs.

The coordinator leads the logs as well, so that one connection serves for both.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from conformance.brokers.dialogues.coordinators import TRANSACTION, coordinators
from conformance.brokers.dialogues.records.logs import (
    NOT_LED_YET,
    TOPICS,
    Log,
    Steps,
    batch,
    new_log,
)
from conformance.brokers.dialogues.records.producers import NOT_READY, initialised, of_producer
from conformance.brokers.dialogues.talk import Talk, judged_by
from conformance.brokers.dialogues.topics.lifecycle import newest
from conformance.brokers.dialogues.topics.requests import removed
from conformance.dialogue import Broken, Dialogue, NotApplicable, Received, Reconnect, Step
from conformance.error_codes import CONCURRENT_TRANSACTIONS, NOT_ENOUGH_REPLICAS
from conformance.schema.filling import filled

NEEDS = (*TOPICS, "FindCoordinator", "Produce", "InitProducerId", "AddPartitionsToTxn", "EndTxn")
OF_CLIENTS = range(4)
"""The versions of AddPartitionsToTxn that clients send."""
RAISES_SINCE = 5
"""The first version of EndTxn that returns the next epoch."""
ADDED_FIRST = 11
"""The last version of Produce before which partitions have to be added."""
TRANSACTIONAL = 1 << 4
COMMITTED = 1
"""The isolation level of readers of committed records alone."""
PASSING = (*NOT_READY, CONCURRENT_TRANSACTIONS)
"""Errors of a coordinator that is not ready, or not through with what was asked before."""

PASSING_AT_LEADER = (*PASSING, *NOT_LED_YET, NOT_ENOUGH_REPLICAS)
"""Errors of a leader that can not ask the coordinator yet, or does not know that it leads."""


@dataclass
class Producer:
    """A producer of transactions, of a transactional id and with logs of its own."""

    talk: Talk
    name: str
    log: Log
    partitions: int
    node: int
    producer_id: int
    epoch: int

    def ids(self) -> dict[str, Any]:
        """Return the fields that name the producer in most requests."""
        return {
            "transactionalId": self.name,
            "producerId": self.producer_id,
            "producerEpoch": self.epoch,
        }

    def add(self, version: int, topics: Mapping[str, list[int]], **ids: Any) -> Steps:
        """Return the errors of AddPartitionsToTxn by topic and index. Raises Broken."""
        fields = {**self.ids(), **ids}
        named = {f"v3AndBelow{name[0].upper()}{name[1:]}": value for name, value in fields.items()}
        given = [{"name": name, "partitions": indexes} for name, indexes in topics.items()]
        layout = self.talk.codec.form("AddPartitionsToTxnRequest", version).layout
        value = filled(layout, {**named, "v3AndBelowTopics": given})
        reply = yield from self.talk.ask("AddPartitionsToTxn", version, value)
        return {
            (topic["name"], each["partitionIndex"]): each["partitionErrorCode"]
            for topic in reply.value["resultsByTopicV3AndBelow"]
            for each in topic["resultsByPartition"]
        }

    def end(self, version: int, committed: bool, **ids: Any) -> Steps:
        """Return the error of EndTxn, and go on in the epoch that it returns. Raises Broken."""
        layout = self.talk.codec.form("EndTxnRequest", version).layout
        value = filled(layout, {**self.ids(), "committed": committed, **ids})
        reply = yield from self.talk.ask("EndTxn", version, value)
        found = reply.value
        if version >= RAISES_SINCE and not found["errorCode"]:
            self.producer_id, self.epoch = found["producerId"], found["producerEpoch"]
        return found["errorCode"]

    def batch(self, first: int, *values: str, sequence: int = 0) -> bytes:
        """Return a batch in a transaction; `first` counts the records before it in the log."""
        fields = of_producer(self.producer_id, self.epoch, sequence, TRANSACTIONAL)
        return batch(self.talk, first, *values, **fields)


@judged_by("transactions.same-producer")
def producer(talk: Talk, partitions: int = 1) -> Generator[Step, Received | None, Producer]:
    """Return a producer with a transactional id, at its coordinator. Raises Broken."""
    name = talk.facts.name("transactional")
    version = newest(talk, "FindCoordinator")
    [found] = yield from coordinators(talk, version, [name], TRANSACTION)
    made = yield from new_log(talk, partitions, found["nodeId"])
    code, producer_id, epoch = yield from initialised(talk, newest(talk, "InitProducerId"), name)
    talk.expect("the error of InitProducerId", 0, code)
    return Producer(talk, name, made, partitions, found["nodeId"], producer_id, epoch)


@judged_by("transactions.partitions-added")
def begun(
    talk: Talk, *values: str, partitions: int = 1
) -> Generator[Step, Received | None, Producer]:
    """Return a producer that has written a batch to each partition in a transaction."""
    made = yield from producer(talk, partitions)
    yield from write(made, *values, partitions=partitions)
    return made


@judged_by("transactions.partitions-added")
def write(made: Producer, *values: str, first: int = 0, partitions: int = 1) -> Dialogue:
    """Begin a transaction, and write a batch to each partition in it. Raises Broken."""
    indexes = list(range(partitions))
    yield from added(made, _newest_of_clients(made.talk), indexes)
    for index in indexes:
        yield from written(made, first, *values, index=index)


def added(made: Producer, version: int, indexes: list[int]) -> Dialogue:
    """Add partitions of the log, once the coordinator is ready. Raises Broken."""
    found: dict[tuple[str, int], int] = {}

    def ready() -> Steps:
        found.clear()
        found.update((yield from made.add(version, {made.log.name: indexes})))
        return not any(code in PASSING for code in found.values())

    yield from made.talk.eventually("whether the coordinator is ready", True, ready)
    due = {f"{made.log.name}-{index}": 0 for index in indexes}
    came = {f"{name}-{index}": code for (name, index), code in found.items()}
    made.talk.expect("the errors of AddPartitionsToTxn", due, came)


def written(made: Producer, first: int, *values: str, index: int = 0) -> Dialogue:
    """Write a batch in a transaction, to a partition that was added. Raises Broken."""
    version = min(newest(made.talk, "Produce"), ADDED_FIRST)
    found = yield from produced(made, version, made.batch(first, *values), index)
    made.talk.expect("the error and the base offset", (0, first), found)


def produced(made: Producer, version: int, data: bytes, index: int = 0) -> Steps:
    """Return the error and the base offset of a batch in a transaction. Raises Broken.

    The leader may have to ask the coordinator first.
    """
    found: list[tuple[int, int]] = []

    def ready() -> Steps:
        name = made.name
        found[:] = [(yield from made.log.produce(version, data, index=index, transactionalId=name))]
        return found[0][0] not in PASSING_AT_LEADER

    yield from made.talk.eventually("whether the leader is ready", True, ready)
    return found[0]


@judged_by("transactions.commit-read")
def ended(made: Producer, version: int, committed: bool) -> Dialogue:
    """End a transaction as `end_taken` does, charged to the rule that judges that."""
    yield from end_taken(made, version, committed)


def end_taken(made: Producer, version: int, committed: bool) -> Dialogue:
    """End a transaction, once the coordinator is ready. Raises Broken."""
    found: list[int] = []

    def ready() -> Steps:
        found[:] = [(yield from made.end(version, committed))]
        return found[0] not in PASSING

    yield from made.talk.eventually("whether the coordinator is ready", True, ready)
    made.talk.expect("the error of EndTxn", 0, found[0])


def stable(made: Producer, end: int, index: int = 0) -> Dialogue:
    """Expect the last stable offset to become the end of the log. Raises Broken."""
    version = newest(made.talk, "Fetch")

    def last_stable() -> Steps:
        found = yield from made.log.fetch(version, 0, index=index, isolationLevel=COMMITTED)
        return found["errorCode"], found["lastStableOffset"]

    what = "the error and the last stable offset after the end of a transaction"
    yield from made.talk.eventually(what, (0, end), last_stable)


def left(made: Producer) -> Dialogue:
    """Delete the topic, once no end of a transaction is written to it any more.

    Apache Kafka waits for a topic that is deleted meanwhile, and other transactions with it.
    """
    if made.talk.facts.has("Fetch"):
        for index in range(made.partitions):
            with suppress(Broken):
                yield from _settled(made, index)
    yield from removed(made.talk, made.log.name)


def _settled(made: Producer, index: int) -> Dialogue:
    version = newest(made.talk, "Fetch")

    def is_settled() -> Steps:
        found = yield from made.log.fetch(version, 0, index=index, isolationLevel=COMMITTED)
        return found["errorCode"] != 0 or found["lastStableOffset"] == found["highWatermark"]

    yield from made.talk.eventually("whether all transactions are over", True, is_settled)


def at_coordinator(made: Producer) -> Dialogue:
    """Go on with the coordinator of the transaction, if another may be asked meanwhile."""
    if len(made.talk.facts.nodes) > 1:
        yield Reconnect(node=made.node)


def _newest_of_clients(talk: Talk) -> int:
    low, high = talk.facts.range_of("AddPartitionsToTxn")
    if low not in OF_CLIENTS:
        raise NotApplicable("AddPartitionsToTxn has no version for clients")
    return min(high, OF_CLIENTS[-1])
