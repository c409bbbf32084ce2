"""Transactions: a record and an offset of a group, written together or not at all (KIP-98), and two
transactions of one producer.
"""

from __future__ import annotations

from functools import partial

from conformance import error_codes
from conformance.api_keys import (
    ADD_OFFSETS_TO_TXN,
    ADD_PARTITIONS_TO_TXN,
    END_TXN,
    FIND_COORDINATOR,
    INIT_PRODUCER_ID,
    PRODUCE,
    TXN_OFFSET_COMMIT,
)
from conformance.reference.client.actions.groups import Groups
from conformance.reference.client.actions.sending import SEVERAL, Large
from conformance.reference.client.actions.writing import WRITTEN_MS
from conformance.reference.client.cluster import TOPIC
from conformance.reference.client.steps import Asking, Course, Failed, Trying
from conformance.reference.client.versions import BATCHES_SINCE
from conformance.testee_protocol import Value

TRANSACTION = "tx-a"
GROUP = "group-a"
TRANSACTION_KEY = 1
TRANSACTIONAL = 0x10
LAST_OF_CLIENTS = 3
"""The last version of AddPartitionsToTxn for clients; later ones are for brokers."""
LAST_BEFORE_V2 = {PRODUCE: 11, END_TXN: 4, TXN_OFFSET_COMMIT: 4}
"""The last versions that are meant for a cluster without transactions of version 2 (KIP-890)."""


class Transacting(Large, Groups):
    """The actions of transactions, always in the way of clients older than KIP-890."""

    in_transaction = False
    timeout_of_transaction_ms = 60_000

    def transact(self) -> Course:
        """Write a record and an offset in a transaction, and commit it."""
        self.in_transaction = self.keeps_producer = True
        yield from self.report()
        yield from self.trying(self.write, f"the topic {TOPIC}")
        yield from self.trying(self.commit_offset, f"the offset of {GROUP}")
        yield from self.trying(self.end_transaction, f"the transaction {TRANSACTION}")

    def empty(self) -> Course:
        """Begin a transaction, and commit it empty, which takes no request."""
        self.in_transaction = self.keeps_producer = True
        yield from self.trying(self.begin_transactions, f"the transaction {TRANSACTION}")

    def fence(self) -> Course:
        """Fence producers off: a request for the id of their transactions has that effect."""
        yield from self.trying(self.begin_transactions, f"the transaction {TRANSACTION}")

    def begin_transactions(self) -> Trying:
        """Get an id for the transactions; return the error code."""
        if code := (yield from self.reach_transactions()):
            return code
        return (yield from self.init_transactions())

    def version_of(self, api_key: int) -> int:
        """Return the highest common version, limited in a transaction to those meant for it."""
        version = super().version_of(api_key)
        if not self.in_transaction:
            return version
        return min(version, self.highest_in_transaction().get(api_key, version))

    def highest_in_transaction(self) -> dict[int, int]:
        """Return the highest versions of requests in a transaction."""
        return {**LAST_BEFORE_V2, ADD_PARTITIONS_TO_TXN: LAST_OF_CLIENTS}

    def producer(self) -> Asking:
        """Return our producer id, in a transaction to which the partition has been added."""
        if not self.in_transaction:
            return (yield from super().producer())
        code = yield from self.reach_transactions()
        if not code and self.kept is None:
            code = yield from self.init_transactions()
        if not code:
            code = yield from self.add_partition()
        yield from self.reach_leader()
        found: Value = {**(self.kept or {"producerId": -1, "producerEpoch": -1}), "errorCode": code}
        return found

    def reach_transactions(self) -> Trying:
        """Connect to the transaction's coordinator; return the error code of the search."""
        version = self.version_of(FIND_COORDINATOR)
        of_key = {"key": TRANSACTION, "coordinatorKeys": [TRANSACTION], "keyType": TRANSACTION_KEY}
        answer = yield from self.ask(FIND_COORDINATOR, version, of_key)
        found = self.first_entry(answer, "coordinators") if version >= BATCHES_SINCE else answer
        if not found["errorCode"]:
            yield from self.connect((found["host"], found["port"]))
        return int(found["errorCode"])

    def init_transactions(self) -> Trying:
        """Get an id for the transactions; return the error code."""
        wanted = {
            "transactionalId": TRANSACTION,
            "transactionTimeoutMs": self.timeout_of_transaction_ms,
        }
        made = yield from self.ask(INIT_PRODUCER_ID, self.version_of(INIT_PRODUCER_ID), wanted)
        if not made["errorCode"]:
            self.kept = made
        return int(made["errorCode"])

    def ours(self) -> dict[str, object]:
        """Return the fields that each request of the transaction begins with."""
        assert self.kept is not None
        ids = {key: self.kept[key] for key in ("producerId", "producerEpoch")}
        return {"transactionalId": TRANSACTION, **ids}

    def add_partition(self) -> Trying:
        """Add the partition to the transaction; return its error code."""
        version = self.version_of(ADD_PARTITIONS_TO_TXN)
        ours = self.ours()
        topics = [{"name": TOPIC, "partitions": [0]}]
        if version > LAST_OF_CLIENTS:
            wanted: dict[str, object] = {"transactions": [{**ours, "topics": topics}]}
        else:
            below = {f"v3AndBelow{key[0].upper()}{key[1:]}": each for key, each in ours.items()}
            wanted = {**below, "v3AndBelowTopics": topics}
        answer = yield from self.ask(ADD_PARTITIONS_TO_TXN, version, wanted)
        if version > LAST_OF_CLIENTS:
            return int(answer["errorCode"])
        topic = self.first_entry(answer, "resultsByTopicV3AndBelow")
        return int(self.first_entry(topic, "resultsByPartition")["partitionErrorCode"])

    def batch_value(self, producer: Value) -> Value:
        """Return a batch, marked as part of the transaction if there is one."""
        value = super().batch_value(producer)
        value["attributes"] |= TRANSACTIONAL if self.in_transaction else 0
        return value

    def send_records(self, version: int, wanted: Value) -> Trying:
        """Send a Produce with the transactional id, if there is one."""
        named = {"transactionalId": TRANSACTION} if self.in_transaction else {}
        return (yield from super().send_records(version, {**wanted, **named}))

    def commit_offset(self) -> Trying:
        """Commit an offset with the transaction; return the first error code."""
        if code := (yield from self.reach_transactions()):
            return code
        version = self.version_of(ADD_OFFSETS_TO_TXN)
        wanted = {**self.ours(), "groupId": GROUP}
        answer = yield from self.ask(ADD_OFFSETS_TO_TXN, version, wanted)
        if answer["errorCode"]:
            return int(answer["errorCode"])
        found = (yield from self.coordinators([GROUP]))[GROUP]
        if found["errorCode"]:
            return int(found["errorCode"])
        yield from self.connect((found["host"], found["port"]))
        partition = {"partitionIndex": 0, "committedOffset": 1, "committedMetadata": ""}
        topics = [{"name": TOPIC, "partitions": [partition]}]
        version = self.version_of(TXN_OFFSET_COMMIT)
        told = {**wanted, "memberId": "", "groupInstanceId": None, "topics": topics}
        answer = yield from self.ask(TXN_OFFSET_COMMIT, version, told)
        return int(self.first_entry(answer, "topics", "partitions")["errorCode"])

    def end_transaction(self, commits: bool = True) -> Trying:
        """Commit the transaction, or abort it; return the error code."""
        if code := (yield from self.reach_transactions()):
            return code
        wanted = {**self.ours(), "committed": commits}
        answer = yield from self.ask(END_TXN, self.version_of(END_TXN), wanted)
        return int(answer["errorCode"]) or error_codes.NONE


FIRST = tuple(f"v{number}" for number in range(SEVERAL))
SECOND = ("w",)


class Twice(Transacting):
    """The action that writes two transactions. `became` has the outcome of each that has ended."""

    def __init__(self) -> None:
        super().__init__()
        self.became: list[str] = []

    def twice(self) -> Course:
        """Commit each transaction, or abort it."""
        self.in_transaction = self.keeps_producer = True
        for values in (FIRST, SECOND)[len(self.became) :]:
            yield from self.one_of_two(values)
        self.told = self.became

    def one_of_two(self, values: tuple[str, ...]) -> Course:
        """Write a transaction with a batch for each of these values that is not written yet."""
        try:
            while len(self.streamed) < len(values):
                self.at_once = (("k", values[len(self.streamed)], WRITTEN_MS, ()),)
                yield from self.trying(self.write, f"the topic {TOPIC}")
                self.streamed += self.told
            yield from self.trying(self.end_transaction, f"the transaction {TRANSACTION}")
            self.became.append("committed")
        except Failed:
            yield from self.abort()
            self.became.append("aborted")
        self.streamed = []

    def abort(self) -> Course:
        """Abort the transaction, and drop the epoch so that the next one asks for another."""
        end = partial(self.end_transaction, commits=False)
        yield from self.trying(end, f"the end of the transaction {TRANSACTION}")
        self.kept, self.written = None, 0

    def passing(self) -> frozenset[int]:
        """Return the errors that may pass.

        In a transaction an unknown producer is none of them: another id would end the transaction
        at the coordinator.
        """
        unknown = {error_codes.UNKNOWN_PRODUCER_ID} if self.in_transaction else set()
        return super().passing() - unknown
