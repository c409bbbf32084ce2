"""What is said of bytes: rows that cover them, and what a reader must know of the whole."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.errors import ConformanceError
from conformance.wire.annotated import Row

_MALFORMED = frozenset({"wrong", "left over"})


class NotAFrame(ConformanceError):
    """What was asked for is no frame: a message of another kind, or half of a name."""


@dataclass(frozen=True)
class Explanation:
    """Rows that cover all bytes from the first to the last; `title` says what they were read as.

    `notes` are sentences about the whole. `undecided` says why nobody can tell whether the bytes
    are well-formed, "" where that can be told.
    """

    title: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    undecided: str = ""

    @property
    def wrong(self) -> list[Row]:
        """The rows that make these bytes malformed; none where they are well-formed."""
        return [row for row in self.rows if row.state in _MALFORMED]

    @property
    def is_printable(self) -> bool:
        """True if all strings can be printed."""
        return all(row.value.isprintable() for row in self.rows if row.type == "string")
