"""The progress of a run: a bar with rate and time left on a terminal, lines elsewhere.

A bar is of no use in a build's log, which must show that a long run still moves: some services end
a job that prints nothing for minutes. Those lines go to stderr, so that piped output stays
unchanged, and a short run has none.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Self, TextIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

EVERY_S = 30.0
"""The seconds between two lines, and before the first."""


class RunProgress:
    """The display of a run of so many items; `clock` counts seconds. Shows nothing if `quiet`."""

    def __init__(
        self,
        console: Console,
        name: str,
        items: int,
        *,
        quiet: bool = False,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name, self._items = name, items
        self._stream = stream or sys.stderr
        self._clock = clock
        self._lines = not quiet and not console.is_terminal
        self._began = self._told = clock()
        self._done = self._verdicts = 0
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=quiet or not console.is_terminal,
        )
        self._task = self._bar.add_task(name, total=items, rate="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def advance(self, verdicts: int = 0) -> None:
        """Count one more item, with so many verdicts."""
        self._done += 1
        self._verdicts += verdicts
        self._bar.update(self._task, completed=self._done, rate=self._rate())
        now = self._clock()
        if self._lines and now - self._told >= EVERY_S:
            self._told = now
            self._stream.write(f"{self._name}: {self._line(now)}\n")
            self._stream.flush()

    def _rate(self) -> str:
        seconds = self._clock() - self._began
        if seconds <= 0 or not self._verdicts:
            return ""
        return f"{self._verdicts / seconds:,.0f} verdicts/s"

    def _line(self, now: float) -> str:
        left = (now - self._began) / self._done * (self._items - self._done)
        said = [f"{self._done:,} of {self._items:,} items", self._rate(), f"{_clock(left)} left"]
        return ", ".join(filter(None, said))


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
