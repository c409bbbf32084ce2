"""Brokers that the suite starts itself, each gone when it has been judged."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conformance.targets.errors import TargetNotFound
from conformance.targets.kafka import running_kafka

KAFKA = "kafka"
REFERENCE = "reference"


@contextmanager
def started(what: str) -> Iterator[str]:
    """The address of a broker: `reference`, `kafka`, `kafka:4.3.1`. Raises TargetError."""
    name, _, version = what.partition(":")
    if name != KAFKA:
        raise TargetNotFound(f"no broker {what!r} can be started", "`kafka:VERSION` can")
    with (
        tempfile.TemporaryDirectory(
            prefix="kafka-conformance-", ignore_cleanup_errors=True
        ) as home,
        running_kafka(Path(home), version) as port,
    ):
        yield f"127.0.0.1:{port}"
