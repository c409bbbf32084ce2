"""Where two brokers differ: a line a case, those of one rule and one pair of answers together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True, slots=True)
class Difference:
    """What each of two brokers did in one case of one rule, in words."""

    rule: str
    case: str
    one: str
    other: str


def show_differences(
    console: Console, one: str, other: str, differences: Sequence[Difference], asked: int
) -> None:
    """The differences, by rule, and how many there are of how many cases."""
    if differences:
        table = Table("rule and cases", one, other)
        ordered = sorted(differences, key=_kind)
        for (rule, mine, theirs), alike in groupby(ordered, key=_kind):
            cases = "\n".join(f"  {each.case}" for each in alike)
            table.add_row(f"{rule}\n{cases}", mine, theirs)
        console.print(table)
    said = f"{one} and {other} differ in {_counted(differences)} of {asked} asked of both"
    console.print(said, soft_wrap=True, markup=False)


def _counted(differences: Sequence[Difference]) -> str:
    cases = sum("/" in each.case for each in differences)
    versions = len(differences) - cases
    said = f"{versions} ranges of versions, and in " if versions else ""
    return f"{said}{cases} cases"


def _kind(difference: Difference) -> tuple[str, str, str]:
    return difference.rule, difference.one, difference.other
