"""A file of franz-go's definitions as blocks of lines: one a definition, a blank line between.

Indentation shows the nesting, two blanks a level. Lines with only a comment are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LINE = re.compile(r"(?P<blanks> *)(?P<text>.*)")


class Misread(Exception):
    """A line that can't be understood, and the reason."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason


@dataclass(frozen=True)
class DslLine:
    """The contents of one line, counted from 1; `blanks` is its indentation."""

    number: int
    blanks: int
    text: str

    @property
    def depth(self) -> int:
        """The number of levels that it is indented. Raises Misread."""
        if self.blanks % 2 or self.text.startswith("\t"):
            raise Misread(self.number, "indented by something else than two blanks a level")
        return self.blanks // 2


def blocks(text: str) -> Iterator[list[DslLine]]:
    """Yield the lines of each block, without comments; blocks of comments alone are dropped."""
    block: list[DslLine] = []
    for number, line in enumerate(text.split("\n"), 1):
        found = _LINE.fullmatch(line.rstrip("\r"))
        assert found is not None
        if not found["text"]:
            yield from [block] if block else []
            block = []
        elif not found["text"].startswith("//"):
            block.append(DslLine(number, len(found["blanks"]), found["text"].rstrip()))
    yield from [block] if block else []
