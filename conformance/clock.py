"""The wall clock of a command: what a run took, from the start of the command to what it prints.

A broker that has to be built and started, and a comparison with known defects in the end, are part
of what a user waits for.
"""

from __future__ import annotations

import time

_began: list[float] = []


def begin() -> None:
    """Start the clock, as a command does."""
    _began[:] = [time.monotonic()]


def lap(own: float) -> float:
    """Return the seconds since the command began, or since the last lap of several runs.

    `own` is when this run began, which counts where no command started the clock.
    """
    now = time.monotonic()
    if not _began:
        return now - own
    since, _began[0] = _began[0], now
    return now - since


def end() -> None:
    """Stop the clock, as the end of a command does."""
    _began.clear()
