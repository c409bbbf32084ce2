"""Requests made whole: fields that a version lacks are added with their defaults.

A handler serves all versions of its request. So it is given the fields of all of them: those that
the version lacks with the definition's default, and tagged ones that were not sent likewise.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from conformance.schema.layout import Layout, WireType
from conformance.wire.writer import MAX_STRING_BYTES


def whole(layout: Layout, value: dict[str, Any]) -> dict[str, Any]:
    """Return the struct with every field that its definition has in any version."""
    filled = {item.name: deepcopy(item.default) for item in (*layout.absent, *layout.tagged)}
    types = {item.name: item.type for item in (*layout.fields, *layout.tagged)}
    for name, given in value.items():
        filled[name] = _whole(types[name], given) if name in types else given
    return filled


def _whole(type_: WireType, value: Any) -> Any:
    if value is None:
        return None
    if type_.struct is not None:
        return whole(type_.struct, value)
    if type_.element is not None and type_.element.struct is not None:
        return [whole(type_.element.struct, item) for item in value]
    return value


def can_be_echoed(value: Any) -> bool:
    """True if all text can be written again: U+FFFD is longer than the bytes it was read for.

    Records are bytes, which may have any length.
    """
    if isinstance(value, str):
        return len(value.encode()) <= MAX_STRING_BYTES
    if isinstance(value, dict):
        return all(key == "records" or can_be_echoed(each) for key, each in value.items())
    return not isinstance(value, list) or all(map(can_be_echoed, value))
