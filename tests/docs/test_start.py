"""The pages for who writes or disputes a rule do what they say: their commands are run.

Those of `start.md` are a path of their own: `test_walks.py`.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import run
from tests.docs.pages import OURS, due_code, page

COMMANDS = [
    command
    for name in ("write-a-rule.md", "dispute-a-rule.md")
    for command in page(f"docs/{name}").commands
    if command.startswith(OURS) and "# exit code " in command
]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_ends_as_its_page_says(command: str, tmp_path: Path) -> None:
    words = shlex.split(command.removeprefix(OURS), comments=True)
    assert run(*words, cwd=tmp_path).code == due_code(command)


def test_there_are_commands_to_run() -> None:
    assert len(COMMANDS) >= 3
