"""`doctor` says what is there, what is missing, and how that is had; its exit code is 0."""

from __future__ import annotations

import json
import platform
import re
from pathlib import Path

import pytest

from conformance.targets import registry
from conformance.targets.toolchains import TOOLCHAINS, major, version_of
from tests.cli.conftest import Cli
from tests.cli.test_terminal import on_a_terminal


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """The PATH of a machine that has nothing."""
    (tmp_path / "bin").mkdir()
    return tmp_path / "bin"


def put(machine: Path, name: str, script: str) -> None:
    (machine / name).write_text(f"#!/bin/sh\n{script}\n")
    (machine / name).chmod(0o755)


def told(cli: Cli, machine: Path) -> dict[str, dict[str, str]]:
    ended = cli("doctor", "--json", PATH=str(machine), JAVA_HOME="")
    assert (ended.code, ended.err) == (0, "")
    return {each["name"]: each for each in json.loads(ended.out)}


def test_what_is_missing_is_named_with_its_remedy_and_is_no_failure(
    cli: Cli, machine: Path
) -> None:
    found = told(cli, machine)
    assert found["Python"]["version"] == platform.python_version()
    for each in TOOLCHAINS:
        assert found[each.name]["lacks"] == "missing"
        assert found[each.name]["remedy"] == each.remedy
    assert found["Python"]["lacks"] == found["Python"]["remedy"] == ""
    assert "judge the codec kafka-clients" in found["Maven"]["uses"]
    assert "start the broker kafka" in found["Maven"]["uses"]
    assert "install Java 17 or newer" in found["PySpark"]["remedy"]


def test_what_is_there_is_asked_for_its_version(cli: Cli, machine: Path) -> None:
    put(
        machine,
        "java",
        "echo 'Picked up _JAVA_OPTIONS: -Da=1.2'; echo 'openjdk version \"21.0.8\"'",
    )
    put(machine, "go", "[ $1 = version ] && echo go version go1.26.0 linux/amd64")
    found = told(cli, machine)
    assert (found["Java"]["version"], found["Java"]["lacks"]) == ("21.0.8", "")
    assert (found["Go"]["version"], found["Go"]["lacks"]) == ("1.26.0", "")


def test_what_is_there_and_of_no_use_is_missing(cli: Cli, machine: Path) -> None:
    put(machine, "java", "echo 'java version \"1.8.0_392\"' >&2")
    put(machine, "mvn", "echo 'no JAVA_HOME' >&2; exit 1")
    put(machine, "node", "echo v22.1.0")
    found = told(cli, machine)
    assert found["Java"]["lacks"] == "1.8.0_392, too old"
    assert found["Maven"]["lacks"] == "does not run"
    assert found["Node.js"]["lacks"] == "no npm"
    assert found["Node.js"]["remedy"]


def test_eighty_columns_are_enough(machine: Path) -> None:
    shown = on_a_terminal("doctor", COLUMNS="80", PATH=str(machine))
    lines = [line.rstrip() for line in re.sub(r"\x1b\[[\d;]*m", "", shown).splitlines()]
    assert max(map(len, lines)) <= 80
    assert any(re.match("Maven +missing +judge the codec", line) for line in lines)
    assert any(line.endswith("get it: https://go.dev/dl, or brew install go") for line in lines)
    assert "works without" in lines[-1]


def test_every_program_that_an_adapter_needs_is_of_a_toolchain() -> None:
    kinds = ("", registry.CLIENTS, registry.BROKERS)
    needed = {name for kind in kinds for each in registry.adapters(kind) for name in each.needs}
    assert {"java", "go"} <= needed <= {name for each in TOOLCHAINS for name in each.programs}


@pytest.mark.parametrize(("release", "number"), [("17.0.2", 17), ("1.8.0_392", 8), ("25", 25)])
def test_a_release_of_java_is_called_by_its_number(release: str, number: int) -> None:
    assert major(release) == number


def test_a_program_that_is_not_there_has_no_version(machine: Path) -> None:
    put(machine, "newest", "echo 'openjdk version \"25\" 2025-09-16'")
    assert version_of(str(machine / "newest")) == "25"
    assert version_of(str(machine / "none")) == ""
