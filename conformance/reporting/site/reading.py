"""The lines of one results file, plain or compressed, however it was made and however it ends.

An interrupted run leaves a file without its last lines, a failed copy one without the end of its
compressed stream. Both are still useful, so they are read as far as they go, and reported as cut
short. A line that cannot be read is an error in a file of this version of the suite; lines of
another version may be unknown to this one, and are left out and counted.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Collection, Iterator
from io import BufferedIOBase
from pathlib import Path

import msgspec

from conformance import __version__
from conformance.reporting.site.errors import NoResults
from conformance.results.case_examples import key_of
from conformance.results.files import ResultsError
from conformance.results.lines import (
    BROKEN,
    Finding,
    Run,
    Summary,
    Verdict,
    decode_line,
    is_cut_short,
)
from conformance.results.publish import WITHHELD

PROGRESS = "progress.ndjson"
"""The file that a fuzzer writes beside its results."""
ENDINGS = (".ndjson", ".ndjson.gz")
_WITHHELD = f'"case":"{WITHHELD}"'.encode()
_NUMBER = b'"case":""'
_PASSED = b'"verdict":"pass"'
_GZIP = b"\x1f\x8b"
_LONGEST_LINE = 64 * 2**20
_IS_IT = "is it a results file?"


class ResultsFile:
    """One run. `cut_short` and `left_out` are known after its lines were read."""

    def __init__(self, path: Path) -> None:
        """Read the header. Raises ResultsError."""
        self.path = path
        self.left_out = 0
        """The number of lines of another suite version that this one doesn't know."""
        self.cut_short = False
        first = next(self._raw(), None)
        if first is None:
            raise ResultsError(f"{path}: empty", _IS_IT)
        try:
            run = decode_line(first)
        except msgspec.MsgspecError as error:
            raise ResultsError(f"{path}:1: {error}", _IS_IT) from None
        if not isinstance(run, Run):
            raise ResultsError(f"{path} does not begin with a run", _IS_IT)
        self.run: Run = run

    @property
    def is_fuzzed(self) -> bool:
        """True if a fuzzer wrote it: it holds what is broken, and no passes."""
        return (self.path.parent / PROGRESS).is_file()

    def is_published(self) -> bool:
        """True if harmful cases are withheld, and verdicts that went well are counts."""
        return any(_WITHHELD in line or _NUMBER in line for line in self._raw())

    def first_op(self) -> str:
        """Return the operation of the first verdict, which shows the kind of target; or ""."""
        return next((line.op for line in self.lines() if isinstance(line, Verdict)), "")

    def broken(self, cases: Collection[str]) -> dict[str, Verdict]:
        """Return a broken verdict on each of these cases, by its key. Raises ResultsError."""
        found: dict[str, Verdict] = {}
        if not cases:
            return found
        for raw in self._raw():
            if _PASSED in raw:
                continue
            try:
                line = decode_line(raw)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                continue  # reported when the lines were counted
            if isinstance(line, Verdict) and line.verdict in BROKEN and line.case in cases:
                found.setdefault(key_of(line), line)
        return found

    def lines(self) -> Iterator[Verdict | Finding | Summary]:
        """Yield all lines after the header. Raises ResultsError."""
        self.left_out, self.cut_short = 0, True
        known = self.run.suite_version == __version__
        for number, raw in enumerate(self._raw(), 1):
            try:
                line = decode_line(raw)
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                if known:
                    raise ResultsError(f"{self.path}:{number}: {error}", _IS_IT) from None
                self.left_out += 1
                continue
            self.cut_short = is_cut_short(line)
            if not isinstance(line, Run):
                yield line

    def _raw(self) -> Iterator[bytes]:
        """Yield the lines that are whole."""
        try:
            with self._open() as file:
                while (line := file.readline(_LONGEST_LINE)).endswith(b"\n"):
                    yield line
                if len(line) == _LONGEST_LINE:
                    raise ResultsError(f"{self.path}: a line of over 64 MiB", _IS_IT)
        except (EOFError, zlib.error):
            return  # cut short
        except OSError as error:
            raise ResultsError(f"{self.path}: {error.strerror or error}", _IS_IT) from None

    def _open(self) -> BufferedIOBase:
        with self.path.open("rb") as file:
            packed = file.read(2) == _GZIP
        return gzip.open(self.path, "rb") if packed else self.path.open("rb")


def found(paths: list[Path]) -> list[ResultsFile]:
    """Return the results in files and folders, each once. Raises NoResults, ResultsError."""
    files = {file.resolve(): file for path in paths for file in _files(path)}
    if not files:
        told = ", ".join(map(str, paths))
        raise NoResults(f"{told}: no results", "files of --results, or folders with *.ndjson[.gz]")
    return [ResultsFile(file) for file in files.values()]


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for file in sorted(path.rglob("*")):
        if file.name.endswith(ENDINGS) and file.name != PROGRESS and file.is_file():
            yield file
