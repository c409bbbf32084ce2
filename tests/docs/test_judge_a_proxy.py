"""The page on judging a proxy does what it says: its first commands are run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import run

PAGE = (Path(__file__).parents[2] / "docs" / "judge-a-proxy.md").read_text("utf-8")
BEGIN = PAGE.partition("## Begin")[2].partition("## Bring")[0]
COMMANDS = re.findall(r"^kafka-conformance (.*)$", BEGIN, re.M)
JAVA = "Java 17"


@pytest.mark.parametrize(
    "command",
    [pytest.param(each, marks=[pytest.mark.java] if JAVA in each else []) for each in COMMANDS],
)
def test_a_command_ends_as_the_page_says(command: str) -> None:
    words, _, remark = command.partition("  #")
    told = re.search(r"exit code (\d)", remark)
    assert run(*shlex.split(words), timeout_s=300).code == (int(told[1]) if told else 0)


def test_there_are_commands_to_run() -> None:
    assert len(COMMANDS) >= 3
