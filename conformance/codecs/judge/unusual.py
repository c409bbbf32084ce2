"""Answers that say the right thing in a way that Apache Kafka does not.

Varints longer than they need be, tagged fields written with their defaults, unknown tags dropped:
every reader takes such bytes, and no text forbids them. Each is one rule of class `kafka`, and no
reason to fail all the others that the same bytes decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.codecs.cases.case import Writes
from conformance.schema.layout import Layout, WireType
from conformance.wire.errors import WireError
from conformance.wire.reader import Reader
from conformance.wire.writer import Writer, is_default

DEFAULT_WRITTEN = "tags.default-left-out"
DEFAULT_STRUCT_WRITTEN = "tags.default-struct-left-out"
LONG_VARINT = "primitives.varint-shortest"
TAGS_DROPPED = frozenset({"tags.unknown-kept"})


def broken_by_style(expects: Writes, written: bytes) -> frozenset[str]:
    """The rules that were broken, where nothing else is wrong with these bytes; else none."""
    if written == expects.without_tags:
        return TAGS_DROPPED
    reader, writer = _Reader(written), Writer()
    broken: set[str] = set()
    try:
        for layout in expects.layouts:
            value = reader.struct(layout)
            broken |= set(_struct(layout, value))
            writer.struct(layout, value)
    except WireError:
        return frozenset()
    if reader.remaining or bytes(writer.out) not in expects.options:
        return frozenset()
    if reader.long_varints:
        broken.add(LONG_VARINT)
    return frozenset(broken)


def fault_in(layout: Layout, written: bytes) -> str | None:
    """Return why bytes are no well-formed message of a layout, None if they are one."""
    reader = _Reader(written)
    try:
        reader.struct(layout)
    except WireError as error:
        return str(error)
    return f"{reader.remaining} bytes behind the last field" if reader.remaining else None


class _Reader(Reader):
    """Takes varints of any length, and remembers that it did."""

    long_varints = 0

    def overlong(self, path: str, start: int) -> None:  # noqa: ARG002
        self.long_varints += 1


def _struct(layout: Layout, value: dict[str, Any]) -> Iterator[str]:
    for item in layout.fields:
        yield from _value(item.type, value[item.name])
    for item in layout.tagged:
        if item.name not in value:
            continue
        given = value[item.name]
        if item.type.kind == "struct" and given and item.default:
            if is_default(item.type.layout, given):
                yield DEFAULT_STRUCT_WRITTEN
        elif given == item.default:
            yield DEFAULT_WRITTEN
        yield from _value(item.type, given)


def _value(type_: WireType, value: Any) -> Iterator[str]:
    if type_.struct is not None and value:
        yield from _struct(type_.struct, value)
    elif type_.kind == "array" and type_.item.struct is not None:
        for one in value or ():
            yield from _struct(type_.item.struct, one)
