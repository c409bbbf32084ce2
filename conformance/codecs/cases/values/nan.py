"""NaN in a value: a name for very many floats, of which a codec that is given it may write any.

Languages differ in the bits of the NaN that they make, and the JSON form of a value says no more
than that it is one. Only who was given the bits has to hand them on.
"""

from __future__ import annotations

from typing import Any

from conformance.schema.layout import Layout, WireType

NAN = "NaN"


def holds_nan(layout: Layout, value: Any) -> bool:
    """True if a float somewhere in a struct is NaN."""
    return any(
        _is_nan(item.type, value[item.name])
        for item in (*layout.fields, *layout.tagged)
        if item.name in value
    )


def _is_nan(type_: WireType, value: Any) -> bool:
    if value is None:
        return False
    if type_.kind == "array":
        return any(_is_nan(type_.item, item) for item in value)
    if type_.kind == "struct":
        return holds_nan(type_.layout, value)
    return type_.kind == "float64" and value == NAN
