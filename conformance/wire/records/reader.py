"""The reading half of a record batch: one method for each thing that stands in it.

A batch says how long it is, and nothing of it may reach beyond; so for as long as one is read, its
end is the end of the bytes. Compressed records are read from the bytes that they stand for: what is
wrong among those has no offset of its own, and is reported where the compressed ones begin.

Strict as the rest: what no writer writes is refused, and a method says so that a lenient reader
overrides.
"""

from __future__ import annotations

from typing import Any

from conformance.schema.record_batch import CHECKED, HEAD, MAGIC, RECORDS
from conformance.wire.byte_reader import join
from conformance.wire.errors import (
    ChecksumError,
    CompressionError,
    DecodeError,
    FormatError,
    LengthError,
    NullNotAllowed,
)
from conformance.wire.records.compression import CODECS, CompressionFault, decompress
from conformance.wire.records.zigzag import ZigzagReader
from conformance.wire.text import bytes_to_text

AFTER_LENGTH = 49
"""The bytes of an empty batch behind its length: from partitionLeaderEpoch to the count."""
MAGIC_OFFSET = 16
COMPRESSION_BITS = 0x07
LEAST_RECORD = 7
"""The bytes of a record of nothing: its length, three numbers, two nulls and no headers."""
LEAST_HEADER = 2
_OLD = {0: "a message set of format 0", 1: "a message set of format 1"}


class RecordsReader(ZigzagReader):
    """Reads a batch of records of magic 2."""

    def record_batch(self, path: str = "") -> dict[str, Any]:
        """A whole batch (protocol guide, Record Batch). Raises DecodeError."""
        start = self.offset
        value = {HEAD[0].name: self.fixed(HEAD[0].type.kind, join(path, HEAD[0].name))}
        end = self.batch_end(join(path, "batchLength"), start)
        whole, self.data = self.data, self.data[:end]
        try:
            value[HEAD[1].name] = self.fixed(HEAD[1].type.kind, join(path, HEAD[1].name))
            self.magic(join(path, "magic"))
            self.checksum(join(path, "crc"), start)
            for item in CHECKED:
                value[item.name] = self.fixed(item.type.kind, join(path, item.name))
            value[RECORDS.name] = self.batch_records(value["attributes"], join(path, RECORDS.name))
        finally:
            self.data = whole
        return value

    def batch_end(self, path: str, start: int) -> int:
        """Return the end of the batch by its length, which counts the bytes after itself."""
        at = self.offset
        length = self.batch_length(path)
        self.known_format(start)
        if length < AFTER_LENGTH:
            raise LengthError(f"{length} bytes, a batch has {AFTER_LENGTH} at least", path, at)
        if length > self.remaining:
            raise LengthError(f"{length} bytes, {self.remaining} left", path, at)
        return self.offset + length

    def batch_length(self, path: str) -> int:
        """Read the number of bytes that follow."""
        return int(self.fixed("int32", path))

    def known_format(self, start: int) -> None:
        """Refuse a format that is older, which says so at the same offset as all formats."""
        at = start + MAGIC_OFFSET
        if at < len(self.data) and self.data[at] in _OLD:
            raise FormatError(f"{_OLD[self.data[at]]}, no batch of format {MAGIC}", "magic", at)

    def magic(self, path: str) -> None:
        """The format of the batch."""
        start = self.offset
        magic = self.fixed("int8", path)
        if magic != MAGIC:
            raise FormatError(f"there is no format {magic}", path, start)

    def checksum(self, path: str, begin: int) -> None:
        """The checksum of all that follows it up to the batch's end."""
        start = self.offset
        said = self.fixed("uint32", path)
        found = self.counted_checksum(begin)
        if said != found:
            raise ChecksumError(f"{said:08x}, the bytes have {found:08x}", path, start)

    def counted_checksum(self, begin: int) -> int:  # noqa: ARG002
        """CRC-32C of the bytes from the attributes on; the batch began at `begin`."""
        from crc32c import crc32c  # slow to import, and few need it

        return crc32c(self.data[self.offset :])

    def batch_records(self, attributes: int, path: str) -> list[Any]:
        """A count, then the records, compressed or not; nothing may follow them."""
        start = self.offset
        count = self.record_count(path)
        codec = attributes & COMPRESSION_BITS
        if codec >= len(CODECS):
            raise CompressionError(f"there is no compression {codec}", path, self.offset)
        if codec:
            return self.compressed(CODECS[codec], count, path, start)
        return self.records(count, path, start)

    def record_count(self, path: str) -> int:
        """Read the number of records in the batch."""
        return int(self.fixed("int32", f"{path}(count)"))

    def compressed(self, codec: str, count: int, path: str, start: int) -> list[Any]:
        """Records of which the bytes left are a compressed form."""
        begin = self.offset
        inner = type(self)(self.decompressed(codec, path))
        try:
            found = inner.records(count, path, start)
        except DecodeError as error:
            raise type(error)(f"{error.reason} (decompressed)", error.path, begin) from None
        self.read_inside(inner, begin)
        return found

    def decompressed(self, codec: str, path: str) -> bytes:
        """Read the bytes left, and return those that they stand for. Raises CompressionError."""
        begin, raw = self.offset, self.take(self.remaining, path)
        try:
            plain = self.decompress(codec, raw)
        except CompressionFault as fault:
            raise CompressionError(fault.of(codec), path, begin) from None
        self.note(len(raw), path, codec, f"{len(plain)} bytes of records")
        return plain

    def decompress(self, codec: str, raw: bytes) -> bytes:
        """The bytes that compressed ones stand for. Raises CompressionFault."""
        return decompress(codec, raw)

    def read_inside(self, inner: RecordsReader, begin: int) -> None:
        """Take over what a reader of decompressed bytes remembers."""

    def records(self, count: int, path: str, start: int) -> list[Any]:
        """So many records. The count is held against the bytes left beforehand."""
        if count < 0:
            raise LengthError(f"{count} records", path, start)
        if count * LEAST_RECORD > self.remaining:
            reason = f"{count} records of at least {LEAST_RECORD} bytes, {self.remaining} left"
            raise LengthError(reason, path, start)
        found = [self.record(f"{path}[{index}]") for index in range(count)]
        if self.remaining:
            self.behind_records(count, path)
        return found

    def behind_records(self, count: int, path: str) -> None:
        """Bytes that the batch's length counts and no record has."""
        reason = f"{self.remaining} bytes after {count} records"
        raise LengthError(reason, path, self.offset)

    def record(self, path: str) -> dict[str, Any]:
        """One record, of exactly the length that it says."""
        start = self.offset
        length = self.record_length(f"{path}(length)")
        begin = self.offset
        if not 0 <= length <= self.remaining:
            self.no_length(length, path, start)
        value = {
            "attributes": self.fixed("int8", f"{path}.attributes"),
            "timestampDelta": self.timestamp_delta(f"{path}.timestampDelta"),
            "offsetDelta": self.offset_delta(f"{path}.offsetDelta"),
            "key": self.record_bytes(f"{path}.key"),
            "value": self.record_bytes(f"{path}.value"),
            "headers": self.record_headers(f"{path}.headers"),
        }
        if self.offset - begin != length:
            self.other_length(length, self.offset - begin, path, start)
        return value

    def record_length(self, path: str) -> int:
        """Read the number of bytes of the record that follow."""
        return self.varint(path)

    def other_length(self, length: int, taken: int, path: str, start: int) -> None:
        """A record's length that is not the bytes that it takes."""
        raise LengthError(f"{length} bytes, the record takes {taken}", path, start)

    def timestamp_delta(self, path: str) -> int:
        """Read the record's timestamp relative to the batch's, in ms."""
        return self.varlong(path)

    def offset_delta(self, path: str) -> int:
        """Read the record's offset relative to the batch's."""
        return self.varint(path)

    def record_bytes(self, path: str) -> str | None:
        """A key, or a value of a record or header; null where the length is -1."""
        start = self.offset
        length = self.varint(f"{path}(length)")
        if length < -1:
            length = self.below_null(length, path, start)
        if length == -1:
            return None
        raw = self.counted(length, path, start)
        return self.note(length, path, "bytes", bytes_to_text(raw))  # type: ignore[no-any-return]

    def record_headers(self, path: str) -> list[dict[str, Any]]:
        """A count, then keys with their values, in an order that counts (KIP-82)."""
        start = self.offset
        count = self.header_count(path)
        if count < 0 or count * LEAST_HEADER > self.remaining:
            self.no_length(count, path, start, "headers")
        return [self.record_header(f"{path}[{index}]") for index in range(count)]

    def header_count(self, path: str) -> int:
        """Read the number of headers of a record."""
        return self.varint(f"{path}(count)")

    def record_header(self, path: str) -> dict[str, Any]:
        """One header: a key in UTF-8, never null, and a value."""
        return {
            "key": self.header_key(f"{path}.key"),
            "value": self.record_bytes(f"{path}.value"),
        }

    def header_key(self, path: str) -> str:
        """A header's key."""
        start = self.offset
        length = self.varint(f"{path}(length)")
        if length < 0:
            self.null_header_key(length, path, start)
        begin = self.offset
        raw = self.counted(length, path, start)
        return self.note(length, path, "string", self.text(raw, path, begin))  # type: ignore[no-any-return]

    def null_header_key(self, length: int, path: str, start: int) -> None:
        """A header's key that is null."""
        raise NullNotAllowed(f"length {length}: a header's key is not nullable", path, start)

    def counted(self, length: int, path: str, start: int) -> bytes:
        """So many bytes."""
        if length > self.remaining:
            self.no_length(length, path, start)
        return self.take(length, path)

    def no_length(self, length: int, path: str, start: int, what: str = "bytes") -> None:
        """A length or count that is negative, or more than the bytes that are left."""
        raise LengthError(f"{length} {what}, {self.remaining} left", path, start)

    def below_null(self, length: int, path: str, start: int) -> int:
        """Return the length to use for one below -1; Apache Kafka reads it as null."""
        raise LengthError(f"length {length}", path, start)

    def text(self, raw: bytes, path: str, begin: int) -> str:
        """The text of bytes, which begin at `begin`. Raises TextError."""
        raise NotImplementedError
