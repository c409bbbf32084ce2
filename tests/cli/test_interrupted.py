"""A run that is ended from outside keeps what it found, says so, and leaves no process behind."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.results.files import read_lines
from conformance.results.lines import Run, Summary, Verdict
from tests.cli.conftest import COMMAND, TARGETS, environment


class Started:
    """A run that is under way, in a session of its own."""

    def __init__(self, folder: Path, *arguments: object) -> None:
        self._folder = folder
        self.process = subprocess.Popen(
            [*COMMAND, "codec", *map(str, arguments)],
            cwd=TARGETS,
            env=environment(FAULTY_TELLS=str(folder)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def wait_for(self, targets: int) -> None:
        """Until so many targets have told that they are in the middle of it."""
        deadline = time.monotonic() + 60
        while len(list(self._folder.iterdir())) < targets:
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def end(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=60)
        assert "Traceback" not in f"{out}{err}"
        return self.process.returncode, out, err


@pytest.fixture
def start(nothing_stays: None, tmp_path: Path) -> Callable[..., Started]:
    folder = tmp_path / "told"
    folder.mkdir()
    return lambda *arguments: Started(folder, *arguments)


Start = Callable[..., Started]


def to_process(started: Started, number: int) -> None:
    os.kill(started.process.pid, number)


def to_all(started: Started, number: int) -> None:
    """As Ctrl-C in a terminal does: its workers get it too."""
    os.killpg(started.process.pid, number)


@pytest.mark.parametrize(
    ("send", "number"),
    [(to_process, signal.SIGINT), (to_all, signal.SIGINT), (to_process, signal.SIGTERM)],
)
def test_an_interrupted_run_keeps_its_results(
    start: Start, tmp_path: Path, send: Callable[[Started, int], None], number: int
) -> None:
    results = tmp_path / "results.ndjson"
    started = start("faulty:Slow", "--results", results)
    started.wait_for(1)
    send(started, number)
    code, out, err = started.end()
    assert (code, err) == (130, "")
    said = f": interrupted, what was judged so far is kept in {results}"
    assert said in " ".join(out.split())
    lines = list(read_lines(results))
    assert isinstance(lines[0], Run)
    assert any(isinstance(line, Verdict) for line in lines)
    assert not any(isinstance(line, Summary) for line in lines)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_workers_and_their_targets_end_as_well(start: Start, tmp_path: Path, number: int) -> None:
    results = tmp_path / "results.ndjson"
    started = start("faulty:Stuck", "-n", "2", "--timeout", "60", "--results", results)
    started.wait_for(2)
    to_all(started, number)
    code, _, err = started.end()
    assert (code, err) == (130, "")
    assert isinstance(next(read_lines(results)), Run)


def test_an_interruption_of_the_first_process_alone_reaches_the_workers(start: Start) -> None:
    started = start("faulty:Stuck", "-n", "2", "--timeout", "60")
    started.wait_for(2)
    to_process(started, signal.SIGTERM)
    assert started.end()[0] == 130


def test_an_interruption_before_the_run_is_one_line(start: Start, tmp_path: Path) -> None:
    silent = 'touch "$FAULTY_TELLS/it"; exec cat >/dev/null'
    started = start("--", "sh", "-c", silent)
    started.wait_for(1)
    to_process(started, signal.SIGINT)
    assert started.end() == (130, "", "kafka-conformance: interrupted\n")


def test_a_pipe_that_nobody_reads_is_no_failure(start: Start, tmp_path: Path) -> None:
    results = tmp_path / "results.ndjson"
    case = ("--case", "MetadataRequest-v1-filled/decode")
    started = start("faulty:Right", *case, "--results", results)
    assert started.process.stdout is not None
    started.process.stdout.close()
    started.process.stdout = None
    code, _, err = started.end()
    assert (code, err) == (0, "")
    *_, summary = read_lines(results)
    assert isinstance(summary, Summary)


def test_a_worker_that_dies_ends_the_run_with_3(start: Start) -> None:
    started = start("faulty:Slow", "-n", "2", "--api-version", "1")
    started.wait_for(2)
    pid = started.process.pid
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    os.kill(int(children[0]), signal.SIGKILL)
    code, out, _ = started.end()
    assert code == 3
    assert "not judged to the end: worker gw" in " ".join(out.split())
