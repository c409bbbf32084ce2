"""The page on bringing a codec does what it says: its files are written, its commands are run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.results.known import read_known

PAGE = (Path(__file__).parents[2] / "docs" / "bring-your-own-codec.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", PAGE, re.M | re.S)
FILES = {name: text for _, name, text in BLOCKS if name}
COMMANDS = [line for kind, _, text in BLOCKS if kind == "sh" for line in text.splitlines()]
needs_go = pytest.mark.skipif(shutil.which("go") is None, reason="needs Go: no go")
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs Node: no node")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the files of the page."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of the page in a shell that finds our `kafka-conformance` first."""
    ours = folder / "bin" / "kafka-conformance"
    ours.parent.mkdir(exist_ok=True)
    ours.write_text(f"#!/bin/sh\nexec '{sys.executable}' -m conformance.cli \"$@\"\n")
    ours.chmod(0o755)
    return subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": f"{ours.parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def due_code(command: str) -> int:
    told = re.search(r"# exit code (\d+)", command)
    return int(told[1]) if told else 0


def test_the_adapter_fits_one_screen() -> None:
    lines = FILES["adapter.js"].splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 100


@needs_node
def test_the_commands_end_as_the_page_says(folder: Path) -> None:
    commands = [command for command in COMMANDS if "adapter" in command or "off-by" in command]
    assert len(commands) == 8
    in_ci = [line.partition("run: ")[2] for line in PAGE.splitlines() if "run: kafka-" in line]
    assert len(in_ci) == 2
    for command in commands + in_ci:
        done = run(command, folder)
        assert done.returncode == due_code(command), f"{command}\n{done.stdout}{done.stderr}"


def test_the_python_object_passes_and_is_judged(folder: Path) -> None:
    commands = [command for command in COMMANDS if "mycodec" in command]
    assert len(commands) == 2
    for command in commands:
        done = run(command, folder)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


@needs_go
def test_the_program_in_go_passes_and_is_judged(folder: Path) -> None:
    commands = [command for command in COMMANDS if "gocodec" in command]
    assert len(commands) == 3
    for command in commands:
        done = run(command, folder)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


def test_an_entry_of_the_page_is_one(tmp_path: Path) -> None:
    [entry] = [text for kind, _, text in BLOCKS if kind == "toml"]
    (tmp_path / "known.toml").write_text(entry, encoding="utf-8")
    assert len(read_known(tmp_path / "known.toml")) == 1


@needs_node
def test_smoke_says_what_the_page_shows(folder: Path) -> None:
    right = (folder / "adapter.js").read_text(encoding="utf-8")
    wrong = right.replace(", remaining: reader.left() }", " }")
    assert wrong != right
    (folder / "wrong.js").write_text(wrong, encoding="utf-8")
    [shown] = [text for kind, _, text in BLOCKS if kind == "text"]
    done = run("kafka-conformance smoke -- node wrong.js", folder)
    assert done.returncode == 3
    assert shown in done.stdout
