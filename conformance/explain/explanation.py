"""An explanation of bytes: rows that cover them, and notes about the whole."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.errors import ConformanceError
from conformance.schema.layout import Form
from conformance.wire.annotated import Row

_MALFORMED = frozenset({"wrong", "left over"})


class NotAFrame(ConformanceError):
    """The user asked for no frame: a message of another kind, or an incomplete name."""


@dataclass(frozen=True)
class Explanation:
    """Rows that cover all bytes from the first to the last; `title` names what they were read as.

    `notes` are sentences about the whole. `undecided` is why it is not known whether the bytes are
    well-formed, "" if it is known. `form` is the definition that they were read by, None for none.
    """

    title: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    undecided: str = ""
    form: Form | None = None

    @property
    def wrong(self) -> list[Row]:
        """Return the rows that make these bytes malformed; none if they are well-formed."""
        return [row for row in self.rows if row.state in _MALFORMED]

    @property
    def is_printable(self) -> bool:
        """True if all strings can be printed."""
        return all(row.value.isprintable() for row in self.rows if row.type == "string")
