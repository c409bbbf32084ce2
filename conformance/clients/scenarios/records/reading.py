"""Logs of which a client gives its application every record, as they are and in their order.

Each ends with a record whose key is `end`, so that a driver knows when it has read all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from conformance.clients.scenarios.batches import (
    ABORT,
    APPEND_TIME,
    TRANSACTIONAL,
    WRITTEN_MS,
    marker,
)
from conformance.clients.scenarios.judging import all_of, where_asked
from conformance.clients.scenarios.playing import Cuts
from conformance.clients.scenarios.records.delivery import (
    FAR,
    GIVEN,
    Held,
    as_appended,
    as_held,
    batch_of,
    does_not_give,
    end,
    gives,
    gives_if_any,
    gives_times,
    held,
    unless_failed,
    where_committed,
    where_uncommitted,
)
from conformance.clients.scenarios.records.logs import (
    COMPRESSED,
    LARGE_BYTES,
    ZSTD_SINCE,
    Committed,
)
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Judgement
from conformance.reference.broker.cluster import Batch, Request, Topic, Value
from conformance.wire.records.compression import CODECS

FAR_MS, EDGE_MS = 2**33, 2**62
APPENDED_MS = WRITTEN_MS + 86_400_000
MANY = 1200
PLAIN = [*held(0, 1, 2), end(3)]
APPENDED = [Held(each.offset, APPENDED_MS, each.key, each.value) for each in held(0, 1, 2)]


class _Reads(Scenario, about="FetchRequest", action="read"):
    """Holds records that are all to be read."""

    is_long = True


class PlainRecords(_Reads):
    """Holds four records in a batch."""

    holds = staticmethod(gives(PLAIN))
    decides: ClassVar = as_held(PLAIN)
    contents: ClassVar = [batch_of(PLAIN)]


class Log(_Reads, is_known=False):
    """Holds other records: those of the `log`, by default in one batch."""

    control_case: ClassVar[type[Scenario] | None] = PlainRecords
    log: ClassVar[Sequence[Held]] = PLAIN

    def records(self) -> list[Batch]:
        return [batch_of(self.log)]


_BESIDE: dict[str, type[Scenario]] = {}


def plain_beside(ability: type[Scenario]) -> type[Scenario]:
    """Return a scenario of plain records, for a client with an ability that another one shows."""
    name = f"{PlainRecords.__name__}Beside{ability.__name__}"
    if name not in _BESIDE:
        says = PlainRecords.says()
        _BESIDE[name] = PlainRecords.variant(name, says, control_case=ability, decides={})
    return _BESIDE[name]


class NullsGiven(Log):
    """Holds records with no key, no value, an empty key and an empty value."""

    log: ClassVar = [
        Held(0, WRITTEN_MS, None, "v"),
        Held(1, WRITTEN_MS, "k", None),
        Held(2, WRITTEN_MS, "", ""),
        end(3),
    ]
    decides: ClassVar = {GIVEN: gives(log)}


class TimesFarApart(Log):
    """Holds records whose times are 2^33 ms before and behind that of their batch."""

    log: ClassVar = [
        Held(0, WRITTEN_MS, "k0", "v0"),
        Held(1, WRITTEN_MS + FAR_MS, "k1", "v1"),
        Held(2, WRITTEN_MS - FAR_MS, "k2", "v2"),
        end(3),
    ]
    decides: ClassVar = as_held(log)


class TimesAtTheEdge(Log):
    """Holds records whose times are 2^62 ms behind that of their batch."""

    control_case = TimesFarApart
    log: ClassVar = [
        Held(0, WRITTEN_MS, "k0", "v0"),
        Held(1, WRITTEN_MS + EDGE_MS, "k1", "v1"),
        end(2),
    ]
    decides: ClassVar = {FAR: all_of(gives(log), gives_times(log))}


class OffsetsWithGaps(Log):
    """Holds batches with offsets that compaction took, in them, at their ends and between them."""

    log: ClassVar = [*held(100, 103, 104), *held(120), Held(2**33 + 5, WRITTEN_MS, "far", "v")]
    decides: ClassVar = as_held([*log, end(2**33 + 6)])

    def records(self) -> list[Batch]:
        first, second, last = self.log[:3], self.log[3:4], [*self.log[4:], end(2**33 + 6)]
        return [
            batch_of(first, taken=10),
            batch_of(second),
            batch_of(last, begin=2**33),
        ]


class AnswersBatchByBatch(OffsetsWithGaps):
    """Holds the same, and gives one batch in an answer."""

    is_batch_by_batch = True


class FirstBatchAlone(OffsetsWithGaps):
    """Holds the same, and gives its first batch alone, and again to who asks from within it."""

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        first = self.batches(topic, index)[0]
        return super().records_from(topic, index, offset) if offset else first.data


class WatermarkBehind(Log):
    """Answers once with no record and a watermark before what was asked, as a new leader may."""

    log: ClassVar = [*held(*range(6)), end(6)]
    decides: ClassVar = {GIVEN: gives(log)}
    is_new = True

    def records(self) -> list[Batch]:
        return [batch_of(self.log[:3]), batch_of(self.log[3:])]

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        if self.is_new and offset:
            return b""
        return next((each.data for each in self.batches(topic, index) if each.end > offset), b"")

    def held(self, topic: Topic, wanted: Value) -> Value:
        answer = super().held(topic, wanted)
        if not self.is_new or not wanted["fetchOffset"]:
            return answer
        self.is_new = False
        behind = wanted["fetchOffset"] - 1
        return {**answer, "highWatermark": behind, "lastStableOffset": behind}


class ManyInBatch(Log):
    """Holds 1200 records in a batch."""

    log: ClassVar = [*held(*range(MANY)), end(MANY)]
    decides: ClassVar = as_held(log)


class BeginsInBatch(Log):
    """Begins at an offset in the midst of a batch, as records before it were deleted."""

    begin: ClassVar[int] = 3
    log: ClassVar = [*held(*range(6)), end(6)]
    decides: ClassVar = as_held(log[begin:])

    def log_begin(self, topic: Topic, index: int) -> int:
        return self.begin


class BeginsInGzip(BeginsInBatch):
    """Begins at an offset in the midst of a compressed batch."""

    control_case = plain_beside(COMPRESSED["gzip"])

    def records(self) -> list[Batch]:
        return [batch_of(self.log, compression="gzip")]


class CutBehindSome(Log):
    """Ends its first answer in the middle of the second batch."""

    log: ClassVar = [*held(*range(6)), end(6)]
    decides: ClassVar = as_held(log)

    def records(self) -> list[Batch]:
        return [batch_of(self.log[:3]), batch_of(self.log[3:])]

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        whole = super().records_from(topic, index, offset)
        return whole[:-40] if offset == 0 else whole


class ControlAmongRecords(Log):
    """Holds the end of a transaction, whose records are gone, among records of none."""

    control_case: ClassVar[type[Scenario] | None] = plain_beside(Committed)
    log: ClassVar = [*held(0, 1), *held(3), end(4)]
    holds = staticmethod(unless_failed(does_not_give(2, "a control record")))
    decides: ClassVar = {"client-records.control-not-given": does_not_give(2, "a control record")}

    def records(self) -> list[Batch]:
        return [batch_of(self.log[:2]), marker(2), batch_of(self.log[2:])]


class ControlAmongUncommitted(ControlAmongRecords, action="uncommitted"):
    """Holds the end of a transaction, to a client that reads what is not committed."""

    control_case = None


def of_committed(rules: Mapping[str, Judgement], *aborted: int) -> Mapping[str, Judgement]:
    """Return the judgements on a client that asked for committed records alone.

    Records of an aborted transaction come first: what else is given may follow from them.
    """
    given = all_of(*(does_not_give(at, "of an aborted transaction") for at in aborted))
    ordered = {"client-records.aborted-not-given": given, **rules}
    return {rule: where_committed(each) for rule, each in ordered.items()}


class TransactionsAmongRecords(Log):
    """Holds a transaction that was committed, one that was aborted, and records of none."""

    control_case: ClassVar[type[Scenario] | None] = ControlAmongRecords
    log: ClassVar = [*held(0, 1), *held(6, 7), end(8)]
    aborted: ClassVar[int] = 3
    decides: ClassVar = of_committed(as_held(log), 3, 4)

    def records(self) -> list[Batch]:
        return [
            batch_of(held(0, 1), attributes=TRANSACTIONAL),
            marker(2),
            batch_of(held(3, 4), attributes=TRANSACTIONAL),
            marker(5, ABORT),
            batch_of(self.log[-3:]),
        ]

    def fetched_of(self, request: Request, item: Value, wanted: Value) -> Value:
        """Return the aborted transaction as well, if its records are part of the answer."""
        found = super().fetched_of(request, item, wanted)
        is_there = wanted["fetchOffset"] <= self.aborted + 2
        aborted = [{"producerId": 1, "firstOffset": self.aborted}] if is_there else []
        return {**found, "abortedTransactions": aborted}


class TransactionsBesideEachOther(TransactionsAmongRecords):
    """Holds transactions of two producers at once, one aborted, and two aborted without records."""

    log: ClassVar = [*held(1), *held(4), *held(7), end(10)]
    decides: ClassVar = of_committed({GIVEN: gives(log)}, 0)
    aborted: ClassVar[int] = 0

    def records(self) -> list[Batch]:
        return [
            batch_of(held(0), attributes=TRANSACTIONAL),
            batch_of(held(1), attributes=TRANSACTIONAL, producerId=2),
            marker(2, ABORT),
            marker(3, ABORT),
            batch_of(held(4), attributes=TRANSACTIONAL),
            marker(5, producer=2),
            marker(6, ABORT, producer=2),
            batch_of(held(7), attributes=TRANSACTIONAL, producerId=2),
            marker(8),
            marker(9, producer=2),
            batch_of(self.log[-1:]),
        ]


class EndsNothingBeforeAborted(TransactionsAmongRecords):
    """Holds an aborted transaction without records, and then one of the producer with some."""

    log: ClassVar = [*held(0), *held(5), end(6)]
    decides: ClassVar = of_committed({GIVEN: gives(log)}, 2, 3)
    aborted: ClassVar[int] = 2

    def records(self) -> list[Batch]:
        return [
            batch_of(self.log[:1]),
            marker(1, ABORT),
            batch_of(held(2, 3), attributes=TRANSACTIONAL),
            marker(4, ABORT),
            batch_of(self.log[1:]),
        ]


class UncommittedAmongRecords(TransactionsAmongRecords, action="uncommitted"):
    """Holds an aborted transaction, and says so to a client that reads what is not committed."""

    control_case = ControlAmongUncommitted
    log: ClassVar = [*held(0, 1), *held(3, 4), *held(6, 7), end(8)]
    decides: ClassVar = {"client-records.uncommitted-read": where_uncommitted(gives(log))}


class AppendTime(Log):
    """Holds a batch that says that its time is that of the log, and not of its producer."""

    log: ClassVar = [*APPENDED, Held(3, APPENDED_MS, "end", "e")]
    decides: ClassVar = as_appended(log)
    compression: ClassVar[str] = "none"

    def records(self) -> list[Batch]:
        return [
            batch_of(
                PLAIN,
                attributes=APPEND_TIME,
                compression=self.compression,
                maxTimestamp=APPENDED_MS,
            )
        ]


class AppendTimeInGzip(AppendTime):
    """Holds a compressed batch that says that its time is that of the log."""

    control_case = plain_beside(COMPRESSED["gzip"])
    compression = "gzip"


class NamedTwice(Log):
    """Names its partition twice in each answer, with the same records."""

    decides: ClassVar = {"client-records.named-twice-given-once": gives_if_any(PLAIN)}

    def fetched_of_topic(self, request: Request, item: Value) -> Value:
        found = super().fetched_of_topic(request, item)
        return {**found, "partitions": found["partitions"] * 2}


class AnswerCutOnce(Cuts, about="FetchRequest", action="read"):
    """Closes the connection in the middle of the first answer to Fetch, and not again."""

    is_long = True
    left = 1
    control_case = PlainRecords
    log: ClassVar = [*held(*range(100)), end(100)]
    decides: ClassVar = {GIVEN: gives_if_any(log)}
    contents: ClassVar = [batch_of(log)]


class AbortedFillsAnswer(TransactionsAmongRecords):
    """Answers with an aborted record of more than a mebibyte alone, and with others behind it."""

    log: ClassVar = [*held(0), *held(3, 4), end(5)]
    decides: ClassVar = of_committed({GIVEN: gives(log)}, 1)
    aborted: ClassVar[int] = 1

    def records(self) -> list[Batch]:
        large = Held(1, WRITTEN_MS, "k1", "v" * LARGE_BYTES)
        return [
            batch_of(self.log[:1]),
            batch_of([large], attributes=TRANSACTIONAL),
            marker(2, ABORT),
            batch_of(self.log[1:]),
        ]

    is_batch_by_batch = True


for _codec in CODECS[1:]:

    def _records(self: Scenario, codec: str = _codec) -> list[Batch]:
        """Return one compressed batch."""
        del self
        return [batch_of(PLAIN, compression=codec)]

    _since = ZSTD_SINCE if _codec == "zstd" else 0
    Log.variant(
        f"RecordsIn{_codec.capitalize()}",
        f"Holds four records in a batch that is compressed with {_codec}.",
        records=_records,
        control_case=plain_beside(COMPRESSED[_codec]),
        decides={
            rule: where_asked("Fetch", judgement, range(_since, 100))
            for rule, judgement in as_held(PLAIN).items()
        },
    )
