"""A value with one of its fields changed to another legal one, mostly to an extreme one."""

from __future__ import annotations

from random import Random
from typing import Any

from conformance.schema.layout import Layout, WireType
from conformance.wire.reader import UNKNOWN_TAGS
from conformance.wire.text import bytes_to_text

_BITS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}
_UNSIGNED_BITS = {"uint16": 16, "uint32": 32}
_STRINGS = ("", "a", "é", "\0", "🔑", "x" * 127, "x" * 128, "x" * 300)
_UNKNOWN = (1, 100, 127, 128, 5000, 16383, 16384, 2**21, 2**31 - 2)
_MOST_ELEMENTS = 200


def changed(layout: Layout, value: dict[str, Any], rng: Random) -> dict[str, Any]:
    """A copy of a struct's value with a change somewhere in it."""
    fields = [*layout.fields, *layout.tagged]
    if layout.flexible and (not fields or rng.random() < 0.15):
        return {**value, UNKNOWN_TAGS: _unknown(layout, rng)}
    if not fields:
        return value
    item = fields[rng.randrange(len(fields))]
    old = value.get(item.name, item.default)
    return {**value, item.name: _other(item.type, old, rng)}


def _other(type_: WireType, old: Any, rng: Random) -> Any:
    """Another value of a type."""
    if type_.nullable and rng.random() < 0.15:
        return None
    if type_.kind == "array":
        return _other_array(type_, old or [], rng)
    if type_.kind == "struct":
        return changed(type_.layout, old or type_.layout.default_value(), rng)
    return _scalar(type_, rng)


def _other_array(type_: WireType, old: list[Any], rng: Random) -> list[Any]:
    """An element more, fewer, twice or changed."""
    dice = rng.random()
    if old and dice < 0.5:
        at = rng.randrange(len(old))
        return [*old[:at], _other(type_.item, old[at], rng), *old[at + 1 :]]
    if old and dice < 0.6:
        at = rng.randrange(len(old))
        return [*old[:at], *old[at + 1 :]]
    if old and dice < 0.7:
        return (old * rng.choice((2, 20)))[:_MOST_ELEMENTS]
    return [*old, _fresh(type_.item, rng)]


def _fresh(type_: WireType, rng: Random) -> Any:
    return type_.layout.default_value() if type_.kind == "struct" else _scalar(type_, rng)


def _scalar(type_: WireType, rng: Random) -> Any:
    kind = type_.kind
    if kind in _BITS:
        edge = 1 << (_BITS[kind] - 1)
        return rng.choice((0, 1, -1, edge - 1, -edge, rng.randrange(-edge, edge)))
    if kind in _UNSIGNED_BITS:
        return rng.choice((0, 1, (1 << _UNSIGNED_BITS[kind]) - 1))
    if kind == "bool":
        return rng.random() < 0.5
    if kind == "float64":
        return rng.choice((0.0, -0.0, 1.5, 1e308, "NaN", "Infinity", "-Infinity"))
    if kind == "uuid":
        return rng.choice(("AAAAAAAAAAAAAAAAAAAAAA", "_____________________w"))
    if kind == "string":
        return rng.choice(_STRINGS)
    return bytes_to_text(rng.randbytes(rng.choice((0, 1, 126, 127, 128, 300))))


def _unknown(layout: Layout, rng: Random) -> list[dict[str, Any]]:
    """A few tagged fields that no definition of this struct knows, ascending."""
    taken = layout.by_tag.keys() | layout.other_tags
    free = [number for number in _UNKNOWN if number not in taken]
    numbers = sorted(rng.sample(free, rng.choice((1, 1, 2))))
    return [
        {"tag": number, "bytes": bytes_to_text(rng.randbytes(rng.choice((0, 1, 130))))}
        for number in numbers
    ]
