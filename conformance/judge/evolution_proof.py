"""Bytes of one definition's writer that the other's reader takes for something else, or refuses.

A finding about two definitions says that their peers misread each other, and shows it: values that
touch what changed are written by the one and read by the other, both ways, and the shortest bytes
that come out as something else are the counter-example. Where none does, the finding says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from conformance.cases.fill import Filler, emptied, zero
from conformance.schema.evolution.breach import Breach
from conformance.schema.evolution.pairing import Step
from conformance.schema.finding import Proof
from conformance.schema.layout import Form, Layout, WireField, WireType
from conformance.schema.model import SIZED_KINDS
from conformance.wire.errors import DecodeError, EncodeError
from conformance.wire.reader import Reader
from conformance.wire.text import text_to_bytes
from conformance.wire.writer import Writer

Value = dict[str, Any]


@dataclass(frozen=True)
class Proven:
    """The smallest counter-example of each direction, None where there is none."""

    new_writer: Proof | None
    old_writer: Proof | None

    @property
    def smallest(self) -> Proof | None:
        """The one with the fewer bytes; one that is misread rather than one that is refused."""
        found = [each for each in (self.new_writer, self.old_writer) if each]
        return min(found, key=_size, default=None)

    @property
    def whom(self) -> str:
        """Which change breaks whom, in words."""
        told = [
            words
            for proof, words in (
                (self.new_writer, "an old reader with a new writer"),
                (self.old_writer, "a new reader with an old writer"),
            )
            if proof
        ]
        return f"breaks {' and '.join(told)}" if told else "no value shows it"


def prove(breach: Breach, step: Step) -> Proven:
    """Both directions of a breach, over values that touch what changed."""
    return Proven(
        new_writer=_counter_example(step.new, step.old, breach.place, "new", "old", breach.by_name),
        old_writer=_counter_example(
            step.old, step.new, breach.old_place, "old", "new", breach.by_name
        ),
    )


def _counter_example(
    writer: Form, reader: Form, place: str, one: str, other: str, by_name: bool
) -> Proof | None:
    names = f"{writer.releases[0]} ({one})", f"{reader.releases[0]} ({other})"
    found = [
        Proof(*names, version=writer.version, value=value, bytes=data, read=read)
        for value, data in written(writer.layout, place)
        for read in _misread(writer.layout, reader.layout, value, data, by_name)
    ]
    return min(found, key=_size, default=None)


def _size(proof: Proof) -> tuple[int, bool]:
    return len(proof.bytes), isinstance(proof.read, str)


def written(layout: Layout, place: str) -> Iterator[tuple[Value, bytes]]:
    """Values that touch a place of a layout, and their bytes; those that it can't write are not."""
    for value in _values(layout, place):
        writer = Writer()
        try:
            writer.struct(layout, value)
        except EncodeError:
            continue
        yield value, bytes(writer.out)


def _misread(
    writer: Layout, reader: Layout, value: Value, data: bytes, by_name: bool
) -> Iterator[Any]:
    """What the reader makes of it, where that is not what was written."""
    reading = Reader(data)
    try:
        read = reading.struct(reader)
    except DecodeError as error:
        yield str(error)
        return
    if reading.offset != len(data):
        yield f"{len(data) - reading.offset} bytes are left over"
    elif not same(writer, reader, value, read, by_name):
        yield read


def same(writer: Layout, reader: Layout, value: Any, read: Any, by_name: bool = False) -> bool:
    """Whether what was read is what was written, whatever the plain fields are called."""
    if value is None or read is None:
        return value is read
    mine, yours = list(_pieces(writer, value)), list(_pieces(reader, read))
    if len(mine) != len(yours):
        return False
    theirs = {item.name: (item, got) for item, got in yours} if by_name else {}
    return all(
        _same_value(one.type, other.type, sent, got, by_name)
        for (one, sent), found in zip(mine, yours, strict=True)
        for other, got in [theirs.get(one.name, found)]
    ) and all(
        _same_tag(one, other, value, read, by_name) for one, other in _tags(writer, reader, by_name)
    )


def _pieces(layout: Layout, value: Value) -> Iterator[tuple[WireField, Any]]:
    """Plain fields and their values; of a struct that leaves no byte of its own, those in it."""
    for item in layout.fields:
        inner = item.type.struct
        if inner is not None and not item.type.nullable and not inner.flexible:
            yield from _pieces(inner, value[item.name])
        else:
            yield item, value[item.name]


def _tags(
    writer: Layout, reader: Layout, by_name: bool
) -> Iterator[tuple[WireField | None, WireField | None]]:
    """The tagged fields in pairs; of one that only one side knows, its own and None."""
    mine = {item.name if by_name else item.tag: item for item in writer.tagged}
    theirs = {item.name if by_name else item.tag: item for item in reader.tagged}
    for key in dict.fromkeys((*mine, *theirs)):
        yield mine.get(key), theirs.get(key)


def _same_tag(
    one: WireField | None, other: WireField | None, value: Value, read: Value, by_name: bool
) -> bool:
    """A tag that the reader does not know is passed over; one that was not sent has its default."""
    if other is None:
        return True
    got = read.get(other.name, other.default)
    if one is None:
        return bool(got == other.default)
    sent = value.get(one.name, one.default)
    return _same_value(one.type, other.type, sent, got, by_name)


def _same_value(one: WireType, other: WireType, sent: Any, got: Any, by_name: bool) -> bool:
    if {one.kind, other.kind} == {"array"} and sent is not None and got is not None:
        return len(sent) == len(got) and all(
            _same_value(one.item, other.item, mine, yours, by_name)
            for mine, yours in zip(sent, got, strict=True)
        )
    if {one.kind, other.kind} == {"struct"}:
        return same(one.layout, other.layout, sent, got, by_name)
    if one.kind in SIZED_KINDS and other.kind in SIZED_KINDS:
        return _raw(one, sent) == _raw(other, got)
    return one.kind == other.kind and bool(sent == got)


def _raw(type_: WireType, value: str | None) -> bytes | None:
    """The bytes that a string, bytes or records stand for."""
    if value is None:
        return None
    return value.encode() if type_.kind == "string" else text_to_bytes(value)


def _values(layout: Layout, place: str) -> Iterator[Value]:
    """The smallest messages that touch the place; then whole ones."""
    yield emptied(layout)
    yield from _touching(layout, place.split(".") if place else [])
    yield emptied(layout, 1)
    for elements in (1, 2):
        yield Filler(elements).struct(layout)
        yield Filler(elements, tagged=True).struct(layout)
    for numbers in ("lowest", "highest"):
        yield Filler(numbers=numbers, tagged=True).struct(layout)


def _touching(layout: Layout, names: list[str]) -> Iterator[Value]:
    """The message with the field of this path at each of some values, and all else empty."""
    if not names:
        return
    item = next((i for i in (*layout.fields, *layout.tagged) if i.name == names[0]), None)
    if item is None:
        return
    for inner in _telling(item, names):
        yield {**emptied(layout), item.name: inner}


def _telling(item: WireField, names: list[str]) -> Iterator[Any]:
    """Values of a field that show it: its own, or those of a field in it."""
    inner = (item.type.element or item.type).struct
    if inner is not None and len(names) > 1:
        for value in (emptied(inner), *_touching(inner, names[1:])):
            yield [value] if item.type.element else value
        return
    if item.type.nullable:
        yield None
    yield from _scalars(item)
    if inner is not None:
        yield [emptied(inner)] if item.type.element else emptied(inner)
    for elements in (1, 2):
        yield Filler(elements, tagged=True).value(item, f".{item.name}")


def _scalars(item: WireField) -> Iterator[Any]:
    if item.type.kind != "struct":
        yield zero(item.type)
    if item.type.kind in ("int8", "int16", "int32", "int64", "uint16", "uint32", "float64"):
        yield from (1, 256)
    if item.type.kind in ("string",):
        yield "a"
    yield item.default
