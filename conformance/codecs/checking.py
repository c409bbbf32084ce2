"""The judging of a codec from Python: the gate without pytest, and its results as one value.

It serves programs and tests that want a verdict on a codec. The judging equals that of a run; there
are no workers and no files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path

from rich.console import Console

from conformance.codecs.diagnosis.diagnosis import diagnose
from conformance.codecs.diagnosis.symptoms import Symptoms
from conformance.codecs.gate import CodecGate, CodecSettings
from conformance.codecs.testee.in_process import ObjectTarget
from conformance.errors import NothingSelected
from conformance.reporting.closing_block import WIDTH, ClosingBlock, defects_of, outcome_of
from conformance.reporting.console import Tally, show_findings
from conformance.reporting.findings import Causes
from conformance.results.command_lines import DASHES, given, with_options
from conformance.results.known import Expectations, read_known
from conformance.results.known_cases import KnownPlace, entry_lines
from conformance.results.lines import Finding, Verdict
from conformance.results.naming import short_name
from conformance.results.text import counted
from conformance.testee_protocol import Hello

_MOST_TOLD = 10


@dataclass(frozen=True)
class Results:
    """The results of a codec, which `str` explains: `assert results.ok, results` is a whole test.

    `failures` are the broken verdicts that are not known, `findings` their causes, the most harmful
    first; `errors` are verdicts that failed because of the suite or the adapter. `stale` are known
    failures that did not happen. `verdicts` counts all by their names.
    """

    target: str
    cases: int
    verdicts: Counter[str]
    failures: list[Verdict] = field(repr=False)
    findings: list[Finding] = field(repr=False)
    errors: list[Verdict] = field(repr=False)
    stale: list[KnownPlace] = field(repr=False)
    notes: list[str] = field(default_factory=list)
    _examples: dict[str, Verdict] = field(default_factory=dict, repr=False)

    @property
    def ok(self) -> bool:
        """True if nothing unexpected happened, and something passed."""
        unexpected = self.failures or self.errors or self.stale
        return not unexpected and self.verdicts["pass"] > 0

    @property
    def broken_rules(self) -> list[str]:
        """Return the rules that were broken, sorted."""
        return sorted({verdict.rule for verdict in self.failures})

    def closing_block(self) -> ClosingBlock:
        """Return the closing block that a run on the command line would print."""
        defects = defects_of(self.findings)
        said = [counted(len(self.errors), "error") + " of the adapter or the suite"]
        said = [*(said if self.errors else []), *filter(None, [outcome_of(defects)])]
        if self.stale:
            said.append(f"{counted(len(self.stale), 'known failure')} did not happen")
        nothing = "no failure" if self.verdicts["pass"] else "nothing passed"
        return ClosingBlock(
            headline=f"{short_name(self.target)}: {'; '.join(said) or nothing}",
            measured=f"{counted(self.cases, 'case')}, {self.verdicts['pass']:,} verdicts passed",
            defects=defects,
        )

    def __str__(self) -> str:
        console = Console(file=StringIO(), width=WIDTH, color_system=None)
        show_findings(console, self.findings[:_MOST_TOLD], self._examples)
        for each in self.errors[:_MOST_TOLD]:
            console.print(f"error: {each.case}: {each.detail}", soft_wrap=True, markup=False)
        for line in entry_lines(self.stale):
            console.print(f"known, and did not happen: {line}", soft_wrap=True, markup=False)
        self.closing_block().show(console)
        assert isinstance(console.file, StringIO)
        return console.file.getvalue().rstrip("\n")


def check(
    settings: CodecSettings, codec: object | None = None, known: Path | None = None
) -> Results:
    """Judge the codec that these settings name, or an object of this process.

    Raises TargetError, NothingSelected, UnknownName and KnownError.
    """
    settings.selection()
    expectations = Expectations(read_known(known) if known else [])
    target = ObjectTarget(codec) if codec is not None else None
    with closing(CodecGate(settings, target)) as gate:
        judged = Judged(expectations)
        for verdict in _verdicts(gate):
            judged.take(verdict)
        if not judged.tally.cases:
            raise NothingSelected(*gate.why_nothing("the codec"))
        results = judged.results(settings, gate.target.hello, partial=bool(_selects(settings)))
        results.notes.extend(gate.target.notes)
        return results


def _verdicts(gate: CodecGate) -> Iterator[Verdict]:
    for message, group in gate.groups(gate.target.hello):
        yield from gate.verdicts(message, group)


class Judged:
    """The verdicts so far, added up."""

    def __init__(self, expectations: Expectations) -> None:
        self._expectations = expectations
        self._symptoms, self._causes = Symptoms(), Causes()
        self.tally = Tally("")
        self._cases: set[str] = set()
        self._failures: list[Verdict] = []
        self._errors: list[Verdict] = []

    def take(self, verdict: Verdict) -> None:
        """Count one verdict."""
        self.tally.take(verdict)
        self._cases.add(verdict.case)
        self._symptoms.take(verdict)
        if self._expectations.take(verdict):
            self._failures.append(verdict)
        elif verdict.verdict == "error":
            self._errors.append(verdict)

    def results(self, settings: CodecSettings, hello: Hello, *, partial: bool) -> Results:
        """Return the results; if `partial`, only judged cases can be stale."""
        name = settings.spec or f"{hello.name} {hello.version}"
        self._failures.sort(key=lambda verdict: (verdict.message, verdict.case, verdict.op))
        for verdict in self._failures:
            self._causes.take(verdict)
        diagnoses = diagnose(self._symptoms, self._causes.sorts(), hello, quick=settings.quick)
        return Results(
            target=name,
            cases=len(self._cases),
            verdicts=self.tally.verdicts,
            failures=self._failures,
            findings=self._causes.findings(_again(settings), diagnoses.explained),
            errors=self._errors,
            stale=self._expectations.stale(partial=partial),
            _examples=self._causes.examples(),
        )


def _again(settings: CodecSettings) -> list[str]:
    """Return the words of a command that judges the codec, none for an object of this process."""
    options = {
        "--profile": settings.profile,
        "--timeout": settings.timeout_s,
        "--memory": settings.memory_mib,
    }
    if settings.spec is None and not settings.command:
        return []
    codec = [settings.spec] if settings.spec else [DASHES, *settings.command]
    return with_options(["codec", *codec], given(options))


def _selects(settings: CodecSettings) -> bool:
    return bool(settings.rules or settings.messages or settings.versions)
