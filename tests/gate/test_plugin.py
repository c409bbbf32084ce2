"""The gate as a pytest plugin, and what becomes of a mistake of our own inside of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import TARGETS, environment

GATE = ["--pyargs", "conformance.gate.codec", "-p", "conformance.gate.plugin"]


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=TARGETS,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def plain_pytest(*arguments: str) -> subprocess.CompletedProcess[str]:
    alone = ["-c", "/dev/null", "-p", "no:cacheprovider"]
    return python("-m", "pytest", *GATE, *alone, *arguments)


def test_pytest_runs_the_gate_without_our_command_line() -> None:
    ran = plain_pytest("--kafka-codec", "faulty:RefusesNulls", "-k", "null or compact", "-n", "2")
    assert ran.returncode == pytest.ExitCode.TESTS_FAILED
    assert "case:     MetadataRequest-v1-null-topics/decode" not in ran.stdout
    assert "compact.null-is-zero (must): fail" in ran.stdout
    assert "primitives" not in ran.stdout


def test_pytest_without_a_codec_says_which_option_names_one() -> None:
    ran = plain_pytest()
    assert ran.returncode != 0
    assert "name the codec to be judged: --kafka-codec TARGET" in ran.stdout + ran.stderr


_BREAK = """
import conformance.codecs.run
from conformance.cli import main

def broken(family, *_):
    raise KeyError(family.vector)

conformance.codecs.run.judge_family = broken
main(["codec", "reference", "--message", "ControlledShutdownResponse", *{more!r}])
"""


def test_a_mistake_of_ours_is_never_a_pass(tmp_path: Path) -> None:
    more = ["--results", str(tmp_path / "results.ndjson")]
    ran = python("-c", _BREAK.format(more=more))
    assert ran.returncode == 3
    closing = " ".join(ran.stdout.split())
    assert "not judged to the end: our error in test_codec[Contro" in closing
    assert "KeyError('ControlledShutdownResponse-v0-defaults')" in closing
    assert "Traceback" not in ran.stdout + ran.stderr
    assert '"type":"summary"' not in (tmp_path / "results.ndjson").read_text()


_BREAK_US = """
import conformance.gate.session as session
from conformance.cli import main

def broken(*_):
    raise ZeroDivisionError("no")

session.conclude = broken
main(["codec", "reference", "--message", "ControlledShutdownResponse"])
"""


def test_a_mistake_of_ours_anywhere_is_one_line() -> None:
    ran = python("-c", _BREAK_US)
    assert ran.returncode == 3
    [line] = ran.stderr.splitlines()
    assert "our own error, please report it: ZeroDivisionError('no')" in line
