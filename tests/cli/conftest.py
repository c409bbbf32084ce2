"""The command line as a user meets it: a process, its output and its exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.codecs.testee.conftest import mark, nothing_stays

__all__ = ["mark", "nothing_stays"]

TARGETS = Path(__file__).parent / "targets"
COMMAND = [sys.executable, "-m", "conformance.cli"]


@dataclass(frozen=True)
class Ended:
    """A command that has run. Nothing of a traceback may ever be in what it says."""

    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The one line of an error, without the program's name."""
        [line] = self.err.splitlines()
        return line.removeprefix("kafka-conformance: ")


Cli = Callable[..., Ended]


def environment(**changes: str) -> dict[str, str]:
    """Ours, but for what would change how output looks."""
    usual = {"COLUMNS": "100", "TERM": "dumb", "PYTHONUTF8": "1"}
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    return {**kept, **usual, **changes}


def run(*arguments: object, cwd: Path = TARGETS, timeout_s: float = 120, **changes: str) -> Ended:
    """Run `kafka-conformance` with these arguments, in the folder of the faulty targets."""
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=cwd,
        env=environment(**changes),
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    assert "Traceback" not in done.stdout + done.stderr
    return Ended(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="session")
def cli() -> Cli:
    return run


def program(how: str, *arguments: str) -> list[str]:
    return ["--", sys.executable, "-S", str(TARGETS / "testee.py"), how, *arguments]
