"""The contents of a records field as a message: the records that a consumer gets, in any format.

A field of records holds batches (format 2), or the messages of older releases (formats 0 and 1,
KIP-31 and KIP-32), one after another; a fetch may end in the middle of the last. A reader returns
records with absolute offsets and times, however they are written. So the value is that of the
records; the compression is in the attributes, and everything else is derived.
"""

from __future__ import annotations

from conformance.schema.layout import Form, Layout, WireField, WireType
from conformance.schema.record_batch import MAGIC, RECORDS

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
