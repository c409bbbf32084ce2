"""The page on judging a broker does what it says: its first commands are run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import run

PAGE = (Path(__file__).parents[2] / "docs" / "judge-a-broker.md").read_text("utf-8")
BEGIN = PAGE.partition("## Begin")[2].partition("## What is asked")[0]
COMMANDS = re.findall(r"^kafka-conformance (.*)$", BEGIN, re.M)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_ends_as_the_page_says(command: str) -> None:
    words, _, remark = command.partition("  #")
    told = re.search(r"exit code (\d)", remark)
    assert run(*shlex.split(words)).code == (int(told[1]) if told else 0)


def test_there_are_commands_to_run() -> None:
    assert len(COMMANDS) >= 4
