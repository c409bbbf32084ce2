"""Does a process use ever more of the machine, the longer it is asked?

One sample every few hundred answers is enough. Runtimes that collect garbage grow by themselves and
then stop, caches grow with the number of messages, so memory is a leak only where it rose much, and
by about as much in the second half of a life as in the first. File handles are simpler: a codec has
no reason to hold one more after a call than before.
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
_FEWEST_SAMPLES: Final = 40
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

    def take(self, sample: Sample) -> None:
        """Add what is seen now, unless there is nothing any more.

        Of a long life, every second sample is forgotten.
        """
        if not sample.resident:
            return
        self._samples.append(sample)
        if len(self._samples) > _MOST_SAMPLES:
            del self._samples[1::2]

    @property
    def grown(self) -> int:
        """Bytes in memory more than at the start."""
        return self._samples[-1].resident - self._samples[0].resident

    @property
    def more_files(self) -> int:
        """Open files more than at the start."""
        return self._samples[-1].files - self._samples[0].files

    def notes(self) -> dict[str, str]:
        """One line for each thing that leaks, by what it is."""
        found = {}
        first, last = self._samples[0], self._samples[-1]
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
        """Whether each quarter of a life that was long enough added its part of much."""
        count = len(self._samples)
        if count < _FEWEST_SAMPLES or self.grown < _MUCH:
            return False
        marks = [self._samples[quarter * (count - 1) // 4].resident for quarter in range(5)]
        parts = [after - before for before, after in pairwise(marks)]
        return min(parts) * 8 >= self.grown
