"""A whole run: each target judged, its results put together, written and shown.

pytest is the runner and this is what stands around it. The exit code comes from the verdicts, not
from pytest: 0 nothing unexpected, 1 a rule broken that was not known to be, 3 no target or nothing
judged, 130 interrupted.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from conformance import clock
from conformance.errors import INTERRUPTED, UNREACHABLE, NothingSelected
from conformance.gate.allure_fields import write_environment
from conformance.gate.conclusion import (
    Conclusion,
    closing_block,
    conclude,
    exit_code_of,
    in_words,
    news_of,
    summary_of,
    verdicts_of,
)
from conformance.gate.options import BUNDLED, RunOptions
from conformance.gate.reports import Reports
from conformance.gate.runner import Ran, interruptible, run_pytest
from conformance.reporting.closing_block import MOST, ClosingBlock
from conformance.reporting.console import (
    Tally,
    show_counts,
    show_findings,
    show_groups,
    show_outcomes,
    show_rules,
)
from conformance.reporting.forms import Forms
from conformance.reporting.run_report import tell
from conformance.reporting.side_by_side import Matrix
from conformance.results.case_examples import example_of
from conformance.results.closing import header, now
from conformance.results.files import read_lines, write_results
from conformance.results.known import Expectations
from conformance.results.known_cases import entry_lines
from conformance.results.last import LastRun, told_before
from conformance.results.lines import Run, Summary
from conformance.targets.errors import TargetError, ToolchainMissing, shorten
from conformance.waiting import waiting

RESULTS = "results"
"""The name of a results file that no option asked for, beside the parts that it is joined from."""
MOST_OF_A_NOTE = 250
"""The most characters of a note that are shown if it need not be shown in full."""
_FEW = 2


def judge_targets(names: Sequence[str], options: RunOptions, console: Console) -> int:
    """Judge every target and print what each gets; returns the exit code of the worst.

    Of several, one that can't be judged does not keep the others from it; of one alone its
    TargetError or NothingSelected is raised. Raises any other ConformanceError.
    """
    options.check_outputs()
    reports = Reports(options.reports, options.kind.name) if options.reports else None
    forms = options.forms()
    matrix = Matrix(by_case=options.kind.shows_cases)
    rows: list[tuple[str, Tally | None, str]] = []
    alone = options.results or options.cases  # a case that is seen again leaves the list as it is
    last = None if alone else LastRun(several=len(names) > 1)
    worst = 0
    for name in names:
        tally: Tally | None = None
        try:
            with interruptible():
                tally, code, outcome = _judge(name, options, console, matrix, reports, forms, last)
        except (TargetError, NothingSelected) as error:
            forms.not_judged(options.called(name), str(error))
            skipped = options.skip_missing and isinstance(error, ToolchainMissing)
            if len(names) == 1 and not skipped:
                raise
            console.print(
                f"{options.called(name)}: not judged: {error}", soft_wrap=True, markup=False
            )
            outcome = f"not judged: {shorten(error.message)}"
            code = 0 if skipped else error.exit_code
        rows.append((options.called(name), tally, outcome))
        worst = max(worst, code)
        if code == INTERRUPTED:
            break
        if len(names) > 1 and not options.quiet:
            console.print()
    if len(names) > 1 and not options.quiet:
        if options.verbose or options.reports:
            matrix.show(console)
            show_counts(console, rows)
        show_outcomes(console, rows)
    if reports:
        reports.close(rows, matrix)
    judged_any = any(tally for _, tally, _ in rows)
    return worst if judged_any else worst or UNREACHABLE


def _judge(
    name: str,
    options: RunOptions,
    console: Console,
    matrix: Matrix,
    reports: Reports | None,
    forms: Forms,
    last: LastRun | None,
) -> tuple[Tally, int, str]:
    """One target's tally, exit code, and outcome in words."""
    parts, began = Path(tempfile.mkdtemp(prefix="kafka-conformance-")), time.monotonic()
    try:
        settings = options.settings(name, str(parts))
        settings.selection()  # a mistake in it shows before anything is built
        expectations = Expectations(options.known_entries(name), options.known_of_older(name))
        started = now()
        ran = run_pytest(name, settings, options, console)
        hello = options.kind.hello(name, ran.hello)
        run = header(
            name,
            hello,
            options.profile,
            started,
            options.selection,
            options.kind.lacks(hello),
            options.again(name),
            options.kind.left_out(name),
            options.name,
        )
        partial = bool(options.selection) or not ran.complete
        with nullcontext() if options.quiet else waiting("comparing with known defects"):
            conclusion = conclude(run, ran, parts, expectations, partial, options, matrix)
        ran = replace(ran, seconds=clock.lap(began))
        if ran.complete and not conclusion.tally.cases:
            raise NothingSelected(
                "nothing is selected: no item or case of that name",
                next(filter(None, map(options.kind.near_case, options.cases)), "")
                or "the line `again:` of a finding has a case",
            )
        code = exit_code_of(conclusion, ran)
        summary = summary_of(conclusion, ran, code)
        kept = _keep(last, run, conclusion, summary) if last else str(options.results or "")
        block = closing_block(conclusion, ran, options, run, kept)
        _show(console, run, conclusion, ran, options, block)
        if options.results or reports or forms.wanted:
            results = options.results or parts / RESULTS
            write_results(results, run, verdicts_of(parts), conclusion.findings, summary)
            if reports:
                reports.add(run, results)
            if forms.wanted:
                forms.write(tell(run, lambda: read_lines(results), news_of(conclusion, options)))
        if options.allure:
            write_environment(options.allure, run)
        if options.update_known and ran.complete:
            partial = partial or bool(conclusion.tally.left)
            _write_known(options, name, expectations.updated(partial))
        return conclusion.tally, code, in_words(conclusion, ran, options)
    finally:
        shutil.rmtree(parts, ignore_errors=True)


def _keep(last: LastRun, run: Run, conclusion: Conclusion, summary: Summary | None) -> str:
    """Keep the findings of a run whose results have no file; "" where there is no room for them."""
    findings = conclusion.news or conclusion.findings
    shown = (example_of(conclusion.examples, each) for each in findings)
    examples = [each for each in shown if each is not None]
    return last.add(run, examples, findings, summary)


def _show(
    console: Console,
    run: Run,
    conclusion: Conclusion,
    ran: Ran,
    options: RunOptions,
    block: ClosingBlock,
) -> None:
    if options.quiet:
        console.print(block.headline, soft_wrap=True, markup=False)
        return
    if not (options.verbose or console.is_terminal):  # who reads a log can't ask for them
        first = conclusion.news if options.known else conclusion.findings
        show_findings(console, first[:MOST], conclusion.examples)
    if options.verbose:
        show_findings(console, conclusion.findings, conclusion.examples)
        conclusion.advertised.show(console)
        show_rules(console, conclusion.tally)
        show_groups(console, conclusion.tally)
    for note in filter(None, (*ran.notes, options.kind.lacks(ran.hello), conclusion.note)):
        shown = note if options.verbose else _begun(note)
        console.print(f"note: {shown}", soft_wrap=True, markup=False)
    if options.cases:
        for line in told_before(run, conclusion.findings):
            console.print(line, soft_wrap=True, markup=False)
    for line in entry_lines(conclusion.stale):
        console.print(f"known, and did not happen: {line}", soft_wrap=True, markup=False)
    for line in conclusion.outdated:
        console.print(f"known failures: {line}", soft_wrap=True, markup=False)
    if conclusion.stale or conclusion.outdated:
        console.print("--update-known writes the list as it is to be")
    block.show(console)


def _begun(note: str) -> str:
    """Return a note that ends with a long list cut to a line or two; any other one is whole.

    A comma of a sentence is no place to cut it: what is left has to be read without the rest.
    """
    if len(note) <= MOST_OF_A_NOTE:
        return note
    if (parts := note.count("; ")) >= _FEW:
        shown = note[:MOST_OF_A_NOTE].rpartition("; ")[0] or note.partition("; ")[0]
        return f"{shown} and {parts - shown.count('; ')} more: -v shows them"
    head, _, listed = note.rpartition(": ")
    names = listed.split(", ")
    room = MOST_OF_A_NOTE - len(head)
    if len(names) <= _FEW or not all(map(_is_name, names)):
        return note
    shown_names = [name for at, name in enumerate(names, 1) if len(", ".join(names[:at])) <= room]
    shown_names = shown_names or names[:1]
    more = len(names) - len(shown_names)
    return f"{head}: {', '.join(shown_names)} and {more} more: -v shows them"


def _is_name(text: str) -> bool:
    """True for a case, or for a message and a path of it; a clause has more words."""
    return text.count(" ") < _FEW


def _write_known(options: RunOptions, name: str, text: str) -> None:
    """Write the list of known failures, unless it is empty and a bundled target has no list yet."""
    file = options.known_file(name)
    if file is not None and (text or file.exists() or options.known != BUNDLED):
        file.write_text(text, "utf-8")


__all__ = ["RunOptions", "judge_targets"]
