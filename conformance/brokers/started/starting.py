"""Brokers that the suite starts itself, each gone when it has been judged.

The run that started a broker may end and restart it; the gate finds its `Control` here, by the
address.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from conformance.brokers.exchange import Control
from conformance.brokers.mutants import broker_mutants, stocked
from conformance.brokers.started.command import running_command
from conformance.brokers.started.kafka import running_kafka
from conformance.brokers.started.program import programs, running_program
from conformance.reference.broker.broker import Broker, play
from conformance.reference.broker.connections.server import serving
from conformance.reference.broker.releases import PLAYED
from conformance.targets.errors import TargetNotFound

KAFKA = "kafka"
SECURED_KAFKA = "secured-kafka"
REFERENCE = "reference"
MUTANT = "mutant"
NEWEST = "newest"

_running: dict[str, Control] = {}


class Started(Control, Protocol):
    """A broker that runs: where it is judged, and the client properties to log in with."""

    @property
    def address(self) -> str:
        """HOST:PORT."""
        ...

    @property
    def config(self) -> Path | None:
        """Client properties of the principal with all permissions, None if none are needed."""
        ...

    @property
    def other(self) -> Path | None:
        """The client properties of a principal without permissions, None if there are none."""
        ...


@contextmanager
def started(what: str, brokers: int = 1) -> Iterator[Started]:
    """Start a broker: `kafka:4.3.1`, `secured-kafka`, `reference:2.4`, or `mutant:KeysSorted`.

    Versions may be left out. Raises TargetError.
    """
    with ExitStack() as stack:
        yield _known(stack, stack.enter_context(_start(what, brokers)))


@contextmanager
def started_by(command: Sequence[str]) -> Iterator[Started]:
    """Start a broker by a command with {listen} in it. Raises TargetError."""
    with ExitStack() as stack:
        yield _known(stack, stack.enter_context(running_command(command)))


def _known(stack: ExitStack, broker: Started) -> Started:
    """Have the gate find the broker's control by its address, until the stack is closed."""
    _running[broker.address] = broker
    stack.callback(_running.pop, broker.address)
    return broker


def control_of(address: str) -> Control | None:
    """Return the control over the broker at this address, None if this process did not start it."""
    return _running.get(address)


@contextmanager
def _start(what: str, brokers: int) -> Iterator[Started]:
    name, _, version = what.partition(":")
    played = _played(name, version)
    if played is not None:
        if brokers > 1:
            raise TargetNotFound("a broker of our own is alone", "--brokers is for kafka")
        with serving(played) as port:
            yield ScriptedBroker(f"127.0.0.1:{port}")
        return
    if name in programs():
        with running_program(name, version) as program:
            yield program
        return
    if name not in (KAFKA, SECURED_KAFKA):
        plays = ", ".join(f"{REFERENCE}:{each}" for each in PLAYED)
        raise TargetNotFound(
            f"no broker {what!r} can be started",
            f"kafka:VERSION can, secured-kafka:VERSION, {', '.join(programs())}, {plays}, "
            "or mutant:NAME",
        )
    secured = name == SECURED_KAFKA
    with (
        tempfile.TemporaryDirectory(
            prefix="kafka-conformance-", ignore_cleanup_errors=True
        ) as home,
        running_kafka(Path(home), version, brokers=brokers, secured=secured) as kafka,
    ):
        yield kafka


@dataclass(frozen=True, slots=True)
class ScriptedBroker:
    """A broker of our own, which lives as long as this process does."""

    address: str
    config: Path | None = None
    other: Path | None = None

    def alive(self) -> bool:
        """Always."""
        return True

    def restart(self) -> None:
        """Nothing that it is asked ends it."""

    def stop(self, node: int) -> None:
        """Never asked: it is alone."""
        raise NotImplementedError

    def start(self, node: int) -> None:
        """Never asked: it is alone."""
        raise NotImplementedError


def _played(name: str, which: str) -> Broker | None:
    """Return a broker of our own with topics in it, None if none has this name."""
    if name == REFERENCE and (which or NEWEST) in PLAYED:
        return stocked(play(which or NEWEST))
    if name == MUTANT and which in broker_mutants():
        return stocked(broker_mutants()[which]())
    return None
