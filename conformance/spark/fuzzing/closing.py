"""A whole fuzzing run on a cluster: its rounds, its triage, and the tables and words at its end."""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from conformance.campaigns.storage.closing import (
    TargetEnd,
    close_targets,
    show_figures,
    show_interruption,
)
from conformance.campaigns.storage.rows import verdict_row
from conformance.campaigns.storage.tables import partition, write_rows
from conformance.errors import gravest
from conformance.fuzzing.triage import Triage
from conformance.fuzzing.unconfirmed import outcome, show_unconfirmed, unconfirmed_in_words
from conformance.reporting.closing_block import defects_of
from conformance.results.closing import exit_code, header
from conformance.results.lines import Summary, Verdict
from conformance.results.text import counted
from conformance.spark.fuzzing.run import FuzzRun, FuzzRunOptions, fuzz_rounds
from conformance.spark.fuzzing.triage import TriageResults, judge_suspects, settings_of
from conformance.spark.fuzzing.workers import check_fuzzing_workers
from conformance.spark.jobs.session import is_local, open_session
from conformance.spark.jobs.workers import ship_code


def fuzz_on_spark(run: FuzzRun, options: FuzzRunOptions, console: Console) -> TriageResults:
    """Fuzz the rounds that are left and judge what they suspected, in a session of its own.

    Raises NoSpark, NoMaster, Unfit, JobFailed, TableError, FolderError.
    """
    name = f"kafka-conformance {run.about.run}"
    session = open_session(options.master, name, options.ui, run.folder.root / "spark.log")
    try:
        if address := session.sparkContext.uiWebUrl:
            console.print(f"Spark shows its work at {address}", soft_wrap=True)
        if not is_local(options.master):
            ship_code(session)
        check_fuzzing_workers(session, settings_of(run, options), run.about.targets)
        fuzz_rounds(run, session, options, console)
        if run.interrupted:
            console.print("interrupted: what is done is judged; Ctrl-C again leaves that, too")
        return judge_suspects(run, session, options, console)
    except KeyboardInterrupt:
        run.interrupted = True
        return TriageResults(found={target: Triage() for target in run.about.targets})
    finally:
        session.stop()


def close(
    run: FuzzRun, judged: TriageResults, console: Console, results: Path | None, verbose: bool
) -> int:
    """Write and show the results, and return the exit code. Raises TableError, ResultsError."""
    codes = {target: _exit_code(run, judged, target) for target in judged.found}
    for target, found in judged.found.items():
        _write_verdicts(run, target, found.verdicts)
    ends = [_end(run, target, judged.found[target], code) for target, code in codes.items()]
    close_targets(run.folder.root, run.about.run, ends, console, results, verbose)
    _show_what_is_alike(judged, console)
    show_figures(ends, console)
    _show_totals(run, judged, console)
    return gravest(codes.values())


def _exit_code(run: FuzzRun, judged: TriageResults, target: str) -> int:
    return exit_code(
        interrupted=run.interrupted,
        unfinished=bool(run.aside or judged.lost),
        broken=bool(judged.found[target].findings),
        judged=run.fuzzed(target).executions > 0,
        unconfirmed=bool(judged.found[target].unconfirmed),
    )


def _write_verdicts(run: FuzzRun, target: str, verdicts: Sequence[Verdict]) -> None:
    """Write the table of verdicts, as campaigns do, in place of one written before."""
    folder = partition(run.folder.root, "verdicts", run.about.run, target)
    shutil.rmtree(folder, ignore_errors=True)
    rows = [verdict_row(each, index) for index, each in enumerate(verdicts)]
    write_rows(folder, "verdicts", "verdicts", rows)


def _end(run: FuzzRun, target: str, found: Triage, code: int) -> TargetEnd:
    about, figures = run.about, _in_words(run, target)
    summary = Summary(
        cases=len(found.inputs),
        verdicts=dict(Counter(each.verdict for each in found.verdicts)),
        seconds=run.fuzzed(target).seconds,
        exit_code=code,
        notes=[figures, *unconfirmed_in_words(found.unconfirmed)],
    )
    selection = {"messages": list(about.messages), "versions": list(about.versions)}
    return TargetEnd(
        header=header(target, run.hellos[target], about.profile, about.started, selection),
        summary=None if run.interrupted else summary,
        findings=found.findings,
        examples={each.case: each for each in found.verdicts},
        figures=figures,
        outcome=outcome(defects_of(found.findings), found.unconfirmed),
    )


def _in_words(run: FuzzRun, target: str) -> str:
    fuzzed = run.fuzzed(target)
    rate = fuzzed.executions / fuzzed.seconds if fuzzed.seconds else 0.0
    return (
        f"{fuzzed.executions:,} executions, {rate:,.0f} a second and process, "
        f"{fuzzed.edges:,} edges of code, {fuzzed.corpus:,} inputs in the corpus, "
        f"{len(run.reached[target]):,} features of the definitions; {fuzzed.restarts} restarts"
    )


def _show_what_is_alike(judged: TriageResults, console: Console) -> None:
    """Causes that several targets have."""
    targets: dict[str, list[str]] = defaultdict(list)
    for target, found in judged.found.items():
        for each in found.findings:
            targets[each.cause].append(target)
    for cause, having in targets.items():
        if len(having) > 1:
            said = f"{', '.join(having)} have this in common: {cause}"
            console.print(said, soft_wrap=True, markup=False)


def _show_totals(run: FuzzRun, judged: TriageResults, console: Console) -> None:
    unconfirmed = sum(len(each.unconfirmed) for each in judged.found.values())
    for target, found in judged.found.items():
        show_unconfirmed(console, target, found.unconfirmed, run.about.profile)
    notes = {
        "suspicions could not be confirmed": unconfirmed,
        "suspicions are like those that were judged": judged.alike,
        "suspicions could not be judged": len(judged.lost),
        "shards and merges set aside, see the table set_aside": run.aside,
    }
    for what, count in notes.items():
        if count:
            console.print(f"{count:,} {what}", soft_wrap=True)
    for why in sorted(set(judged.lost)):
        console.print(why, soft_wrap=True, markup=False)
    rounds = counted(len(run.rounds), "round")
    console.print(f"{rounds}; kept in {run.folder.root}", soft_wrap=True, markup=False)
    if run.interrupted:
        show_interruption(console)
