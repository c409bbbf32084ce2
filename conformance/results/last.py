"""The findings of the last runs, which are kept where no file was named for their results.

Two files in the user's cache folder, in place whole or not at all, whoever else runs meanwhile. One
has the last run: of each target the header, the smallest case of each finding, the findings and the
summary. It is called `last`, and what one of several targets got in it `last/NAME`. The other has
the same of targets that were judged before, and not since, in one folder or another.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import msgspec

from conformance.data import cache_dir
from conformance.errors import ConformanceError
from conformance.results.command_lines import command_line
from conformance.results.files import read_lines
from conformance.results.lines import BROKEN, Finding, Line, Run, Summary, Verdict, is_cut_short
from conformance.results.text import counted

LAST = "last"
"""What stands for the results file of the last run, where none was named."""
MOST_BEFORE = 8
"""So many targets that were judged before are kept."""


@dataclass(slots=True)
class Judged:
    """What is told of one target: its header, a verdict of each broken case, and its findings.

    `last` is the last line of its results.
    """

    run: Run
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    last: Line | None = None

    @property
    def is_cut_short(self) -> bool:
        """True if its results are not whole."""
        return is_cut_short(self.last)

    @property
    def when(self) -> str:
        """The time at which it was judged, and the folder, if that is known."""
        where = f" in {self.run.folder}" if self.run.folder else ""
        return f"{self.run.started[:16].replace('T', ' ')} UTC{where}"


def judged_in(lines: Iterable[Line]) -> Iterator[Judged]:
    """The targets of a results file, one after another."""
    judged: Judged | None = None
    for line in lines:
        if isinstance(line, Run):
            if judged is not None:
                yield judged
            judged = Judged(line)
        elif judged is not None:
            judged.last = line
            _take(judged, line)
    if judged is not None:
        yield judged


def _take(judged: Judged, line: Line) -> None:
    if isinstance(line, Finding):
        judged.findings.append(line)
    elif isinstance(line, Verdict) and line.verdict in BROKEN:
        judged.verdicts.setdefault(line.case, line)


def last_findings() -> Path:
    """The file of the last run, which may not be there."""
    return cache_dir() / "last.ndjson"


def findings_before() -> Path:
    """The file of what was judged before the last run, which may not be there."""
    return cache_dir() / "before.ndjson"


def judged_last() -> list[Judged]:
    """The targets of the last run."""
    return _kept(last_findings())


def judged_before() -> list[Judged]:
    """The targets that were judged before, and not since; the last first."""
    return _kept(findings_before())


def last_of(target: str, folder: str) -> Judged | None:
    """What the target got when it was judged last in this folder, else elsewhere; None if never."""
    found = [each for each in (*judged_last(), *judged_before()) if each.run.target == target]
    return min(found, key=lambda each: each.run.folder != folder, default=None)


def told_before(run: Run, findings: Iterable[Finding]) -> list[str]:
    """What was said of the cases of these findings when the whole target was judged, a line each.

    A case alone looks like many a defect, so that a run of it knows less.
    """
    judged = last_of(run.target, str(Path.cwd()))
    if judged is None:
        return []
    cases = {each.case for each in findings}
    said = []
    for number, each in enumerate(judged.findings, 1):
        if each.case in cases:
            command = command_line(["findings", f"{LAST}/{run.target}", str(number)])
            looks = f", looks like: {each.diagnosis}" if each.diagnosis else ""
            what = f"finding {number} of {counted(each.count, 'case')}{looks}"
            said.append(f"stands for {what}; {judged.run.name}, judged {judged.when}: {command}")
    return said


def _kept(path: Path) -> list[Judged]:
    return list(judged_in(read_lines(path))) if path.exists() else []


class LastRun:
    """Keeps the findings of one run, of one target or of `several`, one after another."""

    def __init__(self, *, several: bool = False) -> None:
        self._several = several
        self._lines: list[Line] = []
        self._names: set[tuple[str, str]] = set()
        self._before: list[Judged] | None = None

    def add(
        self,
        run: Run,
        examples: Iterable[Verdict],
        findings: Iterable[Finding],
        summary: Summary | None,
    ) -> str:
        """Put what one target got behind the others; what it is called, "" where there is no room.

        `findings` shows it by that name.
        """
        run = msgspec.structs.replace(run, folder=str(Path.cwd()))
        if self._before is None:
            self._before = _readable()
        self._lines += [run, *examples, *findings, *filter(None, [summary])]
        self._names.add((run.target, run.folder))
        before = [
            each for each in self._before if (each.run.target, each.run.folder) not in self._names
        ]
        try:
            _write(findings_before(), chain.from_iterable(map(_lines, before[:MOST_BEFORE])))
            _write(last_findings(), self._lines)
        except OSError:
            return ""
        return f"{LAST}/{run.target}" if self._several else LAST


def _readable() -> list[Judged]:
    """All that is kept, nothing of what an other version of the suite wrote and we can't read."""
    try:
        return [*judged_last(), *judged_before()]
    except (OSError, ValueError, ConformanceError):
        return []


def _lines(judged: Judged) -> list[Line]:
    closing = [] if judged.last is None or judged.is_cut_short else [judged.last]
    return [judged.run, *judged.verdicts.values(), *judged.findings, *closing]


def _write(path: Path, lines: Iterable[Line]) -> None:
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished.touch(mode=0o600)  # it has what ends a target
    unfinished.write_bytes(msgspec.json.Encoder().encode_lines(lines))
    unfinished.replace(path)
