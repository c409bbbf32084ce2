"""The newer format, pcapng: blocks with a kind and a length, in sections of one byte order.

Each interface of a section has its own link type and unit of time. Blocks that hold no packet are
skipped, so that names, statistics and secrets in a file are never looked at.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from conformance.captures.errors import CaptureError
from conformance.captures.packets.packets import MOST_PACKET_BYTES, Cut, Packet, PacketSource

COMMENT = 1
BROKER_PORT = "kafka-conformance: the broker's port is "
"""The begin of a section's comment that names the port of its broker."""
SECTION = b"\x0a\x0d\x0d\x0a"
INTERFACE = 1
OLD_PACKET = 2
SIMPLE_PACKET = 3
ENHANCED_PACKET = 6
RESOLUTION = 9
OFFSET_S = 14
_ORDERS = {b"\x1a\x2b\x3c\x4d": ">", b"\x4d\x3c\x2b\x1a": "<"}
_MOST_INTERFACES = 65536


@dataclass(frozen=True, slots=True)
class Interface:
    """The common data of an interface's packets: link type, bytes kept, ticks a second, offset."""

    link: int
    snap: int
    ticks: int = 1_000_000
    offset_s: int = 0

    def at_ns(self, high: int, low: int) -> int:
        """Return the time of a packet since 1970."""
        return ((high << 32 | low) * 1_000_000_000) // self.ticks + self.offset_s * 1_000_000_000


@dataclass(slots=True)
class _Section:
    order: str
    interfaces: list[Interface] = field(default_factory=list)

    def interface(self, number: int) -> Interface:
        if number >= len(self.interfaces):
            raise Cut(f"a packet of interface {number}, and there are {len(self.interfaces)}")
        return self.interfaces[number]


def packets(source: PacketSource) -> Iterator[Packet]:
    """Yield the packets of a file whose first four bytes were read already."""
    section = _section(source, first=True)
    while head := source.read(4):
        if head == SECTION:
            section = _section(source)
            continue
        kind, body = _block(source, head, section.order)
        try:
            packet = _taken(kind, body, section)
        except struct.error:
            raise Cut(f"a block is too short for what it is, at byte {source.offset}") from None
        if packet is not None:
            yield packet


def broker_port(source: PacketSource) -> int | None:
    """Return the port that the first section names, None if it names none.

    The first four bytes of the file were read already.
    """
    _, options = _section_block(source, first=True)
    for code, value in options:
        text = value.decode("utf-8", "replace")
        port = text.removeprefix(BROKER_PORT)
        if code == COMMENT and port != text and port.isdecimal() and 0 < int(port) < 65536:
            return int(port)
    return None


def _section(source: PacketSource, first: bool = False) -> _Section:
    """Return the section whose block goes on here; only its byte order matters to packets."""
    return _Section(_section_block(source, first)[0])


def _section_block(source: PacketSource, first: bool) -> tuple[str, list[tuple[int, bytes]]]:
    """Return the byte order of a section, and its options."""
    head = source.read(8)
    order = _ORDERS.get(head[4:])
    if order is None:
        if first:
            raise CaptureError(f"{source.name}: the file ends in its header", "capture it again")
        raise Cut(f"a section without a byte order, at byte {source.offset}")
    (length,) = struct.unpack(f"{order}I", head[:4])
    if length % 4 or not 28 <= length <= MOST_PACKET_BYTES:
        raise Cut(f"a section block of {length} bytes, at byte {source.offset}")
    body = source.exactly(length - 12)
    return order, list(_options(body[12:-4], order))


def _block(source: PacketSource, head: bytes, order: str) -> tuple[int, bytes]:
    """Return the kind of the next block, and its body if the kind matters."""
    kind, length = struct.unpack(f"{order}II", head + source.exactly(8 - len(head)))
    if length % 4 or length < 12:
        raise Cut(f"a block of {length} bytes, at byte {source.offset}")
    if kind not in (INTERFACE, OLD_PACKET, SIMPLE_PACKET, ENHANCED_PACKET):
        source.skip(length - 8)
        return kind, b""
    if length > MOST_PACKET_BYTES:
        raise Cut(f"a packet of {length} bytes is announced, at byte {source.offset}")
    return kind, source.exactly(length - 8)[:-4]


def _taken(kind: int, body: bytes, section: _Section) -> Packet | None:
    """Return the packet of a block, None if it holds none; remember an interface."""
    order = section.order
    if kind == INTERFACE:
        if len(section.interfaces) >= _MOST_INTERFACES:
            raise Cut("more interfaces than there can be")
        section.interfaces.append(_interface(body, order))
    elif kind == ENHANCED_PACKET:
        number, high, low, kept, size = struct.unpack_from(f"{order}IIIII", body)
        return _packet(section.interface(number), high, low, body[20 : 20 + kept], size)
    elif kind == OLD_PACKET:
        number, _, high, low, kept, size = struct.unpack_from(f"{order}HHIIII", body)
        return _packet(section.interface(number), high, low, body[20 : 20 + kept], size)
    elif kind == SIMPLE_PACKET:
        interface = section.interface(0)
        (size,) = struct.unpack_from(f"{order}I", body)
        kept = min(size, interface.snap or size)
        return _packet(interface, 0, 0, body[4 : 4 + kept], size)
    return None


def _packet(interface: Interface, high: int, low: int, data: bytes, size: int) -> Packet:
    return Packet(interface.at_ns(high, low), interface.link, data, size)


def _interface(body: bytes, order: str) -> Interface:
    link, _, snap = struct.unpack_from(f"{order}HHI", body)
    ticks, offset_s = 1_000_000, 0
    for code, value in _options(body[8:], order):
        if code == RESOLUTION and value:
            power = value[0] & 0x7F
            ticks = 2 ** min(power, 63) if value[0] & 0x80 else 10 ** min(power, 18)
        elif code == OFFSET_S and len(value) == 8:
            (offset_s,) = struct.unpack(f"{order}q", value)
    return Interface(link, snap, ticks, offset_s)


def _options(data: bytes, order: str) -> Iterator[tuple[int, bytes]]:
    """Yield code and value of each option, up to the end or to one that is cut off."""
    at = 0
    while at + 4 <= len(data):
        code, length = struct.unpack_from(f"{order}HH", data, at)
        if code == 0:
            return
        yield code, data[at + 4 : at + 4 + length]
        at += 4 + (length + 3) // 4 * 4
