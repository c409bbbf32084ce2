"""The results file of an audit: a header, one line per verdict, findings, a summary."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from conformance import __version__
from conformance.captures.audit.tables import FrameVerdict, Row, Tables
from conformance.errors import UNREACHABLE
from conformance.results.closing import now
from conformance.results.files import LineWriter
from conformance.results.lines import Run, Summary
from conformance.schema.releases import definitions


def header(target: str, ports: frozenset[int] | None, profile: str, release: str) -> Run:
    """Return the header line of an audit's results file.

    `target` names files without their folders, since results are published.
    """
    return Run(
        target=target,
        target_version="",
        language="",
        definitions=definitions(release).release,
        suite_version=__version__,
        profile=profile,
        started=now(),
        selection={"ports": sorted(ports) if ports is not None else "auto"},
    )


def record(
    path: Path | None,
    run: Run,
    rows: Iterable[Row],
    tables: Tables,
    again: Callable[[], Sequence[str]] | None = None,
) -> None:
    """Add the rows up, and write each of their verdicts to a file if `path` is given.

    `again` returns, at the end, the words of the command that shows a frame, if the run does not
    hold them. Raises ResultsError.
    """
    if path is None:
        for row in rows:
            tables.take(row)
        return
    began = time.monotonic()
    with LineWriter(path) as writer:
        writer.write(run)
        for row in rows:
            tables.take(row)
            if isinstance(row, FrameVerdict):
                writer.write(row.verdict)
        for finding in tables.findings(again() if again else run.again):
            writer.write(finding)
        writer.write(
            Summary(
                cases=tables.frames,
                verdicts=dict(tables.verdicts),
                seconds=round(time.monotonic() - began, 3),
                exit_code=exit_code(tables),
                notes=[f"{count} {why}" for why, count in tables.passed.items()],
            )
        )


def exit_code(tables: Tables) -> int:
    """Return 0 if no rule of the profile was broken, 1 if one was.

    Return 3 if nothing was judged, or if a part was not, whatever was found in the others.
    """
    if tables.lost or not tables.judged:
        return UNREACHABLE
    return 1 if tables.violations else 0
