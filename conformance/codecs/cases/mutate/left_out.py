"""Values that lack a field whose default, by its definition, is not the type's zero.

The author of such a value leaves the field to the library. The value that has the field at its
default is a golden one: where the default is null, all other fields are filled; for another
default, another field of the message is filled, or all other fields of an element are empty.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.codecs.cases.mutate.written import Given, WrittenChange, written
from conformance.codecs.cases.plan import StructPlace
from conformance.codecs.cases.values.fill import zero
from conformance.schema.layout import WireField
from conformance.schema.primitives import KIND as PRIMITIVE


@written("versions.left-out-writes-default", "default", "null-*", "only-*", "empty-nested")
def _left_out(given: Given) -> Iterator[WrittenChange]:
    for place in given.places() if given.form.type != PRIMITIVE else ():
        for item in place.layout.fields:
            held = place.find(given.value)[0][item.name]
            if held == item.default and _shows(given.shape, place, item):
                path = place.path_of(item)
                yield WrittenChange(path, given.without(place, item.name), f"{path} is left out")


def _shows(shape: str, place: StructPlace, item: WireField) -> bool:
    """True if vectors of this shape are used to show the default of a field.

    A message with nothing but defaults would show it even for a codec that ignores values.
    """
    if item.default is None:
        return shape.startswith("null-") and item.type.kind != "records"  # null without a word
    if zero(item.type) in (None, [], item.default):
        return False
    if place.held_by != "message":
        return shape == "empty-nested"
    others = (other.name for other in place.layout.fields if other is not item)
    return shape == f"only-{next(others, '')}"
