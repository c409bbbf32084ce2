"""A whole run: each target judged, its results put together, written and shown.

pytest is the runner and this is what stands around it. The exit code comes from the verdicts, not
from pytest: 0 nothing unexpected, 1 a rule broken that was not known to be, 3 no target or nothing
judged, 130 interrupted.
"""

from __future__ import annotations

import shlex
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from conformance import __version__
from conformance.checks.diagnosis import Diagnoses, Symptoms, diagnose
from conformance.checks.gate import PART, NothingSelected
from conformance.checks.options import Options
from conformance.checks.reports import Reports
from conformance.checks.runner import Ran, run_pytest
from conformance.errors import UNREACHABLE
from conformance.protocol import Hello
from conformance.reporting.advertised import Advertised
from conformance.reporting.console import Tally, show_findings, show_groups, show_matrix, show_rules
from conformance.reporting.findings import Causes
from conformance.reporting.matrix import Matrix
from conformance.results.files import read_verdicts, write_results
from conformance.results.known import Expectations, Place
from conformance.results.lines import BROKEN, Finding, Run, Summary, Verdict
from conformance.targets.errors import TargetError, ToolchainMissing, shorten

INTERRUPTED = 130
RESULTS = "results"
"""A results file that nobody asked for, beside the parts that it is made of."""
MOST_OF_A_NOTE = 250
"""Characters of a note that are shown where not everything is to be."""
BROKEN_RULE = 1


def judge_targets(
    specs: Sequence[str], program: Sequence[str], options: Options, console: Console
) -> int:
    """Judge every target and print what each gets; returns the exit code of the worst.

    Of several, one that can't be judged does not keep the others from it; of one alone its
    TargetError or NothingSelected is raised. Raises any other ConformanceError.
    """
    options.check_outputs()
    reports = Reports(options.reports, options.kind) if options.reports else None
    matrix = Matrix(by_case=options.kind == "clients")
    names = list(specs) or [f"-- {shlex.join(program)}"]
    rows: list[tuple[str, Tally | None, str]] = []
    worst = 0
    for name in names:
        tally: Tally | None = None
        try:
            tally, code, outcome = _judge(name, tuple(program), options, console, matrix, reports)
        except (TargetError, NothingSelected) as error:
            skipped = options.skip_missing and isinstance(error, ToolchainMissing)
            if len(names) == 1 and not skipped:
                raise
            console.print(f"{name}: not judged: {error}", soft_wrap=True, markup=False)
            outcome = f"not judged: {shorten(error.message)}"
            code = 0 if skipped else error.exit_code
        rows.append((name, tally, outcome))
        worst = max(worst, code)
        if code == INTERRUPTED:
            break
    if len(names) > 1:
        matrix.show(console)
        show_matrix(console, rows)
    if reports:
        reports.close(rows, matrix)
    judged_any = any(tally for _, tally, _ in rows)
    return worst if judged_any else worst or UNREACHABLE


@dataclass(frozen=True, slots=True)
class _Conclusion:
    """What the verdicts of a run come to.

    Against a list of known failures, `new_failures` counts those that it lacks, `news` are their
    findings, and `stale` is what it has and did not happen. `note` tells of a diagnosis cut short.
    """

    tally: Tally
    advertised: Advertised
    findings: list[Finding]
    examples: dict[str, Verdict]
    new_failures: int
    news: list[Finding]
    stale: list[Place]
    note: str


def _judge(
    name: str,
    program: tuple[str, ...],
    options: Options,
    console: Console,
    matrix: Matrix,
    reports: Reports | None,
) -> tuple[Tally, int, str]:
    """One target's tally, exit code, and outcome in words."""
    parts = Path(tempfile.mkdtemp(prefix="kafka-conformance-"))
    try:
        settings = options.settings(None if program else name, program, str(parts))
        settings.selection()  # a mistake in it shows before anything is built
        expectations = Expectations(options.known_entries(name))
        started = datetime.now(UTC).isoformat(timespec="seconds")
        ran = run_pytest(name, settings, options, console)
        run = _header(name, ran, options, started)
        partial = bool(options.selection) or not ran.complete
        conclusion = _conclude(run, ran, parts, expectations, partial, options, matrix)
        if ran.complete and not conclusion.tally.cases:
            raise NothingSelected(
                "nothing is selected: no item or case of that name",
                "the line `again:` of a finding has a case",
            )
        code = _exit_code(conclusion, ran)
        outcome = _in_words(conclusion, ran, options)
        _show(console, conclusion, ran, options)
        console.print(f"{name}: {outcome}", soft_wrap=True, markup=False)
        if options.results or reports:
            results = options.results or parts / RESULTS
            summary = _summary(conclusion, ran, code)
            write_results(results, run, _verdicts(parts), conclusion.findings, summary)
            if reports:
                reports.add(run, results)
        if options.update_known and ran.complete:
            _write_known(options.known_file(name), expectations.updated(partial))
        return conclusion.tally, code, outcome
    finally:
        shutil.rmtree(parts, ignore_errors=True)


def _header(name: str, ran: Ran, options: Options, started: str) -> Run:
    hello = ran.hello
    return Run(
        target=name,
        target_version=f"{hello.name} {hello.version}".strip(),
        language=hello.language,
        definitions=hello.definitions,
        suite_version=__version__,
        profile=options.profile,
        started=started,
        selection=options.selection,
    )


def _verdicts(parts: Path) -> Iterator[Verdict]:
    return read_verdicts(sorted(parts.glob(f"*{PART}")))


def _broken(parts: Path) -> Iterator[Verdict]:
    return (verdict for verdict in _verdicts(parts) if verdict.verdict in BROKEN)


def _conclude(
    run: Run,
    ran: Ran,
    parts: Path,
    expectations: Expectations,
    partial: bool,
    options: Options,
    matrix: Matrix,
) -> _Conclusion:
    """Go through all verdicts, and once more through those that failed, to diagnose them.

    A list that is to be updated expects whatever happens.
    """
    tally, causes, news = Tally(f"{run.target} ({run.target_version})"), Causes(), Causes()
    advertised = Advertised(
        _ranges(ran.hello) if options.places else {}, selected=bool(options.selection)
    )
    symptoms = Symptoms()
    new_failures = 0
    for verdict in _verdicts(parts):
        tally.take(verdict)
        matrix.take(run.target, verdict)
        advertised.take(verdict)
        symptoms.take(verdict)
        if verdict.verdict in BROKEN:
            causes.take(verdict)
        if expectations.take(verdict) and not options.update_known:
            new_failures += 1
            news.take(verdict)
    diagnoses = Diagnoses()
    whole = ran.complete and not options.cases  # a case alone looks like many a defect
    if whole and not options.places and not options.clients:
        diagnoses = diagnose(symptoms, _broken(parts), ran.hello)
    command = options.command(run.target)
    return _Conclusion(
        tally=tally,
        advertised=advertised,
        findings=causes.findings(run.target, options.reproducing, diagnoses.by_rule, command),
        examples={**causes.examples(), **news.examples()},
        new_failures=new_failures,
        news=news.findings(run.target, options.reproducing, diagnoses.by_rule, command),
        stale=[] if options.update_known else expectations.stale(partial),
        note=diagnoses.note,
    )


def _ranges(hello: Hello) -> dict[str, tuple[int, int]]:
    """The lowest and the highest version of each request that a broker advertises."""
    return {
        name: (support.versions[0][0], support.versions[-1][1])
        for name, support in hello.messages.items()
    }


def _exit_code(conclusion: _Conclusion, ran: Ran) -> int:
    if ran.interrupted:
        return INTERRUPTED
    if ran.lost or conclusion.tally.verdicts["error"]:
        return UNREACHABLE
    if conclusion.new_failures or conclusion.stale:
        return BROKEN_RULE
    return 0 if conclusion.tally.verdicts["pass"] else UNREACHABLE


def _in_words(conclusion: _Conclusion, ran: Ran, options: Options) -> str:
    """The outcome in one line: how the run ended if not well, then what failed."""
    tally, said = conclusion.tally, []
    if ran.interrupted:
        kept = f"kept in {options.results}" if options.results else "shown"
        said.append(f"interrupted, what was judged so far is {kept}")
    if ran.lost:
        said.append(f"not judged to the end: {shorten(ran.lost, 500)}")
    if tally.first_error:
        first = f"{tally.first_error.case}: {shorten(tally.first_error.detail, 500)}"
        errors = _counted(tally.verdicts["error"], "error")
        said.append(f"{errors} of the adapter or the suite, the first in {first}")
    if tally.broken_cases:
        said.append(
            f"{tally.broken_cases} of {tally.cases} cases failed, "
            f"{_counted(len(tally.broken_rules), 'rule')} broken, "
            f"{_counted(len(conclusion.findings), 'finding')}"
        )
        if options.known:
            new = _counted(conclusion.new_failures, "verdict")
            known = "known failures, nothing new"
            said.append(f"{new} not known before" if conclusion.new_failures else known)
    elif not said:
        said.append("no failure" if tally.verdicts["pass"] else "nothing passed")
        if tally.first_unproven and not tally.verdicts["pass"]:
            unproven = tally.first_unproven
            said.append(f"{unproven.case} proves nothing: {shorten(unproven.detail, 500)}")
    if conclusion.stale:
        said.append(f"{_counted(len(conclusion.stale), 'known failure')} did not happen")
    return "; ".join(said)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _show(console: Console, conclusion: _Conclusion, ran: Ran, options: Options) -> None:
    tally = conclusion.tally
    findings = conclusion.findings if options.verbose else conclusion.news
    show_findings(console, findings, conclusion.examples, options.verbose)
    if not options.quick:
        conclusion.advertised.show(console)
    show_rules(console, tally)
    show_groups(console, tally)
    rate = tally.cases / ran.seconds if ran.seconds else 0
    for note in filter(None, (*ran.notes, conclusion.note)):
        told = note if options.verbose else _begun(note)
        console.print(f"note: {told}", soft_wrap=True, markup=False)
    console.print(f"{tally.cases} cases in {ran.seconds:.1f} s ({rate:.0f} a second)")
    for place in conclusion.stale:
        console.print(f"known, and did not happen: {place}", soft_wrap=True, markup=False)
    if conclusion.stale:
        console.print("--update-known takes them off the list")


def _begun(note: str) -> str:
    """A note that lists much, as far as a line or two go."""
    shown, _, rest = note[:MOST_OF_A_NOTE].rpartition(", ")
    if len(note) <= MOST_OF_A_NOTE or not rest:
        return note
    return f"{shown} and {note.count(', ') - shown.count(', ')} more: -v shows them"


def _summary(conclusion: _Conclusion, ran: Ran, code: int) -> Summary | None:
    """The closing line of a results file; a run that was cut short has none."""
    if not ran.complete:
        return None
    return Summary(
        cases=conclusion.tally.cases,
        verdicts=dict(conclusion.tally.verdicts),
        seconds=round(ran.seconds, 3),
        exit_code=code,
        notes=[*ran.notes, *filter(None, (conclusion.note,))],
    )


def _write_known(file: Path | None, text: str) -> None:
    if file is not None:
        file.write_text(text, "utf-8")


__all__ = ["Options", "judge_targets"]
