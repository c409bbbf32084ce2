"""Which values become vectors: for each form, one message a question.

Every plan starts from a message that asks nothing special, all defaults or every field filled, and
changes the one thing that it is about. So a codec that fails it, and passes the one it started
from, has failed that thing. A plan's shape is its question; `conformance.codecs.cases.decides` says
which rules each decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Literal

from conformance.codecs.cases.values.fill import (
    LONGEST_STRING,
    MULTIBYTE,
    UNUSUAL,
    Filler,
    Value,
    digest,
    emptied,
    zero,
)
from conformance.codecs.cases.values.mixture import mixture
from conformance.schema.layout import Form, Layout, WireField
from conformance.schema.primitives import KIND as PRIMITIVE
from conformance.schema.releases import wire_forms
from conformance.wire.reader import UNKNOWN_TAGS
from conformance.wire.text import bytes_to_text

UNKNOWN_TAG = 10_000
"""A tag number that no definition of Kafka has come near; its varint takes two bytes."""
HIGH_TAGS = (16_383, 16_384, 2**21, 2**28, 2**31 - 2)
"""Tags whose varints take two, three, four, five and five bytes.

2^31-1 is legal and left out: kafka-clients 4.4.0 reads it and throws when it writes it again.
"""
SPECIAL_FLOATS = {
    "zero": 0.0,
    "negative-zero": -0.0,
    "infinity": "Infinity",
    "negative-infinity": "-Infinity",
    "nan": "NaN",
    "subnormal": 5e-324,
    "largest": 1.7976931348623157e308,
}
BORDERS = (126, 127, 128)
"""Lengths around the one from which an UNSIGNED_VARINT of N+1 takes two bytes."""
LONG_BORDERS = (16_382, 16_383, 16_384)
"""Lengths around the one from which it takes three."""
BEYOND_INT16 = (32_768, 65_536)
"""Lengths that are others when they are taken for an INT16."""
LONG = {
    ("FindCoordinatorRequest", 2): (*LONG_BORDERS, LONGEST_STRING),  # a string
    ("FindCoordinatorRequest", 3): (*LONG_BORDERS, LONGEST_STRING),  # a compact string
    ("SaslAuthenticateRequest", 1): (*LONG_BORDERS, BEYOND_INT16[0]),  # bytes
    ("SaslAuthenticateRequest", 2): (*LONG_BORDERS, BEYOND_INT16[0]),  # compact bytes
    ("FetchSnapshotResponse", 1): (*LONG_BORDERS, *BEYOND_INT16),  # compact records
    ("ProduceRequest", 8): (LONG_BORDERS[-1], BEYOND_INT16[0]),  # records
}
"""The messages and versions of which there are vectors with long strings, bytes and records."""
LONG_ARRAY = ("GetTelemetrySubscriptionsResponse", 0, "acceptedCompressionTypes")
"""The array of which there are vectors with thousands of elements, of a byte each."""
MANY_TAGS = ("HeartbeatRequest", 4)
"""The message with a thousand unknown tags, and with long ones."""
SMALL_ELEMENT = 4
SMALL_STRUCT = 8
"""Arrays whose elements take no more bytes than these have vectors of many of them."""
UNUSED = {
    "DescribeClientQuotasRequest": ("components", "match", "matchType", (1, 2)),
}
"""Arrays of structs with a field that is null where another has one of these numbers."""
MIXTURES = 2


@dataclass(frozen=True, slots=True)
class Plan:
    """A value to be minted: `shape` is the question, `about` the field that it is asked of."""

    shape: str
    value: Value
    about: str = ""
    comment: str = ""

    @property
    def name(self) -> str:
        """The plan's part of a vector's id."""
        return f"{self.shape}-{self.about}" if self.about else self.shape


@dataclass(frozen=True, slots=True)
class StructPlace:
    """A struct inside of a message: what holds it, its layout, and how to get at its values."""

    path: str
    held_by: Literal["message", "struct", "array", "tag"]
    layout: Layout
    find: Callable[[Value], list[Value]]

    def path_of(self, item: WireField) -> str:
        """The path of one of its fields."""
        return f"{self.path}.{item.name}" if self.path else item.name


def plan(form: Form) -> Iterator[Plan]:
    """Yield every body to be minted for one form."""
    layout = form.layout
    filled, two = Filler().struct(layout), Filler(elements=2).struct(layout)
    everything = Filler(tagged=True).struct(layout)
    yield Plan("defaults", layout.default_value(), comment="every field at its default")
    yield Plan("filled", filled, comment="every field at another value than its default")
    yield Plan("empty", emptied(layout), comment="strings, bytes and arrays empty")
    yield Plan("empty-nested", emptied(layout, 1), comment="one element each, of empty fields")
    yield Plan("two", two, comment="arrays of two elements")
    yield Plan("utf8", Filler(text=MULTIBYTE).struct(layout), comment="multi-byte text")
    yield Plan("utf8-unusual", Filler(text=UNUSUAL).struct(layout), comment="U+1F511 and U+0000")
    for numbers in ("lowest", "highest"):
        value = Filler(numbers=numbers).struct(layout)
        yield Plan(numbers, value, comment=f"every integer the {numbers} of its width")
    places = list(structs(layout))
    for place in places:
        base = filled if place.find(filled) else everything
        yield from _nulls(place, base)
        yield from _tagged(place, base)
        yield from _tagged_alone(place, base)
        yield from _tagged_in_first(place, two)
        yield from _floats(place, base)
    yield from _unused(form, filled)
    yield from _same_keys(places, two)
    if sum(len(place.layout.tagged) for place in places) > 1:
        yield Plan("tagged-all", everything, comment="every tagged field set")
    if any(place.layout.tagged for place in places):
        long = Filler(tagged=True, length=BORDERS[-1]).struct(layout)
        yield Plan("tagged-long", long, comment="every tagged field set, its size of two bytes")
    if form.flexible:
        yield from _unknown(places, filled, two, everything)
    if (form.message, form.version) == MANY_TAGS:
        yield from _many_tags(places[:1], filled)
    yield from _alone(layout)
    yield from _lengths(form)
    yield from _many_elements(form)
    if form.type == PRIMITIVE:
        return
    for number in range(1, MIXTURES + 1):
        yield Plan("mixture", mixture(form, number), str(number), "a mixture of everything")


def structs(layout: Layout) -> Iterator[StructPlace]:
    """The message itself and every struct that lies in its plain and tagged fields."""
    yield from _structs(StructPlace("", "message", layout, lambda value: [value]))


def unknown_tag(path: str, tag: int = UNKNOWN_TAG, size: int = 5) -> dict[str, Any]:
    """An unknown tagged field of `size` bytes."""
    seed = digest(f"{path}.{tag}")
    return {"tag": tag, "bytes": bytes_to_text((seed * (size // len(seed) + 1))[:size])}


def _structs(place: StructPlace) -> Iterator[StructPlace]:
    yield place
    for item in (*place.layout.fields, *place.layout.tagged):
        inner = item.type.element or item.type
        if inner.struct is not None:
            tagged = place.held_by == "tag" or item.tag is not None
            held_by = "tag" if tagged else "array" if item.type.kind == "array" else "struct"
            find = _finder(place.find, item.name)
            yield from _structs(StructPlace(place.path_of(item), held_by, inner.struct, find))  # type: ignore[arg-type]


def _finder(parents: Callable[[Value], list[Value]], name: str) -> Callable[[Value], list[Value]]:
    def find(value: Value) -> list[Value]:
        found: list[Value] = []
        for parent in parents(value):
            child = parent.get(name)
            found += child if isinstance(child, list) else [child] if child else []
        return found

    return find


def _alone(layout: Layout) -> Iterator[Plan]:
    for item in layout.fields:
        value = layout.default_value()
        value[item.name] = Filler().value(item, f".{item.name}")
        yield Plan("only", value, item.name, f"{item.name} filled, all else at its default")


def _lengths(form: Form) -> Iterator[Plan]:
    long = LONG.get((form.message, form.version), ())
    for length in (*BORDERS, *long):
        value = Filler(length=length).struct(form.layout)
        yield Plan("length", value, str(length), f"strings, bytes and records of {length} bytes")


def _many_elements(form: Form) -> Iterator[Plan]:
    for item in form.layout.fields:
        for count in _counts(form, item):
            value = form.layout.default_value()
            value[item.name] = _elements(item, count)
            about = f"{item.name}-{count}"
            yield Plan("elements", value, about, f"{item.name} of {count} elements")


def _counts(form: Form, item: WireField) -> tuple[int, ...]:
    """Return the array lengths that vectors have; arrays of structs get them in one version."""
    if item.type.kind != "array":
        return ()
    if (form.message, form.version, item.name) == LONG_ARRAY:
        return (*BORDERS, *LONG_BORDERS)
    if item.type.item.struct is None:
        return BORDERS if item.type.item.least <= SMALL_ELEMENT else ()
    small = item.type.item.least <= SMALL_STRUCT
    return BORDERS if small and _is_first_flexible(form, item) else ()


def _is_first_flexible(form: Form, item: WireField) -> bool:
    """True if no lower flexible version has this field, in one of the form's releases.

    The first and not the last, because a new release must not move a vector to another version.
    """
    below = [
        other
        for version, others in wire_forms(form.message).items()
        for other in others
        if version < form.version
        and other.flexible
        and any(item.name == field.name for field in other.layout.fields)
    ]
    return form.flexible and any(
        all(release not in other.releases for other in below) for release in form.releases
    )


def _elements(item: WireField, count: int) -> list[Any]:
    """Return this many elements; of structs only the first field is filled."""
    inner = item.type.item.struct
    if inner is None:
        found: list[Any] = Filler(elements=count, flat=True).value(item, f".{item.name}")
        return found
    first = inner.fields[0]
    return [
        inner.default_value()
        | {first.name: Filler(flat=True).value(first, f".{item.name}[{index}].{first.name}")}
        for index in range(count)
    ]


def _nulls(place: StructPlace, base: Value) -> Iterator[Plan]:
    for item in place.layout.fields:
        if item.type.nullable:
            yield _changed("null", place, item, base, None, "null")


def _unused(form: Form, filled: Value) -> Iterator[Plan]:
    """A field that is null in an element for each number that says it is of no use."""
    if form.message not in UNUSED:
        return
    held_by, unused, kind, numbers = UNUSED[form.message]
    value = deepcopy(filled)
    (element,) = value[held_by]
    value[held_by] = [{**element, kind: number, unused: None} for number in numbers]
    about = f"{held_by}.{unused}"
    yield Plan("unused", value, about, f"{about} null where another field says it has no use")


def _tagged(place: StructPlace, base: Value) -> Iterator[Plan]:
    for item in place.layout.tagged:
        given = Filler().value(item, f"{place.path}.{item.name}")
        yield _changed("tagged", place, item, base, given, "set")
        if item.type.nullable and item.default is not None:
            yield _changed("tagged-null", place, item, base, None, "null, which is no default")
        if zero(item.type) not in (None, item.default):
            given = zero(item.type)
            yield _changed("tagged-zero", place, item, base, given, "zero, which is no default")


def _tagged_alone(place: StructPlace, base: Value) -> Iterator[Plan]:
    """Yield plans with a tagged field and empty records, for codecs that read inside records."""
    records = {item.name: "" for item in place.layout.fields if item.type.kind == "records"}
    for item in place.layout.tagged if records else ():
        value = deepcopy(base)
        about = place.path_of(item)
        for struct in place.find(value):
            struct.update(records)
            struct[item.name] = Filler().value(item, f"{place.path}.{item.name}")
        yield Plan("tagged-without-records", value, about, f"{about} set, no records")


def _tagged_in_first(place: StructPlace, two: Value) -> Iterator[Plan]:
    """A tagged field in the first of two elements: the second must not have it from there."""
    for item in place.layout.tagged if place.held_by == "array" else ():
        value = deepcopy(two)
        about = place.path_of(item)
        for struct in place.find(value)[::2]:
            struct[item.name] = Filler().value(item, f"{place.path}.{item.name}")
        yield Plan("tagged-in-first", value, about, f"{about} set in every first element")


def _floats(place: StructPlace, base: Value) -> Iterator[Plan]:
    for item in place.layout.fields:
        if item.type.kind == "float64":
            for name, given in SPECIAL_FLOATS.items():
                yield _changed(name, place, item, base, given, str(given))


def _changed(
    shape: str, place: StructPlace, item: WireField, base: Value, given: Any, what: str
) -> Plan:
    value = deepcopy(base)
    for struct in place.find(value):
        struct[item.name] = deepcopy(given)
    about = place.path_of(item)
    return Plan(shape, value, about, f"{about} {what}")


def _same_keys(places: list[StructPlace], two: Value) -> Iterator[Plan]:
    """Yield plans with elements of equal map keys: such keys matter in memory, not on the wire."""
    value = deepcopy(two)
    for place in places:
        keys = [item.name for item in place.layout.fields if item.map_key]
        found = place.find(value)
        if keys and len(keys) < len(place.layout.fields):
            for one, other in zip(found[::2], found[1::2], strict=True):
                other.update({key: one[key] for key in keys})
    if value != two:
        yield Plan("same-keys", value, comment="two elements each, with equal map keys")


def _unknown(
    places: list[StructPlace], filled: Value, two: Value, everything: Value
) -> Iterator[Plan]:
    top = places[:1]
    by_holder = {kind: [p for p in places if p.held_by == kind] for kind in _HOLDERS}
    yield _with_unknown("unknown-tag", top, filled, "behind the last field")
    yield _with_unknown("unknown-tag-empty", top, filled, "of size 0", (UNKNOWN_TAG,), size=0)
    yield _with_unknown("unknown-tags-high", top, filled, "of high numbers", HIGH_TAGS)
    if places[0].layout.tagged:
        yield _with_unknown("unknown-tag-with-known", top, everything, "beside known ones")
    for kind, base in (("struct", filled), ("array", two), ("tag", everything)):
        if by_holder[kind]:
            yield _with_unknown(f"unknown-tag-in-{kind}", by_holder[kind], base, _HOLDERS[kind])


_HOLDERS = {
    "struct": "in every nested struct",
    "array": "in the first element of every array",
    "tag": "in every struct inside of a tagged field",
}


def _many_tags(top: list[StructPlace], filled: Value) -> Iterator[Plan]:
    thousand = tuple(range(UNKNOWN_TAG, UNKNOWN_TAG + 1000))
    yield _with_unknown("unknown-tags-thousand", top, filled, "by the thousand", thousand)
    for size in (*BORDERS[-2:], *LONG_BORDERS[-2:]):
        long = _with_unknown("unknown-tag", top, filled, f"of size {size}", size=size)
        yield replace(long, about=f"size-{size}")


def _with_unknown(
    shape: str,
    places: list[StructPlace],
    base: Value,
    what: str,
    tags: tuple[int, ...] = (UNKNOWN_TAG,),
    size: int = 5,
) -> Plan:
    value = deepcopy(base)
    for place in places:
        found = place.find(value)
        for struct in found[::2] if place.held_by == "array" else found:
            struct[UNKNOWN_TAGS] = [unknown_tag(place.path, tag, size) for tag in tags]
    return Plan(shape, value, comment=f"unknown tags {what}")


NUMBER = "number"
"""The shape of a varint at a border."""
_SIGNED = (-1, 1, -2, 63, -64, 64, -65, 8191, -8192, 8192, -8193, 2**20, 2**27 - 1, -(2**27) - 1)
_BORDERS = {
    "varint": _SIGNED,
    "varlong": (*_SIGNED, 2**31 - 1, -(2**31), 2**31, 2**34, 2**41, 2**48, -(2**55), 2**62 - 1),
    "uvarint": (1, 127, 128, 16_383, 16_384, 2**21 - 1, 2**21, 2**28 - 1, 2**28),
}
"""Around where a number takes a byte more."""


def primitive_plans(form: Form) -> Iterator[Plan]:
    """Yield every value to be minted of one type."""
    yield from plan(form)
    for field in form.layout.fields:
        for number in _BORDERS.get(field.type.kind, ()):
            about = str(number).replace("-", "minus-")
            yield Plan(NUMBER, {field.name: number}, about, f"{field.name} of {number}")
