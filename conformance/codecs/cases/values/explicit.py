"""Tagged fields that are written though they hold their defaults: legal, but no codec's habit.

A reader takes a missing field for its default; a field at its default may be left out, but need not
be (the definitions' README of 4.4.0). Apache Kafka always leaves it out, so no golden vector has
such a field. Here the bytes of a vector are written again with one such field in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from conformance.schema.layout import Form, Layout, WireField
from conformance.wire.writer import Writer

LEFT_OUT = "tags.default-left-out"
LEFT_OUT_STRUCT = "tags.default-struct-left-out"
EXPLICIT_DEFAULT = "tags.explicit-default-read"
_EDITED = re.compile(r"-v[0-9]+[^-]*-(filled|two|tagged-[^-]+)$")
"""The vectors without tagged fields, and with one: the new field comes before or after it."""


class ExplicitDefault(NamedTuple):
    """A message's bytes with one tagged field, of this path, that holds its default.

    `rule` is the one by which a writer leaves it out.
    """

    path: str
    data: bytes
    rule: str


def explicit_defaults(form: Form, value: Any) -> Iterator[ExplicitDefault]:
    """The message with each tagged field that it leaves out written, one at a time.

    Of an array's elements only the first are looked at.
    """
    for place, item in _left_out(form.layout, value, ""):
        writer = _Writer(place, item)
        writer.struct(form.layout, value)
        path = f"{place}.{item.name}" if place else item.name
        rule = LEFT_OUT_STRUCT if item.type.kind == "struct" and item.default else LEFT_OUT
        yield ExplicitDefault(path, bytes(writer.out), rule)


def edited(identifier: str) -> bool:
    """True if the vector of this id is one to be edited."""
    return _EDITED.search(identifier) is not None


class _Writer(Writer):
    """Writes one tagged field of one struct that the value lacks."""

    def __init__(self, place: str, item: WireField) -> None:
        super().__init__()
        self.place = place
        self.item = item

    def known_tags(
        self, layout: Layout, value: dict[str, Any], path: str
    ) -> list[tuple[int, bytes]]:
        entries = super().known_tags(layout, value, path)
        if path == self.place:
            raw = self.tagged_bytes(self.item, self.item.default, path)
            entries.append((self.item.tag or 0, raw))
        return entries


def _left_out(layout: Layout, value: Any, path: str) -> Iterator[tuple[str, WireField]]:
    """Yield paths of structs, and the tagged fields that are missing there."""
    for item in layout.tagged:
        if item.name not in value:
            yield path, item
    for item in (*layout.fields, *layout.tagged):
        inner, given = item.type.element or item.type, value.get(item.name)
        if inner.struct is not None and given:
            here = f"{path}.{item.name}" if path else item.name
            first, at = (given[0], f"{here}[0]") if item.type.element else (given, here)
            yield from _left_out(inner.struct, first, at)
