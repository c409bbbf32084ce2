"""Families that are made while a target works, rather than while it waits for them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from conformance.codecs.cases.case import Family

MOST = 64
"""The most families that wait to be asked."""


class Ahead(Iterator[Family]):
    """The families of a message, in their order."""

    def __init__(self, families: Iterable[Family]) -> None:
        self._families = iter(families)
        self._made: deque[Family] = deque()

    def __next__(self) -> Family:
        return self._made.popleft() if self._made else next(self._families)

    def make_one(self) -> bool:
        """Make one more family; return False if there is none left, or enough are waiting."""
        family = next(self._families, None) if len(self._made) < MOST else None
        if family is not None:
            self._made.append(family)
        return family is not None
