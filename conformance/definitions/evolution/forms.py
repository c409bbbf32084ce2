"""Rules for released versions: they stay flexible or not, and their plain fields do not change."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.definitions.evolution.breach import Breach, evolving
from conformance.definitions.evolution.pairing import Pair, Step
from conformance.definitions.evolution.positions import inside, tagged_around
from conformance.schema.differing import ABSENT, Difference
from conformance.schema.layout import Layout

_PLAIN = ("field", "kind", "nullable", "compact")


@evolving("evolution.inflexible-stays")
def inflexible_stays(pair: Pair) -> Iterator[Breach]:
    """Yield a breach for each such version. All lengths change, so no other rule looks at it."""
    for step in pair.stable:
        if step.old.flexible != step.new.flexible and not _first_tagged(pair, step):
            words = ("flexible", "not flexible")
            now, before = words if step.new.flexible else words[::-1]
            yield Breach(f"{now}, and {before} before", key="flexibleVersions", step=step)


@evolving("evolution.tagged-needs-new-version")
def tagged_needs_new_version(pair: Pair) -> Iterator[Breach]:
    """Yield a breach for each version that became flexible for the sake of a tagged field."""
    for step in pair.stable:
        place = _first_tagged(pair, step)
        if place:
            reason = "tagged in a version that had no place for tags"
            yield Breach(reason, place=place, key="taggedVersions", step=step)


def _first_tagged(pair: Pair, step: Step) -> str:
    """Return the first tagged field of a released version that became flexible.

    It is "" unless the message had no flexible version before.
    """
    message = pair.old.message
    had_none = not message.flexible & message.valid
    return _tagged(step.new.layout, "") if had_none and not step.old.flexible else ""


def _tagged(layout: Layout, place: str) -> str:
    if layout.tagged:
        return inside(place, layout.tagged[0].name)
    for item in layout.fields:
        inner = item.type.element or item.type
        found = _tagged(inner.struct, inside(place, item.name)) if inner.struct else ""
        if found:
            return found
    return ""


@evolving("evolution.stable-form-kept")
def stable_form_kept(pair: Pair) -> Iterator[Breach]:
    """Yield each difference outside of tagged fields, which have rules of their own."""
    for step in pair.stable:
        for each in step.harmful:
            tagged = tagged_around(step.old.layout, each.place)
            if each.kind in _PLAIN and tagged is None:
                yield changed(step, each)
        yield from _moved(step)


def _moved(step: Step) -> Iterator[Breach]:
    for each in step.swapped:
        reason = f"in the place of {each.old.name}"
        yield Breach(reason, each.old_place, each.place, step=step, by_name=True)


@evolving("evolution.unstable-named")
def unstable_named(pair: Pair) -> Iterator[Breach]:
    """Yield each difference that would be a fault in a stable version, tags included."""
    for step in pair.steps:
        if step.unstable:
            yield from (changed(step, each) for each in step.harmful)
            yield from _moved(step)


def changed(step: Step, each: Difference) -> Breach:
    """Return a difference as a breach, in words that say what was and what is."""
    gone = each.theirs == ABSENT
    if gone:
        reason = f"{each.ours}, no longer there"
    elif each.ours == ABSENT:
        reason = f"{each.theirs}, not there before"
    else:
        reason = f"{each.theirs}, {each.ours} before"
    return Breach(reason, each.place, each.their_place, gone=gone, step=step)


RULES = (inflexible_stays, tagged_needs_new_version, stable_form_kept, unstable_named)
