"""Findings about definitions: the rules that each breaks, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

NOT_UNDERSTOOD = ""
"""The rule of a finding that is about none: what an importer can't read."""


@dataclass(frozen=True)
class Proof:
    """Bytes that one definition's writer makes and another's reader takes for something else.

    `writer` and `reader` say whose they are; `read` is the reader's value, or why it refused.
    """

    writer: str
    reader: str
    version: int
    value: Any
    bytes: bytes
    read: Any


@dataclass(frozen=True)
class BrokenRule:
    """One rule broken at one place of one file; lines count from 1, 0 means no line."""

    rule: str
    file: str
    line: int
    place: str
    reason: str
    proof: Proof | None = None


@dataclass(frozen=True)
class Examined:
    """One definition: its file, its name and newest version, and what is wrong with it.

    Where it could be read in part alone it is not `whole`, and rules that it keeps prove nothing.
    """

    file: str
    name: str
    version: int
    findings: tuple[BrokenRule, ...]
    whole: bool = True

    @property
    def misunderstood(self) -> tuple[BrokenRule, ...]:
        """Return the parts that an importer can't read."""
        return tuple(each for each in self.findings if each.rule == NOT_UNDERSTOOD)
