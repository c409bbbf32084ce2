"""Conversion of results files into tables and back, without loss: each line stays the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from urllib.parse import unquote

from conformance.campaigns.storage.rows import (
    finding_of,
    finding_row,
    run_of,
    run_row,
    verdict_of,
    verdict_row,
)
from conformance.campaigns.storage.tables import (
    TableError,
    partition,
    read_rows,
    target_of,
    write_rows,
)
from conformance.results.files import read_lines, write_results
from conformance.results.lines import Finding, Run, Summary, Verdict

ROWS_A_FILE = 20_000


def results_to_tables(path: Path, root: Path, run: str) -> Run:
    """Put a results file into the tables below `root`, as a run of this id; return its header.

    Raises ResultsError, TableError.
    """
    header = next(read_lines(path), None)
    if not isinstance(header, Run):
        raise TableError(f"{path} does not begin with a run", "is it a results file?")
    target = header.target
    _put_verdicts(
        (line for line in read_lines(path) if isinstance(line, Verdict)),
        partition(root, "verdicts", run, target),
    )
    findings = [line for line in read_lines(path) if isinstance(line, Finding)]
    rows = [finding_row(each, index) for index, each in enumerate(findings)]
    write_rows(partition(root, "findings", run, target), "findings", "findings", rows)
    summary = next((line for line in read_lines(path) if isinstance(line, Summary)), None)
    write_rows(partition(root, "runs", run, target), "run", "runs", [run_row(header, summary)])
    return header


def tables_to_results(root: Path, run: str, target: str, path: Path) -> None:
    """Write the results file of one target of a run. Raises ResultsError, TableError."""
    found = next(read_rows(partition(root, "runs", run, target), "runs"), None)
    if found is None:
        raise TableError(f"{root} has no run {run} of {target}", "see its table `runs`")
    header, summary = run_of(found)
    verdicts = map(verdict_of, read_rows(partition(root, "verdicts", run, target), "verdicts"))
    findings = map(finding_of, read_rows(partition(root, "findings", run, target), "findings"))
    write_results(path, header, verdicts, findings, summary)


def runs_of(root: Path) -> Iterator[Path]:
    """Yield the file of each run and target in the tables below a folder."""
    return iter(sorted((root / "runs").glob("run=*/target=*/run.parquet")))


def results_of(root: Path, into: Path) -> Iterator[Path]:
    """Write each run and target of a campaign's tables as a results file of its own.

    Raises ResultsError, TableError.
    """
    for number, file in enumerate(runs_of(root)):
        run = unquote(file.parts[-3].removeprefix("run="))
        path = into / f"{number}.ndjson"
        tables_to_results(root, run, target_of(file), path)
        yield path


def _put_verdicts(verdicts: Iterable[Verdict], folder: Path) -> None:
    left: Iterator[Verdict] = iter(verdicts)
    first = 0
    while some := list(islice(left, ROWS_A_FILE)):
        rows = [verdict_row(each, first + index) for index, each in enumerate(some)]
        write_rows(folder, f"verdicts-{first}", "verdicts", rows)
        first += len(some)
