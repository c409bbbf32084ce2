"""Targets side by side: the result of each in each rule group, or in each scenario."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from conformance.results.lines import BROKEN, Verdict
from conformance.results.publish import HARMFUL

WITHHELD = "-"
NOT_ASKED = "."
WELL = "ok"
UNPROVEN = "?"
_WORST = ("crash", "hang", "fail", "error")
_WIDTH_OF_A_NAME = 7


class Matrix:
    """A table of verdicts by target and row: the rule group, or the case if `by_case`.

    A cell is `ok` if nothing was broken, `?` if nothing is proven, and `.` if nothing was asked;
    broken verdicts are counted in a group (`3 fail`), and named in a case. The published table has
    `-` for a case that does harm.
    """

    def __init__(self, *, by_case: bool) -> None:
        self._by_case = by_case
        self._targets: dict[str, None] = {}
        self._rows: dict[str, dict[str, Counter[str]]] = {}

    def take(self, target: str, verdict: Verdict) -> None:
        """Count one verdict of a target."""
        self._targets[target] = None
        row = verdict.case if self._by_case else verdict.rule.partition(".")[0]
        cells = self._rows.setdefault(row, {})
        cells.setdefault(target, Counter())[verdict.verdict] += 1

    def show(self, console: Console) -> None:
        """Print the table; of cases only those in which a target did not do well."""
        numbered = len(self._targets) * _WIDTH_OF_A_NAME > console.width - 30
        heads = [str(n) if numbered else name for n, name in enumerate(self._targets, 1)]
        table = Table(self._what, *map(escape, heads), pad_edge=False)
        for column in table.columns[1:]:
            column.justify, column.no_wrap = "center", True
        rows = list(self._cells())
        shown = [each for each in rows if not self._by_case or set(each[1]) - {WELL, NOT_ASKED}]
        for row, cells in shown:
            table.add_row(escape(row), *cells)
        console.print(table)
        if numbered:
            legend = ", ".join(f"{n} {name}" for n, name in enumerate(self._targets, 1))
            console.print(legend, soft_wrap=True, markup=False)
        if len(shown) < len(rows):
            console.print(f"and {len(rows) - len(shown)} more, in which all do well")

    def markdown(self) -> str:
        """Return the whole table as Markdown, without the verdicts that do harm."""
        lines = [f"| {self._what} | {' | '.join(self._targets)} |"]
        lines.append("| --- |" + " :-: |" * len(self._targets))
        for row, cells in self._cells():
            told = (WITHHELD if cell in HARMFUL else cell for cell in cells)
            lines.append(f"| {row} | {' | '.join(told)} |")
        return "\n".join(lines) + "\n"

    @property
    def _what(self) -> str:
        return "scenario" if self._by_case else "rule group"

    def _cells(self) -> Iterator[tuple[str, list[str]]]:
        for row, cells in sorted(self._rows.items()):
            yield row, [self._cell(cells.get(target, Counter())) for target in self._targets]

    def _cell(self, verdicts: Counter[str]) -> str:
        judged = verdicts.total() - verdicts["unsupported"]
        broken = sum(verdicts[name] for name in BROKEN)
        if not judged:
            return NOT_ASKED
        if self._by_case or not broken:
            worst = next((name for name in _WORST if verdicts[name]), WELL)
            return UNPROVEN if judged == verdicts["not-proven"] else worst
        return f"{broken:,} fail"
