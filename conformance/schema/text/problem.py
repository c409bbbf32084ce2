"""A problem of a definition: the rule that it breaks, where, and why."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.errors import ConformanceError
from conformance.schema.model import JsonPath


@dataclass(frozen=True, slots=True)
class Problem:
    """One rule broken at one place.

    `place` is for people (`Topics.Partitions.Index`), `path` finds the line of the file.
    """

    rule: str
    place: str
    reason: str
    path: JsonPath = ()


class DefinitionError(ConformanceError):
    """A definition that can't be used: file, field and reason; the line where it is no JSON."""

    def __init__(self, file: str, place: str, reason: str, line: int = 1) -> None:
        super().__init__(
            f"{file}: {place}: {reason}" if place else f"{file}: {reason}",
            "mend the definition, or leave it out",
        )
        self.file = file
        self.place = place
        self.reason = reason
        self.line = line
