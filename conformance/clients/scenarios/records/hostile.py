"""Batches whose checksum is right, and one number of which is a lie.

Each number is played at several sizes: negative, far too large, and just beyond what is left. A
client that asks again is given the next one of them, so that one visit shows several.

A batch that compaction left empty states no records. `RecordsNotThere` has a batch that states some
and has lost them: a client that skips it as if it were empty loses them a second time.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import count
from typing import Any, ClassVar

from crc32c import crc32c

from conformance.clients.scenarios.batches import (
    ABORT,
    TRANSACTIONAL,
    batch,
    head,
    marker,
    record,
)
from conformance.clients.scenarios.judging import all_of, asks_no_more_than, bears, gets_nothing
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import survives
from conformance.reference.broker.cluster import Batch, Request, Topic, Value
from conformance.reference.codec import ReferenceCodec
from conformance.schema.record_batch import MAGIC, RECORD_BATCH
from conformance.wire.writer import Writer

HUGE = 2**31 - 1
CRC_AT, CHECKED_AT, HEAD_OF_BATCH = 17, 21, 61
MOST_REQUESTS = 150
LEAST = -(2**31)
BEHIND_KEY_LENGTH = 9
"""The number of bytes after the length of the record's key, to the end of record and batch."""


class _Liar(Writer):
    """Writes one number as it is not: the first of its `place`."""

    place = ""
    number = 0

    def number_in(self, place: str, number: int) -> int:
        """Return the number to write in a place: the false one in the chosen place."""
        return self.number if place == self.place else number

    def batch_length(self, behind: int) -> int:
        """Return the batch's length to write."""
        return self.number_in("batch", behind)

    def record_count(self, count: int) -> None:
        """Write the number of records in the batch."""
        super().record_count(self.number_in("records", count))

    def record_length(self, length: int, path: str) -> None:
        """Write the number of bytes of the record that follow."""
        super().record_length(self.number_in("record", length), path)

    def bytes_length(self, length: int, path: str) -> None:
        """Write the number of bytes of a key or a value that follow."""
        is_key = path.endswith(".key")
        super().bytes_length(self.number_in("key", length) if is_key else length, path)

    def header_count(self, count: int, path: str) -> None:
        """Write the number of headers of a record."""
        super().header_count(self.number_in("headers", count), path)

    def header_key(self, key: Any, path: str) -> None:
        """A header's name, which may be longer or shorter than it is."""
        raw = key.encode()
        self.varint(self.number_in("name", len(raw)), path)
        self.out += raw


def written(place: str = "", number: int = 0) -> Batch:
    """A batch of one record with a header; `number` is the lie in its `place`."""
    writer = type("Liar", (_Liar,), {"place": place, "number": number})()
    one = {**record("k", "v", [("h", "v")]), "offsetDelta": 0}
    writer.struct(ReferenceCodec().form(RECORD_BATCH, MAGIC).layout, head(0, 1, 0, [one]))
    return Batch(0, 1, bytes(writer.out))


class HonestBatch(Scenario, about="FetchRequest", action="consume"):
    """Holds a batch of one record with a header."""

    contents: ClassVar = [written()]


class _Hostile(HonestBatch):
    """Lies about a number of its batch, in each answer about another size of it."""

    control_case = HonestBatch
    place: ClassVar[str]
    numbers: ClassVar[Sequence[int]]

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._turns = count()

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        """Return a batch with the next size, from the first again after the last."""
        return written(self.place, self.numbers[next(self._turns) % len(self.numbers)]).data


_SURVIVED = {"client-records.hostile-survived": all_of(survives, bears)}
_SIZES: Sequence[tuple[str, str, Sequence[int], str]] = (
    ("BatchOfNegativeLength", "batch", (-1, -2), "a batch whose length is -1"),
    (
        "BatchShorterThanItsHead",
        "batch",
        (-13, -100, LEAST),
        "a batch whose length is -13, so that it ends before it begins",
    ),
    ("BatchOfNoBytes", "batch", (-12,), "a batch whose length is -12, so that it has no bytes"),
    ("BatchOfTwoGigabytes", "batch", (HUGE,), "a batch whose length is 2,147,483,647"),
    (
        "MoreRecordsThanBytes",
        "records",
        (HUGE,),
        "a batch that says that it has 2,147,483,647 records, and has one",
    ),
    (
        "FewerRecordsThanNone",
        "records",
        (-2, -1, -13, -100, LEAST),
        "a batch that says that it has -2 records, and has one",
    ),
    ("OneRecordTooMany", "records", (2,), "a batch that says that it has 2 records, and has one"),
    (
        "RecordBeyondTheEnd",
        "record",
        (HUGE,),
        "a batch with a record that says that it has 2,147,483,647 bytes",
    ),
    (
        "RecordOfNegativeLength",
        "record",
        (-1, -2, -13, -100, LEAST),
        "a batch with a record that says that it has -1 bytes",
    ),
    (
        "RecordOneByteTooLong",
        "record",
        (BEHIND_KEY_LENGTH + 4,),
        "a batch with a record that says that it has a byte more than there are",
    ),
    (
        "KeyBeyondTheEnd",
        "key",
        (HUGE,),
        "a batch with a key that says that it has 2,147,483,647 bytes",
    ),
    (
        "KeyOfNegativeLength",
        "key",
        (-2, -13, -100, LEAST),
        "a batch with a key that says that it has -2 bytes",
    ),
    (
        "KeyOneByteTooLong",
        "key",
        (BEHIND_KEY_LENGTH,),
        "a batch with a key that says that it has a byte more than there are",
    ),
    (
        "MoreHeadersThanBytes",
        "headers",
        (HUGE,),
        "a batch with a record that says that it has 2,147,483,647 headers",
    ),
    (
        "FewerHeadersThanNone",
        "headers",
        (-1, -2, -13, -100, LEAST),
        "a batch with a record that says that it has -1 headers",
    ),
    (
        "OneHeaderTooMany",
        "headers",
        (2,),
        "a batch with a record that says that it has 2 headers, and has one",
    ),
    (
        "HeaderNameOfNegativeLength",
        "name",
        (-1, -2, -13, -100, LEAST),
        "a batch with a header whose name has a length of -1",
    ),
)

for _name, _place, _numbers, _holds in _SIZES:
    _Hostile.variant(
        _name,
        f"Holds {_holds}.",
        place=_place,
        numbers=_numbers,
        decides=_SURVIVED,
    )


class TwoEndsInOne(Scenario, about="FetchRequest", action="consume"):
    """Holds an aborted record, and a control batch in which its transaction ends twice."""

    decides: ClassVar = _SURVIVED

    def records(self) -> list[Batch]:
        aborted = batch(0, ("k", "v"), attributes=TRANSACTIONAL)
        return [aborted, marker(1, ABORT, times=2), batch(3, ("k", "v"))]

    def fetched_of(self, request: Request, item: Value, wanted: Value) -> Value:
        """Return the records with the producer's aborted transaction."""
        found = super().fetched_of(request, item, wanted)
        return {**found, "abortedTransactions": [{"producerId": 1, "firstOffset": 0}]}


class NonsenseInGzip(Scenario, about="FetchRequest", action="consume"):
    """Holds a batch with a right checksum that says that it is compressed, and is not."""

    decides: ClassVar = {
        "client-records.hostile-survived": all_of(survives, bears, asks_no_more_than(MOST_REQUESTS))
    }

    def records(self) -> list[Batch]:
        """Return one batch: its header, and zeros in place of the compressed bytes."""
        data = batch(0, ("k", "v"), compression="gzip").data
        spoiled = data[CHECKED_AT:HEAD_OF_BATCH] + bytes(len(data) - HEAD_OF_BATCH)
        return [Batch(0, 1, data[:CRC_AT] + struct.pack(">I", crc32c(spoiled)) + spoiled)]


LOST = 5


class _Claims(Writer):
    """Writes five as the number of records."""

    def record_count(self, count: int) -> None:
        super().record_count(LOST)


class RecordsNotThere(Scenario, about="FetchRequest", action="consume"):
    """Begins with a batch that says that it has five records, and has none, and goes on behind."""

    decides: ClassVar = {"client-records.lost-told": gets_nothing}

    def records(self) -> list[Batch]:
        writer = _Claims()
        value = head(0, LOST, 0, [])
        writer.struct(ReferenceCodec().form(RECORD_BATCH, MAGIC).layout, value)
        return [Batch(0, LOST, bytes(writer.out)), batch(LOST, ("k", "v"))]
