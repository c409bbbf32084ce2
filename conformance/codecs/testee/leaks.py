"""Does a process use ever more of the machine, the longer it is asked?

One sample every few hundred answers is enough. Runtimes that collect garbage grow by themselves and
then stop, caches grow with the number of messages, so memory is a leak only where it rose much, and
each quarter of the answers had its part in that. File handles are simpler: a codec has no reason to
hold one more after a call than before.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final, NamedTuple

MIB: Final = 1024 * 1024
SAMPLE_EVERY: Final = 256
"""Answers between two samples."""
MANY_FILES: Final = 64
"""More open files than at the start that are a leak."""
TOO_MANY_FILES: Final = 384
"""More open files than at the start with which a process is not asked any further."""
_FEWEST_ANSWERS: Final = 10_000
_MOST_SAMPLES: Final = 512
_MUCH: Final = 128 * MIB


class Sample(NamedTuple):
    """A process after so many answers: bytes in memory, open files."""

    answers: int
    resident: int
    files: int


class Growth:
    """The samples of one process's life."""

    def __init__(self, start: Sample) -> None:
        self._samples = [start]
        self._last = start
        self._every = 1

    def take(self, sample: Sample) -> None:
        """Add a sample, unless the process is gone.

        The longer a life, the fewer samples of it are kept, at even distances.
        """
        if not sample.resident:
            return
        self._last = sample
        if sample.answers >= self._samples[-1].answers + self._every:
            self._samples.append(sample)
        if len(self._samples) > _MOST_SAMPLES:
            del self._samples[1::2]
            self._every = self._samples[2].answers - self._samples[1].answers

    @property
    def grown(self) -> int:
        """Return the growth of memory since the start, in bytes."""
        return self._last.resident - self._samples[0].resident

    @property
    def more_files(self) -> int:
        """Open files more than at the start."""
        return self._last.files - self._samples[0].files

    def notes(self) -> dict[str, str]:
        """Return a line for each kind of thing that leaks."""
        found = {}
        first, last = self._samples[0], self._last
        if self.more_files >= MANY_FILES:
            found["files"] = (
                f"it leaks file handles: {first.files} open at its start, {last.files} after "
                f"{last.answers} answers; close what a call opens"
            )
        if self._rises_steadily():
            each = (last.resident - first.resident) / (last.answers - first.answers)
            found["memory"] = (
                f"it grows without end: {first.resident // MIB} MiB at its start, "
                f"{last.resident // MIB} MiB after {last.answers} answers, "
                f"about {each / 1024:.1f} KiB each; look for what outlives its call"
            )
        return found

    def _rises_steadily(self) -> bool:
        """True if memory grew by much, and each quarter of a long enough life added its part."""
        answers = self._last.answers
        if answers < _FEWEST_ANSWERS or self.grown < _MUCH:
            return False
        marks = [self._at(quarter * answers // 4).resident for quarter in range(5)]
        parts = [after - before for before, after in pairwise(marks)]
        return min(parts) * 8 >= self.grown

    def _at(self, answers: int) -> Sample:
        return next((each for each in self._samples if each.answers >= answers), self._last)
