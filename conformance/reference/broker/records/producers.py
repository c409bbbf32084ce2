"""The sequences and epochs of producers, as the log of each partition knows them (KIP-98).

A batch that is sent again is answered as the first time, and stands once in the log. Only the last
few batches are known, as in Apache Kafka.
"""

from __future__ import annotations

import struct

from conformance import error_codes
from conformance.reference.broker.cluster import Producer, Request, Topic, Transaction, Value
from conformance.reference.broker.errors import Refused
from conformance.reference.broker.records.checks import Checks
from conformance.reference.broker.records.produce import NO_TIME

TRANSACTIONAL_BIT = 1 << 4
ONGOING = "Ongoing"
MOST_SENT = 5
MOST_PRODUCERS = 1_000
ADDS_SINCE = 12
"""The first version of Produce that adds its partitions to a transaction by itself (KIP-890)."""
ABORTABLE_SINCE = 11
_INT16, _IDS = struct.Struct(">h"), struct.Struct(">qh")
_ATTRIBUTES, _PRODUCER = 21, 43
"""The offsets of fields in a batch."""
SEQUENCES = 2**31
"""Sequences begin at 0 again behind the highest int32."""


class Producers(Checks):
    """A Produce that keeps the state of producers, if the broker keeps logs.

    `sent_again_ms` is the time of the last batch, if that was written before.
    """

    sent_again_ms = NO_TIME

    def append_checked(
        self, request: Request, topic: Topic, index: int, raw: bytes, batch: Value
    ) -> int:
        """Append a batch, unless it was before; return its base offset. Raises Refused."""
        self.sent_again_ms = NO_TIME
        if batch["producerId"] < 0:
            return super().append_checked(request, topic, index, raw, batch)
        producer = self.producer_of(topic, index, batch)
        first, last = batch["baseSequence"], self.last_sequence(batch)
        if (offset := self.sent_before(producer, batch, first, last)) is not None:
            self.sent_again_ms = batch["maxTimestamp"]
            return offset
        self.check_epoch(producer, batch)
        self.check_sequence(producer, batch)
        offset = super().append_checked(request, topic, index, raw, batch)
        self.note(topic, index, batch, (first, last, offset))
        return offset

    def append_time(self, topic: Topic, index: int) -> int:
        """Return the time set in the last batch; for one that is sent again, always a time."""
        return max(self.sent_again_ms, super().append_time(topic, index))

    def check_producer(self, request: Request, topic: Topic, index: int, raw: bytes) -> None:
        """Raise Refused for a batch of a transaction that its coordinator does not know of."""
        (attributes,) = _INT16.unpack_from(raw, _ATTRIBUTES)
        producer_id, epoch = _IDS.unpack_from(raw, _PRODUCER)
        if producer_id >= 0 and attributes & TRANSACTIONAL_BIT:
            head = {"producerId": producer_id, "producerEpoch": epoch}
            self.check_transaction(request, topic, index, head)

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
        """Raise Refused for a sequence that is not the next one, which is 0 in a new epoch.

        A producer that is not known may go on, unless it is one of transactions.
        """
        if producer is None:
            if batch["attributes"] & TRANSACTIONAL_BIT and batch["baseSequence"]:
                raise Refused(error_codes.OUT_OF_ORDER_SEQUENCE_NUMBER)
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
        if batch["producerEpoch"] != found.epoch:
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
