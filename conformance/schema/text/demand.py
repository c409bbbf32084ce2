"""A rule of definitions: a function that yields problems, and the id of its rule.

A rule about one definition gets a `Message` and walks its spots: each field where it is used, with
the versions in which it can be on the wire there. A struct that several fields share is walked once
for each of them, as the versions differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from conformance.schema.model import Field, JsonPath, Message
from conformance.schema.text.problem import Problem
from conformance.schema.versions import NONE, Versions


@dataclass(frozen=True)
class Spot:
    """A field where it is used. `place` is its dotted name, `valid` its versions on the wire."""

    place: str
    field: Field
    valid: Versions
    path: JsonPath


@dataclass(frozen=True)
class Struct:
    """The fields of a message or struct where it is used; `in_array` if as an array's element."""

    place: str
    spots: tuple[Spot, ...]
    in_array: bool = False


@dataclass(frozen=True)
class Fault:
    """A problem that a rule found: where, why, and the key of the definition concerned."""

    at: Spot | None
    reason: str
    key: str = ""


Finder = Callable[[Message], Iterator[Fault]]


@dataclass(frozen=True)
class Demand:
    """A rule's id and its function, as one that yields problems."""

    rule: str
    find: Finder

    def __call__(self, message: Message) -> Iterator[Problem]:
        """Yield the problems of this definition by this rule."""
        return (_problem(self.rule, fault) for fault in self.find(message))


def demand(rule: str) -> Callable[[Finder], Demand]:
    """Make a function that yields faults the one that decides this rule."""
    return lambda find: Demand(rule, find)


def _problem(rule: str, fault: Fault) -> Problem:
    key = (fault.key,) if fault.key else ()
    if fault.at is None:
        return Problem(rule, fault.key, fault.reason, key)
    return Problem(rule, fault.at.place, fault.reason, (*fault.at.path, *key))


_LAST: dict[str, tuple[Message, tuple[Struct, ...]]] = {}
"""The structs of the last message, as one rule after another asks for the same message. A
dictionary by message would hash the whole of it.
"""


def structs(message: Message) -> tuple[Struct, ...]:
    """Return the message and each struct in it, from the outside in, then the unused ones."""
    of, found = _LAST.get("", (None, ()))
    if of is not message:
        found = _walk(message)
        _LAST[""] = message, found
    return found


def _walk(message: Message) -> tuple[Struct, ...]:
    found = [*_structs("", message.fields, message.valid)]
    for type_ in message.unused:
        own = type_.struct_versions or NONE
        found += _structs(f"commonStructs.{type_.struct_name}", type_.fields, own, in_array=True)
    return tuple(found)


def spots(message: Message) -> Iterator[Spot]:
    """Every field where it is used, from the outside in."""
    return (spot for struct in structs(message) for spot in struct.spots)


def _structs(
    place: str, fields: tuple[Field, ...], valid: Versions, in_array: bool = False
) -> Iterator[Struct]:
    here = tuple(
        Spot(f"{place}.{item.name}" if place else item.name, item, valid & item.versions, item.path)
        for item in fields
    )
    yield Struct(place, here, in_array)
    for spot in here:
        type_ = spot.field.type.element or spot.field.type
        own = spot.valid if type_.struct_versions is None else spot.valid & type_.struct_versions
        if type_.kind == "struct":
            in_array = spot.field.type.kind == "array"
            yield from _structs(spot.place, type_.fields, own, in_array)
