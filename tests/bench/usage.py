"""What a command and all processes below it take: time, CPU, and the most memory of each kind."""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass, field

import psutil

POLL_S = 0.25


@dataclass
class Usage:
    """Whole time and CPU in seconds; `peaks` are bytes, of the largest process of each kind.

    A process's peak and its CPU time are the kernel's own sums, so that of a process only what it
    does after the last look at it is missed.
    """

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peaks: dict[str, int] = field(default_factory=dict)


def used_by(command: list[str]) -> Usage:
    """Run a command to its end. Raises CalledProcessError."""
    usage = Usage()
    cpu: dict[tuple[int, float], float] = {}
    began = time.monotonic()
    process = psutil.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while process.poll() is None:
        _look(process, usage, cpu)
        time.sleep(POLL_S)
    usage.seconds = time.monotonic() - began
    usage.cpu_seconds = sum(cpu.values())
    if process.returncode:
        said = process.stderr.read() if process.stderr else b""
        raise subprocess.CalledProcessError(process.returncode, command, stderr=said)
    return usage


def _look(process: psutil.Process, usage: Usage, cpu: dict[tuple[int, float], float]) -> None:
    for each in [process, *process.children(recursive=True)]:
        try:
            took = each.cpu_times()
            cpu[each.pid, each.create_time()] = took.user + took.system
            kind = _kind(each, process)
            usage.peaks[kind] = max(usage.peaks.get(kind, 0), _peak(each.pid))
        except (psutil.Error, OSError):
            continue  # it has just ended


def _kind(process: psutil.Process, first: psutil.Process) -> str:
    if process.pid == first.pid:
        return "driver"
    return "JVM" if process.name() == "java" else "worker"


def _peak(pid: int) -> int:
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        lines = [line for line in file if line.startswith("VmHWM")]
    return int(lines[0].split()[1]) * 1024 if lines else 0  # none is left of one that has ended
