"""Where two brokers differ: a row a request, with what each did, or a row an answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from conformance.results.text import counted

_GRAVEST = ("crash", "hang", "fail", "pass", "note")
_REQUEST = re.compile(r"^(\w+?)(?:Request)?(?:-v\d+)?/.*|^(\w+?)(?:Request)?$")


@dataclass(frozen=True, slots=True)
class Difference:
    """What each of two brokers did in one case of one rule, in words.

    The case is a request alone where they differ in the versions that they advertise.
    """

    rule: str
    case: str
    one: str
    other: str

    @property
    def request(self) -> str:
        """The name of what was asked, without "Request"."""
        return _REQUEST.sub(r"\1\2", self.case)

    @property
    def is_of_versions(self) -> bool:
        """Whether they differ in what they advertise, and not in an answer."""
        return "/" not in self.case


def show_differences(
    console: Console,
    names: tuple[str, str],
    differences: Sequence[Difference],
    asked: int,
    *,
    verbose: bool,
) -> None:
    """A row a request, or with `verbose` a row an answer with its cases; then how many differ."""
    if differences:
        rows = _by_answer(differences) if verbose else _by_request(differences)
        what = "rule and cases" if verbose else "request"
        table = Table(what, *map(escape, names), box=box.HEAVY_HEAD, show_lines=verbose)
        table.columns[0].overflow = "fold"
        for row in rows:
            table.add_row(*map(escape, row))
        console.print(table)
    one, other = names
    said = f"{one} and {other} differ in {_counted(differences)} of {asked:,} asked of both"
    console.print(said, soft_wrap=True, markup=False)
    if differences and not verbose:
        console.print("each case: the same command with -v")


def _by_request(differences: Iterable[Difference]) -> Iterator[tuple[str, str, str]]:
    """Of each request the versions, and the answers of the gravest difference."""
    ordered = sorted(differences, key=lambda each: each.request)
    for request, found in groupby(ordered, key=lambda each: each.request):
        versions, answers = _apart(found)
        for each in versions:
            yield request, each.one, each.other
        if answers:
            gravest = min(answers, key=_rank)
            what = f"{request}, {counted(len(answers), 'answer')}"
            yield what, gravest.one, gravest.other


def _apart(differences: Iterable[Difference]) -> tuple[list[Difference], list[Difference]]:
    """Those in advertised versions, and those in answers."""
    every = list(differences)
    versions = [each for each in every if each.is_of_versions]
    return versions, [each for each in every if not each.is_of_versions]


def _by_answer(differences: Iterable[Difference]) -> Iterator[tuple[str, str, str]]:
    """Of each rule and pair of answers the cases."""
    for (rule, mine, theirs), alike in groupby(sorted(differences, key=_kind), key=_kind):
        cases = "\n".join(f"  {each.case}" for each in alike)
        yield f"{rule}\n{cases}", mine, theirs


def _rank(difference: Difference) -> tuple[int, str]:
    verdicts = [each.partition(":")[0] for each in (difference.one, difference.other)]
    found = [_GRAVEST.index(each) for each in verdicts if each in _GRAVEST]
    return min(found, default=len(_GRAVEST)), difference.case


def _counted(differences: Sequence[Difference]) -> str:
    versions = sum(each.is_of_versions for each in differences)
    said = f"{versions} ranges of versions, and in " if versions else ""
    return f"{said}{len(differences) - versions} cases"


def _kind(difference: Difference) -> tuple[str, str, str]:
    return difference.rule, difference.one, difference.other
