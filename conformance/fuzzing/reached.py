"""Coverage of the definitions: the fields that were read, in which versions, with which values.

The code of a codec says nothing of what was asked of it where it is native, or runs elsewhere, or
is one loop over tables. What its answers hold does: a feature is a message, a version, a field's
path and the class of its value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.schema.layout import Layout, WireType
from conformance.wire.reader import UNKNOWN_TAGS

Feature = tuple[str, int, str, str]


def features(message: str, version: int, layout: Layout, value: Any) -> Iterator[Feature]:
    """What one value reaches."""
    for path, kind in _struct(layout, value, ""):
        yield message, version, path, kind


def _struct(layout: Layout, value: Any, path: str) -> Iterator[tuple[str, str]]:
    if not isinstance(value, dict):
        return
    for item in (*layout.fields, *layout.tagged):
        if item.name in value:
            yield from _value(item.type, value[item.name], f"{path}.{item.name}")
    if value.get(UNKNOWN_TAGS):
        yield f"{path}.{UNKNOWN_TAGS}", _class_of_length(len(value[UNKNOWN_TAGS]))


def _value(type_: WireType, value: Any, path: str) -> Iterator[tuple[str, str]]:
    if value is None:
        yield path, "null"
    elif type_.kind == "struct":
        yield path, "present"
        yield from _struct(type_.layout, value, path)
    elif type_.kind == "array":
        yield path, _class_of_length(len(value))
        for each in value[:4]:
            yield from _value(type_.item, each, f"{path}[]")
    elif isinstance(value, bool):
        yield path, str(value)
    elif isinstance(value, int):
        yield path, _class_of_number(value)
    elif isinstance(value, str):
        yield path, _class_of_length(len(value))
    else:
        yield path, "other"


def _class_of_length(length: int) -> str:
    return "empty" if not length else "one" if length == 1 else "some" if length < 127 else "many"


def _class_of_number(number: int) -> str:
    if number in (0, 1, -1):
        return str(number)
    return "positive" if number > 0 else "negative"
