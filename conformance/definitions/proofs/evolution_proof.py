"""Bytes of one definition's writer that the other's reader takes for something else, or refuses.

A finding about two definitions says that their peers misread each other, and shows it: values that
touch the change are written by the one and read by the other, both ways. Of the bytes that are read
as something else, the counter-example is the shortest that show it at the place of the change. If
no bytes do, the finding says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from conformance.definitions.evolution.breach import Breach
from conformance.definitions.evolution.pairing import Step
from conformance.definitions.proofs.evolution_misread import Misread, Side, misreadings, strongest
from conformance.schema.finding import Proof


@dataclass(frozen=True)
class Proven:
    """The strongest counter-example of each direction, None where there is none."""

    new_writer: Misread | None
    old_writer: Misread | None

    @property
    def smallest(self) -> Proof | None:
        """The stronger one; of two alike the one with the fewer bytes."""
        found = strongest(self._found())
        return found.proof if found else None

    @property
    def whom(self) -> str:
        """A phrase that says which readers break with which writers."""
        told = [
            words
            for found, words in (
                (self.new_writer, "an old reader with a new writer"),
                (self.old_writer, "a new reader with an old writer"),
            )
            if found
        ]
        return f"breaks {' and '.join(told)}" if told else "no value shows it"

    def _found(self) -> Iterator[Misread]:
        return (each for each in (self.new_writer, self.old_writer) if each)


def prove(breach: Breach, step: Step) -> Proven:
    """Return counter-examples in both directions, from values that touch the change."""
    old = Side(f"{step.old.releases[0]} (old)", step.old, breach.old_place)
    new = Side(f"{step.new.releases[0]} (new)", step.new, breach.place)
    return Proven(
        new_writer=strongest(misreadings(new, old, breach.by_name)),
        old_writer=strongest(misreadings(old, new, breach.by_name)),
    )
