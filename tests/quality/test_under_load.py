"""A reference that keeps every rule is accused of nothing, however busy the machine is.

Each is judged as users judge theirs, ten times, beside four busy loops: `tox run -e load`.
`KAFKA_CONFORMANCE_LOAD_TIMES` sets another number of times.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from conformance.results.files import read_lines
from conformance.results.lines import BROKEN, Verdict
from tests.cli.conftest import run

TIMES = int(os.environ.get("KAFKA_CONFORMANCE_LOAD_TIMES", "10"))
REFERENCES = {
    "codec": ("codec", "reference", "--quick"),
    "broker": ("broker", "--start", "reference", "--allow-writes"),
    "client": ("client", "reference"),
    "proxy": ("proxy", "--start", "reference"),
    "secured proxy": ("proxy", "--start", "secured-reference"),
}


@pytest.mark.load
@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize("attempt", range(TIMES))
@pytest.mark.parametrize("kind", REFERENCES)
def test_a_reference_is_accused_of_nothing(kind: str, attempt: int, tmp_path: Path) -> None:
    results = tmp_path / "results.ndjson"
    words = (*REFERENCES[kind], "--profile", "kafka", "--results", str(results))
    ended = run(*words, timeout_s=3600)
    verdicts = [line for line in read_lines(results) if isinstance(line, Verdict)]
    assert [each for each in verdicts if each.verdict in BROKEN] == []
    assert ended.code == 0, ended.out
    assert verdicts
