"""What is told to a judge who reads nothing stays within its room, and says what it lacks."""

from __future__ import annotations

import os
from threading import Thread

import pytest

from conformance.captures.packets.network import SYN
from conformance.captures.streams.traffic import PassedOver
from conformance.captures.tap.lines import BEHIND, UNTOLD, Lines
from conformance.captures.tap.outbox import Outbox, Told
from conformance.captures.tap.records import Kind, Record, Records

ROOM = 10_000
ENDS = "10.0.0.5 {} 10.0.0.1 9092"
CHUNK = 1000


class Pipe:
    """An outbox, and the end of its pipe that a judge would read."""

    def __init__(self) -> None:
        self.reads, writes = os.pipe()
        self.outbox = Outbox(writes, ROOM)
        self.found: list[Record] = []

    def read(self) -> list[Record]:
        """All records, once the outbox is closed."""
        closing = Thread(target=self.outbox.close)
        closing.start()
        records = Records()
        while data := os.read(self.reads, 777):  # cut anywhere
            self.found += records.feed(data)
        closing.join()
        os.close(self.reads)
        return self.found


@pytest.fixture
def pipe() -> Pipe:
    return Pipe()


def test_records_come_as_they_were_told_however_the_pipe_cuts_them(pipe: Pipe) -> None:
    told = Told(7)
    pipe.outbox.opened(told, ENDS.format(1))
    pipe.outbox.said(told, 1, b"abc")
    pipe.outbox.ended(Kind.FINISHED, told, 0)
    assert [(each.kind, each.side, each.connection, each.data) for each in pipe.read()] == [
        (Kind.OPENED, 0, 7, ENDS.format(1).encode()),
        (Kind.SAID, 1, 7, b"abc"),
        (Kind.FINISHED, 0, 7, b""),
    ]


def test_what_is_lost_of_either_side_is_told_before_anything_else(pipe: Pipe) -> None:
    told = Told(1)
    pipe.outbox.opened(told, ENDS.format(1))
    for _ in range(100):
        pipe.outbox.said(told, 0, bytes(CHUNK))
        pipe.outbox.said(told, 1, bytes(CHUNK))
    assert pipe.outbox.size < ROOM + 2 * CHUNK
    pipe.outbox.flush()  # into the pipe, which has more room
    assert pipe.outbox.size == 0
    pipe.outbox.said(told, 1, b"answer")
    *_, first, second, last = pipe.read()
    assert [(each.kind, each.side) for each in (first, second, last)] == [
        (Kind.LOST, 0),
        (Kind.LOST, 1),
        (Kind.SAID, 1),
    ]
    said = {0: first.number, 1: second.number}
    for side in (0, 1):
        said[side] += sum(
            len(each.data)
            for each in pipe.found[:-1]
            if each.kind == Kind.SAID and each.side == side
        )
    assert said == {0: 100 * CHUNK, 1: 100 * CHUNK}


def test_a_judge_that_is_behind_is_told_again_when_half_the_room_is_free(pipe: Pipe) -> None:
    told = Told(1)
    while not told.lost[0]:
        pipe.outbox.said(told, 0, bytes(CHUNK))
    pipe.outbox.size = ROOM * 2 // 3  # as if some of it was read
    pipe.outbox.said(told, 0, bytes(CHUNK))
    assert told.lost[0] == 2 * CHUNK
    pipe.outbox.size = ROOM // 2
    pipe.outbox.said(told, 0, bytes(CHUNK))
    assert told.lost[0] == 0


def test_connections_without_end_are_counted_where_there_is_no_room(pipe: Pipe) -> None:
    number = 5000
    for each in range(number):
        told = Told(each)
        pipe.outbox.opened(told, ENDS.format(each + 1))
        pipe.outbox.said(told, 0, bytes(CHUNK))
        pipe.outbox.ended(Kind.RESET, told, 0)
    assert pipe.outbox.size < 3 * ROOM
    over = PassedOver()
    lines = Lines(over)
    segments = [each for record in pipe.read() for each in lines.segments(record)]
    begun = sum(each.flags == SYN for each in segments)
    assert 0 < begun < number
    assert begun + over.reasons[UNTOLD] == number
    kept, lost = sum(len(each.payload) for each in segments), sum(each.lost for each in segments)
    assert kept + lost == begun * CHUNK
    assert over.reasons[BEHIND] == lost > 0
