"""A comparison of the value that was read with the one written, under any field names.

It compares values, not kinds: a reader that takes an int32 for a uint32 is right as long as the
numbers are small. A tag that was not sent stands for its default, on each side for its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.definitions.evolution.positions import same_default
from conformance.schema.layout import Layout, WireField, WireType
from conformance.schema.model import FIXED_KINDS, SIZED_KINDS
from conformance.wire.text import text_to_bytes

Value = dict[str, Any]

_NUMBERS = frozenset(FIXED_KINDS) - {"uuid"}


def same(writer: Layout, reader: Layout, value: Any, read: Any, by_name: bool = False) -> bool:
    """True if a struct was read as written; with `by_name`, equal names must have equal values."""
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
    """Yield plain fields and their values; a struct without bytes of its own yields its fields."""
    for item in layout.fields:
        inner = item.type.struct
        if inner is not None and not item.type.nullable and not inner.flexible:
            yield from _pieces(inner, value[item.name])
        else:
            yield item, value[item.name]


def _tags(
    writer: Layout, reader: Layout, by_name: bool
) -> Iterator[tuple[WireField | None, WireField | None]]:
    """Yield the tagged fields in pairs, with None for the side that lacks the field."""
    mine = {item.name if by_name else item.tag: item for item in writer.tagged}
    theirs = {item.name if by_name else item.tag: item for item in reader.tagged}
    for key in dict.fromkeys((*mine, *theirs)):
        yield mine.get(key), theirs.get(key)


def _same_tag(
    one: WireField | None, other: WireField | None, value: Value, read: Value, by_name: bool
) -> bool:
    """True if a tag means the same to both: a reader skips unknown ones, and adds defaults."""
    if other is None:
        return True
    got = read.get(other.name, other.default)
    if one is None:
        return bool(got == other.default)
    sent = value.get(one.name, one.default)
    if sent == one.default and other.name not in read:
        return same_default(one, other)
    return _same_value(one.type, other.type, sent, got, by_name)


def _same_value(one: WireType, other: WireType, sent: Any, got: Any, by_name: bool) -> bool:
    if sent is None or got is None:
        return sent is got
    if {one.kind, other.kind} == {"array"}:
        return len(sent) == len(got) and all(
            _same_value(one.item, other.item, mine, yours, by_name)
            for mine, yours in zip(sent, got, strict=True)
        )
    if {one.kind, other.kind} == {"struct"}:
        return same(one.layout, other.layout, sent, got, by_name)
    if one.kind in SIZED_KINDS and other.kind in SIZED_KINDS:
        return _raw(one, sent) == _raw(other, got)
    alike = one.kind == other.kind or {one.kind, other.kind} <= _NUMBERS
    return alike and bool(sent == got)


def _raw(type_: WireType, value: str) -> bytes:
    """Return the bytes that a string, bytes or records stand for."""
    return value.encode() if type_.kind == "string" else text_to_bytes(value)
