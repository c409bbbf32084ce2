"""One run, read once and kept small: every verdict counted, some of them kept whole.

A pass is a number: of its rule, message and version. A page shows the bytes of verdicts that went
wrong, so they are kept whole, up to a limit for each rule; those beyond the limit are counted, and
the page says so. The kept ones are spread over the messages: the first failure of each, the worst
verdict first, shorter ones before longer ones. So memory grows with rules and messages, and not
with cases.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from conformance import __version__
from conformance.reporting.site.reading import ResultsFile
from conformance.results.lines import BROKEN, CUT_SHORT, Finding, Line, Run, Summary, Verdict
from conformance.results.publish import HARMFUL, WITHHELD, published
from conformance.results.text import is_hex

KEEP = 20
"""The default number of failures that are kept of a rule."""
KEEP_TOLD = 3
"""The number of notes and unproven verdicts that are kept of a rule."""
MOST_FINDINGS = 500
_SEVERITY = {"crash": 0, "hang": 0, "fail": 1, "error": 2}
_LONG_NAME = 200
_QUICK = {"quick": [True]}


class CountedForm(NamedTuple):
    """The subject of a count: a verdict by a rule on a message in a version."""

    rule: str
    message: str
    version: int
    verdict: str


class _Kept(NamedTuple):
    """A verdict, ordered by its rank: the lowest is dropped first, of equal ones the latest."""

    rank: tuple[int, int, int, int]
    verdict: Verdict


@dataclass
class Gathered:
    """The data of one run, complete when its lines have been read."""

    run: Run
    counts: Counter[CountedForm] = field(default_factory=Counter)
    classes: dict[str, str] = field(default_factory=dict)
    cases: int = 0
    findings: list[Finding] = field(default_factory=list)
    more_findings: int = 0
    examples: dict[str, Verdict] = field(default_factory=dict)
    """A verdict of the case of each finding that has one."""
    ended_by: int = 0
    """The fewest bytes that ended the target; 0 if none did, or if that is unknown."""
    summary: Summary | None = None
    notices: list[str] = field(default_factory=list)
    _failed: dict[str, list[_Kept]] = field(default_factory=dict)
    _told: dict[str, list[_Kept]] = field(default_factory=dict)

    @property
    def verdicts(self) -> Counter[str]:
        """Return how often each verdict was given."""
        total: Counter[str] = Counter()
        for form, count in self.counts.items():
            total[form.verdict] += count
        return total

    def kept(self, rule: str) -> list[Verdict]:
        """Return the verdicts of a rule that are kept, the most important first."""
        both = (*self._failed.get(rule, ()), *self._told.get(rule, ()))
        return [each.verdict for each in sorted(both, key=lambda kept: kept.rank, reverse=True)]


def gather(file: ResultsFile, keep: int = KEEP, *, harmful: bool = False) -> Gathered:
    """Read a run. Raises ResultsError.

    Cases that end, stall or exhaust a target are counted, and withheld unless `harmful`.
    """
    gathered = Gathered(file.run)
    lines = _sized(file.lines(), gathered)
    _Gathering(gathered, keep).take(lines if harmful else published(lines))
    examples = file.broken({each.case for each in gathered.findings} - {WITHHELD})
    gathered.examples = {
        case: each for case, each in examples.items() if harmful or each.verdict not in HARMFUL
    }
    _keep_examples(gathered, keep)
    gathered.notices += _notices(file, gathered)
    return gathered


def _keep_examples(gathered: Gathered, keep: int) -> None:
    """Put the cases of findings among those that are kept, in front of all others."""
    for number, verdict in enumerate(gathered.examples.values()):
        kept = gathered._failed.setdefault(verdict.rule, [])
        others = sorted(
            (each for each in kept if each.verdict.case != verdict.case),
            key=lambda each: each.rank,
            reverse=True,
        )
        kept[:] = [_Kept((1, 0, 0, -number), verdict), *others][:keep]


def _sized(lines: Iterable[Line], gathered: Gathered) -> Iterator[Line]:
    """Yield the lines unchanged; note how few bytes end the target, but not which."""
    for line in lines:
        if isinstance(line, Verdict) and line.verdict == "crash" and is_hex(line.input):
            size = len(line.input) // 2
            gathered.ended_by = min(size, gathered.ended_by or size)
        yield line


class _Gathering:
    def __init__(self, gathered: Gathered, keep: int) -> None:
        self._to = gathered
        self._keep = keep
        self._seen: Counter[tuple[str, str]] = Counter()
        self._case = ""

    def take(self, lines: Iterable[Line]) -> None:
        for line in lines:
            if isinstance(line, Verdict):
                self._count(line)
            elif isinstance(line, Finding):
                self._find(line)
            elif isinstance(line, Summary):
                self._to.summary = line
                self._to.cases = max(self._to.cases, line.cases)

    def _count(self, verdict: Verdict) -> None:
        if verdict.case != self._case:
            self._case = verdict.case
            self._to.cases += 1
        form = CountedForm(verdict.rule, verdict.message, verdict.version, verdict.verdict)
        self._to.counts[form] += verdict.times
        self._to.classes.setdefault(verdict.rule, verdict.class_)
        if verdict.verdict in _SEVERITY:
            self._put(self._to._failed, verdict, self._keep)
        elif verdict.verdict in ("note", "not-proven") and verdict.case:
            self._put(self._to._told, verdict, KEEP_TOLD)

    def _put(self, among: dict[str, list[_Kept]], verdict: Verdict, most: int) -> None:
        heap = among.setdefault(verdict.rule, [])
        self._seen[verdict.rule, verdict.message] += 1
        nth = self._seen[verdict.rule, verdict.message]
        severity = _SEVERITY.get(verdict.verdict, 3)
        if len(heap) >= most and (-severity, -nth) < heap[0].rank[:2]:
            return
        rank = (-severity, -nth, -_size(verdict), -self._seen.total())
        heapq.heappush(heap, _Kept(rank, verdict))
        if len(heap) > most:
            heapq.heappop(heap)

    def _find(self, finding: Finding) -> None:
        if len(self._to.findings) < MOST_FINDINGS:
            self._to.findings.append(finding)
        else:
            self._to.more_findings += 1


def _size(verdict: Verdict) -> int:
    return len(msgspec.json.encode(verdict))


def _notices(file: ResultsFile, gathered: Gathered) -> Iterator[str]:
    """Yield notices that a reader should know before trusting the numbers."""
    run = file.run
    if file.cut_short:
        yield f"These results are {CUT_SHORT}."
    if not gathered.counts and not file.is_fuzzed:
        yield "Nothing was judged in this run."
    if run.suite_version != __version__:
        yield (
            f"Judged by kafka-conformance {run.suite_version}; this page was made by"
            f" {__version__}, whose rules may differ."
        )
    if file.left_out:
        yield f"{file.left_out} lines are in a form that {__version__} doesn't know: left out."
    if run.selection == _QUICK:
        yield "A quick run: it asks the fewest cases that show known defects."
    elif run.selection:
        chosen = msgspec.json.encode(run.selection).decode()
        yield f"Only a selection was judged: {chosen[:_LONG_NAME]}"
    if file.is_fuzzed:
        yield "A fuzzer's results: they hold what is broken, and nothing of what is not."


def broken(verdicts: Counter[str]) -> int:
    """Return how many of them are failures, crashes and hangs."""
    return sum(verdicts[name] for name in BROKEN)
