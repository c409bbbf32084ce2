"""How long it takes to start: what is added to Python's own start, by imports and by commands.

Each figure is of processes of their own, with warm files, in turn; nothing here is asserted.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

ROUNDS = 11
STARTS = {
    "nothing": ["-c", ""],
    "import conformance": ["-c", "import conformance"],
    "import conformance.reference.codec": ["-c", "import conformance.reference.codec"],
    "kafka-conformance": ["-m", "conformance.cli"],
    "kafka-conformance --version": ["-m", "conformance.cli", "--version"],
    "kafka-conformance --help": ["-m", "conformance.cli", "--help"],
    "kafka-conformance codec --help": ["-m", "conformance.cli", "codec", "--help"],
    "import conformance.gate.session": ["-c", "import conformance.gate.session"],
}


class Cost(NamedTuple):
    """Milliseconds of one process, by the clock and of the processor."""

    clock: float
    processor: float


def main() -> None:
    """Print the medians of each start, and of that what is not Python's own."""
    costs: dict[str, list[Cost]] = {what: [] for what in STARTS}
    for _ in range(ROUNDS):
        for what, arguments in STARTS.items():
            costs[what].append(_cost([sys.executable, *arguments]))
    table = Table("start", "ms (spread)", "added", "processor ms (spread)", "added")
    own = [statistics.median(column) for column in zip(*costs["nothing"], strict=True)]
    for what, rounds in costs.items():
        cells = []
        for column, base in zip(zip(*rounds, strict=True), own, strict=True):
            median = statistics.median(column)
            cells += [f"{median:.0f} ({min(column):.0f} to {max(column):.0f})"]
            cells += [f"{median - base:.0f}"]
        table.add_row(what, *cells)
    Console(width=110).print(table)


def _cost(command: list[str]) -> Cost:
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    clock = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command} failed: see above")
    return Cost(clock * 1000, (used.ru_utime + used.ru_stime) * 1000)


if __name__ == "__main__":
    main()
