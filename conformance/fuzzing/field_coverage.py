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
    """Yield the features that one value reaches."""
    found: set[tuple[str, str]] = set()
    _struct(layout, value, "", found)
    for path, kind in found:
        yield message, version, path, kind


def _struct(layout: Layout, value: Any, path: str, found: set[tuple[str, str]]) -> None:
    if not isinstance(value, dict):
        return
    for item in (*layout.fields, *layout.tagged):
        if item.name in value:
            _value(item.type, value[item.name], f"{path}.{item.name}", found)
    if value.get(UNKNOWN_TAGS):
        found.add((f"{path}.{UNKNOWN_TAGS}", _class_of_length(len(value[UNKNOWN_TAGS]))))


def _value(type_: WireType, value: Any, path: str, found: set[tuple[str, str]]) -> None:
    if type_.kind == "struct" and value is not None:
        found.add((path, "present"))
        _struct(type_.layout, value, path, found)
    elif type_.kind == "array" and value is not None:
        found.add((path, _class_of_length(len(value))))
        for each in value[:4]:
            _value(type_.item, each, f"{path}[]", found)
    else:
        found.add((path, _class_of(value)))


def _class_of(value: Any) -> str:
    """The class of a value that holds no others."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return _class_of_number(value)
    return _class_of_length(len(value)) if isinstance(value, str) else "other"


def _class_of_length(length: int) -> str:
    return "empty" if not length else "one" if length == 1 else "some" if length < 127 else "many"


def _class_of_number(number: int) -> str:
    if number in (0, 1, -1):
        return str(number)
    return "positive" if number > 0 else "negative"
