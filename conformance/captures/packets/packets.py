"""A captured packet, and the file that packets are read from."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO

import msgspec

MOST_PACKET_BYTES = 16 * 1024 * 1024
"""The size of the largest packet of any interface: a length above it is no packet length."""
BUFFER_BYTES = 1024 * 1024


class Packet(msgspec.Struct, frozen=True, gc=False):
    """A packet as it was captured. `size` is its bytes on the wire, `at_ns` is since 1970.

    `link` is the number of its link type in the registry of the Tcpdump group.
    """

    at_ns: int
    link: int
    data: bytes
    size: int


class Cut(Exception):
    """The file ends, or makes no sense any more, within a packet; the packets before are good."""


Reader = Callable[["PacketSource"], Iterator[Packet]]


class PacketSource:
    """A file that is read forward, and its current offset."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self.name = name
        self.offset = 0

    def read(self, size: int) -> bytes:
        """Return the next bytes, fewer only at the end.

        Raises Cut for a compressed file that is torn.
        """
        try:
            data = self._file.read(size)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise Cut(f"the compressed file is torn behind byte {self.offset}: {error}") from None
        self.offset += len(data)
        return data

    def exactly(self, size: int) -> bytes:
        """Return exactly so many next bytes. Raises Cut."""
        data = self.read(size)
        if len(data) < size:
            raise Cut(f"the file ends within a packet, at byte {self.offset}")
        return data

    def skip(self, size: int) -> None:
        """Skip bytes, a piece at a time. Raises Cut."""
        while size > 0:
            size -= len(self.exactly(min(size, BUFFER_BYTES)))
