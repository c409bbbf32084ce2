"""The TCP payloads of bytes that are whole packets, as tcpdump and Wireshark dump them.

A packet is recognised by its addresses' protocol, TCP, and a length that is no longer than the
bytes: Kafka's frames do not look like that. Bytes that a capture has twice are taken once.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from conformance.captures.packets.network import SYN, Passed, Segment, segment
from conformance.captures.packets.packets import Packet
from conformance.pasted.piece import Piece

_RAW, _ETHERNET, _COOKED, _COOKED_V2, _LOOPBACK = 101, 1, 113, 276, 0
_HEADERS = {_RAW: 0, _ETHERNET: 14, _COOKED: 16, _COOKED_V2: 20, _LOOPBACK: 4}
_TYPE_AT = {_ETHERNET: 12, _COOKED: 14, _COOKED_V2: 0}
_TYPES = {b"\x08\x00": 4, b"\x86\xdd": 6}
_TCP = 6
_LEAST = 40
_WRAP = 1 << 32
_AGAIN = "came again (retransmitted by TCP), and are taken once"


def unwrapped(pieces: Sequence[Piece]) -> tuple[tuple[Piece, ...], tuple[str, ...]] | None:
    """Return the payloads of pieces that are all packets, and notes; None if one is no packet."""
    found = [_segment(piece.data) for piece in pieces]
    segments = [each for each in found if each is not None]
    if not segments or len(segments) < len(found):
        return None
    payloads, notes = [], []
    expected: dict[tuple[object, object], int] = {}
    for each in segments:
        ends = (each.source, each.target)
        begin = each.sequence + bool(each.flags & SYN)
        ahead = (begin - expected.get(ends, begin) + _WRAP // 2) % _WRAP - _WRAP // 2
        if ahead > 0:
            notes.append(f"{ahead} bytes from {each.source} are missing between two packets")
        if again := min(-ahead, len(each.payload)) if ahead < 0 else 0:
            notes.append(f"{again} bytes from {each.source} {_AGAIN}")
        payload = each.payload[max(-ahead, 0) :]
        if each.lost:
            notes.append(f"the capture cut {each.lost} bytes off a packet (tcpdump -s 0 keeps all)")
        if payload:
            payloads.append(Piece(payload, f"{each.source} to {each.target}"))
        if ends not in expected or ahead + len(each.payload) + each.lost > 0:
            expected[ends] = (begin + len(each.payload) + each.lost) % _WRAP
    number = len(segments)
    packets = "a packet" if number == 1 else f"{number} packets"
    head = f"{packets} of TCP: the headers of network and TCP are skipped"
    return tuple(payloads), (head, *notes)


def _segment(data: bytes) -> Segment | None:
    for link in _links(data):
        try:
            return segment(Packet(0, link, data, len(data)))
        except Passed:
            continue
    return None


def _links(data: bytes) -> Iterator[int]:
    """Yield the link types of which bytes may be packets."""
    for link, at in _HEADERS.items():
        if _is_ip(data[at:]) and (
            link not in _TYPE_AT
            or _TYPES.get(data[_TYPE_AT[link] : _TYPE_AT[link] + 2]) == data[at] >> 4
        ):
            yield link


def _is_ip(data: bytes) -> bool:
    """True if bytes begin with the header of an IP packet that carries TCP."""
    if len(data) < _LEAST:
        return False
    if data[0] >> 4 == 4:
        return data[0] & 15 >= 5 and data[9] == _TCP and _uint16(data, 2) >= _LEAST
    return data[0] >> 4 == 6 and data[6] == _TCP


def _uint16(data: bytes, at: int) -> int:
    (value,) = struct.unpack_from(">H", data, at)
    return int(value)
