"""Ranges of versions, as message definitions write them: `0-3`, `2+`, `5`, `none`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_VERSION = 32767
"""Versions are int16 on the wire, so an open range ends here."""

_RANGE = re.compile(r"([0-9]+)(?:(\+)|-([0-9]+))?")


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions `low` to `high`, both included; empty where low is above high."""

    low: int
    high: int

    @classmethod
    def parse(cls, text: str) -> Versions:
        """Read a range. Raises ValueError with the text where it is none."""
        text = text.strip()
        if text == "none":
            return NONE
        match = _RANGE.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is no range of versions such as 0-3, 2+, 5 or none")
        low = int(match[1])
        high = MAX_VERSION if match[2] else int(match[3]) if match[3] else low
        if low > high or high > MAX_VERSION:
            raise ValueError(f"{text!r} is an empty range of versions, or one beyond {MAX_VERSION}")
        return cls(low, high)

    def __contains__(self, version: int) -> bool:
        return self.low <= version <= self.high

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.low, self.high + 1))

    def __bool__(self) -> bool:
        return self.low <= self.high

    def __and__(self, other: Versions) -> Versions:
        both = Versions(max(self.low, other.low), min(self.high, other.high))
        return both if both else NONE

    def __le__(self, other: Versions) -> bool:
        """True if every version of this range lies in the other."""
        return not self or (other.low <= self.low and self.high <= other.high)

    def without(self, other: Versions) -> tuple[Versions, ...]:
        """The ranges of this one that are not in the other: at most one below and one above."""
        if not self & other:
            return (self,) if self else ()
        below, above = Versions(self.low, other.low - 1), Versions(other.high + 1, self.high)
        return tuple(part for part in (below, above) if part)

    def __str__(self) -> str:
        if not self:
            return "none"
        if self.low == self.high:
            return str(self.low)
        return f"{self.low}+" if self.high == MAX_VERSION else f"{self.low}-{self.high}"


NONE = Versions(0, -1)
EVERY = Versions(0, MAX_VERSION)
