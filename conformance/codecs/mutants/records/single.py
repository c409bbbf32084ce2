"""Records, one by one: their numbers, lengths, keys and values."""

from __future__ import annotations

from typing import Any

from conformance.codecs.mutants.mutant import Mutant
from conformance.codecs.mutants.records.batches import OfRecords
from conformance.reference.codec import Value
from conformance.schema.layout import Form
from conformance.wire.reader import Reader
from conformance.wire.records.zigzag import zigzag_bytes
from conformance.wire.text import bytes_to_text
from conformance.wire.writer import Writer


class TimestampOf32Bits(OfRecords, Mutant, breaks="records.timestamp-delta-varlong"):
    """Cuts a record's timestamp delta to 32 bits."""

    class Reads(Reader):
        def timestamp_delta(self, path: str) -> int:
            return (super().timestamp_delta(path) + 2**31) % 2**32 - 2**31


class TimestampAsVarint(OfRecords, Mutant, breaks="records.timestamp-delta-varlong"):
    """Reads and writes a record's timestamp as VARINT, as the guide once said."""

    class Reads(Reader):
        def timestamp_delta(self, path: str) -> int:
            return self.varint(path)

    class Writes(Writer):
        def timestamp_delta(self, delta: Any, path: str) -> None:
            self.varint(delta, path)


class OffsetWithoutZigzag(OfRecords, Mutant, breaks="records.offset-delta-varint"):
    """Reads and writes a record's offset as UNSIGNED_VARINT."""

    class Reads(Reader):
        def offset_delta(self, path: str) -> int:
            return self.groups(path, "varint", 5)

    class Writes(Writer):
        def offset_delta(self, delta: Any, path: str) -> None:
            self.out += zigzag_bytes(delta % 2**32)


class OffsetsCounted(OfRecords, Mutant, breaks="records.offset-gaps-kept"):
    """Counts records in place of reading their offsets."""

    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        value, end = super().read(form, data, offset)
        for index, record in enumerate(value["records"] if form.layout.batch else ()):
            record["offsetDelta"] = index
        return value, end


class _SignAndSize(Reader):
    """Takes the lowest bit for the sign of the others."""

    kind = ""

    def unzigzag(self, raw: int, kind: str) -> int:
        if kind != self.kind:
            return super().unzigzag(raw, kind)
        return -(raw >> 1) if raw & 1 else raw >> 1


class VarintSignAndSize(OfRecords, Mutant, breaks="records.varint-zigzag"):
    """Reads a VARINT's lowest bit as a sign, so that -1 and -0 are different numbers."""

    class Reads(_SignAndSize):
        kind = "varint"

        def record_bytes(self, path: str) -> str | None:
            self.kind = ""
            try:
                return super().record_bytes(path)
            finally:
                self.kind = "varint"


class VarlongSignAndSize(OfRecords, Mutant, breaks="records.varlong-zigzag"):
    """Reads a VARLONG's lowest bit as a sign, so that -1 and -0 are different numbers."""

    class Reads(_SignAndSize):
        kind = "varlong"


class _Plain(Reader):
    """Takes a number as it stands, without zig-zag."""

    kind = ""

    def unzigzag(self, raw: int, kind: str) -> int:
        bits = 32 if kind == "varint" else 64
        return raw - (raw >> bits - 1 << bits) if kind == self.kind else super().unzigzag(raw, kind)


class VarintWithoutZigzag(OfRecords, Mutant, breaks="records.varint-zigzag"):
    """Reads the VARINT of an offset as two's complement in groups of 7 bits."""

    class Reads(_Plain):
        def offset_delta(self, path: str) -> int:
            self.kind = "varint"
            try:
                return super().offset_delta(path)
            finally:
                self.kind = ""


class VarlongWithoutZigzag(OfRecords, Mutant, breaks="records.varlong-zigzag"):
    """Reads a VARLONG as two's complement in groups of 7 bits."""

    class Reads(_Plain):
        kind = "varlong"


class _Endless(Reader):
    """Goes on where a number should have ended."""

    kind = ""

    def endless(self, kind: str, most: int, value: int, path: str, start: int) -> int:
        if kind != self.kind:
            return super().endless(kind, most, value, path, start)
        while self.take(1, path)[0] >= 0x80:
            pass
        return value


class VarintWithoutLimit(OfRecords, Mutant, breaks="records.varint-too-long-refused"):
    """Reads a VARINT of any number of bytes."""

    class Reads(_Endless):
        kind = "varint"


class VarlongWithoutLimit(OfRecords, Mutant, breaks="records.varlong-too-long-refused"):
    """Reads a VARLONG of any number of bytes."""

    class Reads(_Endless):
        kind = "varlong"


class LongVarintIsOther(OfRecords, Mutant, breaks="records.varint-overlong-accepted"):
    """Takes a VARINT longer than it need be for another number."""

    class Reads(Reader):
        def offset_delta(self, path: str) -> int:
            start = self.offset
            value = super().offset_delta(path)
            return value + (self.offset - start > 1 and self.data[self.offset - 1] == 0)

        def overlong(self, path: str, start: int) -> None:
            pass


class HighBitsKept(OfRecords, Mutant, breaks="records.varint-high-bits-dropped"):
    """Keeps the bits of a VARINT beyond 32."""

    class Reads(Reader):
        def beyond_bits(self, value: int, bits: int, path: str, start: int) -> int:
            return value


class NullKeyEmpty(OfRecords, Mutant, breaks="records.null-is-minus-one"):
    """Writes a key or value that is null as an empty one."""

    class Writes(Writer):
        def null_bytes(self, path: str) -> None:
            self.varint(-1 if ".headers" in path else 0, path)


class NullReadAsEmpty(OfRecords, Mutant, breaks="records.null-is-minus-one"):
    """Reads a key or value that is null as an empty one."""

    class Reads(Reader):
        def record_bytes(self, path: str) -> str | None:
            found = super().record_bytes(path)
            return found if ".headers" in path else found or ""


class EmptyIsNull(OfRecords, Mutant, breaks="records.empty-not-null"):
    """Reads what is empty as null."""

    class Reads(Reader):
        def record_bytes(self, path: str) -> str | None:
            return super().record_bytes(path) or None


class KeyBelowNullIsEmpty(OfRecords, Mutant, breaks="records.length-below-null-is-null"):
    """Takes a length below -1 for one of 0."""

    class Reads(Reader):
        def below_null(self, length: int, path: str, start: int) -> int:
            return 0


class LengthInGroupsOfItself(OfRecords, Mutant, breaks="records.lengths-are-bytes"):
    """Writes the length of a value without zig-zag, so that it is read as half of itself."""

    class Writes(Writer):
        def bytes_length(self, length: int, path: str) -> None:
            self.out += zigzag_bytes(length)


class RecordLengthCountsItself(OfRecords, Mutant, breaks="records.record-length-counts-rest"):
    """Takes a record's length as counting its own first byte."""

    class Reads(Reader):
        def record_length(self, path: str) -> int:
            return super().record_length(path) - 1

    class Writes(Writer):
        def record_length(self, length: int, path: str) -> None:
            super().record_length(length + 1, path)


class RecordLengthNotChecked(OfRecords, Mutant, breaks="records.record-length-exact"):
    """Reads a record whatever its length says."""

    class Reads(Reader):
        def other_length(self, length: int, taken: int, path: str, start: int) -> None:
            pass


class LengthsCutToTheEnd(OfRecords, Mutant, breaks="records.inner-length-refused"):
    """Reads what there is where a key or value should be longer."""

    class Reads(Reader):
        def counted(self, length: int, path: str, start: int) -> bytes:
            return super().counted(min(length, self.remaining), path, start)

        def record_headers(self, path: str) -> list[dict[str, Any]]:
            return super().record_headers(path) if self.remaining else []

        def record_bytes(self, path: str) -> str | None:
            return super().record_bytes(path) if self.remaining else bytes_to_text(b"")

        def other_length(self, length: int, taken: int, path: str, start: int) -> None:
            pass


class RecordAttributesNamed(OfRecords, Mutant, breaks="records.record-attributes-unused"):
    """Reads the attributes of a record as flags that nobody gave it."""

    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        value, end = super().read(form, data, offset)
        for record in value["records"] if form.layout.batch else ():
            record["attributes"] *= 2
        return value, end


class RoomForAnyLength(OfRecords, Mutant, breaks="records.lengths-harmless"):
    """Makes room for as many bytes as a length says before it looks for them."""

    class Reads(Reader):
        def no_length(self, length: int, path: str, start: int, what: str = "bytes") -> None:
            raise MemoryError(f"room for {length} {what}")
