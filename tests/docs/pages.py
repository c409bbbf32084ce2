"""A page of the documentation, taken apart into what a reader copies from it and compares with it.

Whoever tests a page takes its commands, files and shown output from here, so that a page that
changes changes its test.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = "kafka-conformance "
_BLOCK = re.compile(r"^```(?P<kind>\w+)(?: (?P<name>\S+))?\n(?P<text>.*?)^```$", re.M | re.S)
_EXIT_CODE = re.compile(r"# exit code (\d+)")
_IN_CI = re.compile(r"^\s*- run: (.*)$", re.M)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the file that it is to be saved as, and its lines."""

    kind: str
    name: str | None
    text: str

    @property
    def commands(self) -> list[str]:
        """What a shell runs of it; of a build's steps, those that are ours."""
        if self.kind == "sh":
            return self.text.splitlines()
        if self.kind == "yaml":
            return [line for line in _IN_CI.findall(self.text) if line.startswith(OURS)]
        return []


@dataclass(frozen=True)
class Page:
    """The text of a page, or of a part of one."""

    text: str

    @cached_property
    def blocks(self) -> list[Block]:
        return [Block(**found.groupdict()) for found in _BLOCK.finditer(self.text)]

    @property
    def commands(self) -> list[str]:
        return [command for block in self.blocks for command in block.commands]

    @property
    def files(self) -> dict[str, str]:
        return {block.name: block.text for block in self.blocks if block.name}

    def shown(self, kind: str) -> list[str]:
        """What is shown in a language that is neither a command nor a file."""
        return [block.text for block in self.blocks if block.kind == kind and not block.name]

    def section(self, heading: str) -> Page:
        """The part below a heading of the second level; there is one."""
        _, found, rest = self.text.partition(f"\n## {heading}\n")
        assert found, heading
        return Page(rest.partition("\n## ")[0])

    @property
    def opening(self) -> Page:
        """What stands above the first such heading, which is what a reader sees first."""
        return Page(self.text.partition("\n## ")[0])


def page(name: str) -> Page:
    """A page by its path in the repository."""
    return Page((ROOT / name).read_text(encoding="utf-8"))


def due_code(command: str) -> int:
    """The exit code that the page says a command ends with."""
    told = _EXIT_CODE.search(command)
    return int(told[1]) if told else 0
