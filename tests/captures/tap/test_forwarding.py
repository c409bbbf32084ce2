"""What goes through a tap: the bytes, ends and resets of either side, however far the judge is."""

from __future__ import annotations

import os
import random
import resource
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from threading import Thread

import pytest

from conformance.captures.audit.auditing import Auditor, audited
from conformance.captures.audit.judging import Judge
from conformance.captures.audit.tables import FrameVerdict, Row, Tables
from conformance.captures.packets.network import FIN, RST, SYN
from conformance.captures.streams.traffic import PassedOver
from conformance.captures.tap.lines import BEHIND, REFUSED
from conformance.captures.tap.outbox import ROOM_BYTES
from conformance.captures.tap.tapping import Tap, TapError
from tests.captures.speaking import greeting, hello, request, response, sized
from tests.captures.tap.lines import (
    HOST,
    PATIENCE_S,
    connected,
    exactly,
    listening,
    reset,
    said,
    tapping,
    to_the_end,
    told,
)

MIB = 1024 * 1024
MOST_MIB = 96
"""Of a forwarder: Python, and the room for what is told."""
MOST_IN_KERNEL = 32 * MIB


@pytest.fixture
def broker() -> Iterator[socket.socket]:
    with listening() as there:
        yield there


@contextmanager
def handles(number: int) -> Iterator[None]:
    """Have this process, and those that it starts, begin with so many handles."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (number, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_random_bytes_come_as_they_are_in_both_directions(broker: socket.socket) -> None:
    asked, answered = (random.Random(seed).randbytes(3 * MIB + seed) for seed in (1, 2))
    with tapping(broker, 1) as tap:
        with connected(tap.address, broker) as ends:
            client = ends.client.getsockname()
            asks = Thread(target=ends.client.sendall, args=(asked,))
            answers = Thread(target=ends.broker.sendall, args=(answered,))
            asks.start()
            answers.start()
            assert exactly(ends.broker, len(asked)) == asked
            assert exactly(ends.client, len(answered)) == answered
            asks.join()
            answers.join()
        found = told(tap)
    assert said(found, client) == asked
    assert said(found, broker.getsockname()) == answered


def test_one_end_of_a_connection_may_finish_and_still_be_answered(broker: socket.socket) -> None:
    with tapping(broker, 1) as tap:
        with connected(tap.address, broker) as ends:
            client = ends.client.getsockname()
            ends.client.sendall(b"asked")
            ends.client.shutdown(socket.SHUT_WR)
            assert to_the_end(ends.broker) == b"asked"
            ends.broker.sendall(b"answered")
            assert exactly(ends.client, 8) == b"answered"
            ends.broker.shutdown(socket.SHUT_WR)
            assert to_the_end(ends.client) == b""
        found = told(tap)
    flags = [(each.source.port == client[1], each.flags & (SYN | FIN | RST)) for each in found]
    assert [each for each in flags if each[1]] == [
        (True, SYN),
        (False, SYN),
        (True, FIN),
        (False, FIN),
    ]


@pytest.mark.parametrize("by", [0, 1], ids=["client", "broker"])
def test_a_reset_is_passed_on(broker: socket.socket, by: int) -> None:
    with tapping(broker, 1) as tap:
        with connected(tap.address, broker) as ends:
            ports = ends.client.getsockname()[1], broker.getsockname()[1]
            ends[1 - by].sendall(b"unread")
            time.sleep(0.1)
            reset(ends[by])
            with pytest.raises(ConnectionResetError):
                to_the_end(ends[1 - by])
        found = told(tap)
    assert found[-1].flags & RST
    assert found[-1].source.port == ports[by]
    assert not any(each.flags & FIN for each in found)


def test_who_does_not_read_holds_up_who_writes(broker: socket.socket) -> None:
    data = random.Random(3).randbytes(MIB)
    with tapping(broker, 1) as tap:
        with connected(tap.address, broker) as ends:
            ends.client.settimeout(0.5)
            sent = 0
            with suppress(TimeoutError):
                while sent < 2 * MOST_IN_KERNEL:
                    at = sent % MIB
                    sent += ends.client.send(data[at:])
            assert MIB < sent < MOST_IN_KERNEL
            ends.client.shutdown(socket.SHUT_WR)
            assert to_the_end(ends.broker) == (data * (sent // MIB + 1))[:sent]
        tap.stop()
        told(tap)


def test_a_judge_that_is_behind_is_told_how_much_it_lacks_and_slows_nobody(
    broker: socket.socket,
) -> None:
    data, times = random.Random(4).randbytes(MIB), 160
    with tapping(broker, 1) as tap:
        with connected(tap.address, broker) as ends:
            asks = Thread(target=ends.client.sendall, args=(data * times,))
            asks.start()
            for _ in range(times):
                assert exactly(ends.broker, MIB) == data
            asks.join()
            most = _most_mib(tap.process_id)
        over = PassedOver()
        found = told(tap, over)
    assert most < MOST_MIB
    kept, lost = sum(len(each.payload) for each in found), sum(each.lost for each in found)
    assert kept + lost == times * MIB
    assert over.reasons[BEHIND] == lost
    assert ROOM_BYTES // 2 < kept < 4 * ROOM_BYTES
    pieces = [each for each in found if each.payload or each.lost]
    for before, after in pairwise(pieces):
        size = len(before.payload) + before.lost
        assert after.sequence == (before.sequence + size) % 2**32


def _most_mib(process: int) -> float:
    """The most memory that a process has had."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def test_where_the_judge_was_behind_nobody_is_accused_and_it_goes_on(broker: socket.socket) -> None:
    many = {"topics": [{"name": "a" * 20_000} for _ in range(5)]}
    auditor, tables = Auditor(Judge("kafka"), None), Tables()
    seen: list[Row] = []
    with tapping(broker, 1) as tap:
        with connected(tap.address, broker) as ends:
            for number in range(1, 151):
                asked = sized(request("Metadata", 1, many, number))
                _exchange(ends, asked, sized(response("Metadata", 1, {}, number)))
            rows = audited(auditor, tap.segments(auditor.traffic.told))
            judging = Thread(target=lambda: seen.extend(rows))
            judging.start()
            until = time.monotonic() + PATIENCE_S
            while _answers(seen, "ApiVersions") < 10 and time.monotonic() < until:
                number += 1
                _exchange(ends, sized(hello(number)), sized(greeting(number)))
                time.sleep(0.02)
        judging.join(PATIENCE_S)
    for row in seen:
        tables.take(row)
    assert tables.passed[BEHIND]
    assert not tables.violations
    assert not tables.notes
    assert _answers(seen, "ApiVersions") >= 10
    assert 50 < _answers(seen, "Metadata") < 150


def _answers(rows: list[Row], api: str) -> int:
    """How many answers of an API were judged."""
    verdicts = [row.verdict for row in rows if isinstance(row, FrameVerdict)]
    return len({each.case for each in verdicts if each.message == f"{api}Response"})


def _exchange(ends, asked: bytes, answered: bytes) -> None:
    ends.client.sendall(asked)
    assert exactly(ends.broker, len(asked)) == asked
    ends.broker.sendall(answered)
    assert exactly(ends.client, len(answered)) == answered


def test_a_thousand_connections_at_one_time(broker: socket.socket) -> None:
    number = 1000
    with ExitStack() as stack:
        with handles(256):
            tap = stack.enter_context(tapping(broker, number))
        stack.enter_context(handles(4096))
        lines = stack.enter_context(ExitStack())
        all_ends = [lines.enter_context(connected(tap.address, broker)) for _ in range(number)]
        for index, ends in enumerate(all_ends):
            ends.client.sendall(b"from %d" % index)
        for index, ends in enumerate(all_ends):
            asked = b"from %d" % index
            assert exactly(ends.broker, len(asked)) == asked
            ends.broker.sendall(b"to %d" % index)
        for index, ends in enumerate(all_ends):
            assert exactly(ends.client, len(b"to %d" % index)) == b"to %d" % index
        lines.close()
        found = told(tap)
    assert sum(bool(each.flags & SYN) for each in found) == 2 * number
    assert sum(bool(each.payload) for each in found) == 2 * number
    assert len({each.key for each in found}) == number


def test_it_goes_on_where_there_were_no_handles_left_for_a_while(broker: socket.socket) -> None:
    with tapping(broker) as tap:
        with connected(tap.address, broker) as ends:
            _exchange(ends, b"asked", b"answered")
        resource.prlimit(tap.process_id, resource.RLIMIT_NOFILE, (32, 32))
        crowd = [socket.create_connection(tap.address) for _ in range(60)]
        time.sleep(0.5)
        for client in crowd:
            reset(client)
        broker.settimeout(0.2)
        with suppress(TimeoutError):
            while True:
                broker.accept()[0].close()
        broker.settimeout(PATIENCE_S)
        with connected(tap.address, broker) as ends:
            _exchange(ends, b"asked", b"answered")


def test_clients_are_sent_away_where_there_is_no_broker() -> None:
    with listening() as there:
        address = there.getsockname()
    over = PassedOver()
    why: list[str] = []
    with Tap((HOST, 0), address, connections=3) as tap:
        for _ in range(3):
            with socket.create_connection(tap.address) as client, suppress(ConnectionResetError):
                assert to_the_end(client) == b""
        assert list(tap.segments(over, refused=why.append)) == []
    assert why == ["Connection refused"] * 3
    assert over.reasons == {f"{REFUSED}: Connection refused": 3}


def test_nothing_runs_on_behind_the_tap(broker: socket.socket) -> None:
    with tapping(broker) as tap, connected(tap.address, broker) as ends:
        process = tap.process_id
        os.kill(process, 0)
        ends.client.sendall(b"asked")
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_forwarder_that_is_killed_is_told(broker: socket.socket) -> None:
    with tapping(broker) as tap:
        os.kill(tap.process_id, signal.SIGKILL)
        with pytest.raises(TapError, match="ended by itself"):
            told(tap)
