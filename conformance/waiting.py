"""The display of what a run waits for: a build, a start, a comparison.

A terminal shows it as long as it lasts. A build's log shows only that a long wait goes on, by lines
on stderr, so that piped output stays unchanged.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

EVERY_S = 30.0
"""The seconds between two lines of a log, and before the first."""
Says = Callable[[str], None]
_says: list[Says] = [lambda _: None]
_waits: list[str] = []


def say_by(says: Says) -> None:
    """Set the function that displays what is waited for; it gets "" at the end of a wait."""
    _says[0] = says


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Display what is waited for; a wait within another is displayed as long as it lasts."""
    _waits.append(what)
    _says[0](what)
    try:
        yield
    finally:
        _waits.pop()
        _says[0](_waits[-1] if _waits else "")


def going_on(how_far: str) -> None:
    """Display how far the wait is that is displayed, if there is one."""
    if _waits:
        _says[0](f"{_waits[-1]}: {how_far}")


class LogLines:
    """Lines on a wait that goes on for long, as `say_by` takes them; `clock` counts seconds."""

    def __init__(
        self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream, self._clock = stream or sys.stderr, clock
        self._told: float | None = None

    def __call__(self, what: str) -> None:
        """Write what is waited for if the last line, or the begin of the wait, is long ago."""
        now = self._clock()
        if not what:
            self._told = None
        elif self._told is None:
            self._told = now
        elif now - self._told >= EVERY_S:
            self._told = now
            self._stream.write(f"{what}\n")
            self._stream.flush()
