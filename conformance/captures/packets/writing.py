"""Segments as a pcapng file: one section, one interface whose packets begin with IP.

Bytes that a segment lost are left out of its packet, as in a capture that keeps only the begin of
each packet: the packet states its full length.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Self

from conformance.captures.errors import CaptureError
from conformance.captures.packets.network import TCP, Segment
from conformance.captures.packets.pcapng import (
    BROKER_PORT,
    COMMENT,
    ENHANCED_PACKET,
    INTERFACE,
    RESOLUTION,
    SECTION,
)

_RAW = 101
_NANOSECONDS = struct.pack("<HHB3xHH", RESOLUTION, 1, 9, 0, 0)
_WINDOW = 65535
_TCP = struct.Struct(">HHIIBBHHH")


class PcapngWriter:
    """A writer of a pcapng file, which replaces an existing file. Raises CaptureError.

    A comment in the file names the broker's port, so that readers need no option for it.
    """

    def __init__(self, path: Path, port: int) -> None:
        self._path = path
        try:
            self._file = path.open("wb")
        except OSError as error:
            raise CaptureError(f"{path}: {error.strerror}", "write it elsewhere") from None
        (section,) = struct.unpack("<I", SECTION)
        self._block(section, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1) + _comment(port))
        self._block(INTERFACE, struct.pack("<HHI", _RAW, 0, 0) + _NANOSECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._file.close()
        except OSError as error:
            raise CaptureError(f"{self._path}: {error.strerror}", "free some room") from None

    def flush(self) -> None:
        """Write out all that is in memory. Raises CaptureError if the disk is full."""
        try:
            self._file.flush()
        except OSError as error:
            raise CaptureError(f"{self._path}: {error.strerror}", "free some room") from None

    def write(self, segment: Segment) -> None:
        """Add a packet. Raises CaptureError if the disk is full."""
        data = packet_of(segment)
        high, low = divmod(segment.at_ns, 1 << 32)
        size = len(data) + segment.lost
        self._block(ENHANCED_PACKET, struct.pack("<IIIII", 0, high, low, len(data), size) + data)

    def _block(self, kind: int, body: bytes) -> None:
        body += bytes(-len(body) % 4)
        length = 12 + len(body)
        try:
            self._file.write(struct.pack("<II", kind, length) + body + struct.pack("<I", length))
        except OSError as error:
            raise CaptureError(f"{self._path}: {error.strerror}", "free some room") from None


def _comment(port: int) -> bytes:
    """Return the option of a section that names the broker's port, and the end of its options."""
    text = f"{BROKER_PORT}{port}".encode()
    return struct.pack("<HH", COMMENT, len(text)) + text + bytes(-len(text) % 4) + bytes(4)


def packet_of(segment: Segment) -> bytes:
    """Return a segment with its headers, from IP on; its lengths and numbers count lost bytes."""
    source, target = segment.source, segment.target
    tcp = _tcp(segment, 0) + segment.payload
    size = len(tcp) + segment.lost
    addresses = source.address + target.address
    if not segment.lost:
        pseudo = addresses + struct.pack(">II", size, TCP)
        tcp = _tcp(segment, _checksum(pseudo + tcp)) + segment.payload
    if len(source.address) == 16:
        return struct.pack(">IHBB", 6 << 28, size, TCP, 64) + addresses + tcp
    parts = (0x45, 0, 20 + size, 0, 0x4000, 64, TCP)
    head = struct.pack(">BBHHHBBH", *parts, 0) + addresses
    return struct.pack(">BBHHHBBH", *parts, _checksum(head)) + addresses + tcp


def _tcp(segment: Segment, checksum: int) -> bytes:
    ports = segment.source.port, segment.target.port
    numbers = segment.sequence, segment.acknowledged
    return _TCP.pack(*ports, *numbers, 5 << 4, segment.flags, _WINDOW, checksum, 0)


def _checksum(data: bytes) -> int:
    """Return the ones' complement of the sum of all 16-bit words: they add up modulo 65535."""
    if len(data) % 2:
        data += b"\0"
    return 0xFFFF - (int.from_bytes(data, "big") % 0xFFFF or 0xFFFF)
