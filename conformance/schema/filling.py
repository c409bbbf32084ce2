"""A struct of which only some fields matter, or are given: the rest is at its default."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conformance.schema.layout import Layout, WireField, WireType


def filled(layout: Layout, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return the wanted values of the fields that the layout has, and defaults for the others.

    So one set of values serves all versions of a message.
    """
    value = layout.default_value()
    for item in (*layout.fields, *layout.tagged):
        if item.name in wanted:
            value[item.name] = _filled(item.type, wanted[item.name])
    return value


def completed(layout: Layout, value: Any, left_out: Callable[[WireField], Any]) -> Any:
    """A struct's value with the plain fields that it lacks, each as `left_out` has it.

    Whatever else is wrong with the value is still wrong with it.
    """
    if not isinstance(value, dict):
        return value
    whole = {item.name: left_out(item) for item in layout.fields if item.name not in value}
    for item in (*layout.fields, *layout.tagged):
        if item.name in value:
            whole[item.name] = _completed(item.type, value[item.name], left_out)
    return value | whole


def _completed(type_: WireType, value: Any, left_out: Callable[[WireField], Any]) -> Any:
    if type_.element is not None and isinstance(value, list):
        return [_completed(type_.element, item, left_out) for item in value]
    return completed(type_.struct, value, left_out) if type_.struct else value


def _filled(type_: WireType, wanted: Any) -> Any:
    if isinstance(wanted, Mapping) and type_.struct is not None:
        return filled(type_.struct, wanted)
    if isinstance(wanted, list) and type_.element is not None:
        return [_filled(type_.element, item) for item in wanted]
    return wanted
