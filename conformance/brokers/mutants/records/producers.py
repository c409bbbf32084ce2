"""Brokers that lose count of what producers send."""

from __future__ import annotations

from types import MappingProxyType

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.cluster import Batch, Producer, Request, Topic, Value
from conformance.reference.broker.errors import Refused
from conformance.reference.broker.records.producers import SEQUENCES
from conformance.reference.broker.releases import FOR_CLIENTS, IMPLEMENTED, stored_versions

_OF_PRODUCERS = ("InitProducerId", "ListOffsets")
_LISTED = {key: name for key, name in FOR_CLIENTS.items() if name in _OF_PRODUCERS}
WITH_PRODUCERS = MappingProxyType(
    {"versions": stored_versions(names=IMPLEMENTED | _LISTED), "keeps_logs": True}
)


class OfProducers(BrokerMutant):
    """A broker that lists the APIs of producers that may send again."""

    made_with = WITH_PRODUCERS


class OneIdForAll(OfProducers, breaks="producers.fresh-id"):
    """Gives every producer the same id."""

    def init_producer_id(self, request: Request) -> Value:
        found = super().init_producer_id(request)
        return {**found, "producerId": 7}


class EpochsCountProducers(OfProducers, breaks="producers.fresh-id"):
    """Gives each producer the next epoch of its own number."""

    def init_producer_id(self, request: Request) -> Value:
        found = super().init_producer_id(request)
        return {**found, "producerEpoch": found["producerId"]}


class SequencesCountBatches(OfProducers, breaks="producers.sequence-taken"):
    """Counts batches for sequences, and not records."""

    def last_sequence(self, batch: Value) -> int:
        return int(batch["baseSequence"])


class SequencesFromOne(OfProducers, breaks="producers.sequence-taken"):
    """Wants the first sequence of a producer to be 1."""

    def check_sequence(self, producer: Producer | None, batch: Value) -> None:
        if producer is None and batch["baseSequence"] == 0:
            raise Refused(error_codes.OUT_OF_ORDER_SEQUENCE_NUMBER)
        super().check_sequence(producer, batch)


class RepeatsAreWritten(OfProducers, breaks="producers.repeat-written-once"):
    """Writes a batch that is sent again once more."""

    def sent_before(
        self, producer: Producer | None, batch: Value, first: int, last: int
    ) -> int | None:
        del producer, batch, first, last
        return None

    def check_sequence(self, producer: Producer | None, batch: Value) -> None:
        if producer and any(each[0] == batch["baseSequence"] for each in producer.sent):
            return
        super().check_sequence(producer, batch)


class RepeatsAreOutOfOrder(OfProducers, breaks="producers.repeat-written-once"):
    """Refuses a batch that is sent again as one out of order."""

    def sent_before(
        self, producer: Producer | None, batch: Value, first: int, last: int
    ) -> int | None:
        del producer, batch, first, last
        return None


class LastBatchAlone(OfProducers, breaks="producers.repeat-written-once"):
    """Knows the last batch of a producer alone."""

    def note(self, topic: Topic, index: int, batch: Value, sent: tuple[int, int, int]) -> None:
        super().note(topic, index, batch, sent)
        producer = topic.producers[index][batch["producerId"]]
        producer.sent = producer.sent[-1:]


class GapsAreTaken(OfProducers, breaks="producers.gap-refused"):
    """Takes any sequence above the last one."""

    def check_sequence(self, producer: Producer | None, batch: Value) -> None:
        if producer and batch["producerEpoch"] == producer.epoch and producer.sent:
            last = producer.sent[-1][1]
            if batch["baseSequence"] > last:
                return
        super().check_sequence(producer, batch)


class GapsAreKept(OfProducers, breaks="producers.gap-refused"):
    """Refuses a gap in a sequence after the batch was written."""

    def append_checked(
        self, request: Request, topic: Topic, index: int, raw: bytes, batch: Value
    ) -> int:
        try:
            return super().append_checked(request, topic, index, raw, batch)
        except Refused as refused:
            producer = self.producer_of(topic, index, batch)
            is_gap = refused.code == error_codes.OUT_OF_ORDER_SEQUENCE_NUMBER
            if is_gap and producer and batch["producerEpoch"] == producer.epoch:
                end = topic.ends[index]
                topic.ends[index] = end + 1
                self.keep(topic, index, Batch(end, end + 1, b""))
            raise


class AnyEpoch(OfProducers, breaks="producers.old-epoch-refused"):
    """Takes batches of any epoch that is over."""

    def check_epoch(self, producer: Producer | None, batch: Value) -> None:
        del producer, batch

    def check_sequence(self, producer: Producer | None, batch: Value) -> None:
        if producer is None or batch["producerEpoch"] >= producer.epoch:
            super().check_sequence(producer, batch)


class OldEpochsAreOutOfOrder(OfProducers, breaks="producers.old-epoch-refused"):
    """Refuses an epoch that is over as a wrong sequence, so that its producer tries again."""

    def check_epoch(self, producer: Producer | None, batch: Value) -> None:
        try:
            super().check_epoch(producer, batch)
        except Refused:
            raise Refused(error_codes.OUT_OF_ORDER_SEQUENCE_NUMBER) from None


class SequencesOutliveEpochs(OfProducers, breaks="producers.new-epoch-from-zero"):
    """Goes on with the sequence of the epoch before."""

    def check_sequence(self, producer: Producer | None, batch: Value) -> None:
        if producer is not None:
            batch = {**batch, "producerEpoch": producer.epoch}
        super().check_sequence(producer, batch)


class AnySequenceInNewEpoch(OfProducers, breaks="producers.new-epoch-from-zero"):
    """Takes any sequence in a new epoch."""

    def check_sequence(self, producer: Producer | None, batch: Value) -> None:
        if producer is None or batch["producerEpoch"] <= producer.epoch:
            super().check_sequence(producer, batch)


class SequencesEnd(OfProducers, breaks="producers.sequences-wrap"):
    """Refuses a batch whose sequences go beyond the highest one."""

    def check_sequence(self, producer: Producer | None, batch: Value) -> None:
        super().check_sequence(producer, batch)
        if batch["baseSequence"] + batch["lastOffsetDelta"] >= SEQUENCES:
            raise Refused(error_codes.INVALID_RECORD)


class SequencesWrapToOne(OfProducers, breaks="producers.sequences-wrap"):
    """Leaves out sequence 0 after the highest one."""

    def last_sequence(self, batch: Value) -> int:
        last = int(batch["baseSequence"] + batch["lastOffsetDelta"])
        return last if last < SEQUENCES else last - SEQUENCES + 1
