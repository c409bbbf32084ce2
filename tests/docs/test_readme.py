"""The README is short, and shows what its commands print."""

from __future__ import annotations

import re
import runpy
from xml.etree import ElementTree

import pytest

from tests.docs.pages import ROOT

MOST_LINES = 120
PRINTED = runpy.run_path(str(ROOT / "docs" / "printed.py"))
OUTPUTS = PRINTED["outputs"]()
WIDTH_OF_A_LETTER = 12.2
REMEDY = "python docs/printed.py"
_CHANGES = re.compile(r"\d+(?:\.\d)? s\b|127\.0\.0\.1:\d+\)")


def lasting(text: str) -> list[str]:
    """The lines, without the time that a run took and the port of a broker that it started."""
    return [_CHANGES.sub("…", line.rstrip()) for line in text.splitlines() if line.strip()]


def drawn() -> str:
    """The text of the picture, line by line: each piece stands at a place and a height."""
    lines: dict[str, str] = {}
    for piece in ElementTree.parse(PRINTED["PICTURE"]).iter("{http://www.w3.org/2000/svg}text"):
        if (piece.text or "").strip("\n") and "textLength" in piece.attrib:
            column = round(float(piece.attrib["x"]) / WIDTH_OF_A_LETTER)
            before = lines.get(piece.attrib["y"], "").ljust(column)
            lines[piece.attrib["y"]] = before + str(piece.text).replace("\xa0", " ")
    return "\n".join(lines[height] for height in sorted(lines, key=float))


def test_it_is_read_in_a_minute() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= MOST_LINES


def test_it_shows_an_output_for_each_other_kind_of_target() -> None:
    kinds = [command.split()[1] for command in OUTPUTS]
    assert kinds == ["broker", "client", "schema", "audit"]


@pytest.mark.parametrize(
    "command",
    [pytest.param(each, marks=[pytest.mark.java] if "kafka:" in each else []) for each in OUTPUTS],
)
def test_an_output_is_what_its_command_prints(command: str) -> None:
    assert lasting(PRINTED["ending"](command)) == lasting(OUTPUTS[command]), REMEDY


def test_the_picture_is_what_the_first_command_prints() -> None:
    command = PRINTED["first_command"]()
    shown = PRINTED["printed"](command).plain
    assert lasting(drawn()) == lasting(f"$ {command}\n{shown}"), REMEDY
