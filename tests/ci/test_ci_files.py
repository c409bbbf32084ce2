"""The action, the job, the image and the page: read as services do, and their commands run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

import conformance
from tests.api.conftest import FILES
from tests.packaging.conftest import environment

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "ci.md").read_text("utf-8")
COMMANDS = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```$", PAGE, re.M | re.S)
    for line in block.splitlines()
]
needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Somebody's repository: a codec, and nothing that it breaks."""
    (tmp_path / "mycodec.py").write_text(FILES["mycodec.py"])
    return tmp_path


def run(script: str, folder: Path, **changes: object) -> subprocess.CompletedProcess[str]:
    """Run a script as a runner does, with the `kafka-conformance` of this environment."""
    binaries = folder / "bin"
    binaries.mkdir(exist_ok=True)
    ours = {"kafka-conformance": f"'{sys.executable}' -m conformance.cli"}
    for name, command in ours.items():
        (binaries / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        (binaries / name).chmod(0o755)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("GITHUB_", "PYTEST"))}
    path = f"{binaries}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script],
        cwd=folder,
        env=kept | {"PATH": path} | {k: str(v) for k, v in changes.items()},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def empty(folder: Path) -> tuple[Path, dict[str, str]]:
    """The `bin` of an environment that has pip alone, and variables by which it is found first."""
    subprocess.run((sys.executable, "-m", "venv", folder), check=True, timeout=120)
    binaries = folder / "bin"
    return binaries, environment(PATH=f"{binaries}{os.pathsep}{os.environ['PATH']}")


def judge(folder: Path, words: str) -> subprocess.CompletedProcess[str]:
    """The action's step that judges, with what a runner gives it."""
    [_, step] = read("action.yml")["runs"]["steps"]
    page = folder / "page.md"
    given = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": page}
    return run(step["run"], folder, JUDGE=words, FOLDER="out", **given)


def test_the_action_is_one_that_github_takes() -> None:
    action = read("action.yml")
    assert action["runs"]["using"] == "composite"
    for step in action["runs"]["steps"]:
        assert step["shell"] == "bash"
        assert (
            "${{" not in step["run"]
        )  # what is given goes through the environment, not the script
        for name, given in step["env"].items():
            inputs = re.fullmatch(r"\$\{\{ inputs\.(\w+) \}\}", given)
            assert inputs is not None, name
            assert inputs[1] in action["inputs"]


@needs_bash
def test_the_action_installs_the_suite_that_it_came_with(tmp_path: Path) -> None:
    binaries, clean = empty(tmp_path / "runner's Python")
    [step, _] = read("action.yml")["runs"]["steps"]
    given = {"GITHUB_ACTION_PATH": str(ROOT), "SUITE": ""}
    commands = ("bash", "-e", "-o", "pipefail", "-c", step["run"])
    subprocess.run(commands, env=clean | given, check=True, timeout=300, cwd=tmp_path)
    done = subprocess.run(
        (binaries / "kafka-conformance", "--version"), capture_output=True, text=True, check=True
    )
    assert done.stdout.endswith(f"version {conformance.__version__}\n")


@needs_bash
def test_the_action_judges_and_leaves_every_form(folder: Path) -> None:
    done = judge(folder, "codec mycodec:Codec --rule 'tags.*' -q")
    assert done.returncode == 0, done.stdout + done.stderr
    assert {path.name for path in (folder / "out").iterdir()} == {
        "results.ndjson",
        "junit.xml",
        "summary.md",
        "badge.json",
    }
    assert "mycodec" in (folder / "page.md").read_text()


@needs_bash
def test_the_action_fails_as_the_run_does(folder: Path) -> None:
    broken = FILES["mycodec.py"].replace("data), 0", 'data) | {"clientSoftwareName": "x"}, 0')
    (folder / "mycodec.py").write_text(broken)
    done = judge(folder, "codec mycodec:Codec")
    assert done.returncode == 1
    assert "::error title=mycodec" in done.stdout
    assert "❌" in (folder / "page.md").read_text()


@needs_bash
def test_the_action_takes_a_program_behind_dashes(folder: Path) -> None:
    serve = ROOT / "conformance" / "codecs" / "testee" / "serve.py"
    done = judge(folder, f"codec -q -- '{sys.executable}' '{serve}' mycodec:Codec")
    assert done.returncode == 0, done.stdout + done.stderr


@needs_bash
def test_what_is_given_to_the_action_is_no_script(folder: Path) -> None:
    done = judge(folder, "codec 'mycodec:Codec$(touch ran)' `touch ran` ; touch ran")
    assert done.returncode == 2, done.stdout + done.stderr
    assert "one target at a time" in done.stderr
    assert not (folder / "ran").exists()


def test_the_workflow_gives_the_action_what_it_takes() -> None:
    workflow = read("docs/ci/github.yml")
    [job] = workflow["jobs"].values()
    *_, step = job["steps"]
    *_, suite, _ = job["steps"]
    assert step["uses"] == f"./{suite['with']['path']}"
    assert set(step["with"]) <= set(read("action.yml")["inputs"])
    assert workflow["permissions"] == {"contents": "read"}


@needs_bash
def test_the_job_of_gitlab_leaves_what_it_names(folder: Path) -> None:
    [job] = read("docs/ci/gitlab.yml").values()
    install, command = job["script"]
    assert '"$KAFKA_CONFORMANCE"' in install
    done = run(command, folder)
    assert done.returncode == 0, done.stdout + done.stderr
    artifacts = job["artifacts"]
    for name in (*artifacts["paths"], artifacts["reports"]["junit"]):
        assert (folder / name).stat().st_size > 0
    assert ElementTree.parse(folder / artifacts["reports"]["junit"]).getroot().tag == "testsuites"


@needs_bash
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_ends_well(folder: Path, command: str) -> None:
    assert run(COMMANDS[0], folder).returncode == 0
    done = run(command if "--update-known" in command else f"touch known.toml; {command}", folder)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_has_commands_and_every_file() -> None:
    assert len(COMMANDS) == 6
    named = set(re.findall(r"\]\(((?:ci|\.\.)/[^)]+)\)", PAGE))
    assert {"../action.yml", "../Containerfile", "ci/github.yml", "ci/gitlab.yml"} <= named
    for name in named:
        assert (ROOT / "docs" / name).is_file()


def instructions() -> list[tuple[str, str]]:
    lines = (ROOT / "Containerfile").read_text("utf-8").splitlines()
    words = (line.partition(" ") for line in lines if line and not line.startswith("#"))
    return [(name, rest) for name, _, rest in words]


def test_the_image_is_one_of_python_without_root() -> None:
    names = [name for name, _ in instructions()]
    assert names.count("FROM") == 2
    assert names.index("USER") < names.index("ENTRYPOINT")
    assert ("ENTRYPOINT", '["kafka-conformance"]') in instructions()


def test_the_image_is_made_of_every_file_of_the_repository() -> None:
    left_out = (ROOT / ".dockerignore").read_text().split()
    paths = [f":(glob){each}/**" for each in left_out]
    done = subprocess.run(
        ("git", "ls-files", *paths), cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert left_out
    assert done.stdout == ""


@needs_bash
def test_the_commands_of_the_image_install_a_suite_that_runs(tmp_path: Path) -> None:
    """No image is built here: its commands are run in an empty environment, at other places."""
    binaries, clean = empty(tmp_path / "image")
    wheels = f"{tmp_path}/wheels"
    for name, command in instructions():
        if name == "RUN" and not command.startswith("useradd"):
            script = command.replace("/wheels", wheels).replace("/suite", str(ROOT))
            subprocess.run(
                ["bash", "-ec", script], env=clean, check=True, timeout=300, cwd=tmp_path
            )
    program = binaries / "kafka-conformance"
    judged = (program, "codec", "reference", "--message", "FindCoordinatorRequest", "-q")
    clean["KAFKA_CONFORMANCE_CACHE"] = str(tmp_path / "cache")
    done = subprocess.run(
        judged, env=clean, capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout == "reference 0.1.0: no failure\n"
