"""Fields of records as a consumer is handed them, and messages of formats 0 and 1."""

from __future__ import annotations

import struct
import zlib
from typing import Any, ClassVar

from crc32c import crc32c

from conformance.codecs.mutants.mutant import Mutant
from conformance.wire.errors import DecodeError, Truncated
from conformance.wire.reader import Reader
from conformance.wire.records.set_reader import NO_TIMESTAMP
from conformance.wire.writer import Writer


class OfSets:
    """A defect in fields of records alone."""

    messages: ClassVar[tuple[str, ...]] = ("Records",)


class TimeInFormatZero(OfSets, Mutant, breaks="message-sets.layout"):
    """Writes a timestamp into messages of format 0, and reads one."""

    class Reads(Reader):
        def message_time(self, magic: int, path: str) -> int:
            return super().message_time(1, path)

    class Writes(Writer):
        def message_time(self, magic: int, record: dict[str, Any], path: str) -> None:
            self.fixed("int64", record.get("timestamp", NO_TIMESTAMP), path)


class NoTimeInFormatOne(OfSets, Mutant, breaks="message-sets.layout"):
    """Writes messages of format 1 without a timestamp, and reads them so."""

    class Reads(Reader):
        def message_time(self, magic: int, path: str) -> int:
            return NO_TIMESTAMP

    class Writes(Writer):
        def message_time(self, magic: int, record: dict[str, Any], path: str) -> None:
            pass


class CastagnoliInMessages(OfSets, Mutant, breaks="message-sets.crc-32"):
    """Counts CRC-32C where messages have CRC-32."""

    class Reads(Reader):
        def counted_message_checksum(self) -> int:
            return crc32c(self.data[self.offset :])

    class Writes(Writer):
        def message_checksum(self, checked: bytes) -> int:
            return crc32c(checked)


class ChecksumOfMessageNotInverted(OfSets, Mutant, breaks="message-sets.crc-32"):
    """Counts CRC-32 without inverting it at the end."""

    class Writes(Writer):
        def message_checksum(self, checked: bytes) -> int:
            return zlib.crc32(checked) ^ 0xFFFFFFFF


class MessageCrcNotChecked(OfSets, Mutant, breaks="message-sets.crc-checked"):
    """Reads a message whatever its checksum."""

    class Reads(Reader):
        def message_checksum(self, path: str) -> None:
            self.fixed("uint32", path)


class SizeNotLookedAt(OfSets, Mutant, breaks="message-sets.size-refused"):
    """Ends where a message has no size that can be."""

    class Reads(Reader):
        def is_whole(self) -> bool:
            (size,) = struct.unpack_from(">i", self.data.ljust(12, b"\0"), 8)
            return super().is_whole() and (self.offset > 0 or size > 13)


class LongKeyIsTheRest(OfSets, Mutant, breaks="message-sets.inner-length-refused"):
    """Takes what there is for a key or value that is said to be longer."""

    class Reads(Reader):
        def counted(self, length: int, path: str, start: int) -> bytes:
            return super().counted(min(length, self.remaining), path, start)

        def message_bytes(self, path: str) -> str | None:
            return super().message_bytes(path) if self.remaining else None


class NullInMessageIsEmpty(OfSets, Mutant, breaks="message-sets.null-is-minus-one"):
    """Reads null in a message as no bytes."""

    class Reads(Reader):
        def message_bytes(self, path: str) -> str | None:
            return super().message_bytes(path) or ""


class EmptyInMessageIsNull(OfSets, Mutant, breaks="message-sets.empty-not-null"):
    """Writes an empty key or value of a message as null."""

    class Writes(Writer):
        def message_bytes(self, value: Any, path: str) -> None:
            super().message_bytes(value or None, path)


class CompressedLeftAsItIs(OfSets, Mutant, breaks="message-sets.compressed-in-one"):
    """Hands out the message around compressed ones as a record."""

    class Reads(Reader):
        def inner_messages(
            self, codec: int, magic: int, attributes: int, around: dict[str, Any], path: str
        ) -> list[dict[str, Any]]:
            return [around]


class WholeOffsetsAddedTo(OfSets, Mutant, breaks="message-sets.inner-offsets-whole"):
    """Writes the offsets of compressed messages of format 0 as relative to the first."""

    class Writes(Writer):
        def inner_offset(self, magic: int, record: Any, records: list[Any]) -> int:
            return super().inner_offset(1, record, records)


class RelativeOffsetsLeft(OfSets, Mutant, breaks="message-sets.inner-offsets-relative"):
    """Leaves the offsets of compressed messages as they are."""

    class Reads(Reader):
        def place(self, found: list[Any], around: Any, attributes: int) -> None:
            offsets = [each["offset"] for each in found]
            super().place(found, around, attributes)
            for each, offset in zip(found, offsets, strict=True):
                each["offset"] = offset


class CompressedCounted(OfSets, Mutant, breaks="message-sets.inner-offsets-relative"):
    """Counts compressed messages down from the last one's offset, whatever offsets they have."""

    class Reads(Reader):
        def place(self, found: list[Any], around: Any, attributes: int) -> None:
            super().place(found, around, attributes)
            for back, each in enumerate(reversed(found)):
                each["offset"] = around["offset"] - back


class FirstOffsetAround(OfSets, Mutant, breaks="message-sets.inner-offsets-relative"):
    """Gives the message around compressed ones the offset of the first."""

    class Writes(Writer):
        def outer_offset(self, records: list[Any]) -> int:
            return int(records[0]["offset"])


class LogAppendTimeInMessagesForgotten(OfSets, Mutant, breaks="message-sets.log-append-time"):
    """Writes no bit for the broker's time into messages."""

    class Writes(Writer):
        def message(self, magic: int, attributes: int, record: Any, path: str) -> None:
            super().message(magic, attributes & 7, record, path)


class TimeAroundMessagesForgotten(OfSets, Mutant, breaks="message-sets.log-append-time"):
    """Tells the own times of compressed messages where that of the broker is around them."""

    class Reads(Reader):
        def place(self, found: list[Any], around: Any, attributes: int) -> None:
            super().place(found, around, 0)


class DeltasAreOffsets(OfSets, Mutant, breaks="records.whole-offsets-and-times"):
    """Takes the offset delta of a record for its offset."""

    class Reads(Reader):
        def of_batch(self, batch: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
            return {**super().of_batch(batch, record), "offset": record["offsetDelta"]}


class TimeOfProducerKept(OfSets, Mutant, breaks="records.log-append-time-is-latest"):
    """Tells a record's own time where the batch says that the broker's holds."""

    class Reads(Reader):
        def time_in_batch(self, batch: dict[str, Any], record: dict[str, Any]) -> int:
            return int(batch["baseTimestamp"] + record["timestampDelta"])


class CutOffRefused(OfSets, Mutant, breaks="records.cut-off-passed-over"):
    """Fails at a batch or message that was cut off."""

    class Reads(Reader):
        def cut_off(self) -> None:
            if self.remaining:
                raise Truncated("cut off", "", self.offset)


class FirstAlone(OfSets, Mutant, breaks="records.each-read"):
    """Reads the first batch or message of a field alone."""

    class Reads(Reader):
        def is_whole(self) -> bool:
            return super().is_whole() and self.offset == 0


class FormatOfTheFirst(OfSets, Mutant, breaks="records.each-of-its-format"):
    """Refuses what is not of the format of the first."""

    class Reads(Reader):
        def of_any_format(self, path: str) -> tuple[list[dict[str, Any]], int]:
            if self.data[self.offset + 16] != self.data[16]:
                raise DecodeError("another format", path, self.offset)
            return super().of_any_format(path)
