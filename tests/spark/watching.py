"""The memory of a command and of all that it starts, as the kernel tells it while they run."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

PROC = Path("/proc")
LOOK_EVERY_S = 0.2


@dataclass
class Watched:
    """How a command ended, and the peak of each process in bytes, by what was called."""

    code: int = -1
    said: str = ""
    peaks: dict[tuple[int, str], int] = field(default_factory=dict)

    def most(self, called: str) -> int:
        """The largest peak of the processes whose command has this in it."""
        return max(peak for (_, command), peak in self.peaks.items() if called in command)


def watched(command: Sequence[str], said: Path) -> Watched:
    """Run a command to its end; what it says goes to a file."""
    found = Watched()
    with said.open("w") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.DEVNULL)
        try:
            while process.poll() is None:
                _look(process.pid, found)
                time.sleep(LOOK_EVERY_S)
        finally:
            process.kill()
    found.code, found.said = process.returncode, said.read_text("utf-8")
    return found


def _look(root: int, found: Watched) -> None:
    for pid in _family(root):
        with suppress(OSError):
            command = (
                (PROC / str(pid) / "cmdline")
                .read_bytes()
                .replace(b"\0", b" ")
                .decode(errors="replace")
            )
            key = pid, command.strip()
            found.peaks[key] = max(found.peaks.get(key, 0), _peak(pid))


def _family(root: int) -> Iterator[int]:
    """A process and all below it."""
    yield root
    for task in (PROC / str(root) / "task").glob("*/children"):
        with suppress(OSError):
            for child in task.read_text().split():
                yield from _family(int(child))


def _peak(pid: int) -> int:
    """The most memory that a process had so far, in bytes; none is told of one that has ended."""
    for line in (PROC / str(pid) / "status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0
