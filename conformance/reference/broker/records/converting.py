"""Records for old versions of Fetch, which hand out messages of magic 0 or 1 in place of batches.

Apache Kafka before 4.0 converts a log as it is read: messages of magic 0 for versions 0 and 1 of
Fetch, of magic 1 for versions 2 and 3. Control batches, which these messages have no form for, are
left out. Bytes that can't be read as a batch stay as they are: they are broken for any reader.
"""

from __future__ import annotations

import struct

from crc32c import crc32c

from conformance.reference.codec import PlainCodec
from conformance.schema.record_batch import MAGIC, RECORD_SET
from conformance.wire.errors import DecodeError, EncodeError
from conformance.wire.records.reader import COMPRESSION_BITS

TIMES_SINCE, BATCHES_SINCE = 2, 4
"""The first versions of Fetch whose records have times, and are batches of magic 2."""
_HEAD = struct.Struct(">qi")
"""The offset and the size of a batch or message."""
MAGIC_AT, ATTRIBUTES_AT, CRC_AT, CHECKED_AT = 16, 22, 17, 21
CRC_OF_MESSAGE_AT = 12
LAST_DELTA_AT = 23
CONTROL = 0x20


def newest_magic(version: int) -> int:
    """Return the newest format that this version of Fetch may hand out."""
    return MAGIC if version >= BATCHES_SINCE else int(version >= TIMES_SINCE)


def converted(data: bytes, magic: int, codec: PlainCodec, offset: int = 0) -> bytes:
    """Return records in a format that is no newer than `magic`, from the first with an offset on.

    Messages below that offset are left out, but for those that are compressed with one above.
    """
    return b"".join(_as_old(each, magic, codec, offset) for each in parts(data))


def parts(data: bytes) -> list[bytes]:
    """Return the batches and messages of a log one by one, the last of which may be cut off."""
    found: list[bytes] = []
    at = 0
    while at < len(data):
        end = _end(data, at)
        found.append(data[at:end])
        at = end
    return found


def _end(data: bytes, at: int) -> int:
    """Return the end of the batch at a position: that of the data if its size is impossible."""
    if len(data) - at < _HEAD.size:
        return len(data)
    _, size = _HEAD.unpack_from(data, at)
    return min(at + _HEAD.size + size, len(data)) if size > 0 else len(data)


def _as_old(part: bytes, magic: int, codec: PlainCodec, offset: int) -> bytes:
    if len(part) <= CHECKED_AT or part[MAGIC_AT] <= magic:
        return part
    if is_cut(part):
        return part[:MAGIC_AT] + bytes([magic]) + part[MAGIC_AT + 1 :]
    if part[MAGIC_AT] == MAGIC and part[ATTRIBUTES_AT] & CONTROL:
        return b""
    true = _with_true_checksum(part)
    try:
        value, _ = codec.read(codec.form(RECORD_SET, magic), true)
        left = [each for each in value["records"] if each["offset"] >= offset]
        if not left:
            return b""
        kept = value["records"] if value["attributes"] & COMPRESSION_BITS else left
        written = codec.write(codec.form(RECORD_SET, magic), {**value, "records": kept})
    except (DecodeError, EncodeError):
        return part
    return written if true == part else _with_false_checksum(written)


def is_cut(part: bytes) -> bool:
    """True if the end of a batch or message is missing."""
    _, size = _HEAD.unpack_from(part)
    return len(part) < _HEAD.size + int(size)


def end_of(data: bytes) -> int | None:
    """Return the offset after the last whole batch of magic 2 in these bytes, None without one."""
    whole = [
        each
        for each in parts(data)
        if len(each) > LAST_DELTA_AT + 4 and each[MAGIC_AT] == MAGIC and not is_cut(each)
    ]
    if not whole:
        return None
    begin, _ = _HEAD.unpack_from(whole[-1])
    (delta,) = struct.unpack_from(">i", whole[-1], LAST_DELTA_AT)
    return int(begin + delta + 1)


def _with_true_checksum(part: bytes) -> bytes:
    """Return a batch with the checksum of its bytes; a message as it is."""
    if part[MAGIC_AT] != MAGIC:
        return part
    return part[:CRC_AT] + struct.pack(">I", crc32c(part[CHECKED_AT:])) + part[CHECKED_AT:]


def _with_false_checksum(message: bytes) -> bytes:
    """Return a message with another checksum than its own."""
    at = CRC_OF_MESSAGE_AT
    return message[:at] + bytes([message[at] ^ 0xFF]) + message[at + 1 :]
