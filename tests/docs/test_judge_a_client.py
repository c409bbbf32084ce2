"""The page on judging a client does what it says: its first commands and its driver are run."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from ..cli.conftest import run

PAGE = (Path(__file__).parents[2] / "docs" / "judge-a-client.md").read_text("utf-8")
BEGIN = PAGE.partition("## Begin")[2].partition("`kafka-conformance targets`")[0]
COMMANDS = re.findall(r"^kafka-conformance (.*)$", BEGIN, re.M)
[DRIVER] = re.findall(r"^```python driver.py\n(.*?)^```$", PAGE, re.M | re.S)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_ends_as_the_page_says(command: str) -> None:
    words, _, remark = command.partition("  #")
    told = re.search(r"exit code (\d)", remark)
    assert run("client", *shlex.split(words)[1:]).code == (int(told[1]) if told else 0)


def test_the_driver_has_twenty_lines_and_does_well(tmp_path: Path) -> None:
    driver = tmp_path / "driver.py"
    driver.write_text(DRIVER)
    assert len(DRIVER.splitlines()) <= 20
    case = "ApiVersionsRequest/plain"
    words = (sys.executable, str(driver), "{action}", "{bootstrap}")
    ended = run("client", "--case", case, "--", *words)
    assert ended.code == 0, ended.out
