"""Rules for tags: the number, the type and the default of a tagged field, once it is released."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from conformance.definitions.evolution.breach import Breach, evolving
from conformance.definitions.evolution.fields import Both, both
from conformance.definitions.evolution.forms import changed
from conformance.definitions.evolution.pairing import Pair, Step
from conformance.definitions.evolution.positions import tagged_around
from conformance.schema.model import Field

_OF_TYPE = ("tag-type", "nullable", "kind")


@evolving("evolution.tag-kept")
def tag_kept(pair: Pair) -> Iterator[Breach]:
    """Yield changes of type within a tagged field, and fields with another tag number or type."""
    taken = {each.old_place for each in _given_away(pair)}
    for step in pair.stable:
        for each in step.harmful:
            tagged = tagged_around(step.old.layout, each.place)
            if each.kind in _OF_TYPE and tagged is not None and tagged not in taken:
                yield changed(step, each)
    yield from _renumbered(pair)
    yield from _of_another_type(pair)


@evolving("evolution.tag-default-kept")
def tag_default_kept(pair: Pair) -> Iterator[Breach]:
    """Yield changed defaults, for a struct those of its fields; not if more changed."""
    taken = {each.old_place for each in _given_away(pair)}
    for step in pair.stable:
        other = {each.place for each in step.harmful if each.kind != "tag-default"}
        for each in step.harmful:
            if each.kind == "tag-default" and each.place not in taken | other:
                yield changed(step, each)


@evolving("evolution.tag-not-given-away")
def tag_not_given_away(pair: Pair) -> Iterator[Breach]:
    """Yield tags whose field has another name and another kind, or is elsewhere in its struct."""
    for each in _given_away(pair):
        yield from _breaches(pair, each, f"tag {each.old.tag} was that of {each.old.name}")


def _given_away(pair: Pair) -> list[Both]:
    """Return tags that belong to another field now, by its kind or by the names of both structs."""
    return [
        each
        for each in both(pair)
        if each.old.tag is not None
        and each.old.tag == each.new.tag
        and each.renamed
        and _was_out(pair, each.old)
        and (_kinds(each.old) != _kinds(each.new) or _both_live(each))
    ]


def _both_live(each: Both) -> bool:
    """True if the old field is in the new struct too, or the new one in the old struct."""
    return each.old.name in _names(each.struct) or each.new.name in _names(each.old_struct)


def _renumbered(pair: Pair) -> Iterator[Breach]:
    """Yield fields with another tag number, whose old number no field has now."""
    for each in both(pair):
        old, new = each.old, each.new
        if None not in (old.tag, new.tag) and old.tag != new.tag and _was_out(pair, old):
            yield from _breaches(pair, each, f"tag {new.tag}, {old.tag} before")


def _of_another_type(pair: Pair) -> Iterator[Breach]:
    """Yield fields with another type that no version has in both releases.

    A tag keeps its meaning for ever.
    """
    for each in both(pair):
        tagged = each.old.tag is not None and each.old.tag == each.new.tag and not each.renamed
        if not tagged or _kinds(each.old) == _kinds(each.new) or not _was_out(pair, each.old):
            continue
        if not any(_both_tagged(step, each) for step in pair.stable):
            reason = f"{_words(each.new)}, {_words(each.old)} before"
            yield Breach(reason, each.old_place, each.place, key="type")


def _breaches(pair: Pair, each: Both, reason: str) -> Iterator[Breach]:
    """Yield a breach for each version in which both are tagged; one if no such version exists."""
    breach = Breach(reason, each.old_place, each.place, key="tag", by_name=True)
    steps = [step for step in pair.stable if _both_tagged(step, each)]
    yield from [replace(breach, step=step) for step in steps] or [breach]


def _was_out(pair: Pair, old: Field) -> bool:
    """True if a stable version has this tag."""
    message = pair.old.message
    versions = old.tagged & message.valid
    return any(not pair.old_release.unstable(message, version) for version in versions)


def _both_tagged(step: Step, each: Both) -> bool:
    return step.old.version in each.old.tagged and step.new.version in each.new.tagged


def _kinds(item: Field) -> tuple[str, str]:
    """Return the kinds as they are written: records are plain bytes."""
    kinds = item.type.kind, item.type.element.kind if item.type.element else ""
    kind, element = ("bytes" if each == "records" else each for each in kinds)
    return kind, element


def _words(item: Field) -> str:
    element = item.type.element
    return f"array of {element.kind}" if element else item.type.kind


def _names(struct: tuple[Field, ...]) -> set[str]:
    return {item.name for item in struct}


RULES = (tag_kept, tag_not_given_away, tag_default_kept)
