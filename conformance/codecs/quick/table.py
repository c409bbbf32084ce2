"""The measured table of mutants and cases, of which `choosing` takes what a target can be asked.

It is data of the repository, `vectors/quick.json`, and made by `measuring`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources.abc import Traversable

import msgspec

from conformance.data import data_root
from conformance.errors import ConformanceError

FILE = "quick.json"
Pair = tuple[str, str]
"""A rule, and a mutant that breaks it."""


def writes(case: str) -> bool:
    """True if a case has the target write a given value; the others have it read first."""
    return case.split("/")[1].startswith("encode")


class TableError(ConformanceError):
    """A table that can't be used."""


class Measured(msgspec.Struct, frozen=True):
    """One message: how many cases the whole run has of each version, and those that tell most.

    Each of these catches pairs, by their numbers, that none before it catches in this message by
    reading, or by writing, as it does. A case's id is without the message at its beginning.
    """

    versions: dict[int, int]
    cases: list[tuple[str, list[int]]]


class Table(msgspec.Struct, frozen=True):
    """The pairs by their numbers, and what catches them, by message."""

    pairs: list[Pair]
    messages: dict[str, Measured]


def read_table(root: Traversable | None = None) -> Table:
    """The table, of the folder of vectors. Raises TableError."""
    file = (root or data_root() / "vectors") / FILE
    try:
        return msgspec.json.decode(file.read_bytes(), type=Table)
    except (OSError, msgspec.MsgspecError) as error:
        remedy = "make it again: `python -m conformance.codecs.quick.measuring vectors`"
        raise TableError(f"{file}: {error}", remedy) from None


@cache
def table() -> Table:
    """The table of this suite, read once."""
    return read_table()


def text_of(table: Table) -> str:
    """Return the text of the file: a line per pair and a line per case."""
    return "\n".join((*_lines(table), ""))


def _lines(table: Table) -> Iterator[str]:
    yield '{"pairs": ['
    yield from _joined(map(_json, table.pairs))
    yield '], "messages": {'
    last = len(table.messages) - 1
    for at, (name, measured) in enumerate(table.messages.items()):
        versions = {str(version): count for version, count in measured.versions.items()}
        yield f'"{name}": {{"versions": {_json(versions)}, "cases": ['
        yield from _joined(map(_json, measured.cases))
        yield "]}" if at == last else "]},"
    yield "}}"


def _joined(lines: Iterator[str]) -> Iterator[str]:
    """The lines with a comma after each but the last."""
    before = next(lines, None)
    for line in lines:
        yield f"{before},"
        before = line
    if before is not None:
        yield before


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
