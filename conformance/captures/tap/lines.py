"""The forwarder's records as the TCP segments that a capture of the connections would have.

Sequence numbers begin anew with each connection, so that repeated connections between the same ends
are distinct; the client's end is its own, the broker's is where the tap connects to.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address

from conformance.captures.packets.network import ACK, FIN, RST, SYN, Key, PacketEnd, Segment
from conformance.captures.streams.traffic import PassedOver
from conformance.captures.tap.records import Kind, Record

MOST_PAYLOAD = 60_000
"""The most payload bytes of one packet: IP has room for a few more."""
BEHIND = "bytes that passed while the judge was behind"
UNTOLD = "connections that passed while the judge was behind"
REFUSED = "connections that the broker did not take"
_ODD = 0x9E37_79B1
_NUMBERS = 1 << 32


class _Line:
    """One connection: its ends, and the next sequence number of each."""

    def __init__(self, record: Record) -> None:
        host, port, there, other = record.data.decode().split()
        addresses = _of_one_family(host, there)
        ends = PacketEnd(addresses[0], int(port)), PacketEnd(addresses[1], int(other))
        self.ends: Key = ends
        self.key: Key = ends if ends[0] < ends[1] else (ends[1], ends[0])
        self.next = [record.connection * _ODD % _NUMBERS] * 2
        self.finished = [False, False]

    def segment(
        self, at_ns: int, side: int, flags: int, payload: bytes = b"", lost: int = 0
    ) -> Segment:
        """Return the next segment of a side."""
        source, target = self.ends[side], self.ends[1 - side]
        acknowledged = self.next[1 - side] if flags & ACK else 0
        at = self.next[side]
        taken = len(payload) + lost + bool(flags & (SYN | FIN))
        self.next[side] = (at + taken) % _NUMBERS
        return Segment(at_ns, self.key, source, target, at, acknowledged, flags, payload, lost)


class Lines:
    """All connections that are open. `told` counts the packets and what was skipped."""

    def __init__(self, told: PassedOver) -> None:
        self._told = told
        self._open: dict[int, _Line] = {}

    def segments(self, record: Record) -> Iterator[Segment]:
        """Yield the segments of a record."""
        for segment in self._segments(record):
            self._told.packets += 1
            yield segment

    def _segments(self, record: Record) -> Iterator[Segment]:
        if record.kind == Kind.OPENED:
            line = self._open[record.connection] = _Line(record)
            yield line.segment(record.at_ns, 0, SYN)
            yield line.segment(record.at_ns, 1, SYN | ACK)
        elif record.kind == Kind.REFUSED:
            self._told.reasons[f"{REFUSED}: {record.data.decode()}"] += 1
        elif record.kind == Kind.UNTOLD:
            self._told.reasons[UNTOLD] += record.number
        else:
            yield from self._of_line(self._open[record.connection], record)

    def _of_line(self, line: _Line, record: Record) -> Iterator[Segment]:
        at_ns, side = record.at_ns, record.side
        if record.kind == Kind.SAID:
            for start in range(0, len(record.data), MOST_PAYLOAD):
                yield line.segment(at_ns, side, ACK, record.data[start : start + MOST_PAYLOAD])
        elif record.kind == Kind.LOST:
            self._told.reasons[BEHIND] += record.number
            for start in range(0, record.number, MOST_PAYLOAD):
                yield line.segment(at_ns, side, ACK, lost=min(record.number - start, MOST_PAYLOAD))
        elif record.kind == Kind.FINISHED:
            yield line.segment(at_ns, side, FIN | ACK)
            line.finished[side] = True
            if all(line.finished):
                del self._open[record.connection]
        else:
            yield line.segment(at_ns, side, RST | ACK)
            del self._open[record.connection]


def _of_one_family(*hosts: str) -> list[bytes]:
    """Return addresses that one packet may have: all of IPv6 if one of them is."""
    addresses = [ip_address(host.partition("%")[0]) for host in hosts]
    if len({address.version for address in addresses}) == 1:
        return [address.packed for address in addresses]
    return [
        address.packed if address.version == 6 else b"\0" * 10 + b"\xff\xff" + address.packed
        for address in addresses
    ]
