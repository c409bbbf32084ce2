"""Batches of records: what a batch says of itself, its checksum, its attributes and its count.

Compression is in `compressed`, what is wrong with a single record in `single`, and with its headers
in `headers`.
"""

from __future__ import annotations

import zlib
from typing import Any, ClassVar

from crc32c import crc32c

from conformance.codecs.mutants.mutant import Mutant
from conformance.reference.codec import Value
from conformance.schema.layout import Form
from conformance.schema.record_batch import CHECKED
from conformance.wire.errors import DecodeError
from conformance.wire.reader import Reader
from conformance.wire.writer import Writer

_SWAPPED = (*CHECKED[:5], CHECKED[6], CHECKED[5])


class OfRecords:
    """A defect in batches of records alone."""

    messages: ClassVar[tuple[str, ...]] = ("RecordBatch",)


class SequenceBeforeEpoch(OfRecords, Mutant, breaks="records.header-layout"):
    """Writes a batch's base sequence before its producer's epoch."""

    class Writes(Writer):
        def fields(self, fields: Any, value: dict[str, Any], path: str) -> None:
            super().fields(_SWAPPED if fields == CHECKED else fields, value, path)


class ProducerIdWithoutSign(OfRecords, Mutant, breaks="records.header-layout"):
    """Reads a batch's producer id as a number that is never negative."""

    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        value, end = super().read(form, data, offset)
        if not form.layout.batch:
            return value, end
        return value | {"producerId": value["producerId"] % 2**64}, end


class MagicOne(OfRecords, Mutant, breaks="records.magic-is-two"):
    """Writes magic 1 into batches of format 2."""

    class Writes(Writer):
        def magic(self) -> int:
            return 1


class AnyMagic(OfRecords, Mutant, breaks="records.unknown-magic-refused"):
    """Reads a batch of whatever magic as one of format 2."""

    class Reads(Reader):
        def known_format(self, start: int) -> None:
            pass

        def magic(self, path: str) -> None:
            self.fixed("int8", path)


class LengthCountsItself(OfRecords, Mutant, breaks="records.length-counts-rest"):
    """Takes a batch's length as counting its own four bytes."""

    class Reads(Reader):
        def batch_length(self, path: str) -> int:
            return super().batch_length(path) - 4

    class Writes(Writer):
        def batch_length(self, behind: int) -> int:
            return behind + 4


class LengthNotLookedAt(OfRecords, Mutant, breaks="records.length-refused"):
    """Reads a batch to the end of the bytes, whatever its length says."""

    class Reads(Reader):
        def batch_length(self, path: str) -> int:
            super().batch_length(path)
            return self.remaining


class CrcOfOldFormats(OfRecords, Mutant, breaks="records.crc32c-castagnoli"):
    """Counts CRC-32 where CRC-32C belongs."""

    class Reads(Reader):
        def counted_checksum(self, begin: int) -> int:
            return zlib.crc32(self.data[self.offset :])

    class Writes(Writer):
        def checksum(self, checked: bytes, before: bytes) -> int:
            return zlib.crc32(checked)


class CrcFromLeaderEpoch(OfRecords, Mutant, breaks="records.crc-from-attributes"):
    """Counts the checksum from the leader's epoch on."""

    class Reads(Reader):
        def counted_checksum(self, begin: int) -> int:
            return crc32c(self.data[begin + 12 : begin + 16] + self.data[self.offset :])

    class Writes(Writer):
        def checksum(self, checked: bytes, before: bytes) -> int:
            return crc32c(before + checked)


class CrcNotChecked(OfRecords, Mutant, breaks="records.crc-checked"):
    """Reads a batch whatever its checksum."""

    class Reads(Reader):
        def checksum(self, path: str, begin: int) -> None:
            self.fixed("uint32", path)


class _DropsBits(Writer):
    """Leaves bits of the attributes out."""

    dropped = 0

    def checked(self, value: dict[str, Any], path: str) -> bytes:
        return super().checked(value | {"attributes": value["attributes"] & ~self.dropped}, path)


class HorizonForgotten(OfRecords, Mutant, breaks="records.attributes-bits"):
    """Writes no bit for the delete horizon."""

    class Writes(_DropsBits):
        dropped = 0x40


class LogAppendForgotten(OfRecords, Mutant, breaks="records.attributes-bits"):
    """Writes no bit for the broker's time."""

    class Writes(_DropsBits):
        dropped = 0x08


class TransactionForgotten(OfRecords, Mutant, breaks="records.attributes-bits"):
    """Writes no bit for a transaction."""

    class Writes(_DropsBits):
        dropped = 0x10


class ControlForgotten(OfRecords, Mutant, breaks="records.control-batch"):
    """Writes a control batch as one of records for the user."""

    class Writes(_DropsBits):
        dropped = 0x20


class CountOfOneByte(OfRecords, Mutant, breaks="records.count-is-int32"):
    """Writes no more than the lowest byte of the count of records."""

    class Writes(Writer):
        def record_count(self, count: int) -> None:
            super().record_count(count % 256)


class CountNotLookedAt(OfRecords, Mutant, breaks="records.count-matches"):
    """Reads records for as long as there are bytes, whatever their count says."""

    class Reads(Reader):
        def records(self, count: int, path: str, start: int) -> list[Any]:
            found: list[Any] = []
            while self.remaining:
                found.append(self.record(f"{path}[{len(found)}]"))
            return found


class ZeroCountReadOn(OfRecords, Mutant, breaks="records.count-of-zero-ends"):
    """Reads a record where the batch counts none."""

    class Reads(Reader):
        def records(self, count: int, path: str, start: int) -> list[Any]:
            return super().records(count or int(self.remaining > 0), path, start)


class RestPassedOver(OfRecords, Mutant, breaks="records.nothing-behind-records"):
    """Passes over what stands behind the last record of a batch."""

    class Reads(Reader):
        def behind_records(self, count: int, path: str) -> None:
            self.offset = len(self.data)


class CutRecordIsTheEnd(OfRecords, Mutant, breaks="records.cut-record-refused"):
    """Takes a record that is cut for the end of the batch."""

    class Reads(Reader):
        def records(self, count: int, path: str, start: int) -> list[Any]:
            try:
                return super().records(count, path, start)
            except DecodeError:
                self.offset = len(self.data)
                return []


class EmptyBatchRefused(OfRecords, Mutant, breaks="records.empty-batch-legal"):
    """Refuses a batch without records."""

    class Reads(Reader):
        def record_count(self, path: str) -> int:
            return super().record_count(path) or -1


class LastOffsetCounted(OfRecords, Mutant, breaks="records.offset-gaps-kept"):
    """Takes a batch's last offset delta for the count of its records less one."""

    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        value, end = super().read(form, data, offset)
        if not form.layout.batch:
            return value, end
        return value | {"lastOffsetDelta": len(value["records"]) - 1}, end


class RoomForAllCounted(OfRecords, Mutant, breaks="records.count-not-trusted"):
    """Makes room for as many records as are counted before it reads one."""

    class Reads(Reader):
        def record_count(self, path: str) -> int:
            count = super().record_count(path)
            if not 0 <= count < 2**20:
                raise MemoryError(f"room for {count} records")
            return count
