"""From a captured packet to a TCP segment: the layers that carry one, taken off.

A packet that carries no TCP is none of ours and is left without a word. One that might, and can't
be told, is `Passed` with the reason: a fragment, an encapsulation or a link type that is not read.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import NamedTuple

from conformance.captures.packets import Packet

FIN, SYN, RST, ACK = 1, 2, 4, 16
TCP = 6
_IPV4, _IPV6 = 0x0800, 0x86DD
_VLANS = (0x8100, 0x88A8, 0x9100)
_EXTENSIONS = (0, 43, 60, 135, 139, 140)
_FRAGMENT, _AUTHENTICATION = 44, 51
_ETHERNET_HEADER = struct.Struct(">12xH")
_TCP_HEADER = struct.Struct(">HHIIBB")


class Endpoint(NamedTuple):
    """One end of a connection: its address as bytes, and its port."""

    address: bytes
    port: int

    def __str__(self) -> str:
        text = str(ip_address(self.address))
        return f"[{text}]:{self.port}" if ":" in text else f"{text}:{self.port}"


@dataclass(frozen=True, slots=True)
class Segment:
    """A TCP segment. `lost` are bytes at the end of its payload that the capture has not."""

    at_ns: int
    source: Endpoint
    target: Endpoint
    sequence: int
    acknowledged: int
    flags: int
    payload: bytes
    lost: int = 0


class Passed(Exception):
    """Why a packet that may carry TCP is not read."""


class _Other(Exception):
    """The packet carries something else."""


def segment(packet: Packet) -> Segment | None:
    """The TCP segment that a packet carries, None where it carries another protocol.

    Raises Passed where that can't be told.
    """
    unwrap = _LINKS.get(packet.link)
    if unwrap is None:
        raise Passed(f"link type {packet.link} is not read")
    try:
        kind, start = unwrap(packet.data)
        if kind == _IPV4:
            return _of_ipv4(packet, start)
        if kind == _IPV6:
            return _of_ipv6(packet, start)
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
    """A family of addresses in the byte order of whoever captured it."""
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


def _of_ipv4(packet: Packet, start: int) -> Segment:
    data = packet.data
    total, _, fragment, _, protocol = struct.unpack_from(">HHHBB", data, start + 2)
    if protocol != TCP:
        raise _tunnel(protocol)
    if fragment & 0x3FFF:
        raise Passed("fragments of IPv4 are not put together")
    header = (data[start] & 15) * 4
    end = start + total if total else packet.size  # 0 where the card is left to cut the packet
    source, target = data[start + 12 : start + 16], data[start + 16 : start + 20]
    return _tcp(packet, source, target, start + header, end)


def _of_ipv6(packet: Packet, start: int) -> Segment:
    data = packet.data
    length, following = struct.unpack_from(">HB", data, start + 4)
    end = start + 40 + length if length else packet.size
    source, target = data[start + 8 : start + 24], data[start + 24 : start + 40]
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
    return _tcp(packet, source, target, at, end)


def _tunnel(protocol: int) -> Exception:
    names = {4: "IP in IP", 41: "IPv6 in IP", 47: "GRE", 50: "IPsec"}
    return Passed(f"{names[protocol]} is not read") if protocol in names else _Other()


def _tcp(packet: Packet, source: bytes, target: bytes, start: int, end: int) -> Segment:
    """The segment at `start` of a packet whose IP part ends at `end`; padding lies behind it."""
    from_, to, sequence, acknowledged, offset, flags = _TCP_HEADER.unpack_from(packet.data, start)
    begin = start + (offset >> 4) * 4
    payload = packet.data[begin:end]
    return Segment(
        packet.at_ns,
        Endpoint(source, from_),
        Endpoint(target, to),
        sequence,
        acknowledged,
        flags,
        payload,
        max(end - max(begin, len(packet.data)), 0) if end > len(packet.data) else 0,
    )
