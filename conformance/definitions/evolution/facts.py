"""The changes between two releases, right or wrong, in a few words: shown beside the findings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from conformance.definitions.evolution.fields import both
from conformance.definitions.evolution.pairing import Matched, Pair
from conformance.definitions.evolution.release import Definition, Release
from conformance.schema.model import Message
from conformance.schema.text.demand import Spot, spots
from conformance.schema.versions import Versions


@dataclass(frozen=True)
class Fact:
    """A change: its kind, its message, and its details."""

    kind: str
    message: str
    what: str = ""


def facts(matched: Matched) -> Iterator[Fact]:
    """Yield the changes: new, dropped and renamed messages, versions, tags, names of fields."""
    yield from _messages(matched)
    for pair in matched.pairs:
        yield from _versions(pair)
        yield from _fields(pair)
    for release in (matched.old, matched.new):
        for each in release.unread:
            yield Fact("not compared", each.name, f"{each.file} of {release.name}: {each.reason}")


def _messages(matched: Matched) -> Iterator[Fact]:
    for definition in _unless_unread(matched.fresh, matched.old):
        yield Fact("new message", definition.name, str(definition.valid))
    for definition in _unless_unread(matched.gone, matched.new):
        yield Fact("message gone", definition.name, str(definition.valid))
    for pair in matched.pairs:
        old, new = pair.old.message, pair.new.message
        if old.name != new.name:
            yield Fact("message renamed", new.name, f"(was {old.name})")
        if pair.retyped:
            yield Fact("data of a coordinator now", new.name, f"is {new.type} {new.api_key}")


def _unless_unread(definitions: tuple[Definition, ...], other: Release) -> Iterator[Message]:
    names = {each.name for each in other.unread}
    return (each.message for each in definitions if each.message.name not in names)


def _versions(pair: Pair) -> Iterator[Fact]:
    old, new = pair.old.message, pair.new.message
    if not pair.retyped:
        yield from _came_and_went(new.name, old.valid, new.valid)
    for step in pair.steps:
        if step.unstable and not pair.new_release.unstable(new, step.new.version):
            yield Fact("version now stable", new.name, str(step.new.version))
    newest = new.valid.high
    was_unstable = newest in old.valid and pair.old_release.unstable(old, newest)
    if new.valid and pair.new_release.unstable(new, newest) and not was_unstable:
        yield Fact("version unstable", new.name, str(newest))


def _came_and_went(name: str, old: Versions, new: Versions) -> Iterator[Fact]:
    if old and not new:
        yield Fact("message retired", name, f"had {old}")
        return
    for came in new.without(old):
        yield Fact("new version", name, str(came))
    for went in old.without(new):
        yield Fact("version dropped", name, str(went))


def _fields(pair: Pair) -> Iterator[Fact]:
    name = pair.new.message.name
    paired = list(both(pair))
    for each in paired:
        if each.renamed and each.old.name not in {item.name for item in each.struct}:
            yield Fact("field renamed", name, f"{each.old_place} is {each.place}")
    if not pair.new.message.valid:
        return
    old, new = _tagged(pair.old.message), _tagged(pair.new.message)
    kept = {_key(each.place) for each in paired if each.old.tag is not None}
    went = {_key(each.old_place) for each in paired if each.new.tag is not None}
    for place, told in new.items():
        if place not in kept:
            yield Fact("tag added", name, told)
    for place, told in old.items():
        if place not in went:
            yield Fact("tag gone", name, told)


def _tagged(message: Message) -> dict[str, str]:
    return {
        _key(spot.place): f"{spot.place} (tag {spot.field.tag} of {_out(spot)})"
        for spot in spots(message)
        if spot.field.tag is not None
    }


def _out(spot: Spot) -> Versions:
    return spot.valid & spot.field.tagged


def _key(place: str) -> str:
    return place.lower()
