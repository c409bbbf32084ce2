"""Values that leave a field out whose default its definition gives, other than the type's zero.

Whoever made the value says nothing of the field, and leaves it to the library. The value that has
the field at its default is a golden one.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.codecs.cases.mutate.written import Given, WrittenChange, written
from conformance.codecs.cases.values.fill import zero
from conformance.schema.layout import WireField
from conformance.schema.primitives import KIND as PRIMITIVE

NULL = "null-*"
"""Vectors with one field that is null, and all else filled."""


@written("versions.left-out-writes-default", "default", "defaults", "empty-nested", NULL)
def _left_out(given: Given) -> Iterator[WrittenChange]:
    if given.form.type == PRIMITIVE:
        return
    for place in given.places():
        if given.shape == "empty-nested" and place.held_by == "message":
            continue  # that is asked of the message that has nothing but defaults
        for item in place.layout.fields:
            if _has_own_default(item) and place.find(given.value)[0][item.name] == item.default:
                path = place.path_of(item)
                yield WrittenChange(path, given.without(place, item.name), f"{path} is left out")


def _has_own_default(item: WireField) -> bool:
    """Whether a default is one that the definition gives, and not what its type is without one."""
    if item.default is None:
        return item.type.kind != "records"  # whose default is null anyway
    return zero(item.type) not in (None, [], item.default)
