"""Batches in a records field: their producers replaced, and what they say as a value."""

from __future__ import annotations

import struct
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from typing import Any

from conformance.reference.codec import ReferenceCodec
from conformance.schema.record_batch import MAGIC, RECORD_BATCH
from conformance.wire.errors import DecodeError

HEAD = 61
"""The bytes of a batch in front of its records."""
APPEND_TIME_BIT, CONTROL_BIT = 1 << 3, 1 << 5
_LENGTH, _MAGIC, _CRC, _CHECKED, _PRODUCER = 8, 16, 17, 21, 43
_IDS = struct.Struct(">qh")
_UINT32 = struct.Struct(">I")


def split(records: bytes) -> Iterator[bytes]:
    """Yield the whole batches of a records field, and then what is left, if anything is."""
    while len(records) >= 12:
        end = 12 + int.from_bytes(records[_LENGTH:12], "big", signed=True)
        if not 12 < end <= len(records):
            break
        yield records[:end]
        records = records[end:]
    if records:
        yield records


def producers_replaced(
    records: str, id_of: Callable[[int], int], epoch_of: Callable[[int, int], int]
) -> str:
    """Return a records field with other producer ids and epochs, in base64 as it came.

    A checksum that was right is right again, and one that was wrong stays wrong.
    """
    found = [_replaced(each, id_of, epoch_of) for each in split(b64decode(records))]
    return b64encode(b"".join(found)).decode()


def _replaced(
    batch: bytes, id_of: Callable[[int], int], epoch_of: Callable[[int, int], int]
) -> bytes:
    from crc32c import crc32c  # slow to import

    if len(batch) < HEAD or batch[_MAGIC] != MAGIC:
        return batch
    producer, epoch = _IDS.unpack_from(batch, _PRODUCER)
    if producer < 0:
        return batch
    (crc,) = _UINT32.unpack_from(batch, _CRC)
    changed = bytearray(batch)
    _IDS.pack_into(changed, _PRODUCER, id_of(producer), epoch_of(producer, epoch))
    if crc == crc32c(batch[_CHECKED:]):
        _UINT32.pack_into(changed, _CRC, crc32c(bytes(changed[_CHECKED:])))
    return bytes(changed)


def as_value(codec: ReferenceCodec, records: str | None) -> list[Any]:
    """Return the batches of a records field as values; what can't be read stands there as hex.

    A batch that a limit cuts at the end is left out, as readers do. A broker sets the time of a
    control record, the epoch of its coordinator, and where its topic says so all times.
    """
    found = list(split(b64decode(records or "")))
    if found and _is_cut(found[-1]):
        found.pop()
    return [_value(codec, each) for each in found]


def up_to_a_marker(found: list[Any], due: list[Any]) -> list[Any]:
    """Return the batches that are due if those found end before a marker among them.

    The time of a marker is the broker's own. Apache Kafka begins a segment at a batch that is much
    later than those before it, and ends an answer where a segment ends.
    """
    rest = due[len(found) :]
    is_marker = bool(rest) and isinstance(rest[0], dict) and rest[0]["attributes"] & CONTROL_BIT
    return due if found and is_marker and due[: len(found)] == found else found


def _is_cut(batch: bytes) -> bool:
    """True for the first bytes of a batch."""
    size = 12 + int.from_bytes(batch[_LENGTH:12], "big", signed=True)
    return len(batch) < 12 or len(batch) < size


def _value(codec: ReferenceCodec, batch: bytes) -> Any:
    try:
        value, left = codec.decode(RECORD_BATCH, MAGIC, batch)
    except DecodeError:
        return batch.hex()
    if left or len(batch) < HEAD:
        return batch.hex()
    if value["attributes"] & CONTROL_BIT:
        value |= {"baseTimestamp": 0, "maxTimestamp": 0}
        records = [{**each, "value": None, "timestampDelta": 0} for each in value["records"]]
        value["records"] = records
    if value["attributes"] & APPEND_TIME_BIT:
        value["maxTimestamp"] = 0
    return value
