"""The progress of a campaign, from Spark's state of its tasks: cases done, rate, time left."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

if TYPE_CHECKING:
    from pyspark import SparkContext

POLL_S = 0.3
LINE_EVERY_S = 60.0
_T = TypeVar("_T")


class JobProgress:
    """Shows a bar on a terminal, and elsewhere a line a round, and a minute."""

    def __init__(self, console: Console, cases: int, done: int) -> None:
        self._console = console
        self._cases = cases
        self._before = done
        self._began = self._said = time.monotonic()
        self._round, self._done, self._in_round = "", done, 0
        self._bar = Progress(
            TextColumn("round {task.fields[round]}"),
            BarColumn(),
            TextColumn("{task.completed:,.0f} of {task.total:,.0f} cases{task.fields[rest]}"),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("", total=cases, completed=done, round="", rest="")

    def __enter__(self) -> JobProgress:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def begin_round(self, name: str, done: int, cases: int) -> None:
        """Show that a round of `cases` begins, and that `done` cases were judged before it."""
        self._round, self._done, self._in_round = name, done, cases
        self.at(0.0)

    def at(self, part: float) -> None:
        """This part of the round is done."""
        done = self._done + part * self._in_round
        self._bar.update(self._task, completed=done, round=self._round, rest=self._rest(done))
        if time.monotonic() - self._said >= LINE_EVERY_S:
            self._say(done)

    def end_round(self, what: str) -> None:
        """Show that the round is done, and `what` it found."""
        self._said = time.monotonic()  # one line is enough
        self.at(1.0)
        self._say(self._done + self._in_round, what)

    def _say(self, done: float, what: str = "") -> None:
        self._said = time.monotonic()
        if not self._console.is_terminal:
            text = f"{done:,.0f} of {self._cases:,} cases{self._rest(done)}{what}"
            self._console.print(f"round {self._round}: {text}", soft_wrap=True)

    def _rest(self, done: float) -> str:
        seconds = time.monotonic() - self._began
        rate = (done - self._before) / seconds if seconds else 0.0
        if rate <= 0:
            return ""
        return f", {rate:,.0f} a second, {_clock((self._cases - done) / rate)} left"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def watched(
    context: SparkContext, group: str, job: Callable[[], _T], at: Callable[[float], None]
) -> _T:
    """Run a job in a thread of its own, and tell now and then which part of its tasks is done.

    Raises what the job raises; when interrupted the job is cancelled.
    """
    result: list[_T] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            context.setJobGroup(group, group)
            result.append(job())
        except BaseException as error:  # to be raised in the thread that waits for it
            failed.append(error)

    thread = Thread(target=work, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(POLL_S)
            at(_part_done(context, group))
    except BaseException:
        context.cancelJobGroup(group)
        raise
    if failed:
        raise failed[0]
    return result[0]


def _part_done(context: SparkContext, group: str) -> float:
    tracker = context.statusTracker()
    tasks = done = 0
    for job in tracker.getJobIdsForGroup(group):
        info = tracker.getJobInfo(job)
        for stage in info.stageIds if info else ():
            at = tracker.getStageInfo(stage)
            if at is not None:
                tasks += at.numTasks
                done += at.numCompletedTasks
    return done / tasks if tasks else 0.0
