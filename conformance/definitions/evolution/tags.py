"""Tags: the number, the type and the default of a tagged field, once it is out."""

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
    """What changed within a tag that is still its field's; a field by another number or type."""
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
    """Of a struct, the defaults of its fields. What became nullable changed more than that."""
    taken = {each.old_place for each in _given_away(pair)}
    for step in pair.stable:
        other = {each.place for each in step.harmful if each.kind != "tag-default"}
        for each in step.harmful:
            if each.kind == "tag-default" and each.place not in taken | other:
                yield changed(step, each)


@evolving("evolution.tag-not-given-away")
def tag_not_given_away(pair: Pair) -> Iterator[Breach]:
    """A tag whose field has another name and is of another kind, or lives on elsewhere."""
    for each in _given_away(pair):
        yield from _breaches(pair, each, f"tag {each.old.tag} was that of {each.old.name}")


def _given_away(pair: Pair) -> list[Both]:
    """Tags that are another field's now: one of another kind, or one whose names tell."""
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
    """Whether the old field goes on elsewhere, or the new one was there before."""
    return each.old.name in _names(each.struct) or each.new.name in _names(each.old_struct)


def _renumbered(pair: Pair) -> Iterator[Breach]:
    """Fields that go on by another number, where nobody has the old one."""
    for each in both(pair):
        old, new = each.old, each.new
        if None not in (old.tag, new.tag) and old.tag != new.tag and _was_out(pair, old):
            yield from _breaches(pair, each, f"tag {new.tag}, {old.tag} before")


def _of_another_type(pair: Pair) -> Iterator[Breach]:
    """Fields that no version has in both releases, and another type since: a tag is for good."""
    for each in both(pair):
        tagged = each.old.tag is not None and each.old.tag == each.new.tag and not each.renamed
        if not tagged or _kinds(each.old) == _kinds(each.new) or not _was_out(pair, each.old):
            continue
        if not any(_both_tagged(step, each) for step in pair.stable):
            reason = f"{_words(each.new)}, {_words(each.old)} before"
            yield Breach(reason, each.old_place, each.place, key="type")


def _breaches(pair: Pair, each: Both, reason: str) -> Iterator[Breach]:
    """In each version in which both are tagged; once where there is no such version."""
    breach = Breach(reason, each.old_place, each.place, key="tag", by_name=True)
    steps = [step for step in pair.stable if _both_tagged(step, each)]
    yield from [replace(breach, step=step) for step in steps] or [breach]


def _was_out(pair: Pair, old: Field) -> bool:
    """Whether a stable version has this tag."""
    message = pair.old.message
    versions = old.tagged & message.valid
    return any(not pair.old_release.unstable(message, version) for version in versions)


def _both_tagged(step: Step, each: Both) -> bool:
    return step.old.version in each.old.tagged and step.new.version in each.new.tagged


def _kinds(item: Field) -> tuple[str, str]:
    """What is written: records are bytes to whoever does not look into them."""
    kinds = item.type.kind, item.type.element.kind if item.type.element else ""
    kind, element = ("bytes" if each == "records" else each for each in kinds)
    return kind, element


def _words(item: Field) -> str:
    element = item.type.element
    return f"array of {element.kind}" if element else item.type.kind


def _names(struct: tuple[Field, ...]) -> set[str]:
    return {item.name for item in struct}


RULES = (tag_kept, tag_not_given_away, tag_default_kept)
