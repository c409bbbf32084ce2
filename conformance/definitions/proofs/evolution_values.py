"""Values that touch one place of a layout, and the bytes that its writer makes of them.

A value may hide a difference of two definitions: -1 shows a signed number in place of an unsigned
one, 1.5 a float in place of an integer, and 0 neither. So the field is tried with several values,
with all else empty, and then whole messages are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.codecs.cases.values.fill import Filler, emptied, zero
from conformance.schema.layout import Layout, WireField, WireType
from conformance.wire.errors import EncodeError
from conformance.wire.writer import Writer

Value = dict[str, Any]

_SIGNED = ("int8", "int16", "int32", "int64")
_HIGHEST = {"uint16": 2**16 - 1, "uint32": 2**32 - 1}


def written(layout: Layout, place: str) -> Iterator[tuple[Value, bytes]]:
    """Yield values that touch a place of a layout and that it can write, with their bytes."""
    for value in _values(layout, place):
        writer = Writer()
        try:
            writer.struct(layout, value)
        except EncodeError:
            continue
        yield value, bytes(writer.out)


def _values(layout: Layout, place: str) -> Iterator[Value]:
    """Yield the smallest messages that touch the place; then whole ones."""
    yield emptied(layout)
    yield from _touching(layout, place.split(".") if place else [])
    yield emptied(layout, 1)
    for elements in (1, 2):
        yield Filler(elements).struct(layout)
        yield Filler(elements, tagged=True).struct(layout)
    for numbers in ("lowest", "highest"):
        yield Filler(numbers=numbers, tagged=True).struct(layout)


def _touching(layout: Layout, names: list[str]) -> Iterator[Value]:
    """Yield the message with several values of the field at this path, and all else empty."""
    if not names:
        return
    item = next((i for i in (*layout.fields, *layout.tagged) if i.name == names[0]), None)
    if item is None:
        return
    for inner in _telling(item, names):
        yield {**emptied(layout), item.name: inner}


def _telling(item: WireField, names: list[str]) -> Iterator[Any]:
    """Yield values of a field that show a change: its own, or those of a field in it."""
    element = item.type.element
    inner = (element or item.type).struct
    if inner is not None and len(names) > 1:
        for value in (emptied(inner), *_touching(inner, names[1:])):
            yield [value] if element else value
        return
    if item.type.nullable:
        yield None
    yield from _scalars(item.type)
    yield item.default
    if element is not None:
        yield from ([each] for each in _scalars(element))
    if inner is not None:
        yield [emptied(inner)] if element else emptied(inner)
    for elements in (1, 2):
        yield Filler(elements, tagged=True).value(item, f".{item.name}")


def _scalars(type_: WireType) -> Iterator[Any]:
    """Yield values of a kind, those that take the fewest bytes first."""
    if type_.kind not in ("struct", "uuid"):
        yield zero(type_)
    if type_.kind in _SIGNED:
        yield from (1, -1, 256)
    if type_.kind in _HIGHEST:
        yield from (1, 256, _HIGHEST[type_.kind])
    if type_.kind == "float64":
        yield from (1.5, -1.5)
    if type_.kind == "string":
        yield "a"
