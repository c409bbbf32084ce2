"""What an importer of others' definitions is: it knows its own form, and reads it into our model.

Kafka's JSON and franz-go's language are read by importers that are part of the suite; a proxy or a
fork with a form of its own brings another, which is asked the same two things.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from conformance.schema.finding import BrokenRule
from conformance.schema.model import JsonPath, Message


def line_in(path: JsonPath) -> int:
    """The line of a field whose path is its line; 1 of all else."""
    return next((step for step in path if isinstance(step, int)), 1)


@dataclass(frozen=True)
class Imported:
    """One definition of others, or what its importer can't read where there is no `message`.

    `file` and `name` are theirs. `line_of` tells the line of a field by its `path`, and of the
    definition's own keys, as ("apiKey",), by theirs; a field whose path is its line needs none.
    Where they name no newest version (`open_ended`), a message has all those of Kafka.
    """

    file: str
    name: str
    message: Message | None
    line_of: Callable[[JsonPath], int] = line_in
    findings: tuple[BrokenRule, ...] = ()
    open_ended: bool = False


@runtime_checkable
class Importer(Protocol):
    """Reads one form of definitions. Made without arguments."""

    name: str

    def detect(self, path: Path) -> bool:
        """Whether the folder or file has definitions of this form."""
        ...

    def read(self, path: Path) -> Iterator[Imported]:
        """Each definition; what can't be understood is a finding of no rule.

        Raises ConformanceError where there is nothing to read.
        """
        ...
