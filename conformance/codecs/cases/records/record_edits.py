"""Single edits inside of a record: its lengths, counts, numbers and header keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from conformance.codecs.cases.records.faulty import (
    BEYOND,
    HUGE,
    LOWEST,
    RecordEdit,
    Value,
    add,
    faulty,
    harmless,
    padded,
    written,
    zigzag,
)
from conformance.wire.records.zigzag import zigzag_bytes
from conformance.wire.writer import Writer


def record_edits(value: Value) -> Iterator[RecordEdit]:
    """Yield every edit of the one record of a batch."""
    yield from _records(value)
    yield from _inner_lengths(value)
    yield from _header_counts(value)
    yield from _varints(value)
    yield from _lenient(value)


def _records(value: Value) -> Iterator[RecordEdit]:
    def length(change: Callable[[int], int]) -> bytes:
        return written(value, faulty("record_length", lambda w, n, path: w.varint(change(n), path)))

    changes: dict[str, Callable[[int], int]] = {
        "one-more": lambda n: n + 1,
        "one-less": lambda n: n - 1,
        "zero": lambda _: 0,
        "minus-one": lambda _: -1,
        "beyond": lambda _: BEYOND,
        "highest": lambda _: HUGE,
        "lowest": lambda _: LOWEST,
    }
    for name, change in changes.items():
        raw, why = length(change), f"the record's length is {name.replace('-', ' ')}"
        yield RecordEdit("records.record-length-exact", name, raw, why)
        if name in ("minus-one", "highest", "lowest"):
            yield harmless(f"record-{name}", raw, why)


def _inner_lengths(value: Value) -> Iterator[RecordEdit]:
    """Yield edits of the lengths of key, value, and the header's key and value."""
    places = {"key": "[0].key", "value": "records[0].value", "header-value": "headers[0].value"}
    for place, at in places.items():
        for name, length in (("beyond", BEYOND), ("highest", HUGE)):
            raw = written(value, _length_of(at, length))
            why = f"the length of the {place.replace('-', ' ')} is {length}"
            yield RecordEdit("records.inner-length-refused", f"{place}-{name}", raw, why)
            if length == HUGE:
                yield harmless(f"{place}-{name}", raw, why)
        raw = written(_set(value, place, None), _null_as(at, -2))
        why = f"the length of the {place.replace('-', ' ')} is -2"
        read = _set(value, place, None)
        yield RecordEdit("records.length-below-null-is-null", place, raw, why, "lenient", read)
    for name, length in (("null", -1), ("below-null", -2), ("lowest", LOWEST)):
        raw = written(value, _header_key(zigzag_bytes(zigzag(length))))
        why = f"the length of a header's key is {length}"
        yield RecordEdit("records.header-key-not-null", name, raw, why)
    raw = written(value, _header_key(zigzag_bytes(2 * BEYOND) + b"header"))
    why = f"the length of a header's key is {BEYOND}"
    yield RecordEdit("records.inner-length-refused", "header-key-beyond", raw, why)


def _header_counts(value: Value) -> Iterator[RecordEdit]:
    for name, count in {
        "minus-one": -1,
        "zero": 0,
        "two": 2,
        "beyond": BEYOND,
        "highest": HUGE,
        "lowest": LOWEST,
    }.items():
        raw = written(value, _header_count(count))
        why = f"{count} headers are counted, there is one"
        yield RecordEdit("records.header-count-refused", name, raw, why)
        if count not in (0, 2):
            yield harmless(f"headers-{name}", raw, why)


def _varints(value: Value) -> Iterator[RecordEdit]:
    def offset(raw: bytes) -> bytes:
        return written(value, faulty("offset_delta", lambda w, _n, _p: add(w, raw)))

    def timestamp(raw: bytes) -> bytes:
        return written(value, faulty("timestamp_delta", lambda w, _n, _p: add(w, raw)))

    long, longer = "records.varint-too-long-refused", "records.varlong-too-long-refused"
    yield RecordEdit(long, "six-bytes", offset(padded(0, 6)), "a VARINT of six bytes")
    yield RecordEdit(longer, "eleven-bytes", timestamp(padded(0, 11)), "a VARLONG of eleven bytes")
    overlong = "records.varint-overlong-accepted"
    for name, raw in (
        ("two-bytes", offset(padded(0, 2))),
        ("five-bytes", offset(padded(0, 5))),
        ("varlong-ten-bytes", timestamp(padded(0, 10))),
    ):
        yield RecordEdit(overlong, name, raw, "a number longer than it need be", "lenient", value)
    raw = offset(b"\x80\x80\x80\x80\x70")
    why = "bits beyond 32 in a VARINT"
    yield RecordEdit("records.varint-high-bits-dropped", "above-32", raw, why, "lenient", value)


def _lenient(value: Value) -> Iterator[RecordEdit]:
    raw = written(value, _header_key(zigzag_bytes(4) + b"a\xff"))
    read = _set(value, "header-key", "a\ufffd")
    why = "a header's key is not UTF-8"
    yield RecordEdit("records.header-key-not-utf8", "ff", raw, why, "lenient", read)
    marked = {**value, "records": [{**value["records"][0], "attributes": 1}]}
    why = "a bit of the record's attributes is set"
    raw = written(marked)
    yield RecordEdit("records.record-attributes-unused", "one", raw, why, "lenient", marked)


def _length_of(at: str, length: int) -> type[Writer]:
    return faulty("bytes_length", lambda w, _, path: w.varint(length, path), at)


def _header_count(count: int) -> type[Writer]:
    return faulty("header_count", lambda w, _, path: w.varint(count, path))


def _null_as(at: str, length: int) -> type[Writer]:
    def null_bytes(self: Writer, path: str) -> None:
        self.varint(length if path.endswith(at) else -1, path)

    return type("Faulty", (Writer,), {"null_bytes": null_bytes})


def _header_key(raw: bytes) -> type[Writer]:
    return faulty("header_key", lambda w, _key, _path: add(w, raw))


def _set(value: Value, place: str, given: str | None) -> Value:
    """The value with something else in its one record."""
    record = value["records"][0]
    if place.startswith("header-"):
        header = {**record["headers"][0], place.removeprefix("header-"): given}
        record = {**record, "headers": [header]}
    else:
        record = {**record, place: given}
    return {**value, "records": [record]}
