"""The base of a client's mutants: the reference client with one method overridden."""

from __future__ import annotations

from typing import Any, ClassVar

from conformance.reference.client import Client, Course, Hold, Wait

MUCH_MIB = 320


class ClientMutant(Client):
    """The reference client with one defect, which the docstring tells in one sentence.

    `breaks` is the rule that it breaks, `implies` are others that nobody can keep who breaks that
    one so.
    """

    breaks: ClassVar[str] = ""
    implies: ClassVar[tuple[str, ...]] = ()
    known: ClassVar[list[type[ClientMutant]]] = []

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        ClientMutant.known.append(cls)

    @classmethod
    def says(cls) -> str:
        """Return the defect of this mutant, in one sentence."""
        return " ".join((cls.__doc__ or "").split())


def takes_much() -> Course:
    """Hold far too much memory, for long enough to be seen from outside."""
    yield Hold(MUCH_MIB)
    yield Wait(1.0)


class DoesNothing(Client):
    """The null baseline: never connects, and says that all is well."""

    def run(self, action: str) -> Any:
        del action
        yield from ()
