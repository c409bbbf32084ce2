"""What a run shows on a terminal: how far it is, what a target got, and why it failed.

Plain text where nobody looks: rich leaves out colours and the progress bar when its output is piped
or `NO_COLOR` is set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from conformance.results.lines import BROKEN, VERDICTS, Finding, Verdict
from conformance.results.text import failure_text

MOST_FINDINGS = 10


@dataclass
class Tally:
    """What the verdicts of one run add up to."""

    target: str
    cases: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    groups: dict[str, Counter[str]] = field(default_factory=dict)
    failed_rules: Counter[str] = field(default_factory=Counter)
    examples: dict[str, Verdict] = field(default_factory=dict)
    _case: str = ""

    def take(self, verdict: Verdict) -> None:
        """Count one verdict; those of one case come together."""
        if verdict.case != self._case:
            self._case = verdict.case
            self.cases += 1
        self.verdicts[verdict.verdict] += 1
        group = verdict.rule.partition(".")[0]
        self.groups.setdefault(group, Counter())[verdict.verdict] += 1
        if verdict.verdict in BROKEN or verdict.verdict == "error":
            self.failed_rules[verdict.rule] += 1
            shown = self.examples.get(verdict.case)
            if shown is None:
                self.examples[verdict.case] = verdict


def progress(console: Console) -> Progress:
    """A bar with count and time left, for as long as the run lasts."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def show_groups(console: Console, tally: Tally) -> None:
    """The closing table of one target: rule group by verdict."""
    used = [name for name in VERDICTS if tally.verdicts[name]]
    table = Table("rule group", *used, title=escape(tally.target), title_justify="left")
    for column in table.columns[1:]:
        column.justify = "right"
    for group, counts in sorted(tally.groups.items()):
        table.add_row(group, *(str(counts[name] or "") for name in used))
    table.add_section()
    table.add_row("all", *(str(tally.verdicts[name]) for name in used))
    console.print(table)


def show_findings(
    console: Console, findings: Sequence[Finding], examples: dict[str, Verdict], all_of_them: bool
) -> None:
    """The causes of failure, most cases first, each with its smallest case."""
    shown = findings if all_of_them else findings[:MOST_FINDINGS]
    for finding in shown:
        console.print(f"\n[bold]{escape(finding.cause)}[/]", soft_wrap=True)
        example = examples.get(finding.case)
        if example is not None:
            text = failure_text(example, finding.count - 1)
            console.print(escape(text), soft_wrap=True, highlight=False)
        console.print(f"rules:    {', '.join(finding.rules)}", soft_wrap=True, highlight=False)
        console.print(f"again:    {finding.reproduce}", soft_wrap=True, highlight=False)
    if len(findings) > len(shown):
        console.print(
            f"\nand {len(findings) - len(shown)} more findings: all are in --results, or --verbose"
        )


def show_matrix(console: Console, rows: Iterable[tuple[str, Tally | None, str]]) -> None:
    """The closing table of several targets: what each got, or why it was not judged."""
    table = Table("target", "cases", *VERDICTS, "outcome")
    for column in table.columns[1:-1]:
        column.justify = "right"
    for name, tally, outcome in rows:
        counts = [str(tally.verdicts[v] or "") for v in VERDICTS] if tally else [""] * len(VERDICTS)
        table.add_row(escape(name), str(tally.cases) if tally else "", *counts, escape(outcome))
    console.print(table)
