"""The base of a client's mutants: the reference client with one method overridden."""

from __future__ import annotations

from typing import Any

from conformance.mutants import Breaks
from conformance.reference.client import Client, Course, Hold, Wait

MUCH_MIB = 320


class ClientMutant(Breaks, Client):
    """The reference client with one defect."""


def takes_much() -> Course:
    """Hold far too much memory, for long enough to be seen from outside."""
    yield Hold(MUCH_MIB)
    yield Wait(1.0)


class DoesNothing(Client):
    """The null baseline: never connects, and says that all is well."""

    def run(self, action: str) -> Any:
        del action
        yield from ()
