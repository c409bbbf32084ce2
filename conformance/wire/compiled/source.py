"""Code that both halves of the compiler share: source lines, `struct` codes, rows of fixed size."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from struct import calcsize

from conformance.schema.layout import WireType
from conformance.wire.reader import FORMATS

CODES = {kind: text[1:] for kind, text in FORMATS.items()}
"""The `struct` code of each kind of a fixed width."""


class SourceText:
    """Lines with indentation, names that are used once, and the constants they refer to."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.depth = 1
        self.counter = 0
        self.constants: dict[str, str] = {}
        self.functions: list[str] = []

    def add(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        self.add(head)
        self.depth += 1
        yield
        self.depth -= 1

    def fresh(self, stem: str) -> str:
        self.counter += 1
        return f"{stem}{self.counter}"

    @contextmanager
    def own_function(self) -> Iterator[None]:
        """Collect lines for a function of its own."""
        kept = self.lines, self.depth
        self.lines, self.depth = [], 1
        yield
        self.lines, self.depth = kept

    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)


def fixed_struct(item: WireType) -> str:
    """The codes of a struct all of whose fields have a fixed width, with its tag count; else ""."""
    if item.struct is None or item.nullable or not item.struct.fields:
        return ""
    kinds = [field.type.kind for field in item.struct.fields]
    if any(kind not in CODES for kind in kinds):
        return ""
    return "".join(CODES[kind] for kind in kinds) + "B" * item.struct.flexible


def size_of(codes: str) -> int:
    """Bytes that values of these `struct` codes take."""
    return calcsize(f">{codes}")
