"""The tap as a source of segments: it listens, starts the forwarder, and reads what that tells."""

from __future__ import annotations

import fcntl
import json
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Self

from conformance.captures.packets.network import Segment
from conformance.captures.streams.traffic import PassedOver
from conformance.captures.tap.lines import Lines
from conformance.captures.tap.records import Kind, Records
from conformance.errors import UNREACHABLE, ConformanceError

BACKLOG = 4096
PIPE_BYTES = 1024 * 1024
TICK_S = 0.5
ENDS_S = 10.0
_Place = tuple[int, tuple[Any, ...]]
"""A family of addresses, and one of them."""


class TapError(ConformanceError):
    """There is no place to listen, or no such upstream."""

    exit_code = UNREACHABLE


def _nothing() -> None:
    pass


def _nothing_of(_: str) -> None:
    pass


class Tap:
    """Forwards from where it listens to the upstream for as long as the `with` lasts.

    Addresses are pairs of host and port; to listen at port 0 is to take any that is free, which
    `address` says then. With `connections` it ends when so many have come and gone, with `seconds`
    after these. Raises TapError.
    """

    def __init__(
        self,
        listen: tuple[str, int],
        upstream: tuple[str, int],
        *,
        connections: int | None = None,
        seconds: float | None = None,
    ) -> None:
        self.address = listen
        self._upstream = upstream
        self._most = connections
        self._seconds = seconds
        self._until = float("inf")
        self._pipe = -1

    def __enter__(self) -> Self:
        upstream = _resolved(*self._upstream)
        with _listening(*self.address) as listening:
            self.address = listening.getsockname()[:2]
            self._start(listening, upstream)
        if self._seconds is not None:
            self._until = time.monotonic() + self._seconds
        return self

    def _start(self, listening: socket.socket, upstream: list[_Place]) -> None:
        self._pipe, theirs = os.pipe()
        with suppress(OSError, AttributeError):  # a smaller pipe does as well
            fcntl.fcntl(self._pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        plan = {
            "listening": listening.fileno(),
            "pipe": theirs,
            "upstream": upstream,
            "most": self._most,
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", "conformance.captures.tap.forwarding", json.dumps(plan)],
            stdin=subprocess.PIPE,
            pass_fds=(listening.fileno(), theirs),
            start_new_session=True,  # Ctrl-C is for the judge, who has the forwarder end in order
        )
        os.close(theirs)

    def __exit__(self, *_: object) -> None:
        os.close(self._pipe)
        self.stop()
        try:
            self._process.wait(ENDS_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    @property
    def process_id(self) -> int:
        """Of the forwarder."""
        return self._process.pid

    def stop(self) -> None:
        """Take no more connections, and end those that are there; what passed is still told."""
        assert self._process.stdin
        self._process.stdin.close()

    def segments(
        self,
        told: PassedOver,
        tick: Callable[[], None] = _nothing,
        refused: Callable[[str], None] = _nothing_of,
        taken: Callable[[], None] = _nothing,
    ) -> Iterator[Segment]:
        """All that passes, until the tap has ended.

        `tick` is called now and then, `refused` with the reason for each connection that the
        upstream did not take, and `taken` when all that came so far was given out. Raises TapError
        where the forwarder ends before it should.
        """
        records, lines = Records(), Lines(told)
        for data in self._read(tick):
            for record in records.feed(data):
                if record.kind == Kind.REFUSED:
                    refused(record.data.decode())
                yield from lines.segments(record)
            taken()
        if self._process.wait(ENDS_S):
            raise TapError("the forwarding process ended by itself", "its error is above")

    def _read(self, tick: Callable[[], None]) -> Iterator[bytes]:
        due = time.monotonic() + TICK_S
        while True:
            left = max(min(due, self._until) - time.monotonic(), 0)
            is_there = select.select([self._pipe], [], [], left)[0]
            if time.monotonic() >= due:
                tick()
                due = time.monotonic() + TICK_S
            if time.monotonic() >= self._until:
                self._until = float("inf")
                self.stop()
            if is_there:
                data = os.read(self._pipe, PIPE_BYTES)
                if not data:
                    return
                yield data


def _resolved(host: str, port: int) -> list[_Place]:
    """The families and addresses of a host, those of IPv4 first."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise TapError(f"{host}: {error.strerror}", "is the name right?") from None
    return sorted({(int(family), address) for family, *_, address in found})


def _listening(host: str, port: int) -> socket.socket:
    family, address = _resolved(host, port)[0]
    try:
        return socket.create_server(
            (address[0], port), family=socket.AddressFamily(family), backlog=BACKLOG
        )
    except OSError as error:
        where = f"{host}:{port}"
        why = os.strerror(error.errno or 0)
        raise TapError(f"{where}: {why}", "listen at another port") from None
