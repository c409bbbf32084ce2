"""The definitions of one side of a comparison: those that can be relied on, and the others by name.

What can't be read for sure proves nothing about another release, so it is not compared, and said to
be so: a definition that was passed over in silence would look like one that did not change.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath

from conformance.schema.model import Message
from conformance.schema.text.load import load_content, parse_forgiving
from conformance.schema.text.problem import DefinitionError
from conformance.schema.text.texts import Text


@dataclass(frozen=True)
class Definition:
    """A definition, and where it stands."""

    message: Message
    source: Text


@dataclass(frozen=True)
class Unread:
    """A definition that can't be compared: its file, the name that it should have, and why."""

    file: str
    name: str
    reason: str


@dataclass(frozen=True)
class Release:
    """The definitions of a release, or of whatever stands for one; `name` is for people."""

    name: str
    definitions: tuple[Definition, ...]
    unread: tuple[Unread, ...] = field(default=())

    @cached_property
    def by_name(self) -> dict[str, Definition]:
        """The definitions by the names of their messages."""
        return {each.message.name: each for each in self.definitions}

    @cached_property
    def by_api_key(self) -> dict[tuple[str, int], Definition]:
        """Requests and responses by type and api key; other types' keys are not unique."""
        return {
            (each.message.type, each.message.api_key): each
            for each in self.definitions
            if each.message.type in ("request", "response") and each.message.api_key is not None
        }

    def unstable(self, message: Message, version: int) -> bool:
        """Whether a version may still change; a request says it for its response too."""
        if message.type == "response" and message.api_key is not None:
            request = self.by_api_key.get(("request", message.api_key))
            message = request.message if request else message
        return message.unstable(version)

    def stable_high(self, message: Message) -> int:
        """The newest version that is not unstable; one below the oldest where there is none."""
        return message.valid.high - self.unstable(message, message.valid.high)


def read_release(name: str, texts: Iterable[Text]) -> Release:
    """The definitions of these texts; of two by one name the first, where they are no copies."""
    read: dict[str, Definition] = {}
    unread: list[Unread] = []
    for text in texts:
        try:
            content = parse_forgiving(text.text, text.file)
            message = load_content(content, text.file)
        except DefinitionError as error:
            reason = f"{error.place}: {error.reason}" if error.place else error.reason
            unread.append(Unread(text.file, PurePath(text.file).stem, reason))
            continue
        first = read.setdefault(message.name, Definition(message, text))
        if first.source.text != text.text:
            reason = f"{first.source.file} defines {message.name} too, and is the one compared"
            unread.append(Unread(text.file, message.name, reason))
    return Release(name, tuple(read.values()), tuple(unread))
