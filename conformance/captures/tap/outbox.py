"""The forwarder's end of the pipe: records wait here, within a fixed room.

While the judge is slow and the room is taken, bytes are counted instead of kept, until half of the
room is free again: so the judge receives long stretches, not shreds. The counts of lost bytes of
both sides go out before any other record of a connection, since an answer must not seem to come
without its request. Ends of connections are always sent, and begins unless twice the room is taken;
a connection whose begin was not sent is only counted.
"""

from __future__ import annotations

import os
import time
from collections import deque
from contextlib import suppress

from conformance.captures.tap.records import HEAD, Kind, counted

ROOM_BYTES = 8 * 1024 * 1024
_AT_ONCE = 64


class Told:
    """The judge's knowledge of a connection: if it was reported, and each side's lost bytes."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.is_told = True
        self.lost = [0, 0]


class Outbox:
    """Records on their way to the judge. `pipe` is a descriptor that never blocks."""

    def __init__(self, pipe: int, room: int = ROOM_BYTES) -> None:
        os.set_blocking(pipe, False)
        self.size = 0
        self.untold = 0
        self._pipe = pipe
        self._room = room
        self._queue: deque[bytes | memoryview] = deque()
        self._is_full = False

    def opened(self, told: Told, ends: str) -> None:
        """Record that a connection has begun."""
        if self.size > 2 * self._room:
            told.is_told = False
            self.untold += 1
            return
        self._put(Kind.OPENED, told, 0, ends.encode())

    def said(self, told: Told, side: int, data: bytes) -> None:
        """Record bytes that are about to be forwarded."""
        if not told.is_told:
            return
        if self._has_room():
            self.losses(told)
            self._put(Kind.SAID, told, side, data)
        else:
            told.lost[side] += len(data)

    def ended(self, kind: Kind, told: Told, side: int) -> None:
        """Record that a side has finished, or reset the connection."""
        if told.is_told:
            self.losses(told)
            self._put(kind, told, side)

    def refused(self, told: Told, why: str) -> None:
        """Record that the connection on to the broker failed."""
        if self.size > 2 * self._room:
            self.untold += 1
        else:
            self._put(Kind.REFUSED, told, 0, why.encode())

    def losses(self, told: Told) -> None:
        """Record, as numbers, the bytes of a connection that the judge missed."""
        for side, lost in enumerate(told.lost if told.is_told else ()):
            if lost:
                told.lost[side] = 0
                self._put(Kind.LOST, told, side, counted(lost))

    def flush(self) -> bool:
        """Write as much as the pipe takes; return True if that was all. Raises BrokenPipeError."""
        with suppress(BlockingIOError):
            while self._queue:
                self._written(os.writev(self._pipe, _first(self._queue, _AT_ONCE)))
        return not self._queue

    def close(self) -> None:
        """Write all that is left, however long the judge takes. Raises BrokenPipeError."""
        if self.untold:
            self._put(Kind.UNTOLD, Told(0), 0, counted(self.untold))
        os.set_blocking(self._pipe, True)
        self.flush()
        os.close(self._pipe)

    def _has_room(self) -> bool:
        self._is_full = self.size > (self._room // 2 if self._is_full else self._room)
        return not self._is_full

    def _put(self, kind: Kind, told: Told, side: int, data: bytes = b"") -> None:
        head = HEAD.pack(kind, side, told.number, time.time_ns(), len(data))
        self._queue.append(head)
        if data:
            self._queue.append(data)
        self.size += len(head) + len(data)

    def _written(self, size: int) -> None:
        self.size -= size
        while size:
            first = self._queue.popleft()
            if len(first) > size:
                self._queue.appendleft(memoryview(first)[size:])
                return
            size -= len(first)


def _first(queue: deque[bytes | memoryview], most: int) -> list[bytes | memoryview]:
    return [queue[index] for index in range(min(most, len(queue)))]
