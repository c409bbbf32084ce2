"""The gate as a pytest plugin, and what becomes of a mistake of our own inside of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import TARGETS, environment
from tests.machine import RUN_ALL

GATE = ["--pyargs", "conformance.gate.checks", "-p", "conformance.codecs.plugin"]


def python(*arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=TARGETS,
        env=environment(**{RUN_ALL: "", **changes}),  # what a codec lacks is skipped
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def plain_pytest(*arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    alone = ["-c", "/dev/null", "-p", "no:cacheprovider"]
    return python("-m", "pytest", *GATE, *alone, *arguments, **changes)


def test_pytest_runs_the_gate_without_our_command_line() -> None:
    ran = plain_pytest("--kafka-codec", "faulty:RefusesNulls", "-k", "null or compact", "-n", "2")
    assert ran.returncode == pytest.ExitCode.TESTS_FAILED
    assert "compact.null-is-zero (must): fail 10 times, first in Meta" in ran.stdout
    assert "primitives" not in ran.stdout


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_run_ends_with_what_to_mend_first(workers: str, tmp_path: Path) -> None:
    part = ("--kafka-codec", "faulty:RefusesNulls", "--kafka-message", "MetadataRequest")
    ran = plain_pytest(*part, "-n", workers, TMPDIR=str(tmp_path))
    _, _, summary = ran.stdout.partition("= kafka-conformance =")
    assert "looks like: a codec that refuses null" in summary
    assert "again:    kafka-conformance codec faulty:RefusesNulls --case Metad" in summary
    assert "\nRefusesNulls: 1 defect breaks the protocol\n" in summary
    assert not list(tmp_path.glob("kafka-conformance-*"))


def test_a_failure_that_is_known_is_not_in_what_the_run_ends_with(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    rules = ("primitives.null-array", "compact.null-is-zero", "versions.nullable-from-version")
    entries = (f'[[known]]\nrule = "{rule}"\nverdict = "fail"\n' for rule in rules)
    known.write_text("".join(entries))
    part = ("--kafka-codec", "faulty:RefusesNulls", "--kafka-message", "MetadataRequest")
    ran = plain_pytest(*part, "--kafka-known", str(known))
    assert ran.returncode == 0, ran.stdout
    assert "\nRefusesNulls: no failure\n" in ran.stdout


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
    assert "not judged to the end: our error in test_conformance[Contro" in closing
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


def own_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in a folder of somebody's own, with the faulty codecs to be found."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        env=environment(**{RUN_ALL: "", "PYTHONPATH": str(TARGETS)}),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


CONFIGURED = """[pytest]
addopts = --kafka-codec faulty:RefusesNulls --kafka-message MetadataRequest
"""
ITEM = "kafka-conformance::test_conformance[MetadataRequest-compact]"


def test_a_printed_id_can_be_given_back_and_shows_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text(CONFIGURED)
    ran = own_pytest(tmp_path, ITEM)
    assert f"FAILED {ITEM}" in ran.stdout
    assert "1 failed" in ran.stdout
    assert "case:     MetadataRequest-v" in ran.stdout.partition("= kafka-conformance =")[0]


def test_a_file_that_is_named_runs_alone_where_the_codec_is_configured(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text(CONFIGURED)
    (tmp_path / "one.py").write_text("def test_mine(): pass")
    assert "1 passed in" in own_pytest(tmp_path, "one.py").stdout
    assert "failed" in own_pytest(tmp_path).stdout


def test_a_codec_that_can_not_be_imported_is_one_line() -> None:
    ran = plain_pytest("--kafka-codec", "unimportable:Codec")
    assert ran.returncode == pytest.ExitCode.INTERRUPTED
    assert "unimportable:Codec: cannot import 'unimportable'" in ran.stdout
    assert "_hookexec" not in ran.stdout
