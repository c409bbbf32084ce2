"""Captures made to order: conversations as packets, packets as files, the same on each run.

A `Line` is one connection: what each side says becomes segments with sequence numbers. The packets
are a list (or a stream, for captures larger than memory), so that a test loses, repeats and swaps
them as it likes before they are written.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from ipaddress import ip_address
from pathlib import Path

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
ETHERNET, RAW, LOOPBACK, COOKED, COOKED_V2 = 1, 101, 0, 113, 276
BEGIN_NS = 1_700_000_000_000_000_000
MSS = 1448


@dataclass(frozen=True)
class Tcp:
    """A segment to be written; `snapped` bytes at its end were not kept by the capture."""

    source: tuple[str, int]
    target: tuple[str, int]
    sequence: int
    acknowledged: int
    flags: int
    payload: bytes = b""
    snapped: int = 0


class Line:
    """One connection from its handshake to its end."""

    def __init__(
        self,
        client: tuple[str, int] = ("10.0.0.5", 50000),
        broker: tuple[str, int] = ("10.0.0.1", 9092),
        begins: tuple[int, int] = (1000, 9000),
        mss: int = MSS,
        packets: list[Tcp] | None = None,
    ) -> None:
        self.ends = (client, broker)
        self.next = list(begins)
        self.mss = mss
        self.packets: list[Tcp] = [] if packets is None else packets

    def opens(self) -> Line:
        self._add(0, SYN)
        self._add(1, SYN | ACK)
        self._add(0, ACK)
        return self

    def asks(self, *data: bytes) -> Line:
        return self.says(0, b"".join(data))

    def answers(self, *data: bytes) -> Line:
        return self.says(1, b"".join(data))

    def closes(self) -> Line:
        self._add(0, FIN | ACK)
        self._add(1, FIN | ACK)
        self._add(0, ACK)
        return self

    def resets(self) -> Line:
        self._add(0, RST)
        return self

    def ends_side(self, side: int) -> Line:
        """The client (0) or the broker (1) says nothing more."""
        self._add(side, FIN | ACK)
        return self

    def acknowledges(self, times: int = 1) -> Line:
        for _ in range(times):
            self._add(0, ACK)
        return self

    def says(self, side: int, data: bytes) -> Line:
        """What the client (0) or the broker (1) says, in as many segments as it takes."""
        for start in range(0, len(data), self.mss):
            self._add(side, PSH | ACK, data[start : start + self.mss])
        return self

    def _add(self, side: int, flags: int, payload: bytes = b"") -> None:
        here, there = self.ends[side], self.ends[1 - side]
        acknowledged = self.next[1 - side] if flags & ACK else 0
        self.packets.append(Tcp(here, there, self.next[side], acknowledged, flags, payload))
        taken = len(payload) + bool(flags & (SYN | FIN))
        self.next[side] = (self.next[side] + taken) % 2**32


def snapped(packet: Tcp, kept: int) -> Tcp:
    """A packet of whose payload the capture kept so many bytes."""
    lost = max(len(packet.payload) - kept, 0)
    return replace(packet, snapped=lost)


def ip(packet: Tcp) -> bytes:
    """A packet from its IP header on, as it was on the wire."""
    source, target = ip_address(packet.source[0]), ip_address(packet.target[0])
    ports = packet.source[1], packet.target[1]
    numbers = packet.sequence, packet.acknowledged
    tcp = struct.pack(">HHIIBBHHH", *ports, *numbers, 5 << 4, packet.flags, 65535, 0, 0)
    data = tcp + packet.payload
    if source.version == 6:
        head = struct.pack(">IHBB", 6 << 28, len(data), 6, 64)
        return head + source.packed + target.packed + data
    total = 20 + len(data)
    head = struct.pack(">BBHHHBBH", 0x45, 0, total & 0xFFFF, 0, 0x4000, 64, 6, 0)
    return head + source.packed + target.packed + data


def linked(data: bytes, link: int = ETHERNET, vlans: tuple[int, ...] = ()) -> bytes:
    """An IP packet in the frame of a link type."""
    kind = 0x86DD if data[0] >> 4 == 6 else 0x0800
    if link == ETHERNET:
        tags = b"".join(struct.pack(">HH", 0x8100, vlan) for vlan in vlans)
        return bytes(12) + tags + struct.pack(">H", kind) + data
    if link == COOKED:
        return struct.pack(">HHH8sH", 0, 1, 6, bytes(8), kind) + data
    if link == COOKED_V2:
        return struct.pack(">HHIHBB8s", kind, 0, 1, 1, 0, 6, bytes(8)) + data
    if link == LOOPBACK:
        return struct.pack("<I", 2 if kind == 0x0800 else 30) + data
    return data


def frames(packets: Iterable[Tcp], link: int = ETHERNET) -> Iterator[tuple[bytes, int]]:
    """Each packet as it was captured, and its size on the wire."""
    for packet in packets:
        data = linked(ip(packet), link)
        yield data[: len(data) - packet.snapped], len(data)


def pcap(
    packets: Iterable[Tcp], link: int = ETHERNET, order: str = "<", nanoseconds: bool = False
) -> Iterator[bytes]:
    """A file of the older format, piece by piece."""
    magic = 0xA1B23C4D if nanoseconds else 0xA1B2C3D4
    yield struct.pack(f"{order}IHHIIII", magic, 2, 4, 0, 0, 262144, link)
    for number, (data, size) in enumerate(frames(packets, link)):
        seconds, rest = divmod(BEGIN_NS + number * 1000, 10**9)
        fraction = rest if nanoseconds else rest // 1000
        yield struct.pack(f"{order}IIII", seconds, fraction, len(data), size) + data


def pcapng(packets: Iterable[Tcp], link: int = ETHERNET, order: str = "<") -> Iterator[bytes]:
    """A file of the newer format, piece by piece, with blocks between that hold no packet."""
    yield section(order)
    yield interface(link, order)
    yield block(order, 5, struct.pack(f"{order}III", 0, 0, 0))
    for number, (data, size) in enumerate(frames(packets, link)):
        yield enhanced(data, size, BEGIN_NS + number * 1000, order)


def section(order: str = "<") -> bytes:
    """The block that a section begins with."""
    return block(order, 0x0A0D0D0A, struct.pack(f"{order}IHHq", 0x1A2B3C4D, 1, 0, -1))


def interface(link: int, order: str = "<", ticks_power: int = 9) -> bytes:
    """An interface whose times are in units of ten to the minus so many seconds."""
    options = struct.pack(f"{order}HHB3xHH", 9, 1, ticks_power, 0, 0)
    return block(order, 1, struct.pack(f"{order}HHI", link, 0, 262144) + options)


def enhanced(data: bytes, size: int, ticks: int, order: str = "<", number: int = 0) -> bytes:
    """The block of a packet of an interface."""
    head = struct.pack(f"{order}IIIII", number, ticks >> 32, ticks & 0xFFFFFFFF, len(data), size)
    return block(order, 6, head + data)


def block(order: str, kind: int, body: bytes) -> bytes:
    """Any block, padded as it has to be."""
    body += bytes(-len(body) % 4)
    length = struct.pack(f"{order}I", 12 + len(body))
    return struct.pack(f"{order}I", kind) + length + body + length


def written(path: Path, pieces: Iterable[bytes]) -> Path:
    """A file of these pieces, none of which has to stay in memory."""
    with path.open("wb") as file:
        file.writelines(pieces)
    return path
