"""A driver that lets exceptions through accuses nobody; one that catches them shows crashes."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from conformance.clients.driver_errors import Telling
from conformance.results.files import read_lines
from conformance.results.lines import Summary, Verdict
from tests.cli.conftest import run

CASES = ("--case", "MetadataRequest/null-brokers", "--rule", "client-answers.*")
PYTHON = """
import os, sys
from conformance.reference.client import Client, Failed
from conformance.reference.client.program import run

action, bootstrap = sys.argv[1:]
host, _, port = bootstrap.rpartition(":")
try:
    run(Client(), action, (host, int(port)))
    print("ok")
except Failed as failed:
    {}
"""
RAISES = "raise"
LEAVES = "sys.exit(3)"
TELLS_ALL_BUT_ONE = """sys.exit(3) if "can't be read" in str(failed) else print('error', failed)"""
NODE = """
const net = require("net");
const {{ execFileSync }} = require("child_process");
const [action, bootstrap] = process.argv.slice(2);
const words = ["-m", "conformance.reference.client.program", action, bootstrap];
const ask = async () => {{
  try {{ execFileSync({python!r}, words); }}
  catch (error) {{
    const why = String(error.stdout);
    if (!why.includes("can't be read")) throw new Error(why);
    {fails}
  }}
}};
ask().then(() => console.log("ok"){caught});
"""
CAUGHT = ', (error) => console.log("error", error.message)'
REJECTS = "throw new TypeError(why);"
IN_A_CALLBACK = (
    "await new Promise(() => setTimeout(() => { throw new RangeError('in a callback'); }, 1));"
)


def judged(tmp_path: Path, *driver: str) -> tuple[Verdict, list[str]]:
    """The one verdict on a driver whose client fails, and what is to be noted."""
    results = tmp_path / "results.ndjson"
    words = (*driver, "{action}", "{bootstrap}")
    run("client", *CASES, "--results", str(results), "--", *words)
    lines = list(read_lines(results))
    [verdict] = [line for line in lines if isinstance(line, Verdict)]
    [summary] = [line for line in lines if isinstance(line, Summary)]
    return verdict, summary.notes


def of_python(tmp_path: Path, failing: str) -> tuple[Verdict, list[str]]:
    driver = tmp_path / "driver.py"
    driver.write_text(PYTHON.format(failing))
    return judged(tmp_path, sys.executable, str(driver))


def of_node(tmp_path: Path, fails: str, caught: str) -> tuple[Verdict, list[str]]:
    driver = tmp_path / "driver.js"
    driver.write_text(NODE.format(python=sys.executable, fails=fails, caught=caught))
    return judged(tmp_path, "node", str(driver))


@pytest.mark.parametrize("failing", [RAISES, LEAVES])
def test_a_driver_that_never_says_error_is_told_and_no_crash_of_its_client(
    tmp_path: Path, failing: str
) -> None:
    verdict, notes = of_python(tmp_path, failing)
    assert (verdict.verdict, verdict.outcome) == ("pass", "error")
    [note] = notes
    assert note.startswith("the driver ended without a word, which counts as an error that the")


def test_a_driver_that_says_error_and_ends_without_a_word_has_crashed(tmp_path: Path) -> None:
    verdict, notes = of_python(tmp_path, TELLS_ALL_BUT_ONE)
    assert (verdict.verdict, notes) == ("crash", []), verdict.detail


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_an_exception_that_no_catch_takes_is_a_crash(tmp_path: Path) -> None:
    assert of_node(tmp_path, IN_A_CALLBACK, CAUGHT)[0].verdict == "crash"


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_a_rejection_that_the_driver_did_not_handle_is_none(tmp_path: Path) -> None:
    verdict, [note] = of_node(tmp_path, REJECTS, "")
    assert verdict.verdict == "pass"
    assert note.startswith("the driver ended without a word")


def test_three_cases_are_named_and_more_of_them_counted() -> None:
    [note] = Telling(silent=["e", "d", "c", "b", "a", "a"]).notes()
    assert note.endswith(": a, b, c and 2 more")
