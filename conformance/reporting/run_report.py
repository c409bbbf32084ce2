"""The data of all forms of one run: its lines, added up once.

A form shows a rule on a message, which is the unit that can be mended, and not its thousand cases:
each such cell has the counts and the smallest case that went wrong. A run knows which of its
failures are new; a results file does not, so all of its failures count as new.

A page of a build may be readable by anyone. For such pages `public` leaves out what could be used
against users of the target (SECURITY.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

import msgspec

from conformance.reporting.closing_block import defects_of, outcome_of
from conformance.reporting.console import Tally
from conformance.results.case_examples import example_of, key_of
from conformance.results.lines import BROKEN, VERDICTS, Finding, Line, Run, Summary, Verdict
from conformance.results.publish import HARMFUL, WITHHELD
from conformance.results.text import counted

INTERRUPTED = "interrupted"
_WORST = ("crash", "hang", "fail", "error")


@dataclass(slots=True)
class Cell:
    """The verdicts by one rule on one message; `example` is the smallest of the worst ones."""

    class_: str
    counts: Counter[str] = field(default_factory=Counter)
    example: Verdict | None = None
    unproven: str = ""

    def take(self, verdict: Verdict) -> None:
        """Count one verdict."""
        self.counts[verdict.verdict] += verdict.times
        if verdict.verdict in _WORST:
            if self.example is None or _rank(verdict) < _rank(self.example):
                self.example = verdict
        elif verdict.verdict == "not-proven":
            self.unproven = self.unproven or verdict.detail

    @property
    def worst(self) -> str:
        """Return the worst verdict, in the order crash, hang, fail, error; else the first."""
        return next(name for name in (*_WORST, *VERDICTS) if self.counts[name])

    @property
    def wrong(self) -> int:
        """Return how many verdicts went wrong."""
        return sum(self.counts[name] for name in _WORST)


@dataclass(frozen=True)
class News:
    """The new failures of a run: findings, and the rule and message of each verdict."""

    findings: tuple[Finding, ...]
    cells: frozenset[tuple[str, str]]


@dataclass(frozen=True)
class RunReport:
    """A run as its forms show it. `news` is None without a list of known failures."""

    run: Run
    tally: Tally
    cells: dict[tuple[str, str], Cell]
    """The cells by rule and message, in the order in which they were judged."""
    findings: list[Finding]
    examples: dict[str, Verdict]
    """A verdict of the case of each finding."""
    summary: Summary | None
    news: News | None = None

    @property
    def shown(self) -> list[Finding]:
        """Return the findings that are new."""
        return self.findings if self.news is None else list(self.news.findings)

    def is_known(self, rule: str, message: str) -> bool:
        """True if all failures of this rule on this message are on the list of known ones."""
        return self.news is not None and (rule, message) not in self.news.cells

    @property
    def failed(self) -> bool:
        """True if the run ended with another code than 0."""
        return self.summary is None or self.summary.exit_code != 0

    @cached_property
    def outcome(self) -> str:
        """Return the outcome in a line."""
        said = [] if self.summary else ["interrupted: not everything was judged"]
        tally = self.tally
        if errors := tally.verdicts["error"]:
            said.append(f"{counted(errors, 'error')} of the adapter or the suite")
        if tally.broken_cases and self.news is not None:
            new = outcome_of(defects_of(self.news.findings), new=True)
            said.append(new or "nothing new, its failures are known")
        elif tally.broken_cases:  # findings of older files lack a kind
            broken = f"{counted(len(self.findings), 'defect')} found"
            said.append(outcome_of(defects_of(self.findings)) or broken)
        if not said:
            said.append("no failure" if tally.judged else "nothing passed")
        if self.summary and self.summary.exit_code == 1 and not tally.broken_cases:
            said.append("known failures did not happen")
        return "; ".join(said)

    def public(self, finding: Finding) -> Finding:
        """Return the finding, without case and command if the case could do harm."""
        example = example_of(self.examples, finding)
        if example is None or example.verdict not in HARMFUL:
            return finding
        kind = f"a {example.verdict}: what was sent is withheld here, --results has it"
        return msgspec.structs.replace(finding, cause=kind, case=WITHHELD, reproduce=WITHHELD)


def tell(run: Run, lines: Callable[[], Iterable[Line]], news: News | None = None) -> RunReport:
    """Add up a run. Its lines are read twice, and never all held."""
    tally, summary = Tally(run.name), None
    cells: dict[tuple[str, str], Cell] = {}
    findings: list[Finding] = []
    for line in lines():
        if isinstance(line, Verdict):
            tally.take(line)
            key = line.rule, line.message
            cell = cells.get(key)
            if cell is None:
                cell = cells[key] = Cell(line.class_)
            cell.take(line)
        elif isinstance(line, Finding):
            findings.append(line)
        elif isinstance(line, Summary):
            summary = line
            tally.cases = max(
                tally.cases, line.cases
            )  # published results have most verdicts as counts
    told = {finding.case for finding in (*findings, *(news.findings if news else ()))}
    examples = _examples(lines(), told) if told else {}
    return RunReport(run, tally, cells, findings, examples, summary, news)


def _examples(lines: Iterable[Line], cases: set[str]) -> dict[str, Verdict]:
    found: dict[str, Verdict] = {}
    for line in lines:
        if isinstance(line, Verdict) and line.verdict in BROKEN and line.case in cases:
            found.setdefault(key_of(line), line)
    return found


def _rank(verdict: Verdict) -> tuple[int, int, str]:
    asked = verdict.input
    size = len(asked) if isinstance(asked, str) else len(msgspec.json.encode(asked))
    return _WORST.index(verdict.verdict), size, verdict.case
