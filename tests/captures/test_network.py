"""The layers that carry a segment are taken off; what can't be is told, and never guessed."""

import struct

import pytest

from conformance.captures.packets.network import Passed, segment
from conformance.captures.packets.packets import Packet
from tests.captures.writing import COOKED, COOKED_V2, ETHERNET, LOOPBACK, RAW, Tcp, ip, linked

TCP = Tcp(("10.0.0.5", 50000), ("10.0.0.1", 9092), 7, 8, 16, b"payload")
TCP6 = Tcp(("fd00::5", 50000), ("fd00::1", 9092), 7, 8, 16, b"payload")


def read(data: bytes, link: int = ETHERNET, size: int | None = None):
    return segment(Packet(0, link, data, len(data) if size is None else size))


@pytest.mark.parametrize("link", [ETHERNET, COOKED, COOKED_V2, LOOPBACK, RAW])
@pytest.mark.parametrize("packet", [TCP, TCP6], ids=["IPv4", "IPv6"])
def test_a_segment_is_the_same_behind_each_link(link, packet):
    found = read(linked(ip(packet), link), link)
    assert (found.sequence, found.acknowledged, found.payload) == (7, 8, b"payload")
    assert str(found.source) in ("10.0.0.5:50000", "[fd00::5]:50000")
    assert str(found.target) in ("10.0.0.1:9092", "[fd00::1]:9092")


@pytest.mark.parametrize("vlans", [(5,), (5, 6)])
def test_vlan_tags_are_taken_off(vlans):
    assert read(linked(ip(TCP), vlans=vlans)).payload == b"payload"


def test_the_padding_of_a_short_frame_is_no_payload():
    empty = Tcp(("10.0.0.5", 1), ("10.0.0.1", 2), 0, 0, 16)
    assert read(linked(ip(empty)) + bytes(6)).payload == b""


def test_a_packet_that_the_card_would_have_cut_has_no_length():
    data = bytearray(ip(TCP))
    data[2:4] = b"\0\0"
    assert read(linked(bytes(data))).payload == b"payload"


def test_what_the_capture_did_not_keep_is_counted():
    data = linked(ip(TCP))
    found = read(data[:-3], size=len(data))
    assert (found.payload, found.lost) == (b"payl", 3)
    found = read(data[:-7], size=len(data))
    assert (found.payload, found.lost) == (b"", 7)


def with_extensions(*headers: bytes) -> bytes:
    """An IPv6 packet with these headers, each of which begins with a kind in place of the next."""
    data = ip(TCP6)
    kinds = [header[0] for header in headers]
    following = [*kinds[1:], 6]
    chain = b"".join(
        bytes([after]) + header[1:] for after, header in zip(following, headers, strict=True)
    )
    length = struct.pack(">H", len(data) - 40 + len(chain))
    return data[:4] + length + bytes(kinds[:1]) + data[7:40] + chain + data[40:]


def test_extension_headers_of_ipv6_are_passed():
    options = bytes([0, 1]) + bytes(14)
    routing = bytes([43, 0]) + bytes(6)
    authentication = bytes([51, 1]) + bytes(10)
    whole = bytes([44, 0, 0, 0]) + bytes(4)
    found = read(linked(with_extensions(options, routing, authentication, whole)))
    assert found.payload == b"payload"


def test_fragments_are_told():
    fragment = bytearray(ip(TCP))
    fragment[6:8] = b"\x20\x00"
    with pytest.raises(Passed, match="fragments of IPv4"):
        read(linked(bytes(fragment)))
    with pytest.raises(Passed, match="fragments of IPv6"):
        read(linked(with_extensions(bytes([44, 0, 0, 9]) + bytes(4))))


@pytest.mark.parametrize(("protocol", "name"), [(47, "GRE"), (50, "IPsec"), (4, "IP in IP")])
def test_tunnels_are_told(protocol, name):
    data = bytearray(ip(TCP))
    data[9] = protocol
    with pytest.raises(Passed, match=name):
        read(linked(bytes(data)))


def test_other_protocols_are_none_of_ours():
    datagram = bytearray(ip(TCP))
    datagram[9] = 17
    assert read(linked(bytes(datagram))) is None
    assert read(bytes(12) + b"\x08\x06" + bytes(28)) is None


def test_a_link_type_that_is_not_read_is_told():
    with pytest.raises(Passed, match="link type 105"):
        read(linked(ip(TCP)), link=105)


def test_packets_cut_within_their_headers_are_told():
    data = linked(ip(TCP), vlans=(1,))
    flags_end = 18 + 20 + 14
    for size in range(flags_end):
        with pytest.raises(Passed, match="cut off"):
            read(data[:size], size=len(data))
    found = read(data[:flags_end], size=len(data))
    assert (found.payload, found.lost) == (b"", len(TCP.payload))
