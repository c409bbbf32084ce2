"""One direction of a TCP connection: segments in any order go in, bytes in order come out.

Bytes that were seen before are dropped, early segments wait, and a hole that does not fill is given
out as one: its size is known from the sequence numbers, so that the cutter of frames knows whether
it lies within one. A hole counts as lost once too much waits after it, once the peer has
acknowledged its bytes and some packets have passed since, or at the end.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator
from dataclasses import dataclass

from conformance.captures.errors import Limits, Room

PATIENCE = 64
"""The number of packets that may pass on a connection while its capture is out of order."""
_HALF = 1 << 31
_WINDOW = 1 << 30
"""The largest window (RFC 7323): a segment farther away is of another connection."""


@dataclass(frozen=True, slots=True)
class Hole:
    """Bytes that the capture lacks."""

    size: int


Piece = bytes | Hole


class TcpStream:
    """The bytes of one direction, from the first sequence number that is seen."""

    def __init__(self, limits: Limits, room: Room) -> None:
        self.offset = 0
        self.started = False
        self.ended = False
        self._limits = limits
        self._room = room
        self._next = self._first = 0
        self._waiting: list[tuple[int, bytes, int]] = []
        self._waits = 0
        self._acknowledged = 0
        self._passed = 0
        self._end: int | None = None
        self._refused = False

    @property
    def stalls(self) -> bool:
        """True if a segment waits after a hole."""
        return bool(self._waiting)

    @property
    def lacks(self) -> bool:
        """True if bytes so far are missing: the peer acknowledged more than was captured.

        The end of a stream counts as one sequence number without a byte.
        """
        return not self.started or self.stalls or self._acknowledged > self.offset + 1

    def start(self, sequence: int) -> None:
        """Set the sequence number of the first byte, unless it is known."""
        if not self.started:
            self._next, self._first, self.started = sequence, sequence, True

    def begins_at(self, sequence: int) -> bool:
        """True if the first byte may have this sequence number."""
        return not self.started or self._first == sequence

    def push(self, sequence: int, data: bytes, lost: int) -> Iterator[Piece]:
        """Take a segment, whose last `lost` bytes were cut off; yield the bytes now in order."""
        self.start(sequence)
        at = self.offset + _distance(self._next, sequence)
        if at > self.offset:
            self._wait(at, data, lost)
        else:
            yield from self._deliver(at, data, lost)
            yield from self._ready()
        if self._is_full():
            yield from self._leap()

    def finish_at(self, sequence: int) -> None:
        """Set the sequence number at which the stream ends."""
        self._end = self.offset + _distance(self._next, sequence)
        self._check_end()

    def acknowledge(self, sequence: int) -> Iterator[Piece]:
        """Note that the peer has all bytes before this one; missing ones of them will not come."""
        if not self.started:
            return
        self._acknowledged = max(self._acknowledged, self.offset + _distance(self._next, sequence))
        if not self._waiting:
            return
        self._passed += 1
        if self._passed > PATIENCE and self._acknowledged >= self._waiting[0][0]:
            yield from self._leap()

    def flush(self) -> Iterator[Piece]:
        """Yield all that waits, with the holes between."""
        while self._waiting:
            yield from self._leap()

    def _wait(self, at: int, data: bytes, lost: int) -> None:
        """Keep a segment that came too early, unless it is kept already or there is no room."""
        if at - self.offset > _WINDOW or not (data or lost):
            return
        if any(one == at and len(kept) >= len(data) for one, kept, _ in self._waiting):
            return
        if not self._room.take(len(data)):
            self._refused = True
            return
        self._waits += len(data)
        insort(self._waiting, (at, data, lost))

    def _is_full(self) -> bool:
        limits = self._limits
        full = self._waits > limits.ahead_bytes or len(self._waiting) > limits.ahead_segments
        refused, self._refused = self._refused, False
        return bool(self._waiting) and (full or refused)

    def _deliver(self, at: int, data: bytes, lost: int) -> Iterator[Piece]:
        """Yield the new bytes of a segment that begins at or before the current offset."""
        fresh = data[self.offset - at :]
        if fresh:
            yield self._advance(fresh)
        missing = at + len(data) + lost - self.offset
        if lost and missing > 0:
            yield self._advance(Hole(missing))
        self._check_end()

    def _advance(self, piece: Piece) -> Piece:
        size = piece.size if isinstance(piece, Hole) else len(piece)
        self.offset += size
        self._next = (self._next + size) & 0xFFFF_FFFF
        return piece

    def _ready(self) -> Iterator[Piece]:
        """Yield the waiting segments that are now in order."""
        while self._waiting and self._waiting[0][0] <= self.offset:
            at, data, lost = self._waiting.pop(0)
            self._room.give(len(data))
            self._waits -= len(data)
            self._passed = 0
            yield from self._deliver(at, data, lost)

    def _leap(self) -> Iterator[Piece]:
        """Yield the first hole as lost, and the segments after it."""
        yield self._advance(Hole(self._waiting[0][0] - self.offset))
        yield from self._ready()

    def _check_end(self) -> None:
        self.ended = self._end is not None and self.offset >= self._end


def _distance(from_: int, to: int) -> int:
    """Return the distance from one sequence number to another, negative if that is earlier."""
    return ((to - from_ + _HALF) & 0xFFFF_FFFF) - _HALF
