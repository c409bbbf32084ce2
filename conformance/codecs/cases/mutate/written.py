"""A change of a golden value that tests a writer, and the registry of such changes.

A function makes the changes of one rule: it goes through the fields of a value and yields values
with one of them changed. The allowed outcomes are the same for all changes of a function:

    refused     Apache Kafka's writers write no bytes for it
    dropped     they write the bytes of the value without the addition
    default     a field is left out that the value had at its default: they write the value's bytes
    sorted      it is refused, or the tags are written in the right order
    undeclared  it is to be written in a version that no release has, which has to be refused
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, NamedTuple

from conformance.codecs.cases.plan import StructPlace, structs
from conformance.codecs.cases.values.fill import Filler, Value
from conformance.schema.layout import Form, WireField
from conformance.schema.releases import form_for, wire_forms

Answer = Literal["refused", "dropped", "default", "sorted", "undeclared"]


class WrittenChange(NamedTuple):
    """A changed value: `name` is unique for one value and rule, `why` says what is wrong.

    `version` is the one that it is to be written in, None for the value's own.
    """

    name: str
    value: Value
    why: str
    version: int | None = None


@dataclass(frozen=True)
class Given:
    """A golden value to be changed, in the names of `release`."""

    release: str
    form: Form
    shape: str
    value: Value

    def places(self) -> Iterator[StructPlace]:
        """The structs that the value holds."""
        return (place for place in structs(self.form.layout) if place.find(self.value))

    def fields(self) -> Iterator[tuple[StructPlace, WireField]]:
        """The fields that the value was made for: those in tags where it is about a tag."""
        for place in self.places():
            tagged = [
                item for item in place.layout.tagged if item.name in place.find(self.value)[0]
            ]
            if self.shape == "filled" or place.held_by == "tag":
                yield from ((place, item) for item in place.layout.fields)
            yield from ((place, item) for item in tagged)

    def absent(self) -> Iterator[tuple[StructPlace, WireField, WireField]]:
        """The fields that this version lacks: as they are here, and where the message has them."""
        for place in self.places():
            for item in place.layout.absent:
                there = _everywhere(self.release, self.form.message).get(place.path_of(item))
                if there is not None:
                    yield place, item, there

    def changed(self, place: StructPlace, name: str, given: Any) -> Value:
        """The value with another one for a field, in the first struct of the place."""
        value = deepcopy(self.value)
        place.find(value)[0][name] = given
        return value

    def without(self, place: StructPlace, name: str) -> Value:
        """The value without a field, in the first struct of the place."""
        value = deepcopy(self.value)
        del place.find(value)[0][name]
        return value

    def filled(self, place: StructPlace, item: WireField) -> Value:
        """The value with a field at something else than its default."""
        return self.changed(place, item.name, Filler().value(item, f".{place.path_of(item)}"))


Maker = Callable[[Given], Iterator[WrittenChange]]


@dataclass(frozen=True, slots=True)
class WrittenRule:
    """The function that makes a rule's changes, and the allowed outcomes.

    If a writer that writes the value all the same has to write well-formed bytes, `kafka` is the
    rule that asks for Apache Kafka's behaviour, and `must` the one about the bytes; else both are
    `rule`. `shapes` are the shapes of vectors that it changes, as patterns. `few`: a few of them
    are enough. `tags` says that the values hold tags which a codec may have declared that it drops.
    """

    rule: str
    answer: Answer
    shapes: tuple[str, ...]
    make: Maker
    few: bool = False
    tags: bool = False
    must: str = ""
    kafka: str = ""

    @property
    def rules(self) -> tuple[str, ...]:
        """Return all rules that the changes decide."""
        return (self.must, self.kafka) if self.must else (self.rule,)


WRITTEN: list[WrittenRule] = []


def written(
    rule: str,
    answer: Answer,
    *shapes: str,
    few: bool = False,
    tags: bool = False,
    must: str = "",
    kafka: str = "",
) -> Callable[[Maker], Maker]:
    """The function under this changes values that decide a rule; by default filled ones.

    A rule that comes with another one, a `must` or what only `kafka` does, is the other of the two.
    """

    def register(make: Maker) -> Maker:
        shown = shapes or ("filled",)
        both = (must or rule, kafka or rule) if must or kafka else ("", "")
        WRITTEN.append(WrittenRule(rule, answer, shown, make, few, tags, *both))
        return make

    return register


@cache
def _everywhere(release: str, message: str) -> dict[str, WireField]:
    """Return every field of a message by its path, as in the highest version that has it."""
    forms = (form_for(release, message, version) for version in sorted(wire_forms(message)))
    return {
        place.path_of(item): item
        for form in forms
        if form is not None
        for place in structs(form.layout)
        for item in (*place.layout.fields, *place.layout.tagged)
    }
