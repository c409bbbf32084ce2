"""The page on campaigns does what it says: its commands, run small, and its tables."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="needs the extra `pipeline`")

from conformance.campaigns.storage.tables import SCHEMAS
from tests.cli.conftest import run

PAGE = (Path(__file__).parents[2] / "docs" / "campaigns.md").read_text("utf-8")
COMMANDS = re.findall(r"^kafka-conformance ((?:campaign|compare|triage) .*)$", PAGE, re.M)
SMALL = {"1e6": "600", "kio": "reference", "kafka-python": "reference-lenient"}
CASE = "1/4711"


@pytest.mark.java
@pytest.mark.spark
def test_the_commands_go_through_one_after_another(tmp_path: Path) -> None:
    assert {command.split()[0] for command in COMMANDS} == {"campaign", "compare", "triage"}
    for command in COMMANDS:
        words = [SMALL.get(word, word) for word in shlex.split(command, comments=True)]
        words += ["--master", "local[1]"] if "-o" in words else []
        ended = run(*words, cwd=tmp_path)
        assert ended.code == 0, (command, ended.out, ended.err)


def test_the_tables_have_the_columns_that_the_page_says() -> None:
    told = {
        name: columns.split(", ")
        for name, columns in re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \|$", PAGE, re.M)
    }
    assert told == {name: schema.names for name, schema in SCHEMAS.items()}
