"""The record batch and the contents of a records field as messages, though no definition describes
them.

Kafka writes batches of records by hand: their numbers are zig-zag varints, and a checksum and a
compression stand between the fields. Their value is a struct like any other all the same, so a
layout describes it, and code that compares or prepares values needs to know nothing more. The
layout is that of the value, not of the wire: what a writer derives (the length, the magic, the
checksum, the counts) is not in it.

A field of records holds batches (format 2), or the messages of older releases (formats 0 and 1,
KIP-31 and KIP-32), one after another; a fetch may end in the middle of the last. A reader returns
records with absolute offsets and times, however they are written. So the value is that of the
records; the compression is in the attributes, and everything else is derived.
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


RECORD_SET = "Records"
LOG_APPEND_TIME = 0x08
"""The bit of the attributes that says that the broker's time stands in place of the producer's."""
MESSAGE_BITS = 0x0F
"""The bits of the attributes that all formats have and that the value contains."""

_KEY, _VALUE, _HEADERS = RECORDS.type.item.layout.fields[-3:]


def layout(magic: int) -> Layout:
    """The value of records in one format. Format 0 has no time, only format 2 has headers."""
    offset, time = (WireField(name, WireType("int64"), 0) for name in ("offset", "timestamp"))
    fields = (offset, *((time,) if magic else ()), _KEY, _VALUE)
    record = Layout((*fields, *((_HEADERS,) if magic == MAGIC else ())))
    element = WireType("struct", struct=record)
    return Layout(
        (
            WireField("attributes", WireType("int8"), 0),
            WireField("records", WireType("array", element=element), []),
        ),
        magic=magic,
    )


LAYOUTS = tuple(map(layout, range(MAGIC + 1)))
"""The layout of each format."""


def record_sets(releases: tuple[str, ...]) -> dict[int, tuple[Form, ...]]:
    """The forms: the version is the format, which all releases write alike."""
    return {
        magic: (Form(RECORD_SET, "records", magic, None, each, releases),)
        for magic, each in enumerate(LAYOUTS)
    }
