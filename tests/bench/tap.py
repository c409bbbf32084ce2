"""Throughput through the tap beside a plain asyncio copying loop, in turn, in one run.

Two workloads: Produce requests of 64 KiB that have no answer, and small requests, of which some are
on their way at a time. Client and broker are threads of this process, what is between them is a
process of its own, and the tap's judge another one. A figure is the median of some rounds.
"""

from __future__ import annotations

import asyncio
import re
import socket
import statistics
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from tests.captures.speaking import CODEC, greeting, hello, sized

ROUNDS = 7
CONNECTIONS = 4
LARGE_FRAMES = 1500
SMALL_BATCHES, SMALL_AT_ONCE = 1500, 20
LEAST_SHARE = 0.8
_COPY_BYTES = 64 * 1024
_RECEIVED = 256 * 1024
_HOST = "127.0.0.1"


class Round(NamedTuple):
    """Seconds through a plain loop and through the tap, and what the tap said of it."""

    plain: float
    tapped: float
    said: str


def produce() -> bytes:
    """A Produce request that has no answer."""
    records = "AAAA" * (64 * 1024 // 3)
    topic = {"name": "t", "partitionData": [{"index": 0, "records": records}]}
    value = CODEC.form("ProduceRequest", 9).layout.default_value() | {"topicData": [topic]}
    header = {"correlationId": 1, "clientId": "bench"}
    return sized(CODEC.encode_request("ProduceRequest", 9, header, value | {"acks": 0}))


LARGE = produce()
SMALL, ANSWER = sized(hello()), sized(greeting())


def large_client(sock: socket.socket) -> None:
    for _ in range(LARGE_FRAMES):
        sock.sendall(LARGE)
    sock.shutdown(socket.SHUT_WR)
    assert not sock.recv(1)


def large_broker(sock: socket.socket) -> None:
    buffer, received = bytearray(_RECEIVED), 0
    while size := sock.recv_into(buffer):
        received += size
    assert received == LARGE_FRAMES * len(LARGE)


def small_client(sock: socket.socket) -> None:
    for batch in range(SMALL_BATCHES):
        first = batch * SMALL_AT_ONCE
        numbers = range(first, first + SMALL_AT_ONCE)
        sock.sendall(b"".join(_numbered(SMALL, 8, number) for number in numbers))
        _exactly(sock, SMALL_AT_ONCE * len(ANSWER))
    sock.shutdown(socket.SHUT_WR)
    assert not sock.recv(1)


def small_broker(sock: socket.socket) -> None:
    waiting = b""
    while data := sock.recv(_RECEIVED):
        waiting += data
        whole = len(waiting) // len(SMALL)
        starts = range(0, whole * len(SMALL), len(SMALL))
        numbers = (struct.unpack_from(">i", waiting, start + 8)[0] for start in starts)
        sock.sendall(b"".join(_numbered(ANSWER, 4, number) for number in numbers))
        waiting = waiting[whole * len(SMALL) :]


Talk = Callable[[socket.socket], None]
WORKLOADS: dict[str, tuple[Talk, Talk, int]] = {
    "Produce of 64 KiB": (large_client, large_broker, LARGE_FRAMES * len(LARGE)),
    "small requests": (
        small_client,
        small_broker,
        SMALL_BATCHES * SMALL_AT_ONCE * (len(SMALL) + len(ANSWER)),
    ),
}


def main() -> None:
    """Print the medians of each workload; ends with 1 where the tap is too slow."""
    table = Table("workload", "MB/s plain", "MB/s tapped", "share (spread)", "judged")
    enough = True
    for name, (client, broker, size) in WORKLOADS.items():
        rounds = [_round(client, broker) for _ in range(ROUNDS)]
        shares = [each.plain / each.tapped for each in rounds]
        speeds = [
            size * CONNECTIONS / 1e6 / statistics.median(seconds)
            for seconds in ([each.plain for each in rounds], [each.tapped for each in rounds])
        ]
        share = statistics.median(shares)
        enough = enough and share >= LEAST_SHARE
        spread = f"{share:.0%} ({min(shares):.0%} to {max(shares):.0%})"
        table.add_row(name, *(f"{speed:.0f}" for speed in speeds), spread, rounds[-1].said)
    Console(width=120).print(table)
    sys.exit(0 if enough else 1)


def _round(client: Talk, broker: Talk) -> Round:
    with socket.create_server((_HOST, 0)) as listening:
        upstream = f"{_HOST}:{listening.getsockname()[1]}"
        with plain_loop(upstream) as port:
            plain = _seconds(client, broker, listening, port)
        with tap(upstream) as (port, said):
            tapped = _seconds(client, broker, listening, port)
        return Round(plain, tapped, said[0])


def _seconds(client: Talk, broker: Talk, listening: socket.socket, port: int) -> float:
    """How long it takes until all has come and gone on all connections, once one has."""
    begins = Thread(target=_serve, args=(lambda sock: None, listening))
    begins.start()
    _ask(lambda sock: sock.shutdown(socket.SHUT_WR), port)
    begins.join()
    talks = [Thread(target=_serve, args=(broker, listening)) for _ in range(CONNECTIONS)]
    talks += [Thread(target=_ask, args=(client, port)) for _ in range(CONNECTIONS)]
    start = time.perf_counter()
    for talk in talks:
        talk.start()
    for talk in talks:
        talk.join()
    return time.perf_counter() - start


def _serve(broker: Talk, listening: socket.socket) -> None:
    with listening.accept()[0] as sock:
        broker(sock)


def _ask(client: Talk, port: int) -> None:
    with socket.create_connection((_HOST, port)) as sock:
        client(sock)


@contextmanager
def plain_loop(upstream: str) -> Iterator[int]:
    """The port of the plain loop, which ends with its stdin."""
    command = [sys.executable, "-m", "tests.bench.tap", upstream]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as loop:
        assert loop.stdin
        assert loop.stdout
        yield int(loop.stdout.readline())
        loop.stdin.close()


@contextmanager
def tap(upstream: str) -> Iterator[tuple[int, list[str]]]:
    """The port of a tap, and what it says in the end."""
    told = ["--connections", str(CONNECTIONS + 1)]
    command = [sys.executable, "-m", "conformance.cli", "tap", f"{_HOST}:0", upstream, *told]
    said: list[str] = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr
        assert process.stdout
        found = re.search(r":(\d+) for ", process.stderr.readline())
        assert found
        yield int(found[1]), said
        said += [line.strip() for line in process.stdout if " in " in line and "packet" in line]


def _numbered(frame: bytes, at: int, number: int) -> bytes:
    return frame[:at] + struct.pack(">i", number) + frame[at + 4 :]


def _exactly(sock: socket.socket, size: int) -> None:
    while size:
        size -= len(sock.recv(size))


async def _copying(upstream: str) -> None:
    host, port = upstream.split(":")

    async def passed_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(_COPY_BYTES):
            writer.write(data)
            await writer.drain()
        writer.write_eof()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(host, int(port))
        await asyncio.gather(passed_on(reader, back), passed_on(there, writer))
        for end in (back, writer):
            end.close()

    server = await asyncio.start_server(connected, _HOST, 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(_copying(sys.argv[1]))
    else:
        main()
