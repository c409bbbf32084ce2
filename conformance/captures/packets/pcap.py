"""The older format, pcap: one file header, then records."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import partial

from conformance.captures.errors import CaptureError
from conformance.captures.packets.packets import (
    MOST_PACKET_BYTES,
    Cut,
    Packet,
    PacketSource,
    Reader,
)

MAGICS = {
    b"\xa1\xb2\xc3\xd4": (">", 1000),
    b"\xd4\xc3\xb2\xa1": ("<", 1000),
    b"\xa1\xb2\x3c\x4d": (">", 1),
    b"\x4d\x3c\xb2\xa1": ("<", 1),
}
"""The byte order, and the nanoseconds in the unit of a time's fraction, by magic bytes."""
_LINK_BITS = 0x0FFF_FFFF
"""The bits of the link type, which shares its field with the length of a checksum."""


def reader(magic: bytes) -> Reader:
    """Return the reader of files that begin with these magic bytes."""
    return partial(_packets, *MAGICS[magic])


def _packets(order: str, unit_ns: int, source: PacketSource) -> Iterator[Packet]:
    header = source.read(20)
    if len(header) < 20:
        raise CaptureError(f"{source.name}: the file ends within its header", "capture it again")
    (link,) = struct.unpack_from(f"{order}I", header, 16)
    record = struct.Struct(f"{order}IIII")
    while head := source.read(record.size):
        if len(head) < record.size:
            raise Cut(f"the file ends within a packet, at byte {source.offset}")
        seconds, fraction, kept, size = record.unpack(head)
        if kept > MOST_PACKET_BYTES:
            raise Cut(f"a packet of {kept} bytes is announced, at byte {source.offset}")
        at_ns = seconds * 1_000_000_000 + fraction * unit_ns
        yield Packet(at_ns, link & _LINK_BITS, source.exactly(kept), size)
