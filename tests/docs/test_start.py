"""The pages that begin with the suite's own targets do what they say: their commands are run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from ..cli.conftest import run

DOCS = Path(__file__).parents[2] / "docs"
COMMANDS = [
    line.removeprefix("kafka-conformance ")
    for page in ("start.md", "write-a-rule.md", "dispute-a-rule.md")
    for line in (DOCS / page).read_text(encoding="utf-8").splitlines()
    if re.match(r"kafka-conformance .*# exit code \d$", line)
]
RESULTS = """\
{"type":"run","target":"x","target_version":"1","language":"c","definitions":"4.4.0",\
"suite_version":"0.1.0","profile":"spec","started":"2026-01-01T00:00:00+00:00"}
{"type":"summary","cases":0,"verdicts":{},"seconds":1.0,"exit_code":3}
"""


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_ends_as_its_page_says(command, tmp_path):
    words, _, due = command.partition("# exit code ")
    if words.startswith("report "):
        (tmp_path / "mine.ndjson").write_text(RESULTS, encoding="utf-8")
    assert run(*shlex.split(words), cwd=tmp_path).code == int(due)


def test_there_are_commands_to_run():
    assert len(COMMANDS) >= 10
