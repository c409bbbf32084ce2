"""Brokers that the suite starts itself, each gone when it has been judged."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conformance.peers.broker import play
from conformance.peers.played import PLAYED
from conformance.peers.server import serving
from conformance.targets.errors import TargetNotFound
from conformance.targets.kafka import running_kafka

KAFKA = "kafka"
REFERENCE = "reference"
NEWEST = "newest"


@contextmanager
def started(what: str) -> Iterator[str]:
    """The address of a broker: `kafka`, `kafka:4.3.1`, or `reference`, `reference:2.4`.

    Raises TargetError.
    """
    name, _, version = what.partition(":")
    if name == REFERENCE and (version or NEWEST) in PLAYED:
        with serving(play(version or NEWEST)) as port:
            yield f"127.0.0.1:{port}"
        return
    if name != KAFKA:
        plays = ", ".join(f"{REFERENCE}:{each}" for each in PLAYED)
        raise TargetNotFound(f"no broker {what!r} can be started", f"kafka:VERSION can, or {plays}")
    with (
        tempfile.TemporaryDirectory(
            prefix="kafka-conformance-", ignore_cleanup_errors=True
        ) as home,
        running_kafka(Path(home), version) as port,
    ):
        yield f"127.0.0.1:{port}"
