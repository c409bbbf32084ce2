"""Kafka's own definitions to compare others with: one release, and older ones as a fallback.

Others keep versions that a release dropped already. Those are looked up in the newest older release
that still has them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache, cached_property

from conformance.definitions.foreign.interface import Imported
from conformance.schema.layout import Form
from conformance.schema.model import Message
from conformance.schema.releases import Definitions, definitions, release_order, releases
from conformance.schema.text.texts import NoDefinitions

OF_API = ("request", "response")
"""The types of messages that have an api key."""


class Kafka:
    """The definitions of one release, and of older ones for messages and versions it lacks."""

    def __init__(self, release: str = "") -> None:
        self.newest = definitions(release)
        self.release = self.newest.release
        self.form = cache(self._form)
        self.stable = cache(self._stable)

    @cached_property
    def older(self) -> tuple[Definitions, ...]:
        """The releases before it, newest first."""
        before = release_order(self.release)
        return tuple(definitions(each) for each in releases() if release_order(each) < before)

    @cached_property
    def _by_key(self) -> dict[tuple[str, int], str]:
        """Names by type and api key, of older releases too: KRaft dropped some APIs."""
        found: dict[tuple[str, int], str] = {}
        for holder in (self.newest, *self.older):
            for key, request in holder.requests.items():
                found.setdefault(("request", key), request)
                response = request.removesuffix("Request") + "Response"
                found.setdefault(("response", key), response)
        return found

    def name_of(self, name: str, message: Message) -> str | None:
        """Return Kafka's name of a message, None if Kafka has neither its name nor its api key."""
        if self.message(name) is not None:
            return name
        return (
            None if message.api_key is None else self._by_key.get((message.type, message.api_key))
        )

    def check_like(self, imported: Collection[Imported], where: str) -> None:
        """Raise NoDefinitions if none is a definition, or at least named like one of Kafka's."""
        if any(each.message or self.message(each.name) for each in imported):
            return
        first = next((one for each in imported for one in each.findings), None)
        why = f": {first.file}:{first.line}: {first.reason}" if first else ""
        raise NoDefinitions(
            f"nothing in {where} can be understood as a definition{why}", "is it the right folder?"
        )

    def message(self, name: str) -> Message | None:
        """Return the newest definition of this name up to the release."""
        return next((each[name] for each in (self.newest, *self.older) if name in each), None)

    def _form(self, name: str, version: int) -> Form | None:
        """Return the form of a version in the release, else in the newest older one that has it."""
        for each in (self.newest, *self.older):
            if name in each and version in each[name].valid:
                return each.form(name, version)
        return None

    def _stable(self, name: str) -> list[int]:
        """Return the versions of a message that this release has and that won't change any more."""
        if name not in self.newest:
            return []
        valid = self.newest[name].valid
        return [each for each in valid if not self.newest.form(name, each).unstable]


def nearest_release(imported: Iterable[Imported]) -> str:
    """Return the release whose newest versions are most like theirs, or the newest of equals."""
    theirs = _newest(each.message for each in imported if each.message)

    def distance(release: str) -> int:
        return len(theirs ^ _newest(definitions(release)))

    return min(releases(), key=distance)


def _newest(messages: Iterable[Message]) -> set[tuple[str, int | None, int]]:
    """Return the newest version of each request and response."""
    return {
        (each.type, each.api_key, each.valid.high)
        for each in messages
        if each.type in OF_API and each.valid
    }
