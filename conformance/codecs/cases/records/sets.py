"""The family of a field of records: read, written, and edited; what is edited is only read.

Each is held against one whose compressed bytes are none. A field that is cut off at its end is no
such thing: it is legal, and all that is whole is to be read.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import replace

from crc32c import crc32c

from conformance.codecs.cases.case import Case, Reads, Refuses, Survives, Writes
from conformance.codecs.cases.records.families import COMPRESSION_BITS, MakeCase
from conformance.codecs.cases.records.faulty import BEYOND, HUGE, RecordEdit
from conformance.codecs.cases.records.plan import PLAIN, SECOND, TIME
from conformance.codecs.cases.records.set_plan import NUMBERS, Value, record, records, set_plans
from conformance.codecs.cases.vectors import Vector
from conformance.schema.record_batch import LAYOUT, LAYOUTS, LOG_APPEND_TIME, MAGIC, RECORD_SET
from conformance.wire.records.set_writer import batch_of
from conformance.wire.writer import Writer

BROKEN = "records.broken-compression-refused"
LATEST = "records.log-append-time-is-latest"
"""The rule that a reader may leave to its client."""
TWO = "two"
GZIP = "gzip"
SIZE_AT, CRC_AT, CHECKED_AT = 8, 12, 16
CUTS = {"one-byte": -1, "in-the-middle": 30, "behind-size": 12, "in-offset": 4}
"""The number of bytes left of an element that is cut off; -1 cuts off one byte."""


def set_cases(vector: Vector, case: MakeCase) -> list[Case]:
    """The cases of one vector."""
    layout = LAYOUTS[vector.version]
    alike = vector.value if vector.value["attributes"] & COMPRESSION_BITS else None
    broken = Refuses("what should be compressed by gzip is not")
    cases = [
        case(
            vector,
            "decode",
            Reads(vector.value, layout),
            vector.covers,
            control_cases=(1,),
            data=vector.data,
        ),
        case(
            vector,
            "decode",
            broken,
            (BROKEN,),
            control_cases=(0,),
            data=_no_gzip(vector.version),
            edit="no-gzip",
        ),
        case(
            vector,
            "encode",
            Writes((vector.data,), (layout,), alike=alike),
            vector.covers,
            value=vector.value,
        ),
    ]
    for edit in _edits(vector.version, _name(vector), vector.value, vector.data):
        expects = _expected(edit, vector)
        name = f"{edit.rule.partition('.')[2]}/{edit.name}"
        made = case(
            vector, "decode", expects, (edit.rule,), control_cases=(0, 1), data=edit.data, edit=name
        )
        cases.append(replace(made, if_unsupported="unsupported") if edit.rule == LATEST else made)
    return cases


def set_edits_decide(rule: str, vector: Vector) -> bool:
    """True if an edit of this field decides a rule of records."""
    edits = _edits(vector.version, _name(vector), vector.value, vector.data)
    return any(edit.rule == rule for edit in edits)


def written(value: Value, magic: int, writer: type[Writer] = Writer) -> bytes:
    """The bytes that a writer makes of records of one format."""
    made = writer()
    made.struct(LAYOUTS[magic], value)
    return bytes(made.out)


def _name(vector: Vector) -> str:
    return vector.id.removeprefix(f"{RECORD_SET}-v{vector.version}-")


def _expected(edit: RecordEdit, vector: Vector) -> Reads | Refuses | Survives:
    if edit.answer == "survived":
        return Survives(edit.why)
    if edit.answer == "refused":
        return Refuses(edit.why)
    or_value = vector.value if edit.answer == "lenient" else None
    return Reads(edit.value, LAYOUTS[vector.version], or_value=or_value)


def _edits(magic: int, name: str, value: Value, data: bytes) -> Iterator[RecordEdit]:
    """The edits of a field of this format, by the name of its plan."""
    if name == PLAIN and magic == MAGIC:
        yield _log_append_time()
    elif name == PLAIN:
        if magic:
            yield _log_append_time_around()
        yield from _checksums(data)
        yield from _sizes(data)
    elif name == TWO:
        yield from _cut_off(magic, value, data)
        if magic < MAGIC:
            yield _newer_behind(magic, value, data)
    elif name == GZIP:
        yield _plain_behind(magic, value, data)


def _checksums(data: bytes) -> Iterator[RecordEdit]:
    right = struct.unpack_from(">I", data, CRC_AT)[0]
    wrong = {"one-bit": right ^ 1, "castagnoli": crc32c(data[CHECKED_AT:]), "zero": 0}
    for name, number in wrong.items():
        raw = data[:CRC_AT] + struct.pack(">I", number) + data[CHECKED_AT:]
        yield RecordEdit("message-sets.crc-checked", name, raw, f"the checksum is {number:08x}")


def _sizes(data: bytes) -> Iterator[RecordEdit]:
    for name, size in {"zero": 0, "below-header": 13}.items():
        raw = data[:SIZE_AT] + struct.pack(">i", size) + data[CRC_AT:]
        yield RecordEdit("message-sets.size-refused", name, raw, f"a message of {size} bytes")
    at = CHECKED_AT + (2 if data[CHECKED_AT] == 0 else 10)
    for name, length in {"beyond": BEYOND, "highest": HUGE}.items():
        checked = data[CHECKED_AT:at] + struct.pack(">i", length) + data[at + 4 :]
        raw = data[:CRC_AT] + struct.pack(">I", zlib.crc32(checked)) + checked
        why = f"the length of the key is {length}"
        yield RecordEdit("message-sets.inner-length-refused", name, raw, why)
        yield RecordEdit("records.lengths-harmless", f"message-{name}", raw, why, "survived")


def _log_append_time() -> RecordEdit:
    """A batch that the broker gave its time, which is not that of the records."""
    two = [record(MAGIC), record(MAGIC, 1)]
    late = TIME + 60 * SECOND
    writer = Writer()
    writer.struct(LAYOUT, batch_of(LOG_APPEND_TIME, two) | {"maxTimestamp": late})
    value = records(*({**each, "timestamp": late} for each in two), attributes=LOG_APPEND_TIME)
    why = "the records were appended a minute after they were made"
    return RecordEdit(LATEST, "minute", bytes(writer.out), why, "read", value)


def _log_append_time_around() -> RecordEdit:
    """Return compressed messages of two timestamps inside one that has the broker's timestamp."""
    two = [record(1), record(1, 1)]
    marked = NUMBERS[GZIP] | LOG_APPEND_TIME
    raw = written(records(*two, attributes=marked), 1)
    late = max(each["timestamp"] for each in two)
    value = records(*({**each, "timestamp": late} for each in two), attributes=marked)
    rule = "message-sets.log-append-time"
    return RecordEdit(
        rule, "around", raw, "the message around them has the broker's time", "read", value
    )


def _cut_off(magic: int, value: Value, data: bytes) -> Iterator[RecordEdit]:
    last = written(records(record(magic, 2)), magic)
    for name, kept in CUTS.items():
        why = f"{len(last[kept:]) if kept > 0 else 1} bytes of the last are missing"
        yield RecordEdit(
            "records.cut-off-passed-over", name, data + last[:kept], why, "read", value
        )


def _newer_behind(magic: int, value: Value, data: bytes) -> RecordEdit:
    """Return an edit with a newer format at the end, to be read now or with the next fetch."""
    newer = written(records(record(magic + 1, 2)), magic + 1)
    both = records(*value["records"], record(magic, 2))
    why = f"format {magic + 1} follows"
    return RecordEdit("records.each-of-its-format", "newer", data + newer, why, "lenient", both)


def _plain_behind(magic: int, value: Value, data: bytes) -> RecordEdit:
    last = record(magic, 14)
    both = {**value, "records": [*value["records"], last]}
    raw = data + written(records(last), magic)
    return RecordEdit("records.each-read", "behind", raw, "one follows another", "read", both)


def _no_gzip(magic: int) -> bytes:
    """Return records that should be compressed by gzip and are not."""

    class Plain(Writer):
        def compressed(self, _codec: str, raw: bytes) -> bytes:
            return raw

    return written(records(record(magic), attributes=NUMBERS[GZIP]), magic, Plain)


SET_RULES = frozenset(
    edit.rule
    for magic in range(MAGIC + 1)
    for plan in set_plans(magic)
    for edit in _edits(magic, plan.name, plan.value, written(plan.value, magic))
) | {BROKEN}
"""The rules that edits of a field of records decide."""
