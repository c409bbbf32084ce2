"""Messages without some of their fields, as a peer that does not know these writes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from conformance.schema.layout import Layout, WireField
from conformance.wire.errors import EncodeError
from conformance.wire.writer import Writer


class _Forgetful(Writer):
    """A writer of the fields of its layout that leaves out all others."""

    def check_names(self, layout: Layout, value: dict[str, Any], path: str) -> None:
        """Accept names that the layout lacks: they are left out."""


def written_without(layout: Layout, value: Any, names: Sequence[str]) -> bytes | None:
    """Return a value's bytes without the fields in `names`, None if it can't be written so."""
    for name in names:
        layout = without(layout, name)
    writer = _Forgetful()
    try:
        writer.struct(layout, value)
    except (EncodeError, KeyError, TypeError, ValueError):
        return None
    return bytes(writer.out)


def paths(layout: Layout, above: str = "") -> Iterator[str]:
    """Yield the paths of all fields of a layout but tagged ones: `topics`, `topics[].name`."""
    for item in layout.fields:
        type_ = item.type.element or item.type
        here = f"{above}{item.name}"
        yield here
        if type_.struct is not None:
            yield from paths(type_.struct, f"{here}{'[]' if item.type.element else ''}.")


def without(layout: Layout, path: str) -> Layout:
    """Return the layout without one of its fields."""
    first, _, rest = path.partition(".")
    name = first.removesuffix("[]")
    if not rest:
        return replace(layout, fields=tuple(each for each in layout.fields if each.name != name))

    def inner(item: WireField) -> WireField:
        if item.name != name:
            return item
        type_ = item.type.element or item.type
        if type_.struct is None:
            return item
        type_ = replace(type_, struct=without(type_.struct, rest))
        return replace(item, type=replace(item.type, element=type_) if item.type.element else type_)

    return replace(layout, fields=tuple(map(inner, layout.fields)))
