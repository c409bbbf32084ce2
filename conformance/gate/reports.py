"""The reports of a run, a folder per day: public ones, and separately the private ones.

DIR/2026-11-22/codecs/README.md has the results of each target, and all of them side by side.

DIR/2026-11-22/codecs/NAME-VERSION.ndjson.gz has every verdict, without anything harmful.

DIR/2026-11-22/codecs/NAME-VERSION.md has each finding, in the words of a report to the project.

DIR/private/2026-11-21/NAME-VERSION.ndjson has the rest, for the eyes of the target's owner.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from conformance import __version__
from conformance.errors import ConformanceError
from conformance.reporting.console import Tally
from conformance.reporting.issue_text import filed
from conformance.reporting.side_by_side import Matrix
from conformance.results.files import read_lines
from conformance.results.lines import VERDICTS, Finding, Line, Run, Verdict
from conformance.results.publish import is_withheld, publish, published
from conformance.targets.private import make_folder, write_private

PRIVATE = "private"
_NO_NAME = re.compile(r"[^A-Za-z0-9._+-]+")


class Reports:
    """A writer of the reports of several targets of a kind ("codecs", …) below a folder.

    Raises ConformanceError.
    """

    def __init__(self, folder: Path, kind: str) -> None:
        self._day = datetime.now(UTC).strftime("%Y-%m-%d")
        self._kind = kind
        self._folder = folder / self._day / kind
        self._private = folder / PRIVATE / self._day / kind
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            make_folder(self._private)
            (folder / PRIVATE / ".gitignore").write_text("*\n", "utf-8")
        except OSError as error:
            raise _unwritable(folder, error) from None

    def add(self, run: Run, results: Path) -> None:
        """Write the reports of one target, of which `results` is the whole results file."""
        name = _NO_NAME.sub("-", run.target_version).strip("-")
        try:
            publish(results, self._folder / f"{name}.ndjson.gz")
            lines = list(_telling(published(read_lines(results))))
            findings = [line for line in lines if isinstance(line, Finding)]
            page = filed(run, findings, lines)
            (self._folder / f"{name}.md").write_text(page, "utf-8")
            self._keep(self._private / f"{name}.ndjson", read_lines(results))
        except OSError as error:
            raise _unwritable(self._folder, error) from None

    def close(self, rows: list[tuple[str, Tally | None, str]], matrix: Matrix) -> None:
        """Write the page about all targets."""
        used = [v for v in VERDICTS if any(tally and tally.verdicts[v] for _, tally, _ in rows)]
        what = f"# {self._kind.capitalize()}, judged on {self._day}"
        page = [
            f"{what} by kafka-conformance {__version__}",
            "",
            "Columns of verdicts count verdicts: a case decides one rule or several.",
            "",
            f"| target | cases | {' | '.join(used)} | rules broken | outcome |",
            f"| --- | --: |{' --: |' * (len(used) + 1)} --- |",
            *(_row(*row, used) for row in rows),
            "",
            matrix.markdown(),
        ]
        try:
            (self._folder / "README.md").write_text("\n".join(page), "utf-8")
        except OSError as error:
            raise _unwritable(self._folder, error) from None

    def _keep(self, path: Path, lines: Iterator[Line]) -> None:
        kept = [line for line in lines if isinstance(line, Verdict) and is_withheld(line)]
        if kept:
            write_private(path, b"".join(msgspec.json.encode(line) + b"\n" for line in kept))


def _telling(lines: Iterator[Line]) -> Iterator[Line]:
    """Yield the lines that a page can show: all but verdicts without an input."""
    for line in lines:
        if not isinstance(line, Verdict) or line.input is not None:
            yield line


def _row(name: str, tally: Tally | None, outcome: str, used: Sequence[str]) -> str:
    if tally is None:
        return f"| {name} | |{' |' * (len(used) + 1)} {outcome} |"
    counts = (f"{tally.verdicts[verdict]:,}" if tally.verdicts[verdict] else "" for verdict in used)
    broken = len(tally.broken_rules)
    about = re.sub(r"^.*\((.*)\)$", r"\1", tally.target)
    return f"| {about} | {tally.cases:,} | {' | '.join(counts)} | {broken} | {outcome} |"


def _unwritable(folder: Path, error: OSError) -> ConformanceError:
    return ConformanceError(f"{folder}: {error.strerror}", "choose a folder that can be written")
