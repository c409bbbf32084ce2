"""A whole fuzzing run on a cluster: its rounds, its triage, and the tables and words at its end."""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from pathlib import Path

from rich.console import Console

from conformance.errors import BROKEN_RULE, INTERRUPTED
from conformance.fuzzing.triage import Triage
from conformance.reporting.console import show_findings
from conformance.results.lines import Run, Summary
from conformance.spark.fuzzing.run import FuzzRun, FuzzRunOptions, fuzz_rounds
from conformance.spark.fuzzing.triage import TriageResults, judge_suspects, settings_of
from conformance.spark.fuzzing.workers import check_fuzzing_workers
from conformance.spark.jobs.results_files import tables_to_results
from conformance.spark.jobs.rows import finding_row, run_row, verdict_row
from conformance.spark.jobs.session import is_local, open_session
from conformance.spark.jobs.tables import partition, write_rows
from conformance.spark.jobs.workers import ship_code

NOT_JUDGED = 3


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
    """Write and show what came of it; the exit code. Raises TableError, ResultsError."""
    code = exit_code(run, judged)
    for target, found in judged.found.items():
        _write(run, target, found, code)
        examples = {each.case: each for each in found.verdicts}
        if found.findings and len(judged.found) > 1:
            console.print(f"\n{target}", markup=False)
        show_findings(console, found.findings, examples, verbose)
        if results is not None:
            one = len(judged.found) == 1
            path = results if one else results.with_stem(f"{results.stem}-{_file_name(target)}")
            tables_to_results(run.folder.root, run.about.run, target, path)
    _show_what_is_alike(judged, console)
    _show_figures(run, judged, console)
    return code


def exit_code(run: FuzzRun, judged: TriageResults) -> int:
    """What the command ends with."""
    if run.interrupted:
        return INTERRUPTED
    nothing = any(not run.fuzzed(target).executions for target in run.about.targets)
    if run.aside or judged.lost or nothing:
        return NOT_JUDGED
    return BROKEN_RULE if any(each.findings for each in judged.found.values()) else 0


def _file_name(target: str) -> str:
    return target.replace(":", "-").replace("/", "-")


def _write(run: FuzzRun, target: str, found: Triage, code: int) -> None:
    """The tables that campaigns have as well, in place of those of an end before."""
    fuzzed = run.fuzzed(target)
    verdicts = [verdict_row(each, index) for index, each in enumerate(found.verdicts)]
    findings = [finding_row(each, index) for index, each in enumerate(found.findings)]
    summary = Summary(
        cases=len(found.inputs),
        verdicts=dict(Counter(each.verdict for each in found.verdicts)),
        seconds=fuzzed.seconds,
        exit_code=code,
        notes=[_in_words(run, target)],
    )
    row = run_row(_header(run, target), None if run.interrupted else summary)
    tables = {"verdicts": verdicts, "findings": findings, "runs": [row]}
    for table, rows in tables.items():
        folder = partition(run.folder.root, table, run.about.run, target)
        shutil.rmtree(folder, ignore_errors=True)
        write_rows(folder, "run" if table == "runs" else table, table, rows)


def _header(run: FuzzRun, target: str) -> Run:
    about, hello = run.about, run.hellos[target]
    selection = {"messages": list(about.messages), "versions": list(about.versions)}
    return Run(
        target=target,
        target_version=f"{hello.name} {hello.version}",
        language=hello.language,
        definitions=hello.definitions,
        suite_version=about.suite_version,
        profile=about.profile,
        started=about.started,
        selection={key: value for key, value in selection.items() if value},
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


def _show_figures(run: FuzzRun, judged: TriageResults, console: Console) -> None:
    for target, found in judged.found.items():
        said = f"{len(found.findings)} findings" if len(found.findings) != 1 else "1 finding"
        said = said if found.findings else "nothing found"
        text = f"{target}: {said}; {_in_words(run, target)}"
        console.print(text, soft_wrap=True, markup=False)
    unconfirmed = sum(each.unconfirmed for each in judged.found.values())
    notes = {
        "suspicions were not confirmed": unconfirmed,
        "suspicions are like those that were judged": judged.alike,
        "suspicions could not be judged": len(judged.lost),
        "shards and merges set aside, see the table set_aside": run.aside,
    }
    for what, count in notes.items():
        if count:
            console.print(f"{count:,} {what}", soft_wrap=True)
    for why in sorted(set(judged.lost)):
        console.print(why, soft_wrap=True, markup=False)
    rounds = f"{len(run.rounds)} rounds" if len(run.rounds) != 1 else "1 round"
    console.print(f"{rounds}; kept in {run.folder.root}", soft_wrap=True, markup=False)
    if run.interrupted:
        console.print("interrupted: the rounds that are done are kept, --resume goes on with them")
