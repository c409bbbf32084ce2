"""What a run shows on a terminal: what a target got, and why it failed.

Plain text where nobody looks: rich leaves out colours when its output is piped or `NO_COLOR`
is set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import wrap

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from conformance.reporting.breaches import harm_of, in_a_clause, remedy_of
from conformance.results.lines import (
    ANSWERED,
    BROKEN,
    EXCHANGE,
    NOT_ASKED,
    VERDICTS,
    Finding,
    Verdict,
)
from conformance.results.text import case_lines, counted

MOST_RULES = 20
_MOST_RULES_OF_A_FINDING = 5
_INDENT = "   "
_BESIDE = " " * 13
"""So far in stand the words behind `expected:` and its like."""
_HERE = "  > "
"""What begins the row of the bytes that are wrong."""


@dataclass
class RuleTally:
    """What one rule got: verdicts that are broken, of those that the target was asked for."""

    class_: str
    judged: int = 0
    broken: int = 0


@dataclass
class Tally:
    """What the verdicts of one run add up to; `first` is the first of each name.

    `unasked` are the cases in which nothing could be asked, by who says so: `ANSWERED` where it is
    the adapter or the driver, "" where the target has no such thing. `left` counts the cases that
    were not held as the broker is gone, by what is said of that.
    """

    target: str
    cases: int = 0
    unasked: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    broken_cases: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    groups: dict[str, Counter[str]] = field(default_factory=dict)
    rules: dict[str, RuleTally] = field(default_factory=dict)
    first: dict[str, Verdict] = field(default_factory=dict)
    _case: str = ""
    _unasked: str | None = None
    _broken_case: str = ""

    def take(self, verdict: Verdict) -> None:
        """Count one verdict; those of one case come together."""
        name, case = verdict.verdict, verdict.case
        if case != self._case:
            self._case = case
            self.cases += 1
            self._unasked = _who_lacks(verdict) if name == "unsupported" else None
            self._count_unasked(1)
            if verdict.op == EXCHANGE and verdict.detail.startswith(NOT_ASKED):
                self.left[verdict.detail.removeprefix(NOT_ASKED)] += 1
        elif name != "unsupported":
            self._count_unasked(-1)
            self._unasked = None
        self.verdicts[name] += verdict.times
        group = verdict.rule.partition(".")[0]
        self.groups.setdefault(group, Counter())[name] += verdict.times
        rule = self.rules.get(verdict.rule)
        if rule is None:
            rule = self.rules[verdict.rule] = RuleTally(verdict.class_)
        rule.judged += verdict.times * (name != "unsupported")
        if name in BROKEN:
            rule.broken += 1
            if case != self._broken_case:
                self._broken_case = case
                self.broken_cases += 1
        self.first.setdefault(name, verdict)

    def _count_unasked(self, change: int) -> None:
        """A case is taken for one that was not asked until a verdict of it shows that it was."""
        if self._unasked is not None:
            self.unasked[self._unasked] += change

    @property
    def judged(self) -> bool:
        """Whether a verdict says how the target behaves: that it is right, or wrong, or to note."""
        return any(self.verdicts[name] for name in ("pass", "note", *BROKEN))

    @property
    def broken_rules(self) -> list[tuple[str, RuleTally]]:
        """The rules that were broken, the most often broken first."""
        broken = [(name, rule) for name, rule in self.rules.items() if rule.broken]
        return sorted(broken, key=lambda pair: (-pair[1].broken, pair[0]))


def _who_lacks(verdict: Verdict) -> str:
    return ANSWERED if verdict.detail.startswith(ANSWERED) else ""


def show_rules(console: Console, tally: Tally) -> None:
    """The rules that were broken, with class and count; nothing where none was."""
    broken = tally.broken_rules
    if not broken:
        return
    table = Table("rule broken", "class", "failed", "of")
    for column in table.columns[2:]:
        column.justify = "right"
    for name, rule in broken[:MOST_RULES]:
        table.add_row(name, rule.class_, str(rule.broken), str(rule.judged))
    console.print(table)
    if len(broken) > MOST_RULES:
        console.print(f"and {len(broken) - MOST_RULES} more rules")


def show_groups(console: Console, tally: Tally) -> None:
    """The closing table of one target: rule group by verdict."""
    used = [name for name in VERDICTS if tally.verdicts[name]]
    console.print(tally.target, soft_wrap=True, markup=False)
    table = Table("rule group", *used)
    for column in table.columns[1:]:
        column.justify = "right"
    for group, counts in sorted(tally.groups.items()):
        table.add_row(group, *(str(counts[name] or "") for name in used))
    table.add_section()
    table.add_row("all", *(str(tally.verdicts[name]) for name in used))
    console.print(table)


def show_findings(
    console: Console,
    findings: Sequence[Finding],
    examples: Mapping[str, Verdict],
    numbers: Sequence[int] = (),
) -> None:
    """The causes of failure, those that hurt most first, each with its smallest case.

    Of these numbers, if there are any; they begin with 1.
    """
    for number, finding in enumerate(findings, 1):
        if not numbers or number in numbers:
            _show_finding(console, number, finding, examples.get(finding.case))


def _show_finding(console: Console, number: int, finding: Finding, example: Verdict | None) -> None:
    head = Text(f"{number}. {finding.cause}", "bold")
    _print(console, head.append(f" ({counted(finding.count, 'case')})", "not bold"))
    lines = [f"looks like: {finding.diagnosis}"] if finding.diagnosis else []
    lines = lines or [f"what:     {in_a_clause(finding)}"]
    lines += [f"hurts:    {harm_of(finding)}", f"to do:    {remedy_of(finding)}"]
    lines += [f"rules:    {_few(finding.rules)}", *(case_lines(example) if example else ())]
    for line in lines:
        _print(console, Text(f"{_INDENT}{line}", "bold yellow" if line.startswith(_HERE) else ""))
    console.print(f"{_INDENT}again:    {finding.reproduce}", soft_wrap=True, markup=False)
    if finding.count > 1 and example is not None and example.op == EXCHANGE:
        rules = " ".join(f"--rule {rule}" for rule in finding.rules[:_MOST_RULES_OF_A_FINDING])
        _print(console, Text(f"{_INDENT}{f'all {finding.count}:':<9} {rules} for --case"))
    console.print()


def _print(console: Console, line: Text, indent: str = _BESIDE) -> None:
    """One line, wrapped at blanks where a terminal is narrower; words are never cut."""
    if not console.is_terminal:
        console.print(line, soft_wrap=True)
        return
    wrapped = wrap(
        line.plain,
        console.width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
        replace_whitespace=False,
    )
    for part in wrapped:
        console.print(Text(part, line.style), soft_wrap=True)


def _few(rules: Sequence[str]) -> str:
    shown = ", ".join(rules[:_MOST_RULES_OF_A_FINDING])
    more = len(rules) - _MOST_RULES_OF_A_FINDING
    return f"{shown} and {more} more" if more > 0 else shown


def show_counts(console: Console, rows: Iterable[tuple[str, Tally | None, str]]) -> None:
    """The cases and the verdicts of each kind that each of several targets got."""
    rows = list(rows)
    tallies = [tally for _, tally, _ in rows if tally]
    used = [name for name in VERDICTS if any(tally.verdicts[name] for tally in tallies)]
    table = Table("target", "cases", *used, box=box.SIMPLE_HEAD)
    table.columns[0].overflow = "fold"
    for column in table.columns[1:]:
        column.justify, column.no_wrap = "right", True
    for name, tally, _ in rows:
        counts = [str(tally.verdicts[verdict] or "") if tally else "" for verdict in used]
        table.add_row(escape(name), str(tally.cases) if tally else "", *counts)
    console.print(table)


def show_outcomes(console: Console, rows: Iterable[tuple[str, Tally | None, str]]) -> None:
    """A line for each of several targets: what it got, or why it was not judged.

    Of an outcome in several parts the last is shown: what is new in it.
    """
    rows = list(rows)
    widest = max(len(name) for name, _, _ in rows)
    for name, _, outcome in rows:
        line = Text(f"{name:<{widest}}  {_newest(outcome)}", "bold")
        _print(console, line, " " * (widest + 4))


def _newest(outcome: str) -> str:
    return outcome.rpartition("; ")[2]
