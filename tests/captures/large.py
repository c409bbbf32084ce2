"""Captures of any size, written fast: one crowd of connections over and over, with other addresses.

A crowd is made once, packet by packet, with what a capture may have: connections one over another,
segments swapped and sent twice, requests of many segments. Each further crowd is its bytes with two
bytes of each client's address changed. Now and then a connection begins on which a rule is broken;
it has a client and a broker of its own, and goes on over several crowds, a packet in each.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from tests.captures.speaking import NAMES, greeting, request, response, sized
from tests.captures.writing import Line, Tcp, pcap

CROWD = 24
"""Connections of a crowd, to three brokers, by clients of four names."""
PLANTED_EVERY = 50
"""Crowds from one connection that breaks a rule to the next."""
_BEFORE_RECORDS = 24
_BEFORE_SOURCE, _BEFORE_TARGET = 16 + 14 + 12, 16 + 14 + 16
"""Where the addresses are: behind the heads of a record and of Ethernet, and half of that of IP."""


@dataclass
class Written:
    """What was written: how much, and which rule is broken by whom, each of them once."""

    connections: int = 0
    packets: int = 0
    broken: set[tuple[str, str]] = field(default_factory=set)


def write_large(paths: Iterable[Path], size: int) -> Written:
    """Write captures that are one traffic, each of so many bytes or somewhat more."""
    told, crowd, numbers = Written(), _Crowd(), count()
    going_on: list[Iterator[Tcp]] = []
    for path in paths:
        with path.open("wb") as file:
            file.write(b"".join(pcap([])))
            while file.tell() < size:
                number = next(numbers)
                file.write(crowd.of(number))
                told.connections += CROWD
                told.packets += crowd.packets
                if number % PLANTED_EVERY == 0:
                    going_on.append(iter(_planted(number // PLANTED_EVERY, told)))
                for line in list(going_on):
                    packet = next(line, None)
                    if packet is None:
                        going_on.remove(line)
                    else:
                        file.write(_records([packet]))
                        told.packets += 1
    rest = [packet for line in going_on for packet in line]
    told.packets += len(rest)
    with path.open("ab") as file:
        file.write(_records(rest))
    return told


class _Crowd:
    """The bytes of a crowd, and where they have the addresses of clients."""

    def __init__(self) -> None:
        packets = _one_over_another([_shaken(_usual(number)) for number in range(CROWD)])
        self.packets = len(packets)
        self._data = bytearray(_records(packets))
        self._places: list[int] = []
        at = 0
        for packet in packets:
            is_from_client = packet.target[1] == 9092
            self._places.append(at + (_BEFORE_SOURCE if is_from_client else _BEFORE_TARGET) + 1)
            at += len(_records([packet]))

    def of(self, number: int) -> bytes:
        """The same with other clients."""
        for place in self._places:
            struct.pack_into(">BB", self._data, place, 2 + number // 250, number % 250)
        return bytes(self._data)


def _usual(number: int) -> Line:
    """A connection that breaks nothing: some short requests, and one of many segments."""
    client, broker = (f"10.2.0.{number}", 40000 + number), (f"10.0.0.{number % 3}", 9092)
    line = Line(client=client, broker=broker).opens()
    line.asks(sized(_hello(f"client-{number % 4}"))).answers(sized(greeting()))
    for each in range(2, 12):
        asked = request("Heartbeat", 4, {"groupId": "g", "memberId": "m"}, each)
        line.asks(sized(asked)).answers(sized(response("Heartbeat", 4, {}, each)))
    topics = [{"topicId": "A" * 22, "name": "a" * 9000}] * 6
    line.asks(sized(request("Metadata", 12, {"topics": topics}, 12)))
    return line.answers(sized(response("Metadata", 12, {}, 12))).closes()


def _hello(name: str) -> bytes:
    return request("ApiVersions", 3, NAMES | {"clientSoftwareName": name}, 1)


def _shaken(line: Line) -> list[Tcp]:
    """Its packets as a network brings them: segments swapped, and some that come once more."""
    packets = line.packets
    long = [at for at, packet in enumerate(packets) if len(packet.payload) == line.mss]
    for at in long[2:-2:5]:
        packets[at], packets[at + 1] = packets[at + 1], packets[at]
    for at in reversed(long[3:-8:7]):
        packets.insert(at + 6, packets[at])
    return packets


def _one_over_another(lines: list[list[Tcp]]) -> list[Tcp]:
    longest = max(map(len, lines))
    return [line[turn] for turn in range(longest) for line in lines if turn < len(line)]


def _records(packets: Iterable[Tcp]) -> bytes:
    return b"".join(pcap(packets))[_BEFORE_RECORDS:]


def _planted(number: int, told: Written) -> list[Tcp]:
    """A connection that breaks one rule, by a client and a broker of its own."""
    rule, (is_client, says) = list(FAULTY.items())[number % len(FAULTY)]
    name, broker = f"red-{number}", f"10.1.0.{number}"
    line = Line(client=("10.1.1.1", 1024 + number), broker=(broker, 9092)).opens()
    line.asks(sized(_hello(name))).answers(sized(greeting()))
    says(line)
    told.connections += 1
    told.broken.add((rule, f"{name} 1.2" if is_client else f"broker {broker}:9092"))
    return line.closes().packets


def _beats(line: Line, *numbers: int) -> Line:
    asked = [request("Heartbeat", 4, {"groupId": "g", "memberId": "m"}, each) for each in numbers]
    return line.asks(*map(sized, asked))


def _beaten(line: Line, *numbers: int, more: bytes = b"") -> Line:
    return line.answers(*(sized(response("Heartbeat", 4, {}, each) + more) for each in numbers))


FAULTY: dict[str, tuple[bool, Callable[[Line], object]]] = {
    "framing.nothing-after-end": (False, lambda line: _beaten(_beats(line, 2), 2, more=b"\0")),
    "framing.correlation-id-echoed": (False, lambda line: _beaten(_beats(line, 2), 3)),
    "framing.responses-in-order": (False, lambda line: _beaten(_beats(line, 2, 3), 3, 2)),
    "client-requests.correlation-ids-differ": (True, lambda line: _beaten(_beats(line, 2, 2), 2)),
    "client-coordinators.keys-fit": (
        True,
        lambda line: line.asks(sized(request("FindCoordinator", 4, {"coordinatorKeys": [""]}, 2))),
    ),
    "response-header.flexible-adds-tags": (
        False,
        lambda line: _beats(line, 2).answers(
            sized(response("Heartbeat", 4, {}, 2)[:4] + response("Heartbeat", 4, {}, 2)[5:])
        ),
    ),
}
"""Rules, whether the client breaks them, and what then is said."""
