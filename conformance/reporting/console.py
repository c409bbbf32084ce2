"""The terminal output of a run: the results of a target, and why it failed.

The output is plain text if it goes to no terminal: rich leaves out colours when it is piped or
`NO_COLOR` is set.
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

from conformance.reporting.breaches import class_of, harm_of, in_a_clause, remedy_of
from conformance.results.case_examples import example_of
from conformance.results.lines import (
    ANSWERED,
    BROKEN,
    EXCHANGE,
    NOT_ASKED,
    ONCE,
    VERDICTS,
    Finding,
    Verdict,
)
from conformance.results.text import case_lines, counted

MOST_RULES = 20
_MOST_RULES_OF_A_FINDING = 5
_INDENT = "   "
_BESIDE = " " * 13
"""The indent of the words after `expected:` and similar labels."""
_HERE = "  > "
"""The begin of the row of the bytes that are wrong."""


EXCLUDED = "excluded"
"""The reason for values that a writer can't be asked: its library's types have no room for them."""


@dataclass
class RuleTally:
    """The results by one rule: broken verdicts, and all that the target was asked for.

    It `is_noted` if a rule of class kafka is not kept, under a profile that does not charge that.
    """

    class_: str
    judged: int = 0
    broken: int = 0
    is_noted: bool = False


@dataclass
class Tally:
    """The totals of one run's verdicts; `first` is the first verdict of each name.

    `unasked` counts the cases of which nothing was judged, by the reason: `ANSWERED` if the adapter
    or driver answered that it can't, `EXCLUDED` if that was an answer to a value to write, "" if
    the target does not declare it. `left` counts the cases that were not asked as the broker was
    gone, by the reason.
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
    newest: dict[str, int] = field(default_factory=dict)
    """The newest version of each message that was judged."""
    _case: str = ""
    _unasked: str | None = None
    _broken_case: str = ""

    def take(self, verdict: Verdict) -> None:
        """Count one verdict; the verdicts of one case come together."""
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
        if name != "unsupported":
            rule.judged += verdict.times
            version = self.newest.get(verdict.message, verdict.version)
            self.newest[verdict.message] = max(version, verdict.version)
        is_seen_once = verdict.detail.startswith(ONCE)
        rule.is_noted |= name == "note" and verdict.class_ == "kafka" and not is_seen_once
        if name in BROKEN:
            rule.broken += 1
            if case != self._broken_case:
                self._broken_case = case
                self.broken_cases += 1
        self.first.setdefault(name, verdict)

    def _count_unasked(self, change: int) -> None:
        """Change the count of unasked cases; a case counts until a verdict shows otherwise."""
        if self._unasked is not None:
            self.unasked[self._unasked] += change

    @property
    def judged(self) -> bool:
        """True if a verdict says how the target behaves: that it is right, wrong, or noted."""
        return any(self.verdicts[name] for name in ("pass", "note", *BROKEN))

    @property
    def broken_rules(self) -> list[tuple[str, RuleTally]]:
        """Return the rules that were broken, the most often broken first."""
        broken = [(name, rule) for name, rule in self.rules.items() if rule.broken]
        return sorted(broken, key=lambda pair: (-pair[1].broken, pair[0]))


def _who_lacks(verdict: Verdict) -> str:
    if not verdict.detail.startswith(ANSWERED):
        return ""
    return EXCLUDED if verdict.op.startswith("encode") else ANSWERED


def show_rules(console: Console, tally: Tally) -> None:
    """Print the rules that were broken, with class and count; nothing if none was."""
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
    """Print the closing table of one target: rule group by verdict."""
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
    """Print the causes of failure, the most harmful first, each with its smallest case.

    `numbers` limits them, if there are any; numbers begin with 1.
    """
    for number, finding in enumerate(findings, 1):
        if not numbers or number in numbers:
            _show_finding(console, number, finding, example_of(examples, finding))


def _show_finding(console: Console, number: int, finding: Finding, example: Verdict | None) -> None:
    head = Text(f"{number}. {finding.cause}", "bold")
    _print(console, head.append(f" ({counted(finding.count, 'case')})", "not bold"))
    lines = [f"looks like: {finding.diagnosis}"] if finding.diagnosis else []
    lines = lines or [f"what:     {in_a_clause(finding)}"]
    ends = f", and some cases are a {finding.ends}" if finding.ends else ""
    lines += [f"class:    {class_of(finding)}{ends}"] if class_of(finding) else []
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
    """Print one line, wrapped at blanks if a terminal is narrower; words are never cut."""
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
    """Print the cases and the verdicts of each kind for each of several targets."""
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
    """Print a line for each of several targets: its outcome, or why it was not judged.

    Of an outcome in several parts the last one is shown: the new failures.
    """
    rows = list(rows)
    widest = max(len(name) for name, _, _ in rows)
    for name, _, outcome in rows:
        line = Text(f"{name:<{widest}}  {_newest(outcome)}", "bold")
        _print(console, line, " " * (widest + 4))


def _newest(outcome: str) -> str:
    return outcome.rpartition("; ")[2]
