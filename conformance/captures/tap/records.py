"""The records that the forwarding process sends through a pipe to the judging process.

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
    """The kind of a record of a connection; `side` is the acting side: 0 client, 1 broker."""

    OPENED = 1
    """Both ends are connected; the bytes are their addresses."""
    SAID = 2
    """A side sent these bytes."""
    LOST = 3
    """A side sent so many bytes more, which the judge was too slow to receive."""
    FINISHED = 4
    """A side sends nothing more."""
    RESET = 5
    """A side reset the connection."""
    REFUSED = 6
    """The connection on to the broker failed; the bytes are the reason."""
    UNTOLD = 7
    """So many connections came that the judge was too slow to receive any record of."""


class Record(NamedTuple):
    """A record of the pipe. `at_ns` is since 1970."""

    kind: int
    side: int
    connection: int
    at_ns: int
    data: bytes = b""

    @property
    def number(self) -> int:
        """Return the count in a record of kind LOST or UNTOLD."""
        found: int = _NUMBER.unpack(self.data)[0]
        return found


def counted(number: int) -> bytes:
    """Return the bytes of a count."""
    return _NUMBER.pack(number)


class Records:
    """A reader of the pipe that takes bytes as they come, and gives out whole records."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Record]:
        """Yield every record that these bytes complete."""
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
