"""The batches to be minted: each asks one question, and is plain in all else.

What varies is small, so a plan is the plain batch with a few fields changed. Borders are those
where a zig-zag varint grows by a byte; extremes are those of the type.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.codecs.cases.plan import Plan
from conformance.wire.text import bytes_to_text

Value = dict[str, Any]

NO_TIMESTAMP = -1
TIME = 1_700_000_000_000
SECOND = 1000
"""A delta that those who lose milliseconds don't lose: they have vectors of their own."""
BORDERS = (-65, -64, 63, 64, -8193, -8192, 8191, 8192)
"""Numbers around which a VARINT or VARLONG grows from one byte to two, and from two to three."""
LENGTHS = (63, 64, 8191, 8192)
SPARSE = (32_768, 65_536)
"""Numbers whose zig-zag form has no bit below the seventeenth, for those who look at 16."""
INT32 = (-(2**31), 2**31 - 1)
INT64 = (-(2**63), 2**63 - 1)
BEYOND_INT32 = (-(2**31) - 1, 2**31, 2**40)
LOG_APPEND_TIME = 0x08
TRANSACTIONAL = 0x10
CONTROL = 0x20
DELETE_HORIZON = 0x40
COMPRESSED = {1: "gzip", 2: "snappy", 3: "lz4", 4: "zstd"}
"""The shapes of compressed batches, by what their attributes say."""
PLAIN = "plain"
UTF8 = "clé-ключ-鍵-🔑"


def plans() -> Iterator[Plan]:
    """Yield every batch to be minted."""
    yield Plan(PLAIN, batch(record()), comment="one record with a key, a value and a header")
    yield Plan("every-field", _filled(), comment="every field of the batch set, two records")
    yield Plan("empty-batch", _empty(), comment="no record left after compaction")
    yield from _nulls()
    yield from _headers()
    yield from _deltas()
    yield from _extremes()
    yield from _lengths()
    yield from _kinds()
    yield from _compressed()
    thousand = [record(key=None, value=b"%d" % n, headers=(), offset=n) for n in range(1000)]
    yield Plan("thousand", batch(*thousand), comment="1,000 small records")


def record(
    *,
    timestamp: int = 0,
    offset: int = 0,
    key: bytes | None = b"key",
    value: bytes | None = b"value",
    headers: tuple[tuple[str, bytes | None], ...] = (("header", b"text"),),
) -> Value:
    """A record; `timestamp` and `offset` are its deltas."""
    return {
        "attributes": 0,
        "timestampDelta": timestamp,
        "offsetDelta": offset,
        "key": _text(key),
        "value": _text(value),
        "headers": [{"key": name, "value": _text(given)} for name, given in headers],
    }


def batch(*records: Value, **fields: int) -> Value:
    """A batch of these records, with the fields that follow from them unless they are given."""
    deltas = [item["timestampDelta"] for item in records]
    return {
        "baseOffset": 0,
        "partitionLeaderEpoch": -1,
        "attributes": 0,
        "lastOffsetDelta": records[-1]["offsetDelta"] if records else 0,
        "baseTimestamp": TIME,
        "maxTimestamp": min(TIME + max(0, 0, *deltas), INT64[1]),
        "producerId": -1,
        "producerEpoch": -1,
        "baseSequence": -1,
        **fields,
        "records": list(records),
    }


def _text(data: bytes | None) -> str | None:
    return None if data is None else bytes_to_text(data)


def _filled() -> Value:
    return batch(
        record(headers=(("one", b"1"), ("two", b"2"))),
        record(timestamp=SECOND, offset=1, key=b"other", value=b"more"),
        baseOffset=0x0102030405060708,
        partitionLeaderEpoch=0x11121314,
        producerId=0x2122232425262728,
        producerEpoch=0x3132,
        baseSequence=0x41424344,
    )


def _empty() -> Value:
    """Return the batch that the log cleaner leaves if it must remember the batch's producer."""
    return batch(
        baseOffset=100,
        partitionLeaderEpoch=3,
        lastOffsetDelta=9,
        baseTimestamp=NO_TIMESTAMP,
        producerId=4000,
        producerEpoch=1,
        baseSequence=20,
    )


def _nulls() -> Iterator[Plan]:
    yield Plan("null-key", batch(record(key=None)), comment="a key that is null")
    yield Plan("null-value", batch(record(value=None)), comment="a value that is null: a tombstone")
    yield Plan("empty-key", batch(record(key=b"")), comment="a key of no bytes")
    yield Plan("empty-value", batch(record(value=b"")), comment="a value of no bytes")
    nothing = record(key=None, value=None, headers=())
    yield Plan("least-record", batch(nothing), comment="the shortest record there is")


def _headers() -> Iterator[Plan]:
    several = (("b", b"1"), ("a", b"2"), ("b", b"3"), ("b", None), ("c", b""))
    yield Plan("no-headers", batch(record(headers=())), comment="a record without headers")
    yield Plan(
        "headers", batch(record(headers=several)), comment="headers out of order, one key thrice"
    )
    null, empty = (("header", None),), (("header", b""),)
    yield Plan("header-null-value", batch(record(headers=null)), comment="a header without value")
    yield Plan("header-empty-value", batch(record(headers=empty)), comment="a value of no bytes")
    yield Plan(
        "header-empty-key", batch(record(headers=(("", b"x"),))), comment="a header's key empty"
    )
    yield Plan(
        "header-utf8", batch(record(headers=((UTF8, b"x"),))), comment="a header's key in UTF-8"
    )
    many = tuple((f"h{n}", b"%d" % n) for n in range(64))
    yield Plan("headers", batch(record(headers=many)), "64", comment="64 headers")


def _deltas() -> Iterator[Plan]:
    for delta in (-1, 1, *BORDERS, *SPARSE, *INT32, *BEYOND_INT32, *INT64):
        yield Plan(
            "timestamp-delta",
            batch(record(timestamp=delta)),
            _name(delta),
            f"a timestamp {delta} ms from the batch's",
        )
    for delta in (-1, 1, *BORDERS, *SPARSE, *INT32):
        value = batch(record(offset=delta))
        yield Plan("offset-delta", value, _name(delta), f"an offset {delta} from the batch's")
    gaps = [record(offset=offset) for offset in (2, 5, 1_000_000)]
    yield Plan("offset-gaps", batch(*gaps), comment="offsets with gaps, as compaction leaves them")
    yield Plan(
        "last-offset-beyond",
        batch(record(offset=2), lastOffsetDelta=9),
        comment="the last records of the batch compacted away",
    )


def _extremes() -> Iterator[Plan]:
    for shape, at in (("all-lowest", 0), ("all-highest", 1)):
        base = (NO_TIMESTAMP, INT64[1])[at]
        value = batch(
            record(),
            baseOffset=INT64[at],
            partitionLeaderEpoch=INT32[at],
            lastOffsetDelta=INT32[at],
            baseTimestamp=base,  # none lower is written by Apache Kafka
            maxTimestamp=INT64[at],
            producerId=INT64[at],
            producerEpoch=(-(2**15), 2**15 - 1)[at],
            baseSequence=INT32[at],
        )
        yield Plan(
            shape, value, comment=f"every field of the batch at its {shape.removeprefix('all-')}"
        )
    zero = batch(record(), partitionLeaderEpoch=0, baseTimestamp=0, maxTimestamp=0)
    zero |= {"producerId": 0, "producerEpoch": 0, "baseSequence": 0}
    yield Plan("all-zero", zero, comment="every field of the batch at zero")


def _lengths() -> Iterator[Plan]:
    for length in LENGTHS:
        data = (b"0123456789abcdef" * 512)[:length]
        name = str(length)
        yield Plan("key-length", batch(record(key=data)), name, f"a key of {length} bytes")
        yield Plan("value-length", batch(record(value=data)), name, f"a value of {length} bytes")
        header = (("header", data),)
        yield Plan(
            "header-length", batch(record(headers=header)), name, f"a header of {length} bytes"
        )
    for length in (56, 57, 8183, 8184):  # 7 bytes more make the record's own length 63 or 64
        value = batch(record(key=None, value=b"x" * (length - (length > 63)), headers=()))
        yield Plan("record-length", value, str(length), f"a record around {length + 7} bytes")


def _kinds() -> Iterator[Plan]:
    appended = batch(record(), attributes=LOG_APPEND_TIME)  # Kafka shows no other delta then
    yield Plan("log-append-time", appended, comment="the broker's time in place of the producer's")
    producer = {"producerId": 4000, "producerEpoch": 3, "baseSequence": 77}
    yield Plan("idempotent", batch(record(), **producer), comment="a producer's id and sequence")
    yield Plan(
        "transactional",
        batch(record(), attributes=TRANSACTIONAL, **producer),
        comment="a batch in a transaction",
    )
    for kind, name in enumerate(("abort", "commit")):
        marker = record(key=b"\0\0" + kind.to_bytes(2, "big"), value=b"\0\0\0\0\0\x05", headers=())
        yield Plan(
            "control",
            batch(
                marker,
                attributes=TRANSACTIONAL | CONTROL,
                producerId=4000,
                producerEpoch=3,
            ),
            name,
            f"a control batch: the {name} marker of a transaction",
        )
    yield Plan(
        "delete-horizon",
        batch(record(value=None), attributes=DELETE_HORIZON),
        comment="a base timestamp that is the time from which on tombstones may go",
    )
    every = LOG_APPEND_TIME | TRANSACTIONAL | CONTROL | DELETE_HORIZON
    yield Plan(
        "attributes-all",
        batch(record(key=bytes(4)), attributes=every, **producer),
        comment="every bit of the attributes that has a meaning, but compression",
    )


def _compressed() -> Iterator[Plan]:
    two = (record(), record(timestamp=SECOND, offset=1, key=None, value=b"more"))
    for number, name in COMPRESSED.items():
        yield Plan(name, batch(*two, attributes=number), comment=f"records compressed by {name}")
    keys = (record(), record(timestamp=SECOND, offset=1, key=b"other", value=b"more"))
    for number, name in COMPRESSED.items():
        comment = f"records that all have a key, compressed by {name}"
        yield Plan(name, batch(*keys, attributes=number), "keys", comment)
    for number in (2, 3):  # whose blocks are of 32 and 64 KiB
        long, name = record(value=bytes(range(256)) * 288), COMPRESSED[number]
        comment = f"records of more than one block, compressed by {name}"
        yield Plan(name, batch(long, attributes=number | TRANSACTIONAL), "blocks", comment)


def _name(number: int) -> str:
    return f"minus-{-number}" if number < 0 else str(number)
