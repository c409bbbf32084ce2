"""The findings of the last runs, which are kept if no results file was named.

Each folder in which something was judged has two files of its own in the user's cache folder, which
are replaced as a whole: so two projects, or two jobs of a matrix, never mix their results, even if
they run at the same time. One file has the last run of the folder: of each target the header, the
smallest case of each finding, the findings and the summary. It is called `last`, and the results of
one of several targets in it `last/NAME`. The other file has the same of targets that were judged
there earlier, and not in the last run. In a folder in which nothing was judged, `last` is the last
run of the account.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain
from pathlib import Path
from shutil import rmtree

import msgspec

from conformance.data import cache_dir
from conformance.errors import ConformanceError
from conformance.results.case_examples import key_of
from conformance.results.command_lines import command_line
from conformance.results.files import read_lines
from conformance.results.lines import BROKEN, Finding, Line, Run, Summary, Verdict, is_cut_short
from conformance.results.text import counted

LAST = "last"
"""The name that stands for the results file of the last run."""
MOST_BEFORE = 8
"""The number of targets judged earlier that are kept for a folder."""
MOST_FOLDERS = 32
"""The number of folders that are kept, those of the latest runs."""
_LAST, _BEFORE = "last.ndjson", "before.ndjson"


@dataclass(slots=True)
class Judged:
    """The kept results of one target: its header, a verdict of each broken case, and its findings.

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
        """Return the time at which it was judged, and the folder, if that is known."""
        where = f" in {self.run.folder}" if self.run.folder else ""
        return f"{self.run.started[:16].replace('T', ' ')} UTC{where}"


def judged_in(lines: Iterable[Line]) -> Iterator[Judged]:
    """Yield the targets of a results file, one after another."""
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
        judged.verdicts.setdefault(key_of(line), line)


@dataclass(frozen=True, slots=True)
class Kept:
    """The kept results of one folder: its last run, and targets that were judged there earlier."""

    last: list[Judged]
    before: list[Judged]

    def of(self, target: str) -> Judged | None:
        """Return the latest results of a target, None if it was never judged here."""
        found = (each for each in (*self.last, *self.before) if each.run.target == target)
        return next(found, None)


def folder_here() -> str:
    """Return the folder that this command runs in."""
    return str(Path.cwd())


def kept_in(folder: str) -> Kept | None:
    """Return what is kept for a folder, None if nothing was judged in it."""
    return _kept(_place(folder))


def kept_elsewhere(folder: str) -> list[Kept]:
    """Return what is kept for other folders, that of the last run first.

    Files of another version of the suite that this one can't read are left out.
    """
    places = (each for each in _places() if each != _place(folder))
    found = [kept for each in places if (kept := _readable(each)) is not None]
    return sorted(found, key=lambda kept: kept.last[0].run.started, reverse=True)


def told_before(run: Run, findings: Iterable[Finding]) -> list[str]:
    """Return a line for each finding of the last whole run that has a case of these findings.

    One case alone fits many defects, so a run of it knows less than a whole run.
    """
    kept = kept_in(folder_here())
    judged = kept and kept.of(run.target)
    if not judged:
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


def _place(folder: str) -> Path:
    """Return the folder in the cache with what is kept for a folder; it may not exist."""
    return _all_places() / sha256(os.fsencode(folder)).hexdigest()[:32]


def _places() -> list[Path]:
    return [each.parent for each in _all_places().glob(f"*/{_LAST}")]


def _all_places() -> Path:
    return cache_dir() / "last"


def _kept(place: Path) -> Kept | None:
    last = _judged(place / _LAST)
    return Kept(last, _judged(place / _BEFORE)) if last else None


def _judged(path: Path) -> list[Judged]:
    return list(judged_in(read_lines(path))) if path.exists() else []


class LastRun:
    """The kept findings of one run, of one target or of `several`, one after another."""

    def __init__(self, *, several: bool = False) -> None:
        self._several = several
        self._lines: list[Line] = []
        self._names: set[str] = set()
        self._before: list[Judged] | None = None

    def add(
        self,
        run: Run,
        examples: Iterable[Verdict],
        findings: Iterable[Finding],
        summary: Summary | None,
    ) -> str:
        """Add the results of one target; return the name for them, "" if they can't be kept.

        The command `findings` shows them by that name.
        """
        folder = folder_here()
        place = _place(folder)
        run = msgspec.structs.replace(run, folder=folder)
        if self._before is None:
            kept = _readable(place)
            self._before = [*kept.last, *kept.before] if kept else []
        self._lines += [run, *examples, *findings, *filter(None, [summary])]
        self._names.add(run.target)
        before = [each for each in self._before if each.run.target not in self._names]
        try:
            _write(place / _BEFORE, chain.from_iterable(map(_lines, before[:MOST_BEFORE])))
            _write(place / _LAST, self._lines)
            _drop_oldest(place)
        except OSError:
            return ""
        return f"{LAST}/{run.target}" if self._several else LAST


def _readable(place: Path) -> Kept | None:
    """Return what is kept in a place, None if it can't be read."""
    try:
        return _kept(place)
    except (OSError, ValueError, ConformanceError):
        return None


def _drop_oldest(own: Path) -> None:
    """Drop what is kept for the folders in which nothing was judged for the longest time."""
    others = [each for each in _places() if each != own]
    latest = sorted(others, key=lambda each: (each / _LAST).stat().st_mtime_ns, reverse=True)
    for place in latest[MOST_FOLDERS - 1 :]:
        rmtree(place, ignore_errors=True)


def _lines(judged: Judged) -> list[Line]:
    closing = [] if judged.last is None or judged.is_cut_short else [judged.last]
    return [judged.run, *judged.verdicts.values(), *judged.findings, *closing]


def _write(path: Path, lines: Iterable[Line]) -> None:
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished.touch(mode=0o600)  # it has inputs that end a target
    unfinished.write_bytes(msgspec.json.Encoder().encode_lines(lines))
    unfinished.replace(path)
