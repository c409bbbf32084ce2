"""Segments in any order are bytes in order, and what never came is a hole of known size."""

import random

import pytest

from conformance.captures.errors import Limits, Room
from conformance.captures.streams.streams import PATIENCE, Hole, TcpStream

TEXT = bytes(range(256)) * 8


def stream(**limits):
    return TcpStream(Limits(**limits), Room(1 << 20))


def pushed(stream, *segments):
    """What comes of (sequence, data) one after another, holes as their sizes."""
    pieces = [piece for each in segments for piece in stream.push(*each, 0)]
    return joined(pieces)


def joined(pieces):
    found: list[bytes | int] = []
    for piece in pieces:
        if isinstance(piece, Hole):
            found.append(piece.size)
        elif found and isinstance(found[-1], bytes):
            found[-1] += piece
        else:
            found.append(piece)
    return found


@pytest.mark.parametrize("begin", [0, 1000, 2**32 - 5, 2**32 - 1000, 2**31 - 100])
@pytest.mark.parametrize("seed", range(5))
def test_order_repetition_and_overlap_change_nothing(begin, seed):
    chance = random.Random(seed)
    cuts = sorted(chance.sample(range(1, len(TEXT)), 40))
    segments = [
        ((begin + start) % 2**32, TEXT[start:end])
        for start, end in zip([0, *cuts], [*cuts, len(TEXT)], strict=True)
    ]
    for _ in range(20):
        start = chance.randrange(len(TEXT) - 100)
        segments.append(((begin + start) % 2**32, TEXT[start : start + chance.randrange(1, 100)]))
    chance.shuffle(segments)
    ours = stream()
    ours.start(begin)
    assert pushed(ours, *segments) == [TEXT]
    assert not ours.stalls


def test_bytes_that_came_before_are_not_given_again():
    ours = stream()
    assert pushed(ours, (0, b"abcd"), (0, b"abcd"), (2, b"cdef"), (5, b"f")) == [b"abcdef"]


def test_a_hole_at_the_end_is_given_out_with_its_size():
    ours = stream()
    assert pushed(ours, (0, b"ab"), (5, b"fg"), (9, b"jk")) == [b"ab"]
    assert joined(ours.flush()) == [3, b"fg", 2, b"jk"]


def test_a_hole_counts_as_lost_once_too_much_waits_behind_it():
    ours = stream(ahead_bytes=100)
    assert pushed(ours, (0, b"a"), (2, b"x" * 60)) == [b"a"]
    assert pushed(ours, (62, b"y" * 60)) == [1, b"x" * 60 + b"y" * 60]


def test_a_hole_counts_as_lost_once_too_many_segments_wait():
    ours = stream(ahead_segments=3)
    assert pushed(ours, (0, b"a"), *((n, b"b") for n in range(2, 5))) == [b"a"]
    assert pushed(ours, (5, b"b")) == [1, b"bbbb"]


def test_a_hole_counts_as_lost_where_the_peer_has_what_it_holds():
    ours = stream()
    pushed(ours, (0, b"a"), (2, b"c"))
    found = [piece for _ in range(PATIENCE + 1) for piece in ours.acknowledge(3)]
    assert joined(found) == [1, b"c"]


def test_a_hole_that_the_peer_has_not_either_is_waited_for():
    ours = stream()
    pushed(ours, (0, b"a"), (2, b"c"))
    assert not [piece for _ in range(3 * PATIENCE) for piece in ours.acknowledge(1)]
    assert pushed(ours, (1, b"b")) == [b"bc"]


def test_what_the_capture_did_not_keep_of_a_packet_is_a_hole_at_once():
    ours = stream()
    assert joined(ours.push(0, b"abc", 5)) == [b"abc", 5]
    assert pushed(ours, (8, b"rest")) == [b"rest"]


def test_a_hole_where_there_is_no_room_to_wait():
    ours = TcpStream(Limits(), Room(10))
    assert pushed(ours, (0, b"a"), (2, b"12345678")) == [b"a"]
    assert pushed(ours, (20, b"12345678")) == [1, b"12345678"]


def test_keepalives_are_no_bytes():
    ours = stream()
    assert pushed(ours, (10, b"ab"), (11, b""), (11, b"\0"), (12, b"c")) == [b"abc"]


def test_numbers_from_nowhere_are_not_waited_for():
    ours = stream()
    assert pushed(ours, (0, b"a"), (2**31 - 5, b"x")) == [b"a"]
    assert not ours.stalls
