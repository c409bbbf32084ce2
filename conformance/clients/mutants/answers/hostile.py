"""Clients that believe one number of an answer or of a batch, within bounds that are too wide.

Each is the reference client with a reader of its own. Its exceptions are no errors of decoding, so
that no handler catches them.
"""

from __future__ import annotations

import base64
import struct
from typing import Any, ClassVar

from conformance.clients.mutants.mutant import ClientMutant, takes_much
from conformance.dialogue import Received
from conformance.reference.client import Asking, Course, Failed, Wait
from conformance.reference.codec import PlainCodec
from conformance.schema.layout import WireType
from conformance.wire.reader import Reader
from conformance.wire.records.reader import LEAST_RECORD

SIZE_BYTES = 4
LENGTH_AT = 8
BATCH_HEAD = 12
COUNT_AT = 57
LEAST = -(2**31)
ROOM = 1_000_000


class _Reads(ClientMutant):
    """Reads answers with a reader that has a defect."""

    Reading: ClassVar[type[Reader]]

    def __init__(self) -> None:
        super().__init__()
        self.codec = type("Codec", (PlainCodec,), {"reader": self.Reading})()


def _signed(number: int) -> int:
    """Return a number of 32 bits as a signed one."""
    return number - 2**32 if number >= 2**31 else number


class HeadersAreWhole(ClientMutant, breaks="client-answers.negative-size-survived"):
    """Reads the correlation id of any answer that is not empty."""

    def next_answer(self) -> Received | None:
        if len(self.unread) >= SIZE_BYTES and 0 < self.answer_size() < SIZE_BYTES:
            struct.unpack(">i", self.unread[SIZE_BYTES:])
        return super().next_answer()


class NegativeCountsAreRoom(_Reads, breaks="client-answers.hostile-lengths-survived"):
    """Makes room for less than no elements, though it knows null."""

    class Reading(Reader):
        """With a sign."""

        def array(self, type_: WireType, path: str) -> list[Any] | None:
            start = self.offset
            count = _signed(self.length(type_, path) or 0)
            if LEAST < count < -1:
                raise OverflowError(count)
            self.offset = start
            return super().array(type_, path)


class CountsHaveAnOpposite(_Reads, breaks="client-answers.hostile-lengths-survived"):
    """Turns the sign of a count, which the least of all has no opposite for."""

    class Reading(Reader):
        """With a sign."""

        def array(self, type_: WireType, path: str) -> list[Any] | None:
            start = self.offset
            struct.pack(">i", -_signed(self.length(type_, path) or 0))
            self.offset = start
            return super().array(type_, path)


class ElementsWithinTheAnswer(_Reads, breaks="client-answers.hostile-lengths-survived"):
    """Holds a count against the bytes that are left, and reads as many elements unseen."""

    class Reading(Reader):
        """Fails on an array whose count fits the bytes that are left, but whose elements do not."""

        def array(self, type_: WireType, path: str) -> list[Any] | None:
            start = self.offset
            count = self.length(type_, path) or 0
            if 0 < count <= self.remaining < count * type_.item.least:
                raise IndexError(count)
            self.offset = start
            return super().array(type_, path)


class TextsHaveAnOpposite(_Reads, breaks="client-answers.hostile-lengths-survived"):
    """Turns the sign of a text's length, which the least of all has no opposite for."""

    class Reading(Reader):
        """With a sign."""

        def sized(self, type_: WireType, path: str) -> str | None:
            start = self.offset
            struct.pack(">i", -_signed(self.length(type_, path) or 0))
            self.offset = start
            return super().sized(type_, path)


class TextsWithinTheAnswer(_Reads, breaks="client-answers.hostile-lengths-survived"):
    """Holds a text's length against the whole answer, and not against what is left of it."""

    class Reading(Reader):
        """Fails on a text that is longer than the bytes left, but no longer than the answer."""

        def sized(self, type_: WireType, path: str) -> str | None:
            start = self.offset
            length = self.length(type_, path) or 0
            if self.remaining < length <= len(self.data):
                raise IndexError(length)
            self.offset = start
            return super().sized(type_, path)


class BatchesAreLongerThanNone(ClientMutant, breaks="client-records.hostile-survived"):
    """Makes room for a batch and the bytes before its length, which may be less than none."""

    def whole_batch(self, raw: bytes) -> int | None:
        if len(raw) >= BATCH_HEAD and BATCH_HEAD + _length(raw) < 0:
            raise OverflowError(_length(raw))
        return super().whole_batch(raw)


class BelievesTheLength(ClientMutant, breaks="client-records.hostile-survived"):
    """Relies on a batch's length being more than none."""

    def whole_batch(self, raw: bytes) -> int | None:
        assert len(raw) < BATCH_HEAD or _length(raw) > 0
        return super().whole_batch(raw)


class BelievesTheCount(ClientMutant, breaks="client-records.hostile-survived"):
    """Makes room for as many records as a batch says that it has."""

    implies = ("client-records.given-as-held",)

    def whole_batch(self, raw: bytes) -> int | None:
        size = super().whole_batch(raw)
        if size is not None and _count(raw) > ROOM:
            raise MemoryError(size)
        return size


class _LooksAtBatches(ClientMutant):
    """Looks at the records of each answer before it reads them."""

    def fetch(self, topic_id: str, offset: int) -> Asking:
        found = yield from super().fetch(topic_id, offset)
        yield from self.looks_at(base64.b64decode(found["records"] or ""))
        return found

    def looks_at(self, raw: bytes) -> Course:
        raise NotImplementedError


class StaysAtNoBytes(_LooksAtBatches, breaks="client-records.hostile-survived"):
    """Goes on behind a batch of no bytes, which is where it is, without end."""

    def looks_at(self, raw: bytes) -> Course:
        while len(raw) >= BATCH_HEAD and BATCH_HEAD + _length(raw) == 0:
            yield Wait(1.0)


class RoomForTheBatch(_LooksAtBatches, breaks="client-records.hostile-survived"):
    """Takes memory for a batch as long as it says, and gives up in the midst."""

    implies = (
        "client-records.large-answer-read",
        "client-records.given-as-held",
    )

    def looks_at(self, raw: bytes) -> Course:
        if len(raw) >= BATCH_HEAD and _length(raw) > ROOM:
            yield from takes_much()
            raise Failed("no room for such a batch")


class RoomForTheRecords(_LooksAtBatches, breaks="client-records.hostile-survived"):
    """Takes memory for as many records as a batch says that it has, and gives up in the midst."""

    implies = ("client-records.given-as-held",)

    def looks_at(self, raw: bytes) -> Course:
        if _count(raw) > ROOM:
            yield from takes_much()
            raise Failed("no room for so many records")


def _length(raw: bytes) -> int:
    return int(struct.unpack_from(">i", raw, LENGTH_AT)[0])


def _count(raw: bytes) -> int:
    """Return the number of records that a batch states; 0 if its header is incomplete."""
    return int(struct.unpack_from(">i", raw, COUNT_AT)[0]) if len(raw) > COUNT_AT + 4 else 0


class NegativeRecordsAreRoom(_Reads, breaks="client-records.hostile-survived"):
    """Makes room for less than no records."""

    class Reading(Reader):
        """With a sign."""

        def records(self, count: int, path: str, start: int) -> list[Any]:
            if count < 0:
                raise OverflowError(count)
            return super().records(count, path, start)


class RecordsWithinTheBatch(_Reads, breaks="client-records.hostile-survived"):
    """Holds the number of records against the bytes that are left, and reads as many unseen."""

    class Reading(Reader):
        """Fails on records whose count fits the bytes that are left, but which do not."""

        def records(self, count: int, path: str, start: int) -> list[Any]:
            if 0 < count <= self.remaining < count * LEAST_RECORD:
                raise IndexError(count)
            return super().records(count, path, start)


class NegativeRecordIsRoom(_Reads, breaks="client-records.hostile-survived"):
    """Makes room for a record of less than no bytes."""

    class Reading(Reader):
        """With a sign."""

        def record_length(self, path: str) -> int:
            length = super().record_length(path)
            if length < 0:
                raise OverflowError(length)
            return length


class RecordWithinTheBatch(_Reads, breaks="client-records.hostile-survived"):
    """Holds a record's length against the whole batch, and not against what is left of it."""

    class Reading(Reader):
        """Fails on a record that is longer than the bytes left, but no longer than the batch."""

        def record_length(self, path: str) -> int:
            length = super().record_length(path)
            if self.remaining < length <= len(self.data):
                raise IndexError(length)
            return length


class NegativeKeyIsRoom(_Reads, breaks="client-records.hostile-survived"):
    """Takes a key's length of -1 for null, and makes room for any other."""

    class Reading(Reader):
        """With a sign."""

        def below_null(self, length: int, path: str, start: int) -> int:
            if path.startswith("records"):
                raise OverflowError(length)
            return super().below_null(length, path, start)


class KeyWithinTheBatch(_Reads, breaks="client-records.hostile-survived"):
    """Holds a key's length against the whole batch, and not against what is left of it."""

    class Reading(Reader):
        """Fails on a key that is longer than the bytes left, but no longer than the batch."""

        def counted(self, length: int, path: str, start: int) -> bytes:
            if path.endswith("].key") and self.remaining < length <= len(self.data):
                raise IndexError(length)
            return super().counted(length, path, start)


class NegativeHeadersAreRoom(_Reads, breaks="client-records.hostile-survived"):
    """Makes room for less than no headers."""

    class Reading(Reader):
        """With a sign."""

        def header_count(self, path: str) -> int:
            count = super().header_count(path)
            if count < 0:
                raise OverflowError(count)
            return count


class HeadersWithinTheRecord(_Reads, breaks="client-records.hostile-survived"):
    """Holds the number of headers against the bytes that are left, and reads as many unseen."""

    class Reading(Reader):
        """Fails at the first header for which no bytes are left."""

        def record_header(self, path: str) -> dict[str, Any]:
            if not self.remaining:
                raise IndexError(path)
            return super().record_header(path)


class NamesAreThere(_Reads, breaks="client-records.hostile-survived"):
    """Makes room for a header's name, whatever its length."""

    class Reading(Reader):
        """With a sign."""

        def null_header_key(self, length: int, path: str, start: int) -> None:
            raise OverflowError(length)
