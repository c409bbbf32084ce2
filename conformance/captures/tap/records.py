"""What the process that forwards tells the one that judges: records in a pipe.

A record is a head and so many bytes. Nothing but the standard library is imported here: the process
that forwards has nothing else to load.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

HEAD = struct.Struct(">BBIQI")
_NUMBER = struct.Struct(">Q")


class Kind(IntEnum):
    """What a record tells of a connection, by the side that did it: 0 the client, 1 the broker."""

    OPENED = 1
    """Both ends are connected; the bytes are their addresses."""
    SAID = 2
    """The bytes that a side said."""
    LOST = 3
    """A side said so many bytes more, and the judge was too far behind to be told them."""
    FINISHED = 4
    """A side says nothing more."""
    RESET = 5
    """A side reset the connection."""
    REFUSED = 6
    """There was no connection on to the broker; the bytes are the reason."""
    UNTOLD = 7
    """So many connections came while the judge was too far behind to be told of any."""


class Record(NamedTuple):
    """One of them. `at_ns` is since 1970."""

    kind: int
    side: int
    connection: int
    at_ns: int
    data: bytes = b""

    @property
    def number(self) -> int:
        """How many, of what is counted."""
        found: int = _NUMBER.unpack(self.data)[0]
        return found


def counted(number: int) -> bytes:
    """The bytes of a number."""
    return _NUMBER.pack(number)


class Records:
    """Takes bytes as they come out of the pipe, and gives out the records that are whole."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Record]:
        """Every record that is complete with these bytes."""
        self._buffer += data
        at, end = 0, len(self._buffer)
        while at + HEAD.size <= end:
            kind, side, connection, at_ns, size = HEAD.unpack_from(self._buffer, at)
            behind = at + HEAD.size + size
            if behind > end:
                break
            said = bytes(self._buffer[at + HEAD.size : behind])
            at = behind
            yield Record(kind, side, connection, at_ns, said)
        del self._buffer[:at]
