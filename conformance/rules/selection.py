"""The part of the suite that a run judges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from conformance.rules import Rule


class OfAVersion(Protocol):
    """A thing of one version of a message, as a golden vector is."""

    @property
    def message(self) -> str:
        """Return the message's name."""
        ...

    @property
    def version(self) -> int:
        """Return the message's version."""
        ...


@dataclass(frozen=True, slots=True)
class Selection:
    """The chosen part of the suite: rules by id, and optionally messages, versions and case ids."""

    rules: dict[str, Rule]
    messages: frozenset[str] | None = None
    versions: frozenset[int] | None = None
    cases: frozenset[str] | None = None

    def wants(self, item: OfAVersion) -> bool:
        """True if it is of a selected message and version."""
        return (self.messages is None or item.message in self.messages) and (
            self.versions is None or item.version in self.versions
        )
