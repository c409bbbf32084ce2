"""The table of requests: for each API, a request made of what is known, valid or near the edge.

An entry is a function that draws the body of a request; the fields that a version lacks are left
out, and those that the function leaves out have their defaults. Values come from small pools, so
that requests of one conversation are about the same topics, groups and producers; the first value
of a pool is the plain one, to which Hypothesis shortens. Entries are found in the modules beside.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.brokers.exploring.conversation import Value
from conformance.brokers.exploring.identities import Identities
from conformance.brokers.exploring.model import Model
from conformance.modules import import_all

T = TypeVar("T")


class Draw(Protocol):
    """Draws a value from a strategy."""

    def __call__(self, strategy: SearchStrategy[T], /) -> T:
        """Return a value."""
        ...


@dataclass(frozen=True)
class Hand:
    """The material of a request: the choices of Hypothesis, what is known, and the version."""

    draw: Draw
    model: Model
    identities: Identities
    version: int

    def pick(self, *values: T) -> T:
        """Return one of these, each as likely."""
        return values[self.draw(_below(len(values)))]

    def rarely(self, times: int = 8) -> bool:
        """True once in so many times; where it is False the request is plain."""
        return self.draw(_below(times)) == times - 1

    def near(self, *plain: T, edge: tuple[Any, ...]) -> Any:
        """Return one of the plain values, once in a while one from the edge."""
        return self.pick(*edge) if edge and self.rarely() else self.pick(*plain)

    def some(self, most: int, make: Callable[[], T], least: int = 1) -> list[T]:
        """Return a few things, one more often than several."""
        number = self.pick(*(least,) * 3, *range(least, most + 1))
        return [make() for _ in range(number)]


@dataclass(frozen=True, slots=True)
class Asking:
    """The maker of a request of one API, in `versions`; the heavier, the more often."""

    api: str
    make: Callable[[Hand], Value]
    versions: range
    weight: int

    @property
    def name(self) -> str:
        """The name of what is asked."""
        return self.make.__name__.strip("_")


@cache
def _below(end: int) -> SearchStrategy[int]:
    """Return the numbers below one, made once: that takes longer than to draw."""
    return st.integers(0, end - 1)


_registered: list[Asking] = []


def asking(
    api: str, versions: range = range(1000), weight: int = 1
) -> Callable[[Callable[[Hand], Value]], Callable[[Hand], Value]]:
    """The function under this draws a request of an API."""

    def register(make: Callable[[Hand], Value]) -> Callable[[Hand], Value]:
        _registered.append(Asking(api, make, versions, weight))
        return make

    return register


@cache
def askings() -> tuple[Asking, ...]:
    """Return every entry, sorted by name."""
    import_all(__name__, __path__)
    return tuple(sorted(_registered, key=lambda each: each.name))
