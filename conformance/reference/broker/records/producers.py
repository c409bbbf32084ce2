"""The sequences and epochs of producers, as the log of each partition knows them (KIP-98).

A batch that is sent again is answered as the first time, and stands once in the log. Only the last
few batches are known, as in Apache Kafka.
"""

from __future__ import annotations

from conformance import error_codes
from conformance.reference.broker.cluster import Producer, Request, Topic, Transaction, Value
from conformance.reference.broker.errors import Refused
from conformance.reference.broker.records.checks import Checks

TRANSACTIONAL_BIT = 1 << 4
ONGOING = "Ongoing"
MOST_SENT = 5
MOST_PRODUCERS = 1_000
ADDS_SINCE = 12
"""The first version of Produce that adds its partitions to a transaction by itself (KIP-890)."""
ABORTABLE_SINCE = 11
SEQUENCES = 2**31
"""Sequences begin at 0 again behind the highest int32."""


class Producers(Checks):
    """A Produce that keeps the state of producers, if the broker keeps logs."""

    def append_checked(
        self, request: Request, topic: Topic, index: int, raw: bytes, batch: Value
    ) -> int:
        """Append a batch, unless it was before; return its base offset. Raises Refused."""
        if batch["producerId"] < 0:
            return super().append_checked(request, topic, index, raw, batch)
        self.check_partition_of(topic, index)
        producer = self.producer_of(topic, index, batch)
        first, last = batch["baseSequence"], self.last_sequence(batch)
        if (offset := self.sent_before(producer, batch, first, last)) is not None:
            return offset
        self.check_epoch(producer, batch)
        self.check_sequence(producer, batch)
        if batch["attributes"] & TRANSACTIONAL_BIT:
            self.check_transaction(request, topic, index, batch)
        offset = super().append_checked(request, topic, index, raw, batch)
        self.note(topic, index, batch, (first, last, offset))
        return offset

    def check_partition_of(self, topic: Topic, index: int) -> None:
        """Raise Refused for a partition that does not exist."""
        if not 0 <= index < len(topic.replicas):
            raise Refused(error_codes.UNKNOWN_TOPIC_OR_PARTITION)

    def producer_of(self, topic: Topic, index: int, batch: Value) -> Producer | None:
        """Return the producer of a batch as the log knows it, None if it does not."""
        return topic.producers.get(index, {}).get(batch["producerId"])

    def last_sequence(self, batch: Value) -> int:
        """Return the sequence of the last record of a batch."""
        return int(batch["baseSequence"] + batch["lastOffsetDelta"]) % SEQUENCES

    def sent_before(
        self, producer: Producer | None, batch: Value, first: int, last: int
    ) -> int | None:
        """Return the base offset of a batch that is sent again, None if it was not written."""
        if producer is None or producer.epoch != batch["producerEpoch"]:
            return None
        found = (each[2] for each in producer.sent if each[:2] == (first, last))
        return next(found, None)

    def check_epoch(self, producer: Producer | None, batch: Value) -> None:
        """Raise Refused for an epoch below that of the producer."""
        if producer is not None and batch["producerEpoch"] < producer.epoch:
            raise Refused(error_codes.INVALID_PRODUCER_EPOCH)

    def check_sequence(self, producer: Producer | None, batch: Value) -> None:
        """Raise Refused for a sequence that is not the next one, which is 0 in a new epoch."""
        if producer is None:
            return
        is_new = batch["producerEpoch"] > producer.epoch
        due = 0 if is_new or not producer.sent else (producer.sent[-1][1] + 1) % SEQUENCES
        if batch["baseSequence"] != due:
            raise Refused(error_codes.OUT_OF_ORDER_SEQUENCE_NUMBER)

    def check_transaction(self, request: Request, topic: Topic, index: int, batch: Value) -> None:
        """Raise Refused for a partition that was not added, where a producer has to add it."""
        found = self.transactions.get(request.value["transactionalId"] or "")
        if found is None or found.producer_id != batch["producerId"]:
            raise Refused(error_codes.INVALID_PRODUCER_ID_MAPPING)
        if batch["producerEpoch"] < found.epoch:
            raise Refused(error_codes.INVALID_PRODUCER_EPOCH)
        if request.version >= ADDS_SINCE:
            self.add_to(found, topic.name, index)
        if (topic.name, index) not in found.partitions:
            self.refuse_unadded(request)

    def refuse_unadded(self, request: Request) -> None:
        """Raise Refused, with an error that the version knows."""
        if request.version >= ABORTABLE_SINCE:
            raise Refused(error_codes.TRANSACTION_ABORTABLE)
        raise Refused(error_codes.INVALID_TXN_STATE)

    def add_to(self, transaction: Transaction, name: str, index: int) -> None:
        """Add a partition to a transaction, which begins by that."""
        transaction.state = ONGOING
        transaction.partitions[name, index] = None

    def note(self, topic: Topic, index: int, batch: Value, sent: tuple[int, int, int]) -> None:
        """Keep what was sent, and where a transaction begins."""
        producers = topic.producers.setdefault(index, {})
        producer = producers.setdefault(batch["producerId"], Producer(batch["producerEpoch"]))
        if batch["producerEpoch"] > producer.epoch:
            producer.epoch = batch["producerEpoch"]
            producer.sent.clear()
        producer.sent = [*producer.sent, sent][-MOST_SENT:]
        if batch["attributes"] & TRANSACTIONAL_BIT and producer.since is None:
            producer.since = sent[2]
        if len(producers) > MOST_PRODUCERS:
            del producers[next(iter(producers))]
