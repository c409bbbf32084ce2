"""What a user is told of a capture that can't be read, and the limits that keep memory flat."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.errors import ConformanceError

MIB = 1024 * 1024


class CaptureError(ConformanceError):
    """A file that is no capture, or that can't be read."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What is kept at most, in bytes but for the numbers of things; by each task for itself.

    Tasks on Spark know nothing of each other's connections, so all of them together may keep as
    much as that times their number, and one that reaches a limit tells what it passed over.

    `frame_bytes` is the largest frame that is judged, larger ones are passed over. `ahead_bytes`
    and `ahead_segments` are what one direction keeps behind a hole before it takes the hole for
    lost. `all_bytes` is what all connections keep together. `search_bytes` is how far the next
    frame is looked for behind a hole.
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
        """Whether there is room; takes it if so."""
        if size > self.left:
            return False
        self.left -= size
        return True

    def give(self, size: int) -> None:
        """Bytes that are kept no longer."""
        self.left += size
