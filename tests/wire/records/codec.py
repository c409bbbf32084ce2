"""Reads and writes a batch of records by the plain reader and writer, or as Apache Kafka reads."""

from __future__ import annotations

from typing import Any

from conformance.schema.record_batch import LAYOUT
from conformance.wire.lenient import Lenient
from conformance.wire.reader import Reader
from conformance.wire.writer import Writer


def read(data: bytes) -> Any:
    """The value of a batch that fills `data`. Raises DecodeError."""
    reader = Reader(data)
    value = reader.struct(LAYOUT)
    assert reader.offset == len(data)
    return value


def read_as_kafka(data: bytes) -> tuple[Any, list[str]]:
    """The value, and what of the bytes was forgiven."""
    reader = Lenient(data)
    value = reader.struct(LAYOUT)
    assert reader.offset == len(data)
    return value, [f"{item.offset} {item.path}: {item.reason}" for item in reader.forgiven]


def write(value: Any) -> bytes:
    """The bytes of a batch. Raises EncodeError."""
    writer = Writer()
    writer.struct(LAYOUT, value)
    return bytes(writer.out)
