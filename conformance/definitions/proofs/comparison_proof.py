"""Bytes that show where others' definitions part from Kafka's: one side writes, the other misreads.

The values are those that show what parts two releases of Kafka, and the counter-example is chosen
as theirs is. What Kafka has no kind for, as a varint, can't be written here, and goes without.
"""

from __future__ import annotations

from conformance.definitions.proofs.evolution_misread import Side, misreadings, strongest
from conformance.schema.differing import Difference
from conformance.schema.finding import Proof
from conformance.schema.layout import Form, Layout, WireType
from conformance.schema.model import FIXED_KINDS, NULLABLE_KINDS


def shown(difference: Difference, ours: Form, theirs: Form) -> Proof | None:
    """The best counter-example of either direction, None where there is none."""
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
