"""Bytes that show how others' definitions differ: one side writes, the other misreads.

The values are those that show a difference of two releases of Kafka, and the counter-example is
chosen in the same way. Layouts with kinds that Kafka lacks, such as varint, can't be written here,
and have no proof.
"""

from __future__ import annotations

from conformance.definitions.proofs.evolution_misread import Side, misreadings, strongest
from conformance.schema.differing import Difference
from conformance.schema.finding import Proof
from conformance.schema.layout import Form, Layout, WireType
from conformance.schema.model import FIXED_KINDS, NULLABLE_KINDS


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
