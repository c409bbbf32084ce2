"""The steps that a client yields to the holder of its connections, and its two failures."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from conformance.dialogue import Receive, Received, Send
from conformance.testee_protocol import Value

Address = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Open:
    """Leave the connection, if there is one, and open one to this address, None the first."""

    address: Address | None = None


@dataclass(frozen=True, slots=True)
class Wait:
    """Wait for so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Hold:
    """Keep so many MiB of memory from now on, in place of those kept before."""

    mib: int


Step = Open | Wait | Hold | Send | Receive
Course = Generator[Step, Received | None, None]
Asking = Generator[Step, Received | None, Value]
Trying = Generator[Step, Received | None, int]


class Failed(Exception):
    """A client could not do its action, for this reason."""


class Lost(Exception):
    """A connection on which nothing more will come."""
