"""Results as files: one JSON object a line (NDJSON), a header first and a summary last.

The processes of a run each write a part, and `write_results` makes one file of them. Lines are
flushed as they come, so an interrupted run keeps what it found.
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
    """A results file can't be written, or a file is no results file."""


def check_writable(path: Path) -> None:
    """Fail before a run, rather than after it, if its results could not be written.

    An existing file keeps its content, and no new file is left. Raises ResultsError.
    """
    was_there = path.exists()
    try:
        path.open("ab").close()
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}", _ELSEWHERE) from None
    if not was_there:
        path.unlink()


class LineWriter:
    """A writer of lines to a file, which replaces its content. Raises ResultsError."""

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
        """Add one line. Raises ResultsError if the disk is full."""
        try:
            self._file.write(_encoder.encode(line) + b"\n")
            self._unflushed += 1
            if self._unflushed >= _FLUSH_EVERY:
                self._file.flush()
                self._unflushed = 0
        except OSError as error:
            raise self._full(error) from None

    def close(self) -> None:
        """Flush and close. Raises ResultsError if the disk is full."""
        try:
            self._file.close()
        except OSError as error:
            raise self._full(error) from None

    def _full(self, error: OSError) -> ResultsError:
        return ResultsError(f"{self.path}: {error.strerror}", "free some room")


def read_lines(path: Path) -> Iterator[Line]:
    """Yield every line of a results file or part, without a last line that is cut short.

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
    """Yield the verdicts of several parts, one part after another."""
    for part in parts:
        yield from (line for line in read_lines(part) if isinstance(line, Verdict))


def write_results(
    path: Path,
    header: Run,
    verdicts: Iterable[Verdict],
    findings: Iterable[Finding],
    summary: Summary | None,
) -> None:
    """Write a whole results file; one without a summary is that of an interrupted run.

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
