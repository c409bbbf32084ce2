"""Frames cut out of one direction: a size of four bytes, then so many bytes.

Where bytes are missing within a frame, that frame is lost and the next one begins where its size
says. Where the size itself may be missing, or the capture began in the middle, the next frame is
searched for by the bytes that a frame must begin with. A frame too large to be kept is skipped by
its size, so that no stream can make us keep more than the limits allow.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from conformance.captures.errors import Limits, Room
from conformance.captures.streams.streams import Hole, Piece

State = Literal["reading", "passing", "seeking", "given up"]
Why = Literal["incomplete", "too large", "no room", "no size", "unaligned", "not found", "cut off"]
HEAD_BYTES = 64
LARGEST = 1 << 28
"""The largest size of a frame: brokers take half of it, and other protocols begin with more."""
WINDOW_BYTES = 64 * 1024
_SIZE = struct.Struct(">i")


@dataclass(frozen=True, slots=True)
class Missed:
    """A frame that is not given out, or bytes in the place of a frame; `head` is their begin."""

    why: Why
    size: int
    head: bytes = b""


Seek = Callable[[bytes, int], int | None]
"""A search for the offset of a frame in bytes; the number is where the latest segment begins."""


class Cutter:
    """A cutter of the pieces of a stream into frames, without their sizes.

    `begun` is the offset in the stream of the size of the last frame that was given out.
    """

    def __init__(self, limits: Limits, room: Room, seek: Seek, *, aligned: bool) -> None:
        self.state: State = "reading" if aligned else "seeking"
        self._limits = limits
        self._room = room
        self._seek = seek
        self.begun = 0
        self._buffer = bytearray()
        self._taken = 0
        self._kept = 0
        self._left = 0
        self._sought = 0

    def feed(self, piece: Piece) -> Iterator[bytes | Missed]:
        """Take the next piece, and yield the frames that it completes."""
        self._taken += piece.size if isinstance(piece, Hole) else len(piece)
        if isinstance(piece, Hole):
            yield from self._hole(piece.size)
        elif self.state == "seeking":
            yield from self._look(piece)
        elif self.state == "passing":
            yield from self._pass_by(piece)
        elif self.state == "reading":
            self._buffer += piece
            yield from self._cut()
        self._account()

    def give_up(self) -> None:
        """Take no more."""
        self.state = "given up"
        self._buffer.clear()
        self._account()

    def finish(self) -> Iterator[Missed]:
        """Yield the rest at the end of the stream, or of its capture."""
        if self.state == "reading" and self._buffer:
            yield Missed("cut off", len(self._buffer), self._head())
        self.give_up()

    def _cut(self) -> Iterator[bytes | Missed]:
        """Yield every whole frame in the buffer, or why the bytes are no frame."""
        while self.state == "reading" and len(self._buffer) >= 4:
            (size,) = _SIZE.unpack_from(self._buffer)
            if not 0 <= size <= LARGEST:
                yield Missed("no size", size, bytes(self._buffer[:HEAD_BYTES]))
                self._lose_way()
            elif len(self._buffer) >= 4 + size:
                self.begun = self._taken - len(self._buffer)
                frame = bytes(self._buffer[4 : 4 + size])
                del self._buffer[: 4 + size]
                yield frame
            elif size > self._limits.frame_bytes and len(self._buffer) >= 4 + HEAD_BYTES:
                yield self._pass("too large", size, self._taken - len(self._buffer))
            elif self._room.left + self._kept < len(self._buffer):
                yield self._pass("no room", size, self._taken - len(self._buffer))
            else:
                return

    def _pass(self, why: Why, size: int, at: int) -> Missed:
        """Give up one frame, whose end is known, and which begins at an offset."""
        missed = Missed(why, size, self._head())
        self.begun = at
        self._left = 4 + size - len(self._buffer)
        self._buffer.clear()
        self.state = "passing"
        return missed

    def _pass_by(self, piece: bytes) -> Iterator[bytes | Missed]:
        passed = min(self._left, len(piece))
        self._left -= passed
        if self._left == 0:
            self.state = "reading"
            self._buffer += piece[passed:]
            yield from self._cut()

    def _hole(self, size: int) -> Iterator[Missed]:
        """Go on after missing bytes: in a frame with a known end, or at the next frame."""
        if self.state == "reading" and len(self._buffer) >= 4:
            begun = self._taken - size - len(self._buffer)
            yield self._pass("incomplete", _SIZE.unpack_from(self._buffer)[0], begun)
        if self.state == "passing" and size <= self._left:
            self._left -= size
            self.state = "passing" if self._left else "reading"
        elif self.state in ("reading", "passing"):
            yield Missed("unaligned", size)
            self._lose_way()

    def _lose_way(self) -> None:
        self.state = "seeking"
        self._left = self._sought = 0
        self._buffer.clear()

    def _look(self, piece: bytes) -> Iterator[bytes | Missed]:
        """Search for a frame, where this segment begins and wherever a whole one lies."""
        self._sought += len(piece)
        latest = len(self._buffer)
        self._buffer += piece
        found = self._seek(bytes(self._buffer), latest)
        if found is not None:
            del self._buffer[:found]
            self.state = "reading"
            yield from self._cut()
        elif self._sought > self._limits.search_bytes:
            yield Missed("not found", self._sought)
            self.give_up()
        elif len(self._buffer) > WINDOW_BYTES:
            del self._buffer[:-WINDOW_BYTES]

    def _head(self) -> bytes:
        return bytes(self._buffer[4 : 4 + HEAD_BYTES])

    def _account(self) -> None:
        """Report how much is kept now to the shared room."""
        self._room.left += self._kept - len(self._buffer)
        self._kept = len(self._buffer)
