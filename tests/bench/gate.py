"""How many cases a second the gate judges, and how much of that time is its own.

The whole gate, in a process of its own. What the kernel counts for the processes that it started
is the target's; the share of the run that is not is the suite's overhead. The target reads ahead
while the suite judges, so the two may together be more than the clock's time. The reference codec
runs within the suite and has no time of its own. Then the same with a worker for each core, in turn
with the other: the last column is its share of the clock's time of one process, the median of the
pairs. Nothing here is asserted.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

ROUNDS = 3
TARGETS = ("reference", "kafka-python", "kio")


class Round(NamedTuple):
    """One run of the gate; seconds by the clock, of the target's processor and of ours."""

    cases: int
    clock: float
    target: float
    suite: float

    @property
    def overhead(self) -> float:
        """The share of the run in which the target did not work."""
        return 1 - self.target / self.clock


def main() -> None:
    """Print the medians of each target."""
    table = Table(
        *("target", "cases", "s (spread)", "cases a second", "target s", "suite s", "overhead"),
        "all cores",
    )
    for target in sys.argv[1:] or TARGETS:
        pairs = [(_run(target), _run(target, str(os.cpu_count()))) for _ in range(ROUNDS)]
        rounds = [one for one, _ in pairs]
        clocks = [each.clock for each in rounds]
        clock = statistics.median(clocks)
        own = target == "reference"
        table.add_row(
            target,
            str(rounds[0].cases),
            f"{clock:.1f} ({min(clocks):.1f} to {max(clocks):.1f})",
            f"{rounds[0].cases / clock:.0f}",
            "" if own else f"{statistics.median(each.target for each in rounds):.1f}",
            f"{statistics.median(each.suite for each in rounds):.1f}",
            "" if own else f"{statistics.median(each.overhead for each in rounds):.0%}",
            f"{statistics.median(all_cores.clock / one.clock for one, all_cores in pairs):.0%}",
        )
    Console(width=110).print(table)


def _run(target: str, workers: str = "0") -> Round:
    """One round, in a process of its own."""
    command = [sys.executable, "-m", "tests.bench.gate", "--once", target, workers]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return Round(*json.loads(done.stdout.splitlines()[-1]))


def _once(target: str, workers: str) -> Round:
    from conformance.codecs.kind import Codecs
    from conformance.gate.session import RunOptions, judge_targets
    from conformance.results.files import read_lines
    from conformance.results.lines import Summary

    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder, "results.ndjson")
        options = RunOptions(Codecs(), results=results, workers=workers)
        judge_targets([target], options, Console(quiet=True))
        *_, summary = read_lines(results)
    assert isinstance(summary, Summary)
    ours, theirs = map(_processor, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return Round(summary.cases, summary.seconds, theirs, ours)


def _processor(who: int) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    if sys.argv[1:2] == ["--once"]:
        print(json.dumps(_once(*sys.argv[2:])))
    else:
        main()
