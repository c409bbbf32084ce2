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


class TimeInFormatZero(OfSets, Mutant):
    """Writes a timestamp into messages of format 0, and reads one."""

    breaks = "message-sets.layout"

    class Reads(Reader):
        def message_time(self, magic: int, path: str) -> int:
            return super().message_time(1, path)

    class Writes(Writer):
        def message_time(self, magic: int, record: dict[str, Any], path: str) -> None:
            self.fixed("int64", record.get("timestamp", NO_TIMESTAMP), path)


class NoTimeInFormatOne(OfSets, Mutant):
    """Writes messages of format 1 without a timestamp, and reads them so."""

    breaks = "message-sets.layout"

    class Reads(Reader):
        def message_time(self, magic: int, path: str) -> int:
            return NO_TIMESTAMP

    class Writes(Writer):
        def message_time(self, magic: int, record: dict[str, Any], path: str) -> None:
            pass


class CastagnoliInMessages(OfSets, Mutant):
    """Counts CRC-32C where messages have CRC-32."""

    breaks = "message-sets.crc-32"

    class Reads(Reader):
        def counted_message_checksum(self) -> int:
            return crc32c(self.data[self.offset :])

    class Writes(Writer):
        def message_checksum(self, checked: bytes) -> int:
            return crc32c(checked)


class ChecksumOfMessageNotInverted(OfSets, Mutant):
    """Counts CRC-32 without inverting it at the end."""

    breaks = "message-sets.crc-32"

    class Writes(Writer):
        def message_checksum(self, checked: bytes) -> int:
            return zlib.crc32(checked) ^ 0xFFFFFFFF


class MessageCrcNotChecked(OfSets, Mutant):
    """Reads a message whatever its checksum."""

    breaks = "message-sets.crc-checked"

    class Reads(Reader):
        def message_checksum(self, path: str) -> None:
            self.fixed("uint32", path)


class SizeNotLookedAt(OfSets, Mutant):
    """Ends where a message has no size that can be."""

    breaks = "message-sets.size-refused"

    class Reads(Reader):
        def is_whole(self) -> bool:
            (size,) = struct.unpack_from(">i", self.data.ljust(12, b"\0"), 8)
            return super().is_whole() and (self.offset > 0 or size > 13)


class LongKeyIsTheRest(OfSets, Mutant):
    """Takes what there is for a key or value that is said to be longer."""

    breaks = "message-sets.inner-length-refused"

    class Reads(Reader):
        def counted(self, length: int, path: str, start: int) -> bytes:
            return super().counted(min(length, self.remaining), path, start)

        def message_bytes(self, path: str) -> str | None:
            return super().message_bytes(path) if self.remaining else None


class NullInMessageIsEmpty(OfSets, Mutant):
    """Reads null in a message as no bytes."""

    breaks = "message-sets.null-is-minus-one"

    class Reads(Reader):
        def message_bytes(self, path: str) -> str | None:
            return super().message_bytes(path) or ""


class EmptyInMessageIsNull(OfSets, Mutant):
    """Writes no bytes in a message as null."""

    breaks = "message-sets.empty-not-null"

    class Writes(Writer):
        def message_bytes(self, value: Any, path: str) -> None:
            super().message_bytes(value or None, path)


class CompressedLeftAsItIs(OfSets, Mutant):
    """Hands out the message around compressed ones as a record."""

    breaks = "message-sets.compressed-in-one"

    class Reads(Reader):
        def inner_messages(
            self, codec: int, magic: int, attributes: int, around: dict[str, Any], path: str
        ) -> list[dict[str, Any]]:
            return [around]


class WholeOffsetsAddedTo(OfSets, Mutant):
    """Writes the offsets of compressed messages of format 0 as relative to the first."""

    breaks = "message-sets.inner-offsets-whole"

    class Writes(Writer):
        def inner_offset(self, magic: int, record: Any, records: list[Any]) -> int:
            return super().inner_offset(1, record, records)


class RelativeOffsetsLeft(OfSets, Mutant):
    """Leaves the offsets of compressed messages as they are."""

    breaks = "message-sets.inner-offsets-relative"

    class Reads(Reader):
        def place(self, found: list[Any], around: Any, attributes: int) -> None:
            offsets = [each["offset"] for each in found]
            super().place(found, around, attributes)
            for each, offset in zip(found, offsets, strict=True):
                each["offset"] = offset


class CompressedCounted(OfSets, Mutant):
    """Counts compressed messages down from the last one's offset, whatever offsets they have."""

    breaks = "message-sets.inner-offsets-relative"

    class Reads(Reader):
        def place(self, found: list[Any], around: Any, attributes: int) -> None:
            super().place(found, around, attributes)
            for back, each in enumerate(reversed(found)):
                each["offset"] = around["offset"] - back


class FirstOffsetAround(OfSets, Mutant):
    """Gives the message around compressed ones the offset of the first."""

    breaks = "message-sets.inner-offsets-relative"

    class Writes(Writer):
        def outer_offset(self, records: list[Any]) -> int:
            return int(records[0]["offset"])


class LogAppendTimeInMessagesForgotten(OfSets, Mutant):
    """Writes no bit for the broker's time into messages."""

    breaks = "message-sets.log-append-time"

    class Writes(Writer):
        def message(self, magic: int, attributes: int, record: Any, path: str) -> None:
            super().message(magic, attributes & 7, record, path)


class TimeAroundMessagesForgotten(OfSets, Mutant):
    """Tells the own times of compressed messages where that of the broker is around them."""

    breaks = "message-sets.log-append-time"

    class Reads(Reader):
        def place(self, found: list[Any], around: Any, attributes: int) -> None:
            super().place(found, around, 0)


class DeltasAreOffsets(OfSets, Mutant):
    """Takes the offset delta of a record for its offset."""

    breaks = "records.whole-offsets-and-times"

    class Reads(Reader):
        def of_batch(self, batch: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
            return {**super().of_batch(batch, record), "offset": record["offsetDelta"]}


class TimeOfProducerKept(OfSets, Mutant):
    """Tells a record's own time where the batch says that the broker's holds."""

    breaks = "records.log-append-time-is-latest"

    class Reads(Reader):
        def time_in_batch(self, batch: dict[str, Any], record: dict[str, Any]) -> int:
            return int(batch["baseTimestamp"] + record["timestampDelta"])


class CutOffRefused(OfSets, Mutant):
    """Fails at a batch or message that was cut off."""

    breaks = "records.cut-off-passed-over"

    class Reads(Reader):
        def cut_off(self) -> None:
            if self.remaining:
                raise Truncated("cut off", "", self.offset)


class FirstAlone(OfSets, Mutant):
    """Reads the first batch or message of a field alone."""

    breaks = "records.each-read"

    class Reads(Reader):
        def is_whole(self) -> bool:
            return super().is_whole() and self.offset == 0


class FormatOfTheFirst(OfSets, Mutant):
    """Refuses what is not of the format of the first."""

    breaks = "records.each-of-its-format"

    class Reads(Reader):
        def of_any_format(self, path: str) -> tuple[list[dict[str, Any]], int]:
            if self.data[self.offset + 16] != self.data[16]:
                raise DecodeError("another format", path, self.offset)
            return super().of_any_format(path)
