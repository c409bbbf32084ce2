"""Pairs of fields of two releases that are the same field, though names are free.

On the wire a plain field is its position and a tagged one is its number. So fields are paired by
their places in the versions that both releases have, and by their names if no such version decides:
for a field that only older or newer versions have.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from conformance.definitions.evolution.pairing import Pair
from conformance.definitions.evolution.positions import inside, positions
from conformance.schema.layout import json_name
from conformance.schema.model import Field, Message
from conformance.schema.text.demand import Spot, spots


@dataclass(frozen=True)
class Both:
    """A field in both releases, with the fields of the struct that it belongs to."""

    old_place: str
    place: str
    old: Field
    new: Field
    old_struct: tuple[Field, ...]
    struct: tuple[Field, ...]

    @property
    def renamed(self) -> bool:
        """True if it has another name in the newer release."""
        return json_name(self.old.name) != json_name(self.new.name)


def both(pair: Pair) -> Iterator[Both]:
    """Yield the fields that both releases have, from the outside in."""
    renamed = dict(_renamed(pair))
    return _both("", "", pair.old.message.fields, pair.new.message.fields, renamed)


def _both(
    old_place: str,
    place: str,
    old_struct: tuple[Field, ...],
    struct: tuple[Field, ...],
    renamed: dict[str, str],
) -> Iterator[Both]:
    by_name = {inside(place, item.name): item for item in struct}
    by_tag: dict[int | None, Field] = {i.tag: i for i in struct if i.tag is not None}
    for old in old_struct:
        old_here = inside(old_place, old.name)
        new = by_tag.get(old.tag) or by_name.get(renamed.get(old_here, inside(place, old.name)))
        if new is None:
            continue
        here = inside(place, new.name)
        yield Both(old_here, here, old, new, old_struct, struct)
        yield from _both(old_here, here, _fields(old), _fields(new), renamed)


def _fields(item: Field) -> tuple[Field, ...]:
    return (item.type.element or item.type).fields


def _renamed(pair: Pair) -> Iterator[tuple[str, str]]:
    """Yield both places of each field, from versions whose two layouts differ."""
    for step in pair.steps:
        if step.like is None and step.old.layout != step.new.layout:
            found = positions(step.old.layout, step.new.layout)
            yield from ((each.old_place, each.place) for each in found)


def spot_at(message: Message, place: str) -> Spot | None:
    """Return the field at a place of the JSON form, None for the message or if missing."""
    found = (spot for spot in spots(message) if _json_place(spot) == place)
    return next(found, None)


def _json_place(spot: Spot) -> str:
    return ".".join(map(json_name, spot.place.split(".")))
