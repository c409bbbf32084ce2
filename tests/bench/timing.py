"""How long one call takes: enough calls to be seen by the clock, the median of several rounds."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

ROUNDS = 9
LEAST_SECONDS = 0.02


class Timing(NamedTuple):
    """Seconds a call: the median of all rounds, the fastest and the slowest."""

    median: float
    low: float
    high: float


def timed(call: Callable[[], Any]) -> Timing:
    """Time `call`, the garbage collector off."""
    gc.collect()
    gc.disable()
    try:
        number = _enough(call)
        rounds = [_round(call, number) / number for _ in range(ROUNDS)]
    finally:
        gc.enable()
    return Timing(statistics.median(rounds), min(rounds), max(rounds))


def _enough(call: Callable[[], Any]) -> int:
    number = 1
    while _round(call, number) < LEAST_SECONDS:
        number *= 2
    return number


def _round(call: Callable[[], Any], number: int) -> float:
    start = time.perf_counter()
    for _ in range(number):
        call()
    return time.perf_counter() - start
