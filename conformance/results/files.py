"""Results as files: one JSON object a line (NDJSON), a header first and a summary last.

The processes of a run each write a part; `merge` puts them together. Lines are flushed as they are
written, so what a killed run has found is there to be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType

import msgspec

from conformance.errors import ConformanceError
from conformance.results.lines import Finding, Line, Run, Summary, Verdict

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Line)
_FLUSH_EVERY = 256


class ResultsError(ConformanceError):
    """A results file that can't be written, or is none."""


class PartWriter:
    """Appends lines to a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = path.open("ab")
        except OSError as error:
            raise ResultsError(
                f"{path}: {error.strerror}", "choose a place that can be written"
            ) from None
        self._unflushed = 0

    def __enter__(self) -> PartWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
            raise ResultsError(f"{self.path}: {error.strerror}", "free some room") from None

    def close(self) -> None:
        """Flush and close."""
        self._file.close()


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
        return _decoder.decode(line)  # type: ignore[no-any-return]
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
    path.unlink(missing_ok=True)
    with PartWriter(path) as writer:
        writer.write(header)
        for verdict in verdicts:
            writer.write(verdict)
        for finding in findings:
            writer.write(finding)
        if summary is not None:
            writer.write(summary)
