"""Frames of both ends are shown in the order in which they were sent."""

from __future__ import annotations

from conformance.explain.parts import by_pieces
from conformance.explain.recognised import Part, Stream, recognised
from tests.explain.test_recognised import BEAT, HEARTBEAT, REFUSAL, REQUEST, framed

CLIENT, BROKER = "a:1 to b:9", "b:9 to a:1"


def parts_of(pieces: list[Stream]) -> list[Part]:
    sides = dict.fromkeys(piece.side for piece in pieces)
    streams = [Stream(b"".join(p.data for p in pieces if p.side == side), side) for side in sides]
    return by_pieces(recognised(streams), pieces)


def test_each_response_follows_its_request() -> None:
    pieces = [
        Stream(framed(REQUEST), CLIENT),
        Stream(framed(REFUSAL), BROKER),
        Stream(framed(HEARTBEAT)[:9], CLIENT),
        Stream(framed(HEARTBEAT)[9:], CLIENT),
        Stream(framed(BEAT), BROKER),
    ]
    found = parts_of(pieces)
    assert [part.kind for part in found] == ["request", "response", "request", "response"]
    assert [part.offset for part in found] == [0, 0, 25, 20]


def test_requests_that_do_not_wait_stay_before_their_responses() -> None:
    pieces = [
        Stream(framed(REQUEST, HEARTBEAT), CLIENT),
        Stream(framed(REFUSAL, BEAT), BROKER),
    ]
    kinds = [part.kind for part in parts_of(pieces)]
    assert kinds == ["request", "request", "response", "response"]


def test_pieces_without_sides_keep_their_order() -> None:
    data = framed(REQUEST, REFUSAL)
    parts = recognised([Stream(data)])
    assert by_pieces(parts, [Stream(data)]) == parts
