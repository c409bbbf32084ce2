"""A broker without a defect is accused of nothing, however little time the machine has for it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.results.files import read_lines
from conformance.results.lines import BROKEN, Verdict
from tests.cli.conftest import run

BUSY = 4
TIMES = 10


@pytest.fixture
def busy() -> Iterator[None]:
    """Processes that take all the time that they get."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY)]
    yield
    for loop in loops:
        loop.kill()
        loop.wait()


@pytest.mark.load
@pytest.mark.usefixtures("busy")
def test_the_reference_broker_fails_nothing_beside_busy_loops(tmp_path: Path) -> None:
    failed = []
    for number in range(TIMES):
        results = tmp_path / f"{number}.ndjson"
        judged = ("--allow-writes", "--profile", "kafka", "--results", results)
        ended = run("broker", "--start", "reference", *judged)
        assert ended.code in (0, 1), ended.out + ended.err
        lines = [each for each in read_lines(results) if isinstance(each, Verdict)]
        failed += [each for each in lines if each.verdict in BROKEN]
    assert failed == []
