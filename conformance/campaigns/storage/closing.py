"""The end of a run of several targets on Spark: tables, results files, and its last lines."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from conformance.campaigns.storage.results_files import tables_to_results
from conformance.campaigns.storage.rows import finding_row, run_row
from conformance.campaigns.storage.tables import partition, write_rows
from conformance.reporting.closing_block import ClosingBlock, defects_of, outcome_of
from conformance.reporting.console import show_findings
from conformance.results.closing import results_path
from conformance.results.lines import Finding, Run, Summary, Verdict


@dataclass(frozen=True, kw_only=True)
class TargetEnd:
    """The results for one target; without a `summary` it was interrupted.

    `figures` is printed as a line on it, and `outcome` as the line in front, if there is more to
    say than the findings. `seen` holds, by the case of a finding, where the first and the last
    chunk with such failures begin; `asked` and `cpu` are as in the table of runs.
    """

    header: Run
    summary: Summary | None
    findings: Sequence[Finding]
    examples: Mapping[str, Verdict]
    figures: str
    outcome: str = ""
    seen: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    asked: int | None = None
    cpu: float | None = None


def close_targets(
    root: Path,
    run: str,
    ends: Sequence[TargetEnd],
    console: Console,
    results: Path | None,
    verbose: bool,
) -> None:
    """Write and show the results of each target. Raises TableError, ResultsError."""
    for end in ends:
        target = end.header.target
        _write(root, run, end)
        if verbose and end.findings and len(ends) > 1:
            console.print(f"\n{end.header.name}", markup=False)
        if verbose:
            show_findings(console, end.findings, end.examples)
        if results is not None:
            tables_to_results(root, run, target, results_path(results, target, len(ends)))


def show_figures(ends: Sequence[TargetEnd], console: Console) -> None:
    """Print the block that closes the run of each target."""
    for end in ends:
        defects = defects_of(end.findings)
        outcome = end.outcome or outcome_of(defects) or "nothing found"
        headline = f"{end.header.name}: {outcome}"
        ClosingBlock(headline, end.figures, defects).show(console)


def _write(root: Path, run: str, end: TargetEnd) -> None:
    """Write a target's rows, in place of those of an earlier end."""
    findings = [
        finding_row(each, index, end.seen.get(each.case)) for index, each in enumerate(end.findings)
    ]
    runs = [run_row(end.header, end.summary, end.asked, end.cpu)]
    for table, name, rows in (("findings", "findings", findings), ("runs", "run", runs)):
        folder = partition(root, table, run, end.header.target)
        shutil.rmtree(folder, ignore_errors=True)
        write_rows(folder, name, table, rows)


def show_interruption(console: Console) -> None:
    """Print how to continue a run that was interrupted."""
    console.print("interrupted: the rounds that are done are kept, --resume goes on with them")
