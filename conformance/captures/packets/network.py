"""From a captured packet to a TCP segment: the layers around the segment are taken off.

A packet that carries no TCP is dropped silently. One that may carry TCP but can't be read is
`Passed` with the reason: a fragment, an encapsulation or an unknown link type. Where several tasks
share the connections, a packet is dropped as soon as its ends are seen: they are looked up by their
bytes, since a task meets the packets of all others, and the same few ends many times.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Mapping
from functools import lru_cache
from ipaddress import ip_address
from typing import NamedTuple

import msgspec

from conformance.captures.packets.packets import Packet

FIN, SYN, RST, ACK = 1, 2, 4, 16
TCP = 6
_IPV4, _IPV6 = 0x0800, 0x86DD
_VLANS = (0x8100, 0x88A8, 0x9100)
_EXTENSIONS = (0, 43, 60, 135, 139, 140)
_FRAGMENT, _AUTHENTICATION = 44, 51
_ETHERNET_HEADER = struct.Struct(">12xH")
_IPV4_HEADER = struct.Struct(">BxHxxHxB")
_TCP_HEADER = struct.Struct(">HHIIBB")
_MOST_ENDS = 16_384


class PacketEnd(NamedTuple):
    """One end of a connection: its address as bytes, and its port."""

    address: bytes
    port: int

    def __str__(self) -> str:
        text = str(ip_address(self.address))
        return f"[{text}]:{self.port}" if ":" in text else f"{text}:{self.port}"


Key = tuple[PacketEnd, PacketEnd]
"""A connection's two ends, in the same order for both directions."""


class Share(NamedTuple):
    """The connections that fall to one of several tasks: all of them to the only one."""

    part: int = 0
    parts: int = 1

    def has(self, number: int) -> bool:
        """True if the connection of this number falls to the task."""
        return number % self.parts == self.part


ALL = Share()


class Segment(msgspec.Struct, frozen=True, gc=False):
    """A TCP segment. `lost` is how many bytes at the end of its payload the capture lacks."""

    at_ns: int
    key: Key
    source: PacketEnd
    target: PacketEnd
    sequence: int
    acknowledged: int
    flags: int
    payload: bytes
    lost: int = 0


class Passed(Exception):
    """A packet that may carry TCP is not read; the message is the reason."""


class _Other(Exception):
    """The packet carries another protocol."""


def segment(packet: Packet, share: Share = ALL) -> Segment | None:
    """Return the TCP segment of a packet, None for another protocol's or another task's.

    Raises Passed, in every task, if the packet may carry TCP but can't be read.
    """
    unwrap = _LINKS.get(packet.link)
    if unwrap is None:
        raise Passed(f"link type {packet.link} is not read")
    try:
        kind, start = unwrap(packet.data)
        if kind == _IPV4:
            return _of_ipv4(packet, start, share)
        if kind == _IPV6:
            return _of_ipv6(packet, start, share)
    except _Other:
        return None
    except (struct.error, IndexError):
        raise Passed("cut off within its headers") from None
    return None


def _ethernet(data: bytes) -> tuple[int, int]:
    (kind,) = _ETHERNET_HEADER.unpack_from(data)
    start = 14
    while kind in _VLANS:
        (kind,) = struct.unpack_from(">H", data, start + 2)
        start += 4
    return kind, start


def _cooked(data: bytes) -> tuple[int, int]:
    return _behind_vlans(data, struct.unpack_from(">H", data, 14)[0], 16)


def _cooked_v2(data: bytes) -> tuple[int, int]:
    return _behind_vlans(data, struct.unpack_from(">H", data)[0], 20)


def _behind_vlans(data: bytes, kind: int, start: int) -> tuple[int, int]:
    while kind in _VLANS:
        (kind,) = struct.unpack_from(">H", data, start + 2)
        start += 4
    return kind, start


def _loopback(data: bytes) -> tuple[int, int]:
    """Skip the address family, whose byte order is that of the capturing machine."""
    return (_by_version(data, 4), 4)


def _raw(data: bytes) -> tuple[int, int]:
    return _by_version(data, 0), 0


def _by_version(data: bytes, at: int) -> int:
    return {4: _IPV4, 6: _IPV6}.get(data[at] >> 4, 0)


_LINKS: Mapping[int, Callable[[bytes], tuple[int, int]]] = {
    0: _loopback,
    1: _ethernet,
    12: _raw,
    14: _raw,
    101: _raw,
    108: _loopback,
    113: _cooked,
    228: lambda _: (_IPV4, 0),
    229: lambda _: (_IPV6, 0),
    276: _cooked_v2,
}


def _of_ipv4(packet: Packet, start: int, share: Share) -> Segment | None:
    first, total, fragment, protocol = _IPV4_HEADER.unpack_from(packet.data, start)
    if protocol != TCP:
        raise _tunnel(protocol)
    if fragment & 0x3FFF:
        raise Passed("fragments of IPv4 are not put together")
    end = start + total if total else packet.size  # 0: the card segments the packet
    addresses = packet.data[start + 12 : start + 20]
    return _tcp(packet, addresses, start + (first & 15) * 4, end, share)


def _of_ipv6(packet: Packet, start: int, share: Share) -> Segment | None:
    data = packet.data
    length, following = struct.unpack_from(">HB", data, start + 4)
    end = start + 40 + length if length else packet.size
    at = start + 40
    while following in (*_EXTENSIONS, _AUTHENTICATION, _FRAGMENT):
        if following == _FRAGMENT and struct.unpack_from(">H", data, at + 2)[0] & 0xFFF9:
            raise Passed("fragments of IPv6 are not put together")
        unit = 4 if following == _AUTHENTICATION else 8
        extra = 0 if following == _FRAGMENT else data[at + 1]
        size = (extra + 2) * 4 if unit == 4 else (extra + 1) * 8
        following, at = data[at], at + size
    if following != TCP:
        raise _tunnel(following)
    return _tcp(packet, data[start + 8 : start + 40], at, end, share)


def _tunnel(protocol: int) -> Exception:
    names = {4: "IP in IP", 41: "IPv6 in IP", 47: "GRE", 50: "IPsec"}
    return Passed(f"{names[protocol]} is not read") if protocol in names else _Other()


def _tcp(packet: Packet, addresses: bytes, start: int, end: int, share: Share) -> Segment | None:
    """Return the segment at `start` of a packet whose IP part ends at `end`, without padding."""
    data = packet.data
    from_, to, sequence, acknowledged, offset, flags = _TCP_HEADER.unpack_from(data, start)
    source, target, key, number = _ends(addresses, from_, to)
    if not share.has(number):
        return None
    begin = start + (offset >> 4) * 4
    lost = max(end - max(begin, len(data)), 0) if end > len(data) else 0
    return Segment(
        packet.at_ns, key, source, target, sequence, acknowledged, flags, data[begin:end], lost
    )


@lru_cache(_MOST_ENDS)
def _ends(addresses: bytes, from_: int, to: int) -> tuple[PacketEnd, PacketEnd, Key, int]:
    """Return the source and the target of a segment, its connection, and that one's number."""
    half = len(addresses) // 2
    source, target = PacketEnd(addresses[:half], from_), PacketEnd(addresses[half:], to)
    key = (source, target) if source < target else (target, source)
    return source, target, key, number_of(key)


def number_of(key: Key) -> int:
    """Return the number of a connection: equal in each process and on each machine."""
    return zlib.crc32(b"".join(end.address + end.port.to_bytes(2, "big") for end in key))
