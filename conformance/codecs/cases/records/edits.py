"""Single edits of a plain batch: each is wrong, or unusual, in one place and right in all others.

Here are those of what a batch says of itself, patched into its bytes; the checksum is then counted
again, unless it is what is wrong. Those inside of a record are in `record_edits`.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

from crc32c import crc32c

from conformance.codecs.cases.records.faulty import (
    BEYOND,
    HUGE,
    LOWEST,
    RecordEdit,
    Value,
    harmless,
    written,
)
from conformance.codecs.cases.records.record_edits import record_edits
from conformance.schema.record_batch import LAYOUT
from conformance.wire.byte_reader import BytePart
from conformance.wire.reader import annotate
from conformance.wire.records.compression import CODECS, XERIAL, compress, decompress, snappy_block
from conformance.wire.records.zigzag import zigzag_bytes

PARTS_JOINED = "records.compressed-parts-joined"
XERIAL_VERSIONS = "records.snappy-newer-versions-read"
SNAPPY_ALONE = "records.snappy-bare-block-read"
SNAPPY_LENGTHS = "records.decompressed-size-not-trusted"
HIGHEST = 2**32 - 1
JOINABLE = ("gzip", "zstd")
RECORDS_PART = 10
"""The offset at which the records are split: inside the first record."""
LENGTH_AT, EPOCH_AT, MAGIC_AT, CRC_AT, CHECKED_AT, COUNT_AT = 8, 12, 16, 17, 21, 57


def edits(value: Value) -> Iterator[RecordEdit]:
    """Yield every edit of an uncompressed batch of one record with a key, a value and a header."""
    data = written(value)
    yield from _checksums(data)
    yield from _batch_lengths(data)
    yield from _magics(data)
    yield from _counts(value, data)
    yield from record_edits(value)
    for number in (5, 6, 7):
        raw = patched(data, CHECKED_AT, struct.pack(">h", number))
        why = f"there is no compression {number}"
        yield RecordEdit("records.unknown-compression-refused", f"codec-{number}", raw, why)


def compressed_edits(value: Value, data: bytes) -> Iterator[RecordEdit]:
    """Yield every edit of a compressed batch."""
    yield from _in_parts(value, data)
    yield from _snappy_alone(value, data)
    yield from _snappy_lengths(data)
    yield from _xerial_versions(value, data)
    rule = "records.broken-compression-refused"
    half = (CHECKED_AT + 40 + len(data)) // 2
    yield RecordEdit(
        rule, "halved", resized(data[:half]), "half of the compressed bytes are missing"
    )
    number = data[CHECKED_AT + 1] & 0x07
    other = number % 4 + 1
    raw = patched(data, CHECKED_AT + 1, bytes([data[CHECKED_AT + 1] ^ number ^ other]))
    yield RecordEdit(rule, "other-codec", raw, "the bytes are those of another codec")


def _in_parts(value: Value, data: bytes) -> Iterator[RecordEdit]:
    """The records in two members of gzip, or frames of zstd, with the border inside of a record."""
    codec = CODECS[data[CHECKED_AT + 1] & 0x07]
    if codec in JOINABLE:
        records = decompress(codec, data[COUNT_AT + 4 :])
        parts = records[:RECORDS_PART], records[RECORDS_PART:]
        raw = resized(data[: COUNT_AT + 4] + b"".join(compress(codec, part) for part in parts))
        why = f"the records are compressed by {codec} in two parts"
        yield RecordEdit(PARTS_JOINED, "two", raw, why, "read", value)


def _xerial_versions(value: Value, data: bytes) -> Iterator[RecordEdit]:
    """The version, and the oldest one that it is compatible with, with their bytes reversed."""
    at = COUNT_AT + 4 + len(XERIAL)
    if data[COUNT_AT + 4 : at] == XERIAL:
        raw = patched(data, at, struct.pack("<II", 1, 1))
        why = "the versions of xerial's header have their bytes reversed"
        yield RecordEdit(XERIAL_VERSIONS, "reversed", raw, why, "read", value)


def _snappy_alone(value: Value, data: bytes) -> Iterator[RecordEdit]:
    """The records as one block of snappy, without xerial's header."""
    codec = CODECS[data[CHECKED_AT + 1] & 0x07]
    if codec == "snappy":
        at = COUNT_AT + 4
        raw = resized(data[:at] + snappy_block(decompress(codec, data[at:])))
        why = "the records are one block of snappy without xerial's header"
        yield RecordEdit(SNAPPY_ALONE, "bare", raw, why, "read", value)


def _snappy_lengths(data: bytes) -> Iterator[RecordEdit]:
    """Yield edits of lengths in snappy's bytes: of a bare block, of xerial's, and inside that."""
    at = COUNT_AT + 4
    if CODECS[data[CHECKED_AT + 1] & 0x07] != "snappy":
        return
    head = data[at : at + len(XERIAL) + 8]
    claim = zigzag_bytes(HIGHEST) + b"\0a"
    streams = {
        "bare-block": claim,
        "block-in-xerial": head + struct.pack(">i", len(claim)) + claim,
        "xerial": head + struct.pack(">I", HIGHEST) + b"\1\0a",
        "xerial-int32": head + struct.pack(">I", HUGE) + b"\1\0a",
    }
    for name, stream in streams.items():
        raw = resized(data[:at] + stream)
        why = f"a length inside of snappy's bytes is {HUGE if name == 'xerial-int32' else HIGHEST}"
        yield RecordEdit("records.broken-compression-refused", name, raw, why)
        yield RecordEdit(SNAPPY_LENGTHS, name, raw, why, "survived")


def truncations(data: bytes) -> Iterator[tuple[str, bytes]]:
    """The bytes cut where each field begins, named after the field."""
    parts, _ = annotate([LAYOUT], data)
    seen: set[int] = set()
    for part in parts:
        if part.offset not in seen:
            seen.add(part.offset)
            yield _slug(part), data[: part.offset]


def patched(data: bytes, offset: int, new: bytes) -> bytes:
    """The batch with bytes replaced, and the checksum made right again."""
    raw = bytearray(data)
    raw[offset : offset + len(new)] = new
    raw[CRC_AT:CHECKED_AT] = struct.pack(">I", crc32c(raw[CHECKED_AT:]))
    return bytes(raw)


def resized(data: bytes) -> bytes:
    """The batch with its length, and then its checksum, made right again."""
    return patched(data, LENGTH_AT, struct.pack(">i", len(data) - EPOCH_AT))


def _checksums(data: bytes) -> Iterator[RecordEdit]:
    right = struct.unpack_from(">I", data, CRC_AT)[0]
    wrong = {
        "one-bit": (right ^ 1, "one bit of the checksum is wrong"),
        "zero": (0, "the checksum is 0"),
        "ieee": (zlib.crc32(data[CHECKED_AT:]), "the checksum is CRC-32, not CRC-32C"),
        "swapped": (int.from_bytes(right.to_bytes(4, "big"), "little"), "its bytes are reversed"),
        "from-epoch": (
            crc32c(data[EPOCH_AT : MAGIC_AT + 1] + data[CHECKED_AT:]),
            "the checksum begins with the leader's epoch",
        ),
        "whole": (
            crc32c(data[:CRC_AT] + bytes(4) + data[CHECKED_AT:]),
            "the checksum is of the whole batch",
        ),
        "records-only": (crc32c(data[COUNT_AT + 4 :]), "the checksum is of the records alone"),
    }
    for name, (number, why) in wrong.items():
        raw = data[:CRC_AT] + struct.pack(">I", number) + data[CHECKED_AT:]
        yield RecordEdit("records.crc-checked", name, raw, why)
    flipped = data[:-2] + bytes([data[-2] ^ 0x20]) + data[-1:]
    yield RecordEdit(
        "records.crc-checked", "changed-byte", flipped, "a byte of the records has changed"
    )


def _batch_lengths(data: bytes) -> Iterator[RecordEdit]:
    right = len(data) - EPOCH_AT
    lengths = {
        "minus-one": -1,
        "zero": 0,
        "below-header": 48,
        "one-more": right + 1,
        "counts-itself": right + 4,
        "highest": HUGE,
        "lowest": LOWEST,
    }
    for name, length in lengths.items():
        raw = data[:LENGTH_AT] + struct.pack(">i", length) + data[EPOCH_AT:]
        why = f"batchLength is {length}, {right} bytes follow"
        yield RecordEdit("records.length-refused", name, raw, why)
        if abs(length) > BEYOND or length < 0:
            yield harmless(f"batch-{name}", raw, why)


def _magics(data: bytes) -> Iterator[RecordEdit]:
    for magic in (0, 1, 3, 127, 255):
        raw = data[:MAGIC_AT] + bytes([magic]) + data[CRC_AT:]
        name = f"magic-{magic}"
        yield RecordEdit(
            "records.unknown-magic-refused", name, raw, f"the magic byte is {magic:#04x}"
        )


def _counts(value: Value, data: bytes) -> Iterator[RecordEdit]:
    for name, count in {"minus-one": -1, "two": 2, "highest": HUGE, "lowest": LOWEST}.items():
        raw = patched(data, COUNT_AT, struct.pack(">i", count))
        why = f"{count} records are counted, there is one"
        yield RecordEdit("records.count-matches", name, raw, why)
        if count != 2:
            yield RecordEdit("records.count-not-trusted", name, raw, why, "survived")
    two = written({**value, "records": value["records"] * 2})
    raw = patched(two, COUNT_AT, struct.pack(">i", 1))
    yield RecordEdit(
        "records.count-matches", "one-of-two", raw, "one record is counted, there are two"
    )
    raw = patched(data, COUNT_AT, bytes(4))
    read = {**value, "records": []}
    why = "no record is counted, there is one"
    yield RecordEdit("records.count-of-zero-ends", "zero", raw, why, "lenient", read)
    raw = resized(data + b"\0")
    yield RecordEdit(
        "records.nothing-behind-records", "zero-byte", raw, "a byte is behind the records"
    )
    for part in _inner_parts(data):
        raw = resized(data[: part.offset])
        why = f"the batch ends where {part.path} begins"
        yield RecordEdit("records.cut-record-refused", _slug(part), raw, why)


def _inner_parts(data: bytes) -> Iterator[BytePart]:
    """The parts of the record, those without bytes left out."""
    parts, _ = annotate([LAYOUT], data)
    return (part for part in parts if part.offset > COUNT_AT and part.length)


def _slug(part: BytePart) -> str:
    """A part's path as part of a case's id."""
    letters = (letter if letter.isalnum() else "-" for letter in part.path)
    return "-".join(filter(None, "".join(letters).split("-")))
