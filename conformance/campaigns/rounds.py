"""The division of cases into rounds, and of rounds into chunks: by the number of cases alone.

So the same run is cut alike on a laptop and on a cluster, and can be resumed on the other. A chunk
is a second or two of work; a round is some dozens of chunks, and at most about a hundredth of the
run, so that little is lost with one round, and a round of a large run has work for many workers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from conformance.campaigns.chunk import Chunk
from conformance.campaigns.generate import SLOTS

FEWEST_FAMILIES = 250
MOST_FAMILIES = 5000
FAIR_CHUNKS = 64
"""A small run is cut into so many chunks, unless they get too short."""
CHUNKS_A_ROUND = 32
MOST_ROUNDS = 100


@dataclass(frozen=True, slots=True)
class RunPlan:
    """A run of so many cases, rounded up to whole families."""

    cases: int
    targets: tuple[str, ...]

    @property
    def families(self) -> int:
        """The number of families that each target is asked."""
        return -(-self.cases // SLOTS)

    @property
    def chunk(self) -> int:
        """The number of families of a chunk, except the last one."""
        fair = -(-self.families // FAIR_CHUNKS)
        return min(max(fair, FEWEST_FAMILIES), MOST_FAMILIES)

    @property
    def round(self) -> int:
        """The number of families of a round, except the last one."""
        chunks = -(-self.families // self.chunk)
        return self.chunk * max(CHUNKS_A_ROUND, -(-chunks // MOST_ROUNDS))

    @property
    def rounds(self) -> int:
        """The number of rounds."""
        return -(-self.families // self.round)

    @property
    def all_cases(self) -> int:
        """The number of cases over all targets."""
        return self.families * SLOTS * len(self.targets)

    def chunks(self, number: int) -> Iterator[Chunk]:
        """Yield the chunks of one round, for every target."""
        begins = number * self.round
        ends = min(begins + self.round, self.families)
        for target in self.targets:
            for index, first in enumerate(range(begins, ends, self.chunk)):
                count = min(self.chunk, ends - first)
                yield Chunk(target=target, round=number, number=index, first=first, count=count)
