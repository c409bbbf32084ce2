"""Files of either format are read packet by packet, and what is wrong with one is one line."""

import gzip
import struct

import pytest

from conformance.captures.errors import CaptureError
from conformance.captures.packets.files import names_capture, packets
from tests.captures.writing import (
    COOKED,
    ETHERNET,
    Line,
    block,
    enhanced,
    frames,
    interface,
    pcap,
    pcapng,
    section,
    written,
)

LINE = Line().opens().asks(b"x" * 3000).closes()
FRAMES = [data for data, _ in frames(LINE.packets)]


@pytest.fixture
def file(tmp_path):
    return lambda pieces: written(tmp_path / "capture", pieces)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("nanoseconds", [False, True])
def test_a_pcap_has_packets_with_their_times(file, order, nanoseconds):
    found = list(packets(file(pcap(LINE.packets, order=order, nanoseconds=nanoseconds))))
    assert [each.data for each in found] == FRAMES
    assert found[1].at_ns - found[0].at_ns == 1000
    assert {each.link for each in found} == {ETHERNET}


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_pcapng_has_the_same(file, order):
    found = list(packets(file(pcapng(LINE.packets, order=order))))
    assert [each.data for each in found] == FRAMES
    assert found[1].at_ns - found[0].at_ns == 1000


def test_each_interface_has_a_link_type_and_a_clock_of_its_own(file):
    pieces = [section(), interface(ETHERNET), interface(COOKED, ticks_power=3)]
    pieces += [enhanced(b"one", 3, 5 * 10**9), enhanced(b"two", 3, 5000, number=1)]
    one, two = packets(file(pieces))
    assert (one.link, two.link) == (ETHERNET, COOKED)
    assert one.at_ns == two.at_ns == 5 * 10**9


def test_sections_may_differ_in_byte_order(file):
    little, big = (
        [section(order), interface(ETHERNET, order), enhanced(data, 1, 0, order)]
        for order, data in (("<", b"a"), (">", b"b"))
    )
    assert [each.data for each in packets(file(little + big))] == [b"a", b"b"]


def test_old_and_simple_packets_are_packets(file):
    old = block("<", 2, struct.pack("<HHIIII", 0, 0, 0, 0, 3, 3) + b"old")
    simple = block("<", 3, struct.pack("<I", 6) + b"simple")
    found = packets(file([section(), interface(ETHERNET), old, simple]))
    assert [each.data for each in found] == [b"old", b"simple"]


def test_a_compressed_capture_is_read(file):
    found = packets(file([gzip.compress(b"".join(pcap(LINE.packets)))]))
    assert [each.data for each in found] == FRAMES


@pytest.mark.parametrize("write", [pcap, pcapng])
def test_a_capture_cut_anywhere_gives_what_is_whole_and_says_so(file, write):
    whole = b"".join(write(LINE.packets[:3]))
    before = -1
    for size in range(200, len(whole)):
        cut: list[str] = []
        found = list(packets(file([whole[:size]]), cut.append))
        assert [each.data for each in found] == FRAMES[: len(found)]
        assert len(found) >= before
        assert len(cut) <= 1
        before = len(found)
    assert len(cut) == 1
    assert "ends within" in cut[0] or "announced" in cut[0]


def test_a_torn_compressed_capture_says_so(file):
    cut: list[str] = []
    whole = gzip.compress(b"".join(pcap(LINE.packets)))
    list(packets(file([whole[: len(whole) // 2]]), cut.append))
    assert "torn" in cut[0]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"\x7fELF and so on", "no capture, it begins with 7f454c46"),
        (b"\xd4\xc3\xb2\xa1\x02\x00", "ends within its header"),
        (b"\x0a\x0d\x0d\x0a\x1c", "ends in its header"),
        (b"\x1f\x8b\x08\x00", "torn"),
    ],
    ids=["empty", "foreign", "short pcap", "short pcapng", "short gzip"],
)
def test_what_is_no_capture_is_one_clear_line(file, content, says):
    with pytest.raises(CaptureError, match=says) as error:
        list(packets(file([content])))
    assert "\n" not in str(error.value)


def test_lengths_that_lie_take_no_memory(file):
    head = b"".join(pcap([]))
    cut: list[str] = []
    assert not list(packets(file([head, struct.pack("<IIII", 0, 0, 2**31, 5)]), cut.append))
    lying = struct.pack("<II", 6, 0xFFFFFFF0)
    assert not list(packets(file([section(), interface(1), lying]), cut.append))
    assert len(cut) == 2


def test_a_file_that_is_not_there_is_one_clear_line(tmp_path):
    with pytest.raises(CaptureError, match="No such file"):
        list(packets(tmp_path / "nowhere.pcap"))


def test_a_capture_is_known_by_what_it_holds_or_by_its_name(file, tmp_path):
    assert names_capture(str(file(pcapng(LINE.packets))))
    assert names_capture("nowhere.pcapng")
    assert not names_capture("0012" * 2000)
    assert not names_capture(str(written(tmp_path / "a frame", [b"\x00\x12\x00\x03"])))
