"""The error for captures that can't be read, and the limits that keep memory flat."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.errors import ConformanceError

MIB = 1024 * 1024


class CaptureError(ConformanceError):
    """A file that is no capture, or that can't be read."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a task keeps, in bytes, except for the counts of segments and connections.

    Tasks on Spark know nothing of each other's connections, so all of them together may keep that
    much times their number; a task that reaches a limit reports what it skipped.

    `frame_bytes` is the largest frame that is judged; larger ones are skipped. `ahead_bytes` and
    `ahead_segments` are what one direction keeps after a hole before it takes the hole for lost.
    `all_bytes` is what all connections keep together. `search_bytes` is how far the next frame is
    searched for after a hole.
    """

    frame_bytes: int = 16 * MIB
    ahead_bytes: int = 4 * MIB
    ahead_segments: int = 1024
    all_bytes: int = 256 * MIB
    search_bytes: int = 4 * MIB
    connections: int = 20_000


@dataclass(slots=True)
class Room:
    """The bytes that all connections together may still keep."""

    left: int

    def take(self, size: int) -> bool:
        """Take the room and return True, if there is enough."""
        if size > self.left:
            return False
        self.left -= size
        return True

    def give(self, size: int) -> None:
        """Give back the room of bytes that are kept no longer."""
        self.left += size
