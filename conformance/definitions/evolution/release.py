"""The definitions of one side of a comparison, and the names of those that can't be compared.

A definition that can't be read reliably proves nothing about another release, so it is not
compared, and this is reported: a definition that was skipped silently would look like one that did
not change.
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
    """A definition, and its source text."""

    message: Message
    source: Text


@dataclass(frozen=True)
class Unread:
    """A definition that can't be compared: its file, its expected name, and the reason."""

    file: str
    name: str
    reason: str


@dataclass(frozen=True)
class Release:
    """The definitions of a release or of another set; `name` is shown to users."""

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
        """True if a version may still change; a request states it for its response too."""
        if message.type == "response" and message.api_key is not None:
            request = self.by_api_key.get(("request", message.api_key))
            message = request.message if request else message
        return message.unstable(version)

    def stable_high(self, message: Message) -> int:
        """Return the newest stable version, or one below the oldest if none is stable."""
        return message.valid.high - self.unstable(message, message.valid.high)


def read_release(name: str, texts: Iterable[Text]) -> Release:
    """Return the definitions of these texts as a release.

    Of two that define the same name the first is kept; the other is unread, unless it is a copy.
    """
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
