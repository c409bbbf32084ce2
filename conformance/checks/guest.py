"""A client as the target of a run: nothing is asked of it, it comes to us."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Self

from conformance.protocol import Hello, Outcome, Request
from conformance.targets import registry
from conformance.targets.client import ClientProgram


class Guest:
    """A client under a name: a program to be started, or none where it comes by itself.

    Raises CommandNotFound.
    """

    def __init__(
        self, name: str, command: Sequence[str], timeout_s: float, memory_mib: int | None
    ) -> None:
        self.program = (
            ClientProgram(command, timeout_s=timeout_s, memory_mib=memory_mib) if command else None
        )
        self.notes: list[str] = []
        software, version = name.partition("@")[0], registry.version_of(name, registry.CLIENTS)
        self.hello = Hello(name=software, version=version, ops=frozenset(), messages={})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def ask(self, requests: Iterable[Request]) -> Iterator[Outcome]:
        """A client is no codec: nothing can be asked of it."""
        raise NotImplementedError

    def close(self) -> None:
        """Each visit ends with its process."""
