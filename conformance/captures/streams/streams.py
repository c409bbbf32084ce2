"""One direction of a TCP connection: segments in any order go in, bytes in order come out.

What was seen before is dropped, what comes too early waits, and a hole that does not fill is given
out as one: its size is known from the sequence numbers, so that whoever cuts frames can tell
whether it lies within one. A hole counts as lost once too much waits behind it, once the peer has
acknowledged what it holds and some packets have passed since, or at the end.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator
from dataclasses import dataclass

from conformance.captures.errors import Limits, Room

PATIENCE = 64
"""So many packets may pass on a connection while its capture is out of order."""
_HALF = 1 << 31
_WINDOW = 1 << 30
"""No window is larger (RFC 7323): what is farther away is of another connection."""


@dataclass(frozen=True, slots=True)
class Hole:
    """Bytes that the capture has not."""

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
        """Whether something waits behind a hole."""
        return bool(self._waiting)

    @property
    def lacks(self) -> bool:
        """Whether bytes are known to be missing so far: the peer has some that were not captured.

        The end of a stream counts as one byte, which is none.
        """
        return not self.started or self.stalls or self._acknowledged > self.offset + 1

    def start(self, sequence: int) -> None:
        """Where the first byte is."""
        if not self.started:
            self._next, self._first, self.started = sequence, sequence, True

    def begins_at(self, sequence: int) -> bool:
        """Whether the first byte may be that of this number."""
        return not self.started or self._first == sequence

    def push(self, sequence: int, data: bytes, lost: int) -> Iterator[Piece]:
        """Take a segment, behind which `lost` bytes were cut off, and give out what is due."""
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
        """Where the last byte was."""
        self._end = self.offset + _distance(self._next, sequence)
        self._check_end()

    def acknowledge(self, sequence: int) -> Iterator[Piece]:
        """The peer has all bytes before this one: what is missing of them is not coming."""
        if not self.started:
            return
        self._acknowledged = max(self._acknowledged, self.offset + _distance(self._next, sequence))
        if not self._waiting:
            return
        self._passed += 1
        if self._passed > PATIENCE and self._acknowledged >= self._waiting[0][0]:
            yield from self._leap()

    def flush(self) -> Iterator[Piece]:
        """Give out all that waits, with the holes between."""
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
        """What is new of a segment that does not begin behind a hole."""
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
        """Segments that waited for what has come now."""
        while self._waiting and self._waiting[0][0] <= self.offset:
            at, data, lost = self._waiting.pop(0)
            self._room.give(len(data))
            self._waits -= len(data)
            self._passed = 0
            yield from self._deliver(at, data, lost)

    def _leap(self) -> Iterator[Piece]:
        """Take the first hole for lost."""
        yield self._advance(Hole(self._waiting[0][0] - self.offset))
        yield from self._ready()

    def _check_end(self) -> None:
        self.ended = self._end is not None and self.offset >= self._end


def _distance(from_: int, to: int) -> int:
    """How far it is from one sequence number to another, negative if that was before."""
    return ((to - from_ + _HALF) & 0xFFFF_FFFF) - _HALF
