"""An example of each rule of codecs in bytes: the right form beside a wrong one.

None is written by hand. `python -m tests.proof.examples` asks the mutants that break a rule,
takes the smallest vector that shows it, and writes `codecs.json`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

import msgspec

FILE = "codecs.json"
_DOES = {"decode": "read", "encode": "written", "roundtrip": "read and written again"}
_UNDEFINED = {
    "Primitives": "A single field",
    "RecordBatch": "A batch of records",
    "Records": "A records field of format {version}",
}
"""Names that have vectors, and are no messages of Kafka."""


class ExampleRow(msgspec.Struct, frozen=True, array_like=True):
    """Some bytes and what they mean; `wrong` are those that the wrong form has in their place."""

    offset: int
    right: str
    wrong: str | None
    field: str
    meaning: str
    differs: bool


class Example(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One case, what is right there, and what a codec makes of it that breaks the rule.

    `given` are the bytes to be read or the value to be written, "" where a value is too long.
    `defect` says what is wrong with the codec, and `mutant` is its name.
    """

    rule: str
    case: str
    message: str
    version: int
    mutant: str
    defect: str
    given: str = ""
    right: str
    wrong: str
    rows: list[ExampleRow] = []

    @property
    def op(self) -> str:
        """Return the operation of the codec: decode, encode or roundtrip."""
        return self.case.split("/")[1].split("-")[0]

    @property
    def question(self) -> str:
        """Return the operation and its message, in words."""
        what = _UNDEFINED.get(self.message, f"{self.message} version {{version}}")
        return f"{what.format(version=self.version)} is {_DOES[self.op]}:"

    def lines(self) -> Iterator[str]:
        """The example as text, in columns."""
        yield self.question
        given = "value" if self.op == "encode" else "bytes"
        told = {"case": self.case, given: self.given, "right": self.right, "wrong": self.wrong}
        yield from (f"  {name + ':':6} {text}" for name, text in told.items() if text)
        yield f"         ({self.mutant}: {self.defect})"
        yield from table(self.rows)


@cache
def examples() -> dict[str, Example]:
    """The examples, by rule."""
    found = msgspec.json.decode((files(__package__) / FILE).read_bytes(), type=list[Example])
    return {example.rule: example for example in found}


def table(rows: Sequence[ExampleRow]) -> Iterator[str]:
    """Rows in columns with their heads, `>` before those that differ; nothing of none."""
    if not rows:
        return
    beside = any(row.wrong is not None for row in rows)
    heads = ("offset", "right", "wrong") if beside else ("offset", "bytes")
    lines = [(*heads, "field", "meaning"), *(_cells(row, beside) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    marks = ("  ", *("> " if row.differs else "  " for row in rows))
    for mark, (offset, *cells) in zip(marks, lines, strict=True):
        padded = (cell.ljust(width) for cell, width in zip(cells, widths[1:], strict=True))
        yield f"{mark}{offset:>{widths[0]}}  {'  '.join(padded)}".rstrip()


def _cells(row: ExampleRow, beside: bool) -> tuple[str, ...]:
    wrong = (row.wrong or "",) if beside else ()
    return (str(row.offset), row.right, *wrong, row.field, row.meaning)
