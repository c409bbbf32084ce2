"""The fields of records to be minted, of each format: each asks one question."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.codecs.cases.plan import Plan
from conformance.codecs.cases.records.plan import INT64, NO_TIMESTAMP, PLAIN, SECOND, TIME
from conformance.schema.record_batch import LOG_APPEND_TIME, MAGIC
from conformance.wire.text import bytes_to_text

Value = dict[str, Any]
COMPRESSED = (("gzip", "snappy"), ("gzip", "snappy", "lz4"), ("gzip", "zstd"))
"""The compression types for each format; format 0 is without lz4, which was another one there."""
NUMBERS = {"gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}
LENGTHS = (127, 128, 40_000)


def set_plans(magic: int) -> Iterator[Plan]:
    """Yield every field of records of one format."""
    one = record(magic)
    yield Plan(PLAIN, records(one), comment="one record with a key and a value")
    yield Plan("two", records(one, record(magic, 1)), comment="two records")
    gaps = records(record(magic, 3), record(magic, 7))
    yield Plan("offset-gaps", gaps, comment="records with a gap between their offsets")
    yield from _compressed(magic)
    if magic == MAGIC:
        return  # all else is asked of a batch alone
    highest = records(record(magic, INT64[1]))
    yield Plan("offset-highest", highest, comment="the highest offset that there is")
    for name in ("key", "value"):
        yield Plan(f"null-{name}", records(one | {name: None}), comment=f"a {name} that is null")
        yield Plan(f"empty-{name}", records(one | {name: ""}), comment=f"a {name} of no bytes")
    for length in LENGTHS:
        long = records(one | {"value": bytes_to_text(b"x" * length)})
        yield Plan("value-length", long, str(length), f"a value of {length} bytes")
    if magic:
        yield from _times(one)


def _times(one: Value) -> Iterator[Plan]:
    for time, name in ((NO_TIMESTAMP, "none"), (0, "zero"), (INT64[1], "highest")):
        yield Plan("time", records(one | {"timestamp": time}), name, f"a timestamp of {time}")
    given = records(one, attributes=LOG_APPEND_TIME)
    yield Plan("log-append-time", given, comment="the broker's time in place of the producer's")


def _compressed(magic: int) -> Iterator[Plan]:
    three = [record(magic, offset) for offset in (10, 11, 12)]
    for name in COMPRESSED[magic]:
        number = NUMBERS[name]
        given = records(*three, attributes=number)
        yield Plan(name, given, comment=f"three records compressed by {name}")
        first = records(record(magic), attributes=number)
        yield Plan(f"{name}-first", first, comment=f"the first record of all, compressed by {name}")
    gaps = records(*three, record(magic, 17), attributes=NUMBERS["gzip"])
    yield Plan("gzip-gaps", gaps, comment="offsets with a gap, compressed by gzip")
    if magic == 1:
        same = [each | {"timestamp": TIME} for each in three]
        given = records(*same, attributes=NUMBERS["gzip"] | LOG_APPEND_TIME)
        yield Plan("log-append-time", given, "gzip", "the broker's time around compressed messages")


def record(magic: int, offset: int = 0) -> Value:
    """A record with a key and a value."""
    text = bytes_to_text(b"value %d" % (offset % 100))
    time = {"timestamp": TIME + SECOND * (offset % 100)} if magic else {}
    headers = [{"key": "header", "value": bytes_to_text(b"text")}]
    found = {"offset": offset, **time, "key": bytes_to_text(b"key"), "value": text}
    return found | ({"headers": headers} if magic == MAGIC else {})


def records(*given: Value, attributes: int = 0) -> Value:
    """The value of a field with these records."""
    return {"attributes": attributes, "records": list(given)}
