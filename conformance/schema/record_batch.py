"""The record batch as a message, though no definition describes it.

Kafka writes batches of records by hand: their numbers are zig-zag varints, and a checksum and a
compression stand between the fields. Their value is a struct like any other all the same, so a
layout describes it, and code that compares or prepares values needs to know nothing more. The
layout is that of the value, not of the wire: what a writer derives (the length, the magic, the
checksum, the counts) is not in it.
"""

from __future__ import annotations

from conformance.schema.layout import Form, Layout, WireField, WireType

RECORD_BATCH = "RecordBatch"
MAGIC = 2
"""The version: the byte at offset 16 of every format of records."""


def _field(name: str, kind: str, default: object = 0, nullable: bool = False) -> WireField:
    return WireField(name, WireType(kind, nullable=nullable), default)


def _array(name: str, *fields: WireField) -> WireField:
    element = WireType("struct", struct=Layout(fields))
    return WireField(name, WireType("array", element=element), [])


HEAD = (_field("baseOffset", "int64"), _field("partitionLeaderEpoch", "int32", -1))
"""The fields before the checksum: a broker may set them without counting it again."""
CHECKED = (
    _field("attributes", "int16"),
    _field("lastOffsetDelta", "int32"),
    _field("baseTimestamp", "int64"),
    _field("maxTimestamp", "int64"),
    _field("producerId", "int64", -1),
    _field("producerEpoch", "int16", -1),
    _field("baseSequence", "int32", -1),
)
"""The fields behind it, up to the count of records."""
RECORDS = _array(
    "records",
    _field("attributes", "int8"),
    _field("timestampDelta", "int64"),
    _field("offsetDelta", "int32"),
    _field("key", "bytes", None, nullable=True),
    _field("value", "bytes", None, nullable=True),
    _array("headers", _field("key", "string", ""), _field("value", "bytes", None, nullable=True)),
)
LAYOUT = Layout((*HEAD, *CHECKED, RECORDS), batch=True)


def record_batch(releases: tuple[str, ...]) -> Form:
    """The form of a batch of magic 2, which all releases of Kafka write alike since 0.11."""
    return Form(RECORD_BATCH, "records", MAGIC, None, LAYOUT, releases)
