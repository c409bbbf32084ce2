"""Brokers that the suite starts itself, each gone when it has been judged."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conformance.mutants.brokers import broker_mutants, stocked
from conformance.peers.broker import Broker, play
from conformance.peers.played import PLAYED
from conformance.peers.server import serving
from conformance.targets.errors import TargetNotFound
from conformance.targets.kafka import running_kafka

KAFKA = "kafka"
REFERENCE = "reference"
MUTANT = "mutant"
NEWEST = "newest"


@contextmanager
def started(what: str) -> Iterator[str]:
    """The address of a broker: `kafka:4.3.1`, `reference:2.4`, or `mutant:KeysSorted`.

    Versions may be left out. Raises TargetError.
    """
    name, _, version = what.partition(":")
    played = _played(name, version)
    if played is not None:
        with serving(played) as port:
            yield f"127.0.0.1:{port}"
        return
    if name != KAFKA:
        plays = ", ".join(f"{REFERENCE}:{each}" for each in PLAYED)
        raise TargetNotFound(
            f"no broker {what!r} can be started", f"kafka:VERSION can, {plays}, or mutant:NAME"
        )
    with (
        tempfile.TemporaryDirectory(
            prefix="kafka-conformance-", ignore_cleanup_errors=True
        ) as home,
        running_kafka(Path(home), version) as port,
    ):
        yield f"127.0.0.1:{port}"


def _played(name: str, which: str) -> Broker | None:
    """A broker of our own with topics in it, None where there is none of this name."""
    if name == REFERENCE and (which or NEWEST) in PLAYED:
        return stocked(play(which or NEWEST))
    if name == MUTANT and which in broker_mutants():
        return stocked(broker_mutants()[which]())
    return None
