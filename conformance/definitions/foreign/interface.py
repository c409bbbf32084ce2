"""The interface of importers: each recognises its own form of definitions, and reads it.

Kafka's JSON and franz-go's language are read by importers that are part of the suite; a proxy or a
fork with a form of its own adds another with the same two methods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from conformance.schema.finding import BrokenRule
from conformance.schema.model import JsonPath, Message


def line_in(path: JsonPath) -> int:
    """Return the line of a field whose path is its line; 1 for everything else."""
    return next((step for step in path if isinstance(step, int)), 1)


@dataclass(frozen=True)
class Imported:
    """One definition of another project; without a `message`, the findings of its importer.

    `file` and `name` are theirs. `line_of` returns the line of a field by its `path`, and of the
    definition's own keys, as ("apiKey",), by theirs; a field whose path is its line needs none.
    With `open_ended`, they name no newest version, and a message has all versions of Kafka.
    """

    file: str
    name: str
    message: Message | None
    line_of: Callable[[JsonPath], int] = line_in
    findings: tuple[BrokenRule, ...] = ()
    open_ended: bool = False


@runtime_checkable
class Importer(Protocol):
    """A reader of one form of definitions. Made without arguments."""

    name: str

    def detect(self, path: Path) -> bool:
        """True if the folder or file has definitions of this form."""
        ...

    def read(self, path: Path) -> Iterator[Imported]:
        """Yield each definition; text that can't be understood is a finding of no rule.

        Raises ConformanceError if there is nothing to read.
        """
        ...
