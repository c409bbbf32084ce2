"""Logs as they come to look: compacted, cut at the end of an answer, with markers, compressed."""

from __future__ import annotations

from functools import cache
from typing import ClassVar

from conformance import error_codes
from conformance.clients.scenarios.batches import (
    ABORT,
    CONTROL,
    TRANSACTIONAL,
    batch,
    marker,
    record,
)
from conformance.clients.scenarios.judging import gets_nothing, where_asked
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit, fails, succeeds
from conformance.dialogue import NotApplicable
from conformance.reference.broker.cluster import Batch, Request, Topic, Value
from conformance.reference.broker.errors import Hangup, Refused
from conformance.wire.records.compression import CODECS

GIVEN = ("k", "v")
SECOND = 2
ZSTD_SINCE = 10
"""The first version of Fetch that may have what is compressed with zstd (KIP-110)."""
LARGE_BYTES = 1_100_000
READ_COMMITTED = 1
NO_EPOCH = -1
WHOLE_SINCE = 3
"""The first version of Fetch whose answers have one batch at least, however large it is."""


class _Log(Scenario, is_known=False, about="FetchRequest", action="consume"):
    """Holds other records."""

    decides: ClassVar = {"client-records.control-passed": succeeds}


class _BatchByBatch(_Log, is_known=False):
    """Gives one batch in an answer."""

    is_batch_by_batch = True


class EmptyBatchFirst(_Log):
    """Begins with a batch of which compaction left no record."""

    decides: ClassVar = {"client-records.empty-batch-passed": succeeds}
    contents: ClassVar = [batch(0, length=5), batch(5, GIVEN)]


class EmptyBatchAlone(_BatchByBatch):
    """Answers with a batch that has no record left, and with a record when asked on behind it."""

    decides: ClassVar = {"client-records.empty-batch-passed": succeeds}
    contents: ClassVar = [batch(0, length=5), batch(5, length=1), batch(6, GIVEN)]


class EmptyBatchOfOneOffset(_BatchByBatch):
    """Answers with a batch of one offset that has no record left, and with a record behind it."""

    decides: ClassVar = {"client-records.empty-batch-passed": succeeds}
    contents: ClassVar = [batch(0, length=1), batch(1, GIVEN)]


class CutBatch(_Log):
    """Ends its answers in the middle of a batch."""

    decides: ClassVar = {"client-records.cut-batch-dropped": succeeds}
    contents: ClassVar = [batch(0, GIVEN), batch(1, ("k", "v" * 1000))]

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        """Return the records without the last 500 bytes, on the first Fetch."""
        whole = super().records_from(topic, index, offset)
        return whole[:-500] if offset == 0 else whole


class CutInHead(CutBatch):
    """Ends its answers within the first bytes of a batch."""

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        """The first, and 9 bytes of the second."""
        if offset:
            return super().records_from(topic, index, offset)
        first, second = self.records()
        return first.data + second.data[:9]


class ControlBatchFirst(_Log):
    """Begins with the end of a transaction whose records are gone."""

    contents: ClassVar = [marker(0), batch(1, GIVEN)]


class ControlBatchAlone(_BatchByBatch):
    """Answers with the end of a transaction, and with a record when asked on behind it."""

    contents: ClassVar = [marker(0), batch(1, GIVEN)]


class EmptyControlBatchAlone(_BatchByBatch):
    """Answers with a control batch of which compaction left no record, and then with a record."""

    contents: ClassVar = [batch(0, attributes=CONTROL | TRANSACTIONAL), batch(1, GIVEN)]


class NothingButControl(_Log):
    """Holds the end of a transaction, and no record."""

    holds = staticmethod(gets_nothing)
    decides: ClassVar = {"client-records.control-not-given": gets_nothing}
    contents: ClassVar = [marker(0)]


class Committed(_Log):
    """Holds a record of a transaction, and its end."""

    contents: ClassVar = [batch(0, GIVEN, attributes=TRANSACTIONAL), marker(1)]


class AbortedWithoutRecords(_Log):
    """Begins with the end of a transaction that was aborted, whose records are gone."""

    contents: ClassVar = [marker(0, ABORT), batch(1, GIVEN)]


def gets_nothing_uncommitted(visit: Visit) -> None:
    """The client does not get a record, where it asked for committed ones alone."""
    asked = [each.value for each in visit.of("Fetch") if each.value and each.value["topics"]]
    if not asked or not all(each.get("isolationLevel") == READ_COMMITTED for each in asked):
        raise NotApplicable("it did not ask for committed records alone")
    gets_nothing(visit)


class _Aborted(_Log, is_known=False):
    """Holds a transaction that was aborted, and tells so."""

    def fetched_of(self, request: Request, item: Value, wanted: Value) -> Value:
        """Return the aborted transaction as well, if its first record is part of the answer."""
        found = super().fetched_of(request, item, wanted)
        aborted = [{"producerId": 1, "firstOffset": 0}] if not wanted["fetchOffset"] else []
        return {**found, "abortedTransactions": aborted}


class NothingButAborted(_Aborted):
    """Holds a record of a transaction that was aborted, and its end."""

    control_case = NothingButControl  # whose end a client may give, and not the record
    decides: ClassVar = {"client-records.aborted-not-given": gets_nothing_uncommitted}
    contents: ClassVar = [batch(0, GIVEN, attributes=TRANSACTIONAL), marker(1, ABORT)]


class NothingButAbortedInGzip(NothingButAborted):
    """Holds a compressed record of a transaction that was aborted, and its end."""

    contents: ClassVar = [
        batch(0, GIVEN, attributes=TRANSACTIONAL, compression="gzip"),
        marker(1, ABORT),
    ]


class AbortedAndCommitted(_Aborted):
    """Holds a transaction that was aborted, and another of the same producer."""

    def records(self) -> list[Batch]:
        first, second = (batch(at, GIVEN, attributes=TRANSACTIONAL) for at in (0, 2))
        return [first, marker(1, ABORT), second, marker(3)]


class AbortedWithoutKey(_Aborted):
    """Holds an aborted transaction whose record has no key, and another of the same producer."""

    def records(self) -> list[Batch]:
        first = batch(0, (None, "v"), attributes=TRANSACTIONAL)
        second = batch(2, (None, "v"), attributes=TRANSACTIONAL)
        return [first, marker(1, ABORT), second, marker(3)]


class AbortedBeyondTheAnswer(_Aborted, _BatchByBatch):
    """Answers with an aborted record alone, then with its end, and then with a record."""

    contents: ClassVar = [
        batch(0, GIVEN, attributes=TRANSACTIONAL),
        marker(1, ABORT),
        batch(2, GIVEN),
    ]


class TwoAborted(_Log):
    """Tells of two aborted transactions of a producer, the later one first."""

    control_case = NothingButControl
    decides: ClassVar = {"client-records.aborted-in-any-order": gets_nothing_uncommitted}

    def fetched_of(self, request: Request, item: Value, wanted: Value) -> Value:
        """Return both transactions, if their first records are part of the answer."""
        found = super().fetched_of(request, item, wanted)
        both = [{"producerId": 1, "firstOffset": at} for at in (2, 0)]
        return {**found, "abortedTransactions": [] if wanted["fetchOffset"] else both}

    def records(self) -> list[Batch]:
        first, second = (batch(at, GIVEN, attributes=TRANSACTIONAL) for at in (0, 2))
        return [first, marker(1, ABORT), second, marker(3, ABORT)]


class UnknownControl(_BatchByBatch):
    """Answers with a control record of a type that nobody knows, and with a record behind it."""

    contents: ClassVar = [marker(0, 77, b"\0\0"), batch(1, GIVEN)]


@cache
def _large_batch() -> Batch:
    return batch(0, ("k", "v" * LARGE_BYTES))


class LargeAnswer(_Log):
    """Holds one batch of a little more than a mebibyte."""

    decides: ClassVar = {
        "client-records.large-answer-read": where_asked("Fetch", succeeds, range(WHOLE_SINCE, 100))
    }

    def records(self) -> list[Batch]:
        return [_large_batch()]


class NullsInRecords(_Log):
    """Holds a record whose key, value and header are null."""

    decides: ClassVar = {"client-records.nulls-read": succeeds}
    contents: ClassVar = [batch(0, record(None, None, [("h", None)]))]


class EmptyInRecords(_Log):
    """Holds a record whose key, value and header are empty, the header's name as well."""

    decides: ClassVar = {"client-records.nulls-read": succeeds}
    contents: ClassVar = [batch(0, record("", "", [("", "")]))]


class SeveralBatches(_Log):
    """Holds several batches, with records that compaction took between them."""

    decides: ClassVar = {"client-records.several-batches-read": succeeds}
    contents: ClassVar = [
        batch(100, GIVEN, GIVEN),
        batch(110, GIVEN),
        batch(2**33, GIVEN, length=9),
    ]


class NullInPlaceOfRecords(_Log):
    """Answers the first Fetch with null in place of records."""

    decides: ClassVar = {"client-answers.nulls-read": succeeds}
    answered = False

    def fetched_of(self, request: Request, item: Value, wanted: Value) -> Value:
        found = super().fetched_of(request, item, wanted)
        if self.answered:
            return found
        self.answered = True
        return {**found, "records": None}


COMPRESSED: dict[str, type[Scenario]] = {}
"""The scenarios that hold a compressed batch, by the codec."""
for _codec in CODECS[1:]:

    def _records(self: Scenario, codec: str = _codec) -> list[Batch]:
        """Return one compressed batch."""
        del self
        return [batch(0, ("k", "v" * 100), compression=codec)]

    _since = ZSTD_SINCE if _codec == "zstd" else 0
    COMPRESSED[_codec] = _Log.variant(
        f"Compressed{_codec.capitalize()}",
        f"Holds a batch that is compressed with {_codec}.",
        records=_records,
        decides={
            "client-records.compressed-read": where_asked("Fetch", succeeds, range(_since, 100))
        },
    )


class NotLeader(Scenario):
    """Leads nothing any more."""

    asked = False

    def topic_to_write(self, request: Request, item: Value) -> Topic:
        self.asked = True
        raise Refused(error_codes.NOT_LEADER_OR_FOLLOWER)

    def check_partition(self, topic: Topic, index: int) -> None:
        self.asked = True
        raise Refused(error_codes.NOT_LEADER_OR_FOLLOWER)

    def offset_of(self, request: Request, item: Value, wanted: Value) -> Value:
        self.asked = True
        found = super().offset_of(request, item, wanted)
        return {**found, "errorCode": error_codes.NOT_LEADER_OR_FOLLOWER, "offset": -1}


class _Moves(Scenario, is_known=False):
    """Tells that a second broker leads, until that one has been asked."""

    decides: ClassVar = {"client-records.leader-followed": succeeds}
    others: ClassVar = {SECOND: NotLeader}

    def described_topic(self, topic: Topic) -> Value:
        told = super().described_topic(topic)
        gone = self.company[-1]
        leader = self.node_id if getattr(gone, "asked", False) else gone.node_id
        both = [self.node_id, gone.node_id]
        moved = {"leaderId": leader, "replicaNodes": both, "isrNodes": both}
        return {**told, "partitions": [{**each, **moved} for each in told["partitions"]]}


class LeaderMovesFromWriter(_Moves, about="ProduceRequest", action="produce"):
    """Is the new leader; the old one, which Metadata names first, refuses Produce."""


class LeaderMovesFromReader(_Moves, about="FetchRequest", action="consume"):
    """Is the new leader; the old one, which Metadata names first, refuses Fetch and ListOffsets."""

    answers = "Metadata"


class LeaderMovesWithoutEpochs(_Moves, about="FetchRequest", action="consume"):
    """Is the new leader, with no epoch; the old one, named first with its own, refuses all."""

    answers = "Metadata"

    def described_topic(self, topic: Topic) -> Value:
        told = super().described_topic(topic)
        return {**told, "partitions": [self._without(each) for each in told["partitions"]]}

    def _without(self, partition: Value) -> Value:
        """Return the partition without its leader's epoch."""
        leads = partition["leaderId"] == self.node_id
        return {**partition, "leaderEpoch": NO_EPOCH} if leads else partition


class LeaderMovesFromLookup(_Moves, about="ListOffsetsRequest", action="lookup"):
    """Is the new leader; the old one, which Metadata names first, refuses to look offsets up."""


class _Gone(Scenario):
    """Closes the connection on whatever is asked of a leader."""

    asked = False

    def list_offsets(self, request: Request) -> Value:
        self.asked = True
        raise Hangup


class _LeaderGone(_Moves, is_known=False):
    """Is the new leader of a broker that is about to stop."""

    others: ClassVar = {SECOND: _Gone}


class LeaderGoneFromReader(_LeaderGone, about="ListOffsetsRequest", action="consume"):
    """Is the new leader; the old one, which Metadata names first, closes on ListOffsets."""


class LeaderGoneFromLookup(_LeaderGone, about="ListOffsetsRequest", action="lookup"):
    """Is the new leader; the old one, which a lookup is sent to first, closes on ListOffsets."""


class WritingRefused(Scenario, about="ProduceRequest", action="produce"):
    """Answers Produce with TOPIC_AUTHORIZATION_FAILED."""

    holds = staticmethod(fails)
    decides: ClassVar = {"client-records.refusal-told": fails}

    def topic_to_write(self, request: Request, item: Value) -> Topic:
        """Refuse the client. Raises Refused."""
        raise Refused(error_codes.TOPIC_AUTHORIZATION_FAILED)
