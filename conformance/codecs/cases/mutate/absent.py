"""Values with fields or tags that a version lacks, and values that lack a field of it.

The author of a value that lacks a field leaves it to the library. The value that has the field at
its default is a golden one: where the default is null, all other fields are filled; for another
default, another field of the message is filled, or all other fields of an element are empty.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.codecs.cases.mutate.written import Given, WrittenChange, written
from conformance.codecs.cases.plan import UNKNOWN_TAG, StructPlace, unknown_tag
from conformance.codecs.cases.values.fill import zero
from conformance.schema.layout import WireField
from conformance.schema.primitives import KIND as PRIMITIVE
from conformance.wire.reader import UNKNOWN_TAGS

ONLY_FIELDS = "versions.only-fields-of-version"
TAG_REFUSED = "tags.of-other-version-given-refused"


@written("versions.absent-field-refused", "refused", must=ONLY_FIELDS)
def _absent(given: Given) -> Iterator[WrittenChange]:
    return _fields_of_other_versions(given, ignorable=False, tagged=False)


@written("versions.absent-ignorable-dropped", "dropped", must=ONLY_FIELDS)
def _ignorable(given: Given) -> Iterator[WrittenChange]:
    return _fields_of_other_versions(given, ignorable=True, tagged=False)


@written("tags.of-other-version-not-written", "refused", kafka=TAG_REFUSED)
def _absent_tag(given: Given) -> Iterator[WrittenChange]:
    return _fields_of_other_versions(given, ignorable=False, tagged=True)


@written("tags.of-other-version-not-written", "dropped", kafka=TAG_REFUSED)
def _ignorable_tag(given: Given) -> Iterator[WrittenChange]:
    return _fields_of_other_versions(given, ignorable=True, tagged=True)


@written("tags.unknown-in-inflexible-refused", "refused", few=True, tags=True)
def _inflexible(given: Given) -> Iterator[WrittenChange]:
    for place in given.places():
        if not place.layout.flexible and given.form.type != PRIMITIVE:
            value = given.changed(place, UNKNOWN_TAGS, [unknown_tag(place.path)])
            where = place.path or "message"
            yield WrittenChange(where, value, f"{where} has an unknown tag, and no tag section")


@written("tags.unknown-given-out-of-order", "sorted", few=True, tags=True)
def _out_of_order(given: Given) -> Iterator[WrittenChange]:
    for place in given.places():
        if place.layout.flexible:
            tags = [unknown_tag(place.path, tag) for tag in (UNKNOWN_TAG + 1, UNKNOWN_TAG)]
            where = place.path or "message"
            why = f"{where} has tag {UNKNOWN_TAG} behind {UNKNOWN_TAG + 1}"
            yield WrittenChange(where, given.changed(place, UNKNOWN_TAGS, tags), why)


@written("tags.unknown-given-twice-refused", "refused", few=True, tags=True)
def _twice(given: Given) -> Iterator[WrittenChange]:
    for place in given.places():
        if place.layout.flexible:
            tags = [unknown_tag(place.path, UNKNOWN_TAG, size) for size in (3, 2)]
            where = place.path or "message"
            why = f"{where} has tag {UNKNOWN_TAG} twice"
            yield WrittenChange(where, given.changed(place, UNKNOWN_TAGS, tags), why)


def _fields_of_other_versions(
    given: Given, ignorable: bool, tagged: bool
) -> Iterator[WrittenChange]:
    for place, here, there in given.absent():
        # Kafka's own JSON converters refuse structs of other versions before its writers see them.
        simple = "struct" not in (here.type.kind, (here.type.element or here.type).kind)
        if simple and here.ignorable == ignorable and (there.tag is not None) == tagged:
            path = place.path_of(here)
            yield WrittenChange(path, given.filled(place, there), f"this version has no {path}")


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
