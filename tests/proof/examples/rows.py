"""Rows of an example: a few named bytes around the place that matters."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from conformance.rules.examples import ExampleRow
from conformance.wire.annotated import Row

AROUND = 2
AFTER_THE_END = "(behind the end)"
_MOST_ROWS = 6
OF_RECORDS = r"records\[\d+\]\(length\)"


@dataclass(frozen=True, slots=True)
class Rows:
    """The form of rows: the most bytes and letters of each, and what is said of one.

    `computed` are the fields that are computed from others, in ascending order of dependence.
    """

    most_bytes: int
    most_letters: int
    says: Callable[[Row], str]
    computed: tuple[str, ...]

    def derived(self, row: Row) -> int:
        """Return how much a field depends on others, 0 for one that stands for itself."""
        name = row.path.rpartition("].")[2]
        return next((i for i, one in enumerate(self.computed, 1) if re.fullmatch(one, name)), 0)

    def cut(self, data: bytes) -> str:
        """Return the first bytes as hex."""
        return data.hex(" ") if len(data) <= self.most_bytes else f"{self._head(data)} …"

    def _head(self, data: bytes) -> str:
        return data[: self.most_bytes].hex(" ")

    def meaning(self, row: Row) -> str:
        """Return the meaning of a row, shortened."""
        said = self.says(row)
        return said if len(said) <= self.most_letters else f"{said[: self.most_letters - 1]}…"

    def row(self, row: Row, wrong: bytes | None, *, differs: bool, meaning: str = "") -> ExampleRow:
        """Return a row beside the wrong bytes in its place, if there are two sides."""
        other = None if wrong is None else self.cut(wrong)
        said = meaning or self.meaning(row)
        return ExampleRow(row.offset, self.cut(row.data), other, row.path, said, differs)

    def alone(self, rows: Sequence[Row], at: int | None) -> list[ExampleRow]:
        """Return all rows if they are few, else those around the one that matters."""
        if len(rows) <= _MOST_ROWS:
            near = range(len(rows))
        else:
            near = around(rows, at) if at is not None else range(0)
        return [self.row(rows[index], None, differs=index == at) for index in near]


def around(rows: Sequence[Row], at: int) -> range:
    """Return the places around one of them."""
    return range(max(at - AROUND, 0), min(at + AROUND + 1, len(rows)))
