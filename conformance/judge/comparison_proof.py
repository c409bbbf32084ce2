"""Bytes that show where others' definitions part from Kafka's: one side writes, the other misreads.

The values are those that show what parts two releases of Kafka. Of what is misread the shortest is
taken that shows it in its values; one that shows it in nothing but their types comes last. What
Kafka has no kind for, as a varint, can't be written here, and goes without.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.judge.evolution_proof import same, written
from conformance.schema.differing import Difference
from conformance.schema.finding import Proof
from conformance.schema.layout import Form, Layout, WireType
from conformance.schema.model import FIXED_KINDS, NULLABLE_KINDS
from conformance.wire.errors import DecodeError
from conformance.wire.reader import Reader


def shown(difference: Difference, ours: Form, theirs: Form) -> Proof | None:
    """The best counter-example of either direction, None where there is none."""
    if not _known(theirs.layout):
        return None
    names = f"Kafka {ours.releases[0]}", theirs.releases[0]
    found = [
        *_misread(ours, theirs, difference.place, *names),
        *_misread(theirs, ours, difference.their_place, *names[::-1]),
    ]
    return min(found, key=_weakness, default=None)


def _misread(writer: Form, reader: Form, place: str, one: str, other: str) -> Iterator[Proof]:
    for value, data in written(writer.layout, place):
        read = _read(reader.layout, data)
        if isinstance(read, str) or not same(writer.layout, reader.layout, value, read):
            yield Proof(one, other, writer.version, value, data, read)


def _read(layout: Layout, data: bytes) -> dict[str, Any] | str:
    """The reader's value, or why there is none."""
    reading = Reader(data)
    try:
        read: dict[str, Any] = reading.struct(layout)
    except DecodeError as error:
        return str(error)
    left = len(data) - reading.offset
    return f"{left} bytes are left over" if left else read


def _weakness(proof: Proof) -> tuple[bool, int]:
    alike = not isinstance(proof.read, str) and [*_leaves(proof.value)] == [*_leaves(proof.read)]
    return alike, len(proof.bytes)


def _leaves(value: Any) -> Iterator[Any]:
    """The values in it without their names."""
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _leaves(each)
    else:
        yield value


def _known(layout: Layout) -> bool:
    return all(_known_type(item.type) for item in (*layout.fields, *layout.tagged))


def _known_type(type_: WireType) -> bool:
    inner = _known_type(type_.element) if type_.element else True
    struct = _known(type_.struct) if type_.struct else True
    return inner and struct and type_.kind in (*FIXED_KINDS, *NULLABLE_KINDS)
