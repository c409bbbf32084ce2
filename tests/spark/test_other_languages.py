"""A testee in another language is judged on Spark by its command, and asked for what it has."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import run
from tests.fuzzing.test_other_languages import TESTEE

pytest.importorskip("pyspark", reason="needs the extra `pipeline`")

pytestmark = [
    pytest.mark.java,
    pytest.mark.skipif(shutil.which("node") is None, reason="needs Node"),
]


def test_a_program_of_three_messages_is_asked_those_and_its_case_again(tmp_path: Path):
    shutil.copy(TESTEE, tmp_path)
    limits = ("--memory", "4096")
    program = ("--", "node", "three.js", "--little-endian")
    command = ["campaign", "--cases", "3000", "-o", "found", "--results", "r.ndjson", *limits]
    done = run(*command, "--master", "local[1]", *program, cwd=tmp_path, timeout_s=300)
    assert done.code == 1, done
    assert "three.js (three 1.0): 1 defect breaks the protocol" in done.out, done.out
    lines = [json.loads(line) for line in (tmp_path / "r.ndjson").read_text().splitlines()]
    about = json.loads((tmp_path / "found" / "run.json").read_text())
    assert about["messages"] == [
        "ControlledShutdownRequest",
        "HeartbeatResponse",
        "LeaveGroupResponse",
    ]
    assert about["versions"] == [0]
    finding = next(line for line in lines if line["type"] == "finding")
    words = finding["reproduce"].split()
    assert words[-4:] == list(program)
    assert finding["rules"][0] == "primitives.integers-big-endian"
    again = run(*words[1:-4], *limits, *program, cwd=tmp_path)
    assert again.code == 1, again
    assert finding["rules"][0] in again.out
