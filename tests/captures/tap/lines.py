"""Both ends of what a tap forwards, as plain sockets, and the tap as a user starts it."""

from __future__ import annotations

import os
import re
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from conformance.captures.packets.network import Segment
from conformance.captures.streams.traffic import PassedOver
from conformance.captures.tap.tapping import Tap
from conformance.results.files import read_lines
from conformance.results.lines import Finding, Line, Summary, Verdict

HOST = "127.0.0.1"
PATIENCE_S = 20.0


class Ends(NamedTuple):
    """A client's socket and that of the broker, with the tap between."""

    client: socket.socket
    broker: socket.socket


def exactly(sock: socket.socket, size: int) -> bytes:
    """So many bytes, or those that come before the end."""
    found = b""
    while len(found) < size and (data := sock.recv(min(size - len(found), 1 << 20))):
        found += data
    return found


def to_the_end(sock: socket.socket) -> bytes:
    """All that comes."""
    return exactly(sock, sys.maxsize)


def reset(sock: socket.socket) -> None:
    """Go without a word."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


@contextmanager
def listening() -> Iterator[socket.socket]:
    """Where a broker would listen."""
    with socket.create_server((HOST, 0), backlog=4096) as there:
        there.settimeout(PATIENCE_S)
        yield there


@contextmanager
def connected(address: tuple[str, int], broker: socket.socket) -> Iterator[Ends]:
    """One connection through a tap."""
    with socket.create_connection(address, PATIENCE_S) as client, broker.accept()[0] as there:
        there.settimeout(PATIENCE_S)
        yield Ends(client, there)


@contextmanager
def tapping(broker: socket.socket, connections: int | None = None) -> Iterator[Tap]:
    """A tap before a broker."""
    with Tap((HOST, 0), broker.getsockname(), connections=connections) as tap:
        yield tap


def told(tap: Tap, over: PassedOver | None = None) -> list[Segment]:
    """All that a tap tells, to its end."""
    return list(tap.segments(over or PassedOver()))


def said(segments: list[Segment], ends: tuple[str, int]) -> bytes:
    """What one end said, of which nothing was lost."""
    those = [each for each in segments if str(each.source) == f"{ends[0]}:{ends[1]}"]
    assert not sum(each.lost for each in those)
    return b"".join(each.payload for each in those)


class Run:
    """`kafka-conformance tap` in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr
        self.first = process.stderr.readline()
        self.process = process
        self.out = self.err = ""
        found = re.search(r"at (\S+):(\d+) for ", self.first)
        assert found, self.first + process.stderr.read()
        self.address = found[1], int(found[2])

    def interrupt(self) -> int:
        """End it as Ctrl-C does, which all processes of a terminal get; say how it ended."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.ended()

    def ended(self) -> int:
        """Wait for its end, and say how it ended."""
        self.out, self.err = self.process.communicate(timeout=60)
        return self.process.returncode


@contextmanager
def running(upstream: int, *options: object, port: int = 0) -> Iterator[Run]:
    """A tap before a broker's port, as a command."""
    words = ["tap", f"{HOST}:{port}", f"{HOST}:{upstream}", *map(str, options)]
    with subprocess.Popen(
        [sys.executable, "-m", "conformance.cli", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield Run(process)
        finally:
            if process.poll() is None:
                process.kill()


def exchange(run: Run, broker: socket.socket, *pairs: tuple[bytes, bytes]) -> None:
    """Ask and answer each pair on one connection through a tap."""
    with connected(run.address, broker) as ends:
        for asked, answered in pairs:
            ends.client.sendall(asked)
            assert exactly(ends.broker, len(asked)) == asked
            ends.broker.sendall(answered)
            assert exactly(ends.client, len(answered)) == answered
        ends.client.shutdown(socket.SHUT_WR)
        assert not to_the_end(ends.broker)
        ends.broker.shutdown(socket.SHUT_WR)
        assert not to_the_end(ends.client)


def judged(path: Path) -> list[Line]:
    """What results say of frames: all lines but the first, without what differs from run to run."""
    kept: list[Line] = []
    for line in read_lines(path):
        if isinstance(line, Verdict):
            kept.append(line)
        elif isinstance(line, Finding):
            kept.append(msgspec.structs.replace(line, reproduce=""))
        elif isinstance(line, Summary):
            kept.append(msgspec.structs.replace(line, seconds=0))
    return kept
