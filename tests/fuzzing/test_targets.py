"""The targets in the manner of OSS-Fuzz run, and find nothing in what is ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("atheris", reason="needs atheris: Linux")

FUZZ = Path(__file__).parents[2] / "fuzz"
OURS = ["reference", "values", "definitions", "testee_lines", "captures"]


def run(target: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = str(FUZZ / f"fuzz_{target}.py")
    command = [sys.executable, program, f"-artifact_prefix={folder}/", *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.parametrize("target", OURS)
def test_a_target_of_ours_runs_and_finds_nothing(tmp_path: Path, target: str):
    done = run(target, tmp_path, "-runs=400", "-seed=1", str(tmp_path))
    assert done.returncode == 0, done.stderr[-2000:]
    assert "DONE" in done.stderr
