"""Bytes that one side writes and the other misreads, ordered by how clearly each shows the change.

Best is a value at the place in question that is read as another value, or is refused. If the
default of a tag changed, nothing is sent at all: then each side's default is shown. The last resort
shows only another number of fields.

Others' definitions are proven by the values that show a difference of two releases of Kafka, and
the counter-example is chosen in the same way. Layouts with kinds that Kafka lacks, such as varint,
can't be written here, and have no proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from conformance.definitions.proofs.evolution_alike import same
from conformance.definitions.proofs.evolution_values import Value, written
from conformance.schema.differing import Difference
from conformance.schema.finding import Proof
from conformance.schema.layout import Form, Layout, WireField, WireType
from conformance.schema.model import FIXED_KINDS, NULLABLE_KINDS
from conformance.wire.errors import DecodeError
from conformance.wire.reader import Reader


@dataclass(frozen=True)
class Side:
    """One of two peers: its name, its layout, and its name of the place in question."""

    name: str
    form: Form
    place: str

    @property
    def names(self) -> list[str]:
        """The names of the fields that lead to the place, from the outside in."""
        return self.place.split(".") if self.place else []


@dataclass(frozen=True)
class Misread:
    """A counter-example and its weaknesses.

    `hidden` says that no value in it was read as another one, `elsewhere` that no value was sent at
    the place in question.
    """

    proof: Proof
    hidden: bool
    elsewhere: bool

    @property
    def weakness(self) -> tuple[bool, bool, int, bool]:
        """A sort key: less is better, and misread is better than refused."""
        refused = isinstance(self.proof.read, str)
        return self.hidden, self.elsewhere, len(self.proof.bytes), refused


def strongest(found: Iterable[Misread]) -> Misread | None:
    """Return the clearest counter-example, None if the iterable is empty."""
    return min(found, key=lambda each: each.weakness, default=None)


def misreadings(writer: Side, reader: Side, by_name: bool = False) -> Iterator[Misread]:
    """Yield values around the place that one side writes and the other misreads."""
    mine, yours = writer.form.layout, reader.form.layout
    for value, data in written(mine, writer.place):
        read = _read(yours, data)
        if isinstance(read, str):
            told: tuple[Any, Any] = value, read
        elif not same(mine, yours, value, read, by_name):
            told = _with_tags(mine, value, writer.names), _with_tags(yours, read, reader.names)
        else:
            continue
        if told[0] == told[1]:
            continue  # fields changed places, and their values are alike
        proof = Proof(writer.name, reader.name, writer.form.version, told[0], data, told[1])
        hidden = not _shows(proof, by_name)
        yield Misread(proof, hidden, elsewhere=not _sent(mine, value, writer.names))


def _read(layout: Layout, data: bytes) -> Value | str:
    """Return the value that the reader sees, or its error as text."""
    reading = Reader(data)
    try:
        read: Value = reading.struct(layout)
    except DecodeError as error:
        return str(error)
    left = len(data) - reading.offset
    return f"{left} bytes are left over" if left else read


def _with_tags(layout: Layout, value: Value, names: list[str]) -> Value:
    """Return the value with the tags on the way to a place, even those that were not sent."""
    item = _field(layout, names)
    if item is None:
        return value
    here = value.get(item.name, item.default)
    return {**value, item.name: _with_tags_within(item.type, here, names[1:])}


def _with_tags_within(type_: WireType, value: Any, names: list[str]) -> Any:
    struct = (type_.element or type_).struct
    if struct is None or value is None:
        return value
    if type_.element is not None:
        return [_with_tags(struct, each, names) for each in value]
    return _with_tags(struct, value, names)


def _sent(layout: Layout, value: Value, names: list[str]) -> bool:
    """True if bytes were sent for a place, or for the struct that lacks its field."""
    item = _field(layout, names)
    if item is None:
        return True
    here = value.get(item.name, item.default)
    if item.tag is not None and here == item.default:
        return False
    struct = (item.type.element or item.type).struct
    if struct is None or len(names) == 1:
        return True
    within = here if item.type.element is not None else [here]
    return any(_sent(struct, each, names[1:]) for each in within or () if each is not None)


def _field(layout: Layout, names: list[str]) -> WireField | None:
    fields = (item for item in (*layout.fields, *layout.tagged) if item.name == names[0])
    return next(fields, None) if names else None


def _shows(proof: Proof, by_name: bool) -> bool:
    """True if a value was read as another one or refused; always with `by_name`."""
    if by_name or isinstance(proof.read, str):
        return True
    both = zip(_leaves(proof.value), _leaves(proof.read), strict=False)
    return any(sent != got for sent, got in both)


def _leaves(value: Any) -> Iterator[Any]:
    """Yield the values in a value without their names."""
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _leaves(each)
    else:
        yield value


def shown(difference: Difference, ours: Form, theirs: Form) -> Proof | None:
    """Return the best counter-example of either direction, None if none exists."""
    if not _known(theirs.layout):
        return None
    kafka = Side(f"Kafka {ours.releases[0]}", ours, difference.place)
    other = Side(theirs.releases[0], theirs, difference.their_place)
    found = strongest([*misreadings(kafka, other), *misreadings(other, kafka)])
    return found.proof if found else None


def _known(layout: Layout) -> bool:
    return all(_known_type(item.type) for item in (*layout.fields, *layout.tagged))


def _known_type(type_: WireType) -> bool:
    inner = _known_type(type_.element) if type_.element else True
    struct = _known(type_.struct) if type_.struct else True
    return inner and struct and type_.kind in (*FIXED_KINDS, *NULLABLE_KINDS)
