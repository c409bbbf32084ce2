"""Batches of records as a log holds them, made by hand where no producer would make them so."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence
from typing import Any

from conformance.reference.broker.cluster import Batch
from conformance.reference.codec import ReferenceCodec
from conformance.schema.record_batch import MAGIC, RECORD_BATCH
from conformance.testee_protocol import Value
from conformance.wire.records.compression import CODECS, compress

CONTROL = 0x20
TRANSACTIONAL = 0x10
APPEND_TIME = 0x08
ABORT, COMMIT = 0, 1
NEVER = -1
WRITTEN_MS = 1_700_000_000_000
NO_PRODUCER = -1
Headers = Sequence[tuple[str, str | None]]


def record(key: str | None, value: str | None, headers: Headers = ()) -> Value:
    """Return one record with text fields."""
    named = [{"key": name, "value": _raw(text)} for name, text in headers]
    return {
        "attributes": 0,
        "timestampDelta": 0,
        "key": _raw(key),
        "value": _raw(value),
        "headers": named,
    }


def batch(
    begin: int,
    *records: tuple[str | None, str | None] | Value,
    compression: str = "none",
    attributes: int = 0,
    length: int = 0,
    producer: int = 1,
) -> Batch:
    """A batch from an offset on. `length` is how many offsets it takes, if more than records.

    It is of a `producer` where it is part of a transaction.
    """
    made = [each if isinstance(each, dict) else record(*each) for each in records]
    numbered = [{**each, "offsetDelta": delta} for delta, each in enumerate(made)]
    taken = max(length, len(numbered), 1)
    codec = ReferenceCodec()
    value = head(begin, taken, attributes | CODECS.index(compression), numbered, producer)
    data = codec.write(codec.form(RECORD_BATCH, MAGIC), value)
    return Batch(begin, begin + taken, data)


def head(
    begin: int, taken: int, attributes: int, records: list[Value], producer: int = 1
) -> dict[str, Any]:
    """A batch as a value."""
    of_producer = attributes & (CONTROL | TRANSACTIONAL)
    return {
        "baseOffset": begin,
        "partitionLeaderEpoch": 0,
        "attributes": attributes,
        "lastOffsetDelta": taken - 1,
        "baseTimestamp": WRITTEN_MS if records else NEVER,
        "maxTimestamp": WRITTEN_MS,
        "producerId": producer if of_producer else NO_PRODUCER,
        "producerEpoch": 0 if of_producer else NO_PRODUCER,
        "baseSequence": NO_PRODUCER,
        "records": records,
    }


def marker(
    begin: int, end: int = COMMIT, value: bytes = bytes(6), times: int = 1, producer: int = 1
) -> Batch:
    """The end of a transaction: a control batch with a record that says how it ended."""
    key = struct.pack(">hh", 0, end)
    control = {**record(None, None), "key": _text(key), "value": _text(value)}
    attributes = CONTROL | TRANSACTIONAL
    return batch(begin, *[control] * times, attributes=attributes, producer=producer)


def message(
    offset: int,
    key: str | None,
    value: str | bytes | None,
    magic: int,
    attributes: int = 0,
    written_ms: int = WRITTEN_MS,
) -> Batch:
    """A message as it was before there were batches, of magic 0 or 1."""
    written = struct.pack(">q", written_ms) if magic else b""
    data = struct.pack(">bb", magic, attributes) + written + _sized(key) + _sized(value)
    checked = struct.pack(">I", zlib.crc32(data)) + data
    return Batch(offset, offset + 1, struct.pack(">qi", offset, len(checked)) + checked)


def message_set(begin: int, number: int, codec: str) -> Batch:
    """Return this many messages of magic 1 in a compressed one, whose offset is the last one's."""
    inside = b"".join(message(at, f"k{at}", "v" * 20, 1).data for at in range(number))
    last = begin + number - 1
    whole = message(last, None, compress(codec, inside), 1, CODECS.index(codec))
    return Batch(begin, last + 1, whole.data)


def _sized(text: str | bytes | None) -> bytes:
    raw = text.encode() if isinstance(text, str) else text or b""
    return struct.pack(">i", -1 if text is None else len(raw)) + raw


def _raw(text: str | None) -> str | None:
    return None if text is None else _text(text.encode())


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()
