"""A whole run tells what a failing codec looks like, on the terminal and in its results."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from conformance.results.files import read_lines
from conformance.results.lines import Finding
from tests.cli.conftest import TARGETS, environment

LOOK = "a codec that takes the size of a tagged field for N + 1"


def run(*arguments: str) -> str:
    """What the codec command prints."""
    ran = subprocess.run(
        [sys.executable, "-m", "conformance.cli", "codec", *arguments],
        cwd=TARGETS,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 1, ran.stderr
    return ran.stdout


def findings(path: Path) -> list[Finding]:
    return [line for line in read_lines(path) if isinstance(line, Finding)]


def test_one_defect_is_one_finding_that_names_it(tmp_path: Path) -> None:
    file = tmp_path / "results.ndjson"
    selection = ["--message", "HeartbeatRequest", "--message", "ApiVersionsResponse"]
    said = run("conformance.codecs.mutants:TagSizePlusOne", *selection, "--results", str(file))
    [finding] = findings(file)
    assert finding.diagnosis.startswith(LOOK)
    assert f"   looks like: {LOOK}" in said
    assert "tags.size-is-plain-length" in finding.rules


def test_workers_come_to_the_same_findings(tmp_path: Path) -> None:
    found = []
    for workers in ("0", "2"):
        file = tmp_path / f"{workers}.ndjson"
        options = ["--message", "HeartbeatRequest", "-n", workers]
        options += ["--message", "HeartbeatResponse"]
        run(
            "conformance.codecs.mutants.habits.drafts:EarlyTagSection",
            *options,
            "--results",
            str(file),
        )
        found.append(findings(file))
    assert found[0] == found[1]
    assert [one.diagnosis.rsplit(" ", 1)[1] for one in found[0]] == ["EarlyTagSection)"]
