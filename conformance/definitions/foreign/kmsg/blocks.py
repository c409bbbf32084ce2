"""A definition of franz-go as it was written: its head, and its fields with theirs below them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.definitions.foreign.kmsg.grammar import (
    DslLine,
    FieldWords,
    Head,
    Misread,
    field,
    head,
)
from conformance.schema.text.reading import MAX_DEPTH


@dataclass(frozen=True)
class Entry:
    """A field, with the fields of the struct that it opens."""

    words: FieldWords
    entries: tuple[Entry, ...] = ()

    @property
    def opens(self) -> bool:
        """True if the fields of its struct follow it."""
        return "=>" in self.words.type.inner and self.words.type.inner[:6] != "length"


@dataclass(frozen=True)
class Block:
    """One definition."""

    file: str
    head: Head
    entries: tuple[Entry, ...]


def block(file: str, lines: Sequence[DslLine]) -> Block:
    """Return the definition in these lines. Raises Misread."""
    first, *rest = lines
    entries, left = _entries(rest, 1)
    if left:
        raise Misread(left[0].number, "indented deeper than the struct that it is in")
    return Block(file, head(first), entries)


def _entries(lines: Sequence[DslLine], depth: int) -> tuple[tuple[Entry, ...], Sequence[DslLine]]:
    """Return the fields at this depth, and the lines that follow them."""
    if depth > MAX_DEPTH:
        raise Misread(lines[0].number, f"structs nest more than {MAX_DEPTH} deep")
    found = []
    while lines and lines[0].depth == depth:
        words, lines = field(lines[0]), lines[1:]
        entry = Entry(words)
        if entry.opens:
            inner, lines = _entries(lines, depth + 1) if lines else ((), lines)
            entry = Entry(words, inner)
        found.append(entry)
    return tuple(found), lines
