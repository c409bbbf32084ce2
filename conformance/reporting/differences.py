"""The differences of two brokers: a row per pair of answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

_REQUEST = re.compile(r"^(\w+?)(?:Request)?(?:-v\d+)?/.*|^(\w+?)(?:Request)?$")


@dataclass(frozen=True, slots=True)
class Difference:
    """The results of two brokers in one case of one rule, in words.

    The case is a request alone if they differ in the versions that they advertise.
    """

    rule: str
    case: str
    one: str
    other: str

    @property
    def request(self) -> str:
        """Return the name of the request, without "Request"."""
        return _REQUEST.sub(r"\1\2", self.case)

    @property
    def is_of_versions(self) -> bool:
        """True if they differ in the versions that they advertise, not in an answer."""
        return "/" not in self.case


def show_differences(
    console: Console,
    names: tuple[str, str],
    differences: Sequence[Difference],
    asked: int,
    *,
    verbose: bool,
) -> None:
    """Print how many differ; with `verbose`, first a row per pair of answers, with its cases."""
    if differences and verbose:
        table = Table("rule and cases", *map(escape, names), box=box.HEAVY_HEAD, show_lines=True)
        table.columns[0].overflow = "fold"
        for row in _by_answer(differences):
            table.add_row(*map(escape, row))
        console.print(table)
    one, other = names
    said = f"{one} and {other} differ in {_counted(differences)} of {asked:,} asked of both"
    console.print(said, soft_wrap=True, markup=False)
    if differences and not verbose:
        console.print("each case: the same command with -v")


def _by_answer(differences: Iterable[Difference]) -> Iterator[tuple[str, str, str]]:
    """Yield the rule with its cases, and the two answers, for each rule and pair of answers."""
    for (rule, mine, theirs), alike in groupby(sorted(differences, key=_kind), key=_kind):
        cases = "\n".join(f"  {each.case}" for each in alike)
        yield f"{rule}\n{cases}", mine, theirs


def _counted(differences: Sequence[Difference]) -> str:
    versions = sum(each.is_of_versions for each in differences)
    said = f"{versions} ranges of versions, and in " if versions else ""
    return f"{said}{len(differences) - versions} cases"


def _kind(difference: Difference) -> tuple[str, str, str]:
    return difference.rule, difference.one, difference.other
