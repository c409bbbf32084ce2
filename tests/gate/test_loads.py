"""A run loads what it uses: no room of another kind, no plugin that nobody asked for, no extra."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXTRAS = {"atheris", "pyspark", "pyarrow", "pandas"}
PLUGINS = {"xdist", "execnet", "allure", "allure_pytest", "hypothesis"}
ROOMS = ("captures", "fuzzing", "spark", "rule_pages")
ASK = """
import sys
import conformance.cli
code = conformance.cli.main(sys.argv[1:], standalone_mode=False)
print(code, *sys.modules)
"""


def loaded(*words: str) -> set[str]:
    """The modules that a run has loaded, which found nothing."""
    command = (sys.executable, "-c", ASK, *words)
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    code, *modules = done.stdout.splitlines()[-1].split()
    assert code == "0", done.stdout
    return set(modules)


@pytest.mark.parametrize(
    ("words", "rooms"),
    [
        (
            "codec reference --quick --message FetchRequest",
            ["brokers", "clients", "definitions", "codecs.mutants"],
        ),
        (
            "codec reference --rule tags.* --message FetchRequest",
            ["brokers", "clients", "definitions", "codecs.mutants"],
        ),
        ("broker --start reference --rule framing.*", ["clients", "definitions"]),
    ],
)
def test_a_run_that_finds_nothing_loads_its_own_kind_alone(words: str, rooms: list[str]) -> None:
    others = {f"conformance.{each}" for each in (*ROOMS, *rooms)}
    assert not loaded(*words.split(), "-q") & (EXTRAS | PLUGINS | others)


def test_several_workers_and_allure_load_their_plugins(tmp_path: Path) -> None:
    part = ["reference", "--message", "FetchRequest", "--rule", "tags.*", "-q"]
    assert {"xdist", "allure_pytest"} <= loaded(
        "codec", *part, "-n", "1", "--allure", str(tmp_path)
    )
