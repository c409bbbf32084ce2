"""Pairs of definitions of two releases that define the same message, and the versions of both.

A message goes by its name. A request or a response may go on under another name, as AlterIsr did as
AlterPartition: then its api key is that of a new message, and every stable version that both have
has the same form on the wire.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from conformance.definitions.evolution.positions import Position, positions, same_default
from conformance.definitions.evolution.release import Definition, Release, Unread
from conformance.schema.differing import Difference, differences
from conformance.schema.layout import Form, form
from conformance.schema.model import Message
from conformance.schema.text.demand import spots

HARMLESS = ("tag-added", "tag-removed")
"""The changes that a released version may have: a reader skips a tag that it does not know."""

_TEXT_OR_BYTES = ({"string", "bytes"}, {"string", "records"})


@dataclass(frozen=True)
class Step:
    """A version that both releases have, in the form of each.

    `unstable` says that it is unstable in the older release. `like` is an earlier version with the
    same two layouts, of which there may be thousands.
    """

    old: Form
    new: Form
    unstable: bool
    like: Step | None = None

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """The differences of the bytes; `ours` is the older release's side."""
        if self.like is not None:
            return self.like.differences
        if self.old.layout == self.new.layout:
            return ()
        return (*differences(self.old.layout, self.new.layout), *self._text_or_bytes())

    @cached_property
    def harmful(self) -> tuple[Difference, ...]:
        """The differences that one of the two can't read past."""
        if self.like is not None:
            return self.like.harmful
        return tuple(
            each
            for each in self.differences
            if each.kind not in HARMLESS and not self._default_kept(each)
        )

    @cached_property
    def swapped(self) -> tuple[Position, ...]:
        """Plain fields that read each other's bytes without an error: only their names show it."""
        if self.like is not None:
            return self.like.swapped
        if self.old.layout == self.new.layout:
            return ()
        found = positions(self.old.layout, self.new.layout)
        return tuple(each for each in found if each.swapped)

    def _text_or_bytes(self) -> Iterator[Difference]:
        """Yield strings that became bytes: both are written alike, but not all bytes are text."""
        for each in positions(self.old.layout, self.new.layout):
            one, other = each.old.type, each.new.type
            both_arrays = (one.kind == "array") == (other.kind == "array")
            one, other = one.element or one, other.element or other
            alike = both_arrays and one.compact and other.compact
            if alike and {one.kind, other.kind} in _TEXT_OR_BYTES:
                yield Difference("kind", each.old_place, each.place, one.kind, other.kind)

    def _default_kept(self, each: Difference) -> bool:
        """True if a struct's default differs only by a tag, which a reader without it skips."""
        return each.kind == "tag-default" and any(
            same_default(found.old, found.new)
            for found in positions(self.old.layout, self.new.layout)
            if found.old_place == each.place
        )


@dataclass(frozen=True)
class Pair:
    """A message in two releases, with the versions that both have."""

    old_release: Release
    new_release: Release
    old: Definition
    new: Definition

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The versions that both have, in ascending order."""
        return tuple(self._steps())

    @property
    def stable(self) -> Iterator[Step]:
        """The versions that both have and that were stable."""
        return (step for step in self.steps if not step.unstable)

    @property
    def retyped(self) -> bool:
        """True if plain data became a coordinator's, a type that came with Kafka 4.1."""
        return self.old.message.type == "data" and self.new.message.type.startswith("coordinator")

    def _steps(self) -> Iterator[Step]:
        turns = _turns(self.old.message) | _turns(self.new.message)
        last: Step | None = None
        for old_version, new_version in self._versions():
            unstable = self.old_release.unstable(self.old.message, old_version)
            if last is None or old_version in turns:
                old = form(self.old.message, old_version, self.old_release.name)
                new = form(self.new.message, new_version, self.new_release.name)
                last = Step(old, new, unstable)
                yield last
            else:
                old = replace(last.old, version=old_version)
                new = replace(last.new, version=new_version)
                yield Step(old, new, unstable, last)

    def _versions(self) -> Iterator[tuple[int, int]]:
        """Yield the versions of both, older and newer.

        A coordinator's key has its api key in the two bytes where data has its version.
        """
        old, new = self.old.message, self.new.message
        if self.retyped and new.type == "coordinator-key" and new.api_key is not None:
            yield from [(new.api_key, 0)] if new.api_key in old.valid else []
        else:
            yield from ((version, version) for version in old.valid & new.valid)


def _turns(message: Message) -> set[int]:
    """Return the versions whose layouts may differ from those of the version before."""
    found = {message.flexible.low, message.flexible.high + 1}
    for spot in spots(message):
        field, type_ = spot.field, spot.field.type.element or spot.field.type
        ranges = (field.versions, field.nullable, field.tagged, field.flexible)
        for each in (*ranges, type_.struct_versions):
            found |= {each.low, each.high + 1} if each else set()
    return found


@dataclass(frozen=True)
class Matched:
    """The messages of two releases: pairs of both, and those that only one of them has."""

    old: Release
    new: Release
    pairs: tuple[Pair, ...]
    gone: tuple[Definition, ...]
    fresh: tuple[Definition, ...]

    @property
    def unread(self) -> tuple[Unread, ...]:
        """The definitions of both that can't be compared."""
        return (*self.old.unread, *self.new.unread)


def match(old: Release, new: Release) -> Matched:
    """Pair the definitions of two releases."""
    pairs = [
        Pair(old, new, old.by_name[name], definition)
        for name, definition in new.by_name.items()
        if name in old.by_name
    ]
    pairs += _renamed(old, new)
    here = {id(pair.new) for pair in pairs}
    there = {id(pair.old) for pair in pairs}
    return Matched(
        old,
        new,
        tuple(pairs),
        gone=tuple(each for each in old.definitions if id(each) not in there),
        fresh=tuple(each for each in new.definitions if id(each) not in here),
    )


def _renamed(old: Release, new: Release) -> Iterator[Pair]:
    for key, definition in new.by_api_key.items():
        before = old.by_api_key.get(key)
        if before is None or definition.message.name in old.by_name:
            continue
        pair = Pair(old, new, before, definition)
        if before.message.name not in new.by_name and not any(s.harmful for s in pair.stable):
            yield pair
