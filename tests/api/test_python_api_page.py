"""The page on Python does what it says: sessions are held, files written, commands run."""

from __future__ import annotations

import doctest
import subprocess
from pathlib import Path

import pytest

from tests.api.conftest import BLOCKS, PAGE, Pytest
from tests.packaging.conftest import environment

COMMANDS = [line for kind, _, text in BLOCKS if kind == "sh" for line in text.splitlines()]


def test_the_sessions_go_as_shown() -> None:
    sessions = "\n".join(text for kind, _, text in BLOCKS if kind == "pycon")
    parsed = doctest.DocTestParser().get_doctest(sessions, {}, "python-api.md", None, 0)
    runner = doctest.DocTestRunner()
    runner.run(parsed)
    assert runner.summarize(verbose=False) == doctest.TestResults(0, len(parsed.examples))


def test_there_are_commands() -> None:
    assert len(COMMANDS) == 5
    assert "from conformance import" in PAGE


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_ends_well(run_pytest: Pytest, command: str) -> None:
    words = command.replace('"', "").split()
    if "-k" in words:  # the one that has an expression of several words
        words[words.index("-k") + 1 :] = [" ".join(words[words.index("-k") + 1 :])]
    ran = run_pytest(*words[3:])
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_installed_package_is_all_that_it_takes(project: Path, installed: Path) -> None:
    """With the wheel alone, pytest finds the options by the package's entry point."""
    (project / "test_any.py").unlink()
    done = subprocess.run(
        [installed / "python", "-m", "pytest", "--kafka-codec", "mycodec:Codec", "-n", "2"],
        cwd=project,
        env=environment(KAFKA_CONFORMANCE_CACHE=project / "cache"),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "kafka-conformance: judges mycodec:Codec" in done.stdout
