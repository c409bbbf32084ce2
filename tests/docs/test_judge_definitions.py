"""The page about message definitions does what it says: commands, what they show, the importer."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from conformance.definitions.mutants import definition_mutants
from tests.cli.conftest import run
from tests.docs.pages import OURS, due_code, page

PAGE = page("docs/judge-definitions.md")
COMMANDS = [each for each in PAGE.commands if "# exit code " in each]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_ends_as_the_page_says(command: str, tmp_path: Path) -> None:
    words = shlex.split(command.removeprefix(OURS), comments=True)
    assert run(*words, cwd=tmp_path).code == due_code(command)


def test_there_are_commands_to_run() -> None:
    assert len(COMMANDS) >= 5


def test_a_finding_looks_as_it_is_shown(tmp_path: Path) -> None:
    for each in definition_mutants()["TagGivenTwice"].texts():
        (tmp_path / each.file).write_text(each.text, encoding="utf-8")
    [shown] = PAGE.section("One release").shown("text")
    assert shown in run("schema", "lint", ".", cwd=tmp_path).out


def test_a_history_looks_as_it_is_shown(tmp_path: Path) -> None:
    [shown] = PAGE.section("History").shown("text")
    command, _, table = shown.partition("\n")
    words = shlex.split(command.removeprefix(f"$ {OURS}"))
    assert table in run(*words, cwd=tmp_path).out + "\n"


@pytest.mark.parametrize("theirs", ["proxy", "proxy/HeartbeatRequest.lines"])
def test_the_importer_of_the_page_reads_a_folder_and_a_file(theirs: str, tmp_path: Path) -> None:
    [importer] = PAGE.section("Definitions of others").shown("python")
    (tmp_path / "mine.py").write_text(importer, encoding="utf-8")
    (tmp_path / "proxy").mkdir()
    (tmp_path / "proxy" / "HeartbeatRequest.lines").write_text("groupId string\n", encoding="utf-8")
    done = run("schema", "compare", theirs, "--format", "mine:Lines", cwd=tmp_path)
    assert done.code == 1
    assert "foreign.same-fields" in done.out
    assert ("FetchRequest: not here" in done.out) == (theirs == "proxy")
