"""The reference client beside four busy loops: a machine that has other work accuses nobody.

Every scenario is played to the reference client as a program, as users have their clients judged,
ten times. `KAFKA_CONFORMANCE_LOAD_TIMES` names another number of times.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.results.files import read_lines
from conformance.results.lines import BROKEN, Verdict

TIMES = int(os.environ.get("KAFKA_CONFORMANCE_LOAD_TIMES", "10"))
LOOPS = 4
BUSY = "while True: pass"
ON_TIME = (
    "client-members.*",
    "client-groups.*",
    "client-transactions.*",
    "client-sasl.*",
    "client-answers.*",
    "client-fallback.*",
    "client-produce.*",
    "client-sessions.*",
    "client-records.*",
)
"""The rules some of whose scenarios have pauses in them, or whose judgements go by time."""


@pytest.fixture
def four_busy_loops() -> Iterator[None]:
    """Four processes that compute as long as a test takes."""
    loops = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(LOOPS)]
    try:
        yield
    finally:
        for each in loops:
            each.kill()
            each.wait()


@pytest.mark.load
@pytest.mark.usefixtures("four_busy_loops")
@pytest.mark.parametrize("time", range(TIMES))
def test_the_reference_client_is_accused_of_nothing(time: int, tmp_path: Path) -> None:
    results = tmp_path / "results.ndjson"
    rules = [word for rule in ON_TIME for word in ("--rule", rule)]
    words = ("client", "reference", "--profile", "kafka", *rules, "--results", str(results))
    command = [sys.executable, "-m", "conformance.cli", *words]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    verdicts = [line for line in read_lines(results) if isinstance(line, Verdict)]
    assert [each for each in verdicts if each.verdict in BROKEN] == []
    assert ended.returncode == 0, ended.stdout
    assert verdicts
