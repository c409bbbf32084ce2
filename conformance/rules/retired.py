"""What became of rules that people may still name: those that are gone, split, of another class.

A table `[[retired]]` in `retired.toml` has the id, what stands in its place, and why. An id that is
still a rule's belongs to one whose class changed: failures of it may have ended with that.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import msgspec

from conformance.errors import ConformanceError

FILE = "retired.toml"


class Retired(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One id, the rules that stand in its place now, and why it does not stand as it did."""

    id: str
    replaced_by: tuple[str, ...]
    why: str

    def __str__(self) -> str:
        others = [name for name in self.replaced_by if name != self.id]
        return f"{self.why} Now judged by {', '.join(others)}" if others else self.why


class _File(msgspec.Struct, forbid_unknown_fields=True):
    retired: list[Retired] = []


@cache
def retired_rules() -> dict[str, Retired]:
    """Every rule that is gone or changed, by its id. Raises `ConformanceError` if one is broken."""
    return read(files(__package__) / FILE)


def read(file: Traversable) -> dict[str, Retired]:
    """The tables of one file. Raises `ConformanceError` with the place of the first flaw."""
    found: dict[str, Retired] = {}
    for entry in _entries(file):
        for flaw in (*_flaws(entry), *(["it is there twice"] if entry.id in found else [])):
            raise ConformanceError(f"broken table in {file.name}, {entry.id}: {flaw}")
        found[entry.id] = entry
    return found


def _entries(file: Traversable) -> list[Retired]:
    try:
        return msgspec.convert(tomllib.loads(file.read_text("utf-8")), _File).retired
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise ConformanceError(f"broken table in {file.name}: {error}") from error


def _flaws(entry: Retired) -> Iterator[str]:
    if not entry.why.endswith(".") or entry.why != " ".join(entry.why.split()):
        yield "`why` is no sentence on one line with a full stop"
    if len(set(entry.replaced_by)) != len(entry.replaced_by):
        yield "`replaced_by` holds an id twice"
