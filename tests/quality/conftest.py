"""What tests of quality share: a machine that has more to do than it can."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

LOOPS = 4


@pytest.fixture
def busy() -> Iterator[None]:
    """Four loops that do nothing and take all the time that they get."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(LOOPS)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
