"""The page on judging a client does what it says: its first commands and its driver are run."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from conformance.clients.scenarios.actions import ACTIONS
from conformance.results.files import read_lines
from conformance.results.lines import Summary, Verdict
from tests.cli.conftest import run

PAGE = (Path(__file__).parents[2] / "docs" / "judge-a-client.md").read_text("utf-8")
BEGIN = PAGE.partition("## Begin")[2].partition("`kafka-conformance targets`")[0]
COMMANDS = re.findall(r"^kafka-conformance (.*)$", BEGIN, re.M)
TOLD = "the limit was too short, and the client is not to blame: topics gives up after"
[DRIVER] = re.findall(r"^```python driver.py\n(.*?)^```$", PAGE, re.M | re.S)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_ends_as_the_page_says(command: str) -> None:
    words, _, remark = command.partition("  #")
    told = re.search(r"exit code (\d)", remark)
    assert run("client", *shlex.split(words)[1:]).code == (int(told[1]) if told else 0)


def test_the_page_says_of_each_action_what_that_is() -> None:
    told = re.findall(r"^\| (`[^|]*`) \| ", PAGE.partition("## Errors")[0], re.M)
    assert sorted(re.findall(r"`(\w+)`", " ".join(told))) == sorted(ACTIONS)


def judged(tmp_path: Path, text: str, *options: str) -> tuple[list[Verdict], list[str]]:
    """The verdicts on a driver, and the notes at the end of its run."""
    driver, results = tmp_path / "driver.py", tmp_path / "results.ndjson"
    driver.write_text(text)
    words = (sys.executable, str(driver), "{action}", "{bootstrap}")
    run("client", *options, "--results", results, "--", *words)
    lines = list(read_lines(results))
    (summary,) = (each for each in lines if isinstance(each, Summary))
    return [each for each in lines if isinstance(each, Verdict)], summary.notes


def cases(*names: str) -> list[str]:
    return [word for name in names for word in ("--case", name)]


def test_the_driver_has_twenty_lines_and_does_well(tmp_path: Path) -> None:
    assert len(DRIVER.splitlines()) <= 20
    verdicts, notes = judged(tmp_path, DRIVER, *cases("ApiVersionsRequest/plain"))
    assert {each.verdict for each in verdicts} == {"pass"}
    assert notes == []


def test_the_driver_is_told_of_no_hang_where_its_client_gives_up(tmp_path: Path) -> None:
    wrong = ("no-answer", "negative-answer", "cut-answer", "array-of-negative-count")
    chosen = cases(*(f"MetadataRequest/{each}" for each in wrong))
    verdicts, _ = judged(tmp_path, DRIVER, *chosen, "--rule", "client-answers.*")
    assert {each.verdict for each in verdicts} == {"pass"}


def test_the_limit_is_told_and_no_hang_where_the_driver_leaves_the_clients_own(
    tmp_path: Path,
) -> None:
    patient = DRIVER.replace(', "bootstrap_timeout_ms": 5000', "")
    assert patient != DRIVER
    case = cases("MetadataRequest/no-answer")
    verdicts, notes = judged(tmp_path, patient, *case, "--rule", "client-answers.*")
    assert {each.verdict for each in verdicts} == {"pass"}
    assert [note[: len(TOLD)] for note in notes] == [TOLD]
