"""A run on a client that is interrupted ends its programs, and keeps what it found."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conformance.clients.doubts import Doubts
from conformance.clients.program import ClientProgram, Stopped
from conformance.clients.scenarios import scenarios
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit
from conformance.clients.score import meet
from conformance.clients.visits import play
from conformance.reference.client import Client
from conformance.results.files import read_lines
from conformance.results.lines import Run, Verdict
from conformance.rules import catalogue
from tests.cli.conftest import COMMAND, environment, run

STUBBORN = """
import os, signal, subprocess, sys, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open(sys.argv[1], "a") as told:
    told.write(f"{os.getpid()} {child.pid}\\n")
while True:
    time.sleep(1)
"""


class Started:
    """A run on a driver that no signal but SIGKILL ends, and that starts a program of its own."""

    def __init__(self, folder: Path, *options: str) -> None:
        driver, self._told = folder / "stubborn.py", folder / "told"
        driver.write_text(STUBBORN)
        self.results = folder / "results.ndjson"
        words = (sys.executable, str(driver), str(self._told), "{action}", "{bootstrap}")
        given = ("--rule", "client-answers.*", "--results", str(self.results), *options)
        self.process = subprocess.Popen(
            [*COMMAND, "client", "--timeout", "60", *given, "--", *words],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def pids(self) -> list[int]:
        """The drivers and what they started, once there are some."""
        deadline = time.monotonic() + 120
        while not (self._told.exists() and self._told.read_text().endswith("\n")):
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        return [int(pid) for pid in self._told.read_text().split()]

    def close(self) -> None:
        self.process.kill()
        for pid in self.pids():
            if is_alive(pid):
                os.kill(pid, signal.SIGKILL)


def is_alive(pid: int) -> bool:
    """True of a process that runs; one that ended may wait for its parent."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("times", [1, 2])
def test_no_client_outlives_an_interrupted_run(tmp_path: Path, number: int, times: int) -> None:
    started = Started(tmp_path)
    try:
        started.pids()
        for _ in range(times):
            os.kill(started.process.pid, number)
        out, err = started.process.communicate(timeout=120)
        assert (started.process.returncode, err) == (130, "")
        assert [pid for pid in started.pids() if is_alive(pid)] == []
        assert "interrupted, what was judged so far is kept in" in " ".join(out.split())
        assert isinstance(next(read_lines(started.results)), Run)
    finally:
        started.close()


def test_no_client_of_a_worker_outlives_an_interrupted_run(tmp_path: Path) -> None:
    started = Started(tmp_path, "-n", "2")
    try:
        started.pids()
        os.killpg(started.process.pid, signal.SIGINT)
        started.process.communicate(timeout=120)
        assert started.process.returncode == 130
        assert [pid for pid in started.pids() if is_alive(pid)] == []
        assert isinstance(next(read_lines(started.results)), Run)
    finally:
        started.close()


def test_a_program_that_was_stopped_is_not_started_again() -> None:
    program = ClientProgram([sys.executable, "-c", "", "{bootstrap}"])
    program.stop()
    with pytest.raises(Stopped):
        program.visit("127.0.0.1:1", "topics", 1.0)


def test_an_interrupted_run_says_what_failed_and_was_not_asked_again() -> None:
    scenario, doubts = scenarios()["NullBrokers"], Doubts()

    def receive(played: type[Scenario]) -> Visit:
        visit = meet(Client(), played)
        if played is scenario:
            visit.ended.__class__.__init__(visit.ended, "crashed", "early")
        return visit

    def again(played: type[Scenario]) -> Visit:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(play([scenario], receive, catalogue(), "kafka", again=again, doubts=doubts))
    [note] = doubts.notes()
    assert note.startswith("1 case failed once, and the run was interrupted before the second time")
    assert note.endswith(scenario.case())


def test_findings_of_a_part_are_shown_and_said_to_be_a_part(tmp_path: Path) -> None:
    results = tmp_path / "results.ndjson"
    rule = ("--rule", "client-fallback.refusal-is-v0")
    run("client", "mutant:FallsToZero", *rule, "--results", str(results))
    lines = results.read_bytes().splitlines(keepends=True)
    results.write_bytes(b"".join(lines[:-1]))
    assert any(isinstance(line, Verdict) for line in read_lines(results))
    shown = run("findings", str(results))
    assert "the run was interrupted" in shown.err
