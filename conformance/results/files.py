"""Results as files: one JSON object a line (NDJSON), a header first and a summary last.

The processes of a run each write a part, and `write_results` makes one file of them. Lines are
flushed as they come, so an interrupted run has what it found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Self

import msgspec

from conformance.errors import ConformanceError
from conformance.results.lines import Finding, Line, Run, Summary, Verdict, decode_line

_encoder = msgspec.json.Encoder()
_FLUSH_EVERY = 256
_ELSEWHERE = "choose a place that can be written"


class ResultsError(ConformanceError):
    """A results file that can't be written, or is none."""


def check_writable(path: Path) -> None:
    """Fail before a run, rather than after it, where its results could not be written.

    Leaves no trace, and nothing of a file that is there is lost. Raises ResultsError.
    """
    was_there = path.exists()
    try:
        path.open("ab").close()
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}", _ELSEWHERE) from None
    if not was_there:
        path.unlink()


class LineWriter:
    """Writes lines to a file, in place of what it held. Raises ResultsError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = path.open("wb")
        except OSError as error:
            raise ResultsError(f"{path}: {error.strerror}", _ELSEWHERE) from None
        self._unflushed = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def write(self, line: Line) -> None:
        """Add one line. Raises ResultsError where the disk is full."""
        try:
            self._file.write(_encoder.encode(line) + b"\n")
            self._unflushed += 1
            if self._unflushed >= _FLUSH_EVERY:
                self._file.flush()
                self._unflushed = 0
        except OSError as error:
            raise self._full(error) from None

    def close(self) -> None:
        """Flush and close. Raises ResultsError where the disk is full."""
        try:
            self._file.close()
        except OSError as error:
            raise self._full(error) from None

    def _full(self, error: OSError) -> ResultsError:
        return ResultsError(f"{self.path}: {error.strerror}", "free some room")


def read_lines(path: Path) -> Iterator[Line]:
    """Every line of a results file or part; a last line cut short is left out.

    Raises ResultsError.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    return
                yield _read_line(line, f"{path}:{number}")
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}", "is it a results file?") from None


def _read_line(line: bytes, place: str) -> Line:
    try:
        return decode_line(line)
    except msgspec.MsgspecError as error:
        raise ResultsError(f"{place}: {error}", "is it a results file?") from None


def read_verdicts(parts: Iterable[Path]) -> Iterator[Verdict]:
    """The verdicts of several parts, one part after another."""
    for part in parts:
        yield from (line for line in read_lines(part) if isinstance(line, Verdict))


def write_results(
    path: Path,
    header: Run,
    verdicts: Iterable[Verdict],
    findings: Iterable[Finding],
    summary: Summary | None,
) -> None:
    """Write a whole results file; without a summary it is that of an interrupted run.

    Raises ResultsError.
    """
    with LineWriter(path) as writer:
        writer.write(header)
        for verdict in verdicts:
            writer.write(verdict)
        for finding in findings:
            writer.write(finding)
        if summary is not None:
            writer.write(summary)
