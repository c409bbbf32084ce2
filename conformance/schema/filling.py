"""A struct of which only some fields matter: the rest is at its default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.schema.layout import Layout, WireType


def filled(layout: Layout, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """What is wanted of the fields that it has, and the others at their defaults.

    So one text of wishes serves all versions of a message.
    """
    value = layout.default_value()
    for item in (*layout.fields, *layout.tagged):
        if item.name in wanted:
            value[item.name] = _filled(item.type, wanted[item.name])
    return value


def _filled(type_: WireType, wanted: Any) -> Any:
    if isinstance(wanted, Mapping) and type_.struct is not None:
        return filled(type_.struct, wanted)
    if isinstance(wanted, list) and type_.element is not None:
        return [_filled(type_.element, item) for item in wanted]
    return wanted
