"""A client as the target of a run: nothing is asked of it, it comes to us."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Self

from conformance.clients.doubts import Doubts
from conformance.clients.driver_errors import Telling
from conformance.clients.program import ClientProgram
from conformance.clients.time_limit import Patience
from conformance.targets import registry
from conformance.testee_protocol import Hello, Outcome, Request


class ClientTarget:
    """A client under a name: a program to be started, or none if it connects by itself.

    Raises CommandNotFound.
    """

    def __init__(
        self, name: str, command: Sequence[str], timeout_s: float, memory_mib: int | None
    ) -> None:
        self.program = ClientProgram(command, memory_mib=memory_mib) if command else None
        self.patience = Patience(timeout_s)
        self.telling = Telling()
        self.doubts = Doubts()
        software, version = name.partition("@")[0], registry.version_of(name, registry.CLIENTS)
        language = registry.language_of(name, registry.CLIENTS)
        self.hello = Hello(
            name=software, version=version, language=language, ops=frozenset(), messages={}
        )

    @property
    def notes(self) -> list[str]:
        """Return notes on doubts, on ended visits with their cause, and on the driver's gaps."""
        return [*self.doubts.notes(), *self.patience.notes(), *self.telling.notes()]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def ask(self, requests: Iterable[Request]) -> Iterator[Outcome]:
        """A client is no codec: nothing can be asked of it."""
        raise NotImplementedError

    def close(self) -> None:
        """Each visit ends with its process."""
