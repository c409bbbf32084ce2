"""One object of a definition's JSON: its place, and the values of its keys.

A key with a senseless value is reported as a problem: of the part alone if reading can go on
without it, else of the whole part (`Unreadable`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from conformance.schema.model import JsonPath
from conformance.schema.text.problem import Problem
from conformance.schema.versions import Versions

ANNOTATIONS = "definitions.annotations-fit"
"""The rule for what a definition says beside how its message stands on the wire."""
_HEADER = re.compile(r"[0-9]{1,5}")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*")


class Unreadable(Exception):
    """A part of which nothing can be made; why is among the problems."""


@dataclass(frozen=True)
class JsonPart:
    """An object of the JSON, its name for people, its path, and where its problems go."""

    content: Mapping[str, Any]
    place: str
    path: JsonPath
    problems: list[Problem]

    def at(self, place: str) -> JsonPart:
        """Return the same part under another name."""
        return replace(self, place=place)

    def tell(self, rule: str, reason: str, key: str = "", at: str = "") -> None:
        """Add a problem: of the part, or of one of its keys, which `at` names for people."""
        place = ".".join(filter(None, (self.place, at)))
        path = (*self.path, key) if key in self.content else self.path
        self.problems.append(Problem(rule, place, reason, path))

    def fail(self, rule: str, reason: str, key: str = "", at: str = "") -> NoReturn:
        """Add a problem and give the part up. Raises Unreadable."""
        self.tell(rule, reason, key, at)
        raise Unreadable

    def known_keys(self, known: frozenset[str]) -> None:
        """Report each key that is not one of these."""
        for key in sorted(set(self.content) - known):
            self.tell("definitions.known-keys", f"unknown key {key!r}", key)

    def text(self, key: str) -> str:
        """Return the text of a key. Raises Unreadable."""
        value = self.content.get(key)
        if not isinstance(value, str):
            reason = "missing" if value is None else "no text"
            self.fail("definitions.values-fit", reason, key, at=key)
        return value

    def annotation(self, key: str) -> str:
        """Return text that changes no byte, "" if the key is missing."""
        value = self.content.get(key, "")
        if not isinstance(value, str):
            self.tell(ANNOTATIONS, "no text", key, key)
            return ""
        return value

    def name(self) -> str:
        """A name as Kafka allows it: files and code bear it. Raises Unreadable."""
        value = self.text("name")
        if not _NAME.fullmatch(value):
            self.fail("definitions.names-valid", f"{value!r} is no name", "name", at="name")
        return value

    def flag(self, key: str) -> bool:
        """True or false, or the word for it, as some definitions of Kafka have it."""
        value = self.content.get(key, False)
        if not isinstance(value, bool) and value not in ("true", "false"):
            self.tell(ANNOTATIONS, f"{value!r} is neither true nor false", key, key)
        return value in (True, "true")

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of names."""
        value = self.content.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.tell(ANNOTATIONS, "not a list of names", key, key)
            return ()
        return tuple(value)

    def versions(self, key: str, default: Versions | None = None) -> Versions:
        """A range of versions, or what holds where none is given. Raises Unreadable."""
        if key not in self.content and default is not None:
            return default
        try:
            return Versions.parse(self.text(key))
        except ValueError as error:
            self.fail("definitions.versions-readable", str(error), key, at=key)

    def header_versions(self) -> tuple[tuple[Versions, int], ...]:
        """Ranges of versions with the header's version in each: {"0-1": "1", "2+": "2"}."""
        given = self.content.get("headerVersions", {})
        try:
            return tuple((Versions.parse(key), _header(value)) for key, value in given.items())
        except (AttributeError, TypeError, ValueError):
            reason = f"{given!r} is no map of ranges to header versions"
            self.tell("definitions.header-versions", reason, "headerVersions", "headerVersions")
            return ()


def _header(value: Any) -> int:
    """A header's version, which definitions give as text. Raises ValueError."""
    if isinstance(value, bool) or not _HEADER.fullmatch(str(value)):
        raise ValueError(value)
    return int(value)


def parts(owner: JsonPart, key: str, place: str) -> Iterator[JsonPart]:
    """The objects of the list that `owner` has under this key."""
    given = owner.content.get(key, [])
    if not isinstance(given, list) or not all(isinstance(item, dict) for item in given):
        owner.at(place).tell("definitions.values-fit", "not a list of objects", key)
        return
    for index, item in enumerate(given):
        yield JsonPart(item, place, (*owner.path, key, index), owner.problems)
