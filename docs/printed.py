"""Writes into the README what its commands print: `python docs/printed.py`, in a checkout.

The first command is drawn as a terminal of 80 columns shows it: `docs/first-minute.svg`. A block of
`text` behind a block of `sh` gets what that one's command ends with. The bar that shows how far a
run is wipes itself out, and is left out.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import SVG_EXPORT_THEME
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
PICTURE = ROOT / "docs" / "first-minute.svg"
COLUMNS = 80
FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
_FIRST = re.compile(r"&& (kafka-conformance .*)$", re.M)
_SHOWN = re.compile(
    r"(```sh\n(?P<command>[^\n]*)\n```\n\n```text\n)(?P<output>.*?)(?=```$)", re.M | re.S
)
_HEADLINE = re.compile(r"^\S.*: (?:no failure|\d+ defects? )", re.M)
_BAR = re.compile(r"\x1b\[\?25l.*?\x1b\[\?25h\r\x1b\[1A\x1b\[2K", re.S)
_FONT_FACES = re.compile(r"@font-face \{.*?\}\s*", re.S)


def printed(command: str) -> Text:
    """What a terminal shows of a command, with its colours."""
    run = subprocess.run(
        [sys.executable, "-m", "conformance.cli", *shlex.split(command, comments=True)[1:]],
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"},
        check=False,
    )
    if run.stderr:
        sys.exit(run.stderr.decode())
    return Text.from_ansi(_BAR.sub("", run.stdout.decode()))


def first_command() -> str:
    """The README's first command of ours, without what installs it."""
    found = _FIRST.search(README.read_text("utf-8"))
    assert found, "the README begins with no command"
    return found[1]


def outputs() -> dict[str, str]:
    """What the README shows behind commands, by the command."""
    return {each["command"]: each["output"] for each in _SHOWN.finditer(README.read_text("utf-8"))}


def ending(command: str) -> str:
    """The block that a command ends with."""
    text = printed(command).plain.rstrip()
    headlines = list(_HEADLINE.finditer(text))
    return text[headlines[-1].start() :] + "\n" if headlines else sys.exit(f"{command}: {text}")


def picture(command: str, output: Text) -> str:
    """An SVG of both. No font is fetched: any whose letters are of one width will do."""
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True)
    console.print(Text(f"$ {command}", "bold"), output, sep="\n", soft_wrap=True)
    title = command.partition(" ")[0]
    drawn = console.export_svg(title=title, theme=SVG_EXPORT_THEME, unique_id="terminal")
    return _FONT_FACES.sub("", drawn).replace("Fira Code", FONT)


if __name__ == "__main__":
    first = first_command()
    PICTURE.write_text(picture(first, printed(first)), "utf-8")
    text = README.read_text("utf-8")
    README.write_text(_SHOWN.sub(lambda it: it[1] + ending(it["command"]), text), "utf-8")
