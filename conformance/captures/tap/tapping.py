"""The tap as a source of segments: it listens, starts the forwarder, and reads its records."""

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
"""An address family, and an address of it."""


class TapError(ConformanceError):
    """The tap can't listen there, or the upstream does not exist."""

    exit_code = UNREACHABLE


def _nothing() -> None:
    pass


def _nothing_of(_: str) -> None:
    pass


class Tap:
    """A tap that forwards from its own address to the upstream for as long as the `with` lasts.

    Addresses are pairs of host and port; at port 0 it listens at any free port, and `address` holds
    the actual one. With `connections` it ends after so many have been closed, with `seconds` after
    that time. Raises TapError.
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
            start_new_session=True,  # Ctrl-C is for the judge, which ends the forwarder
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
        """Return the process id of the forwarder."""
        return self._process.pid

    def stop(self) -> None:
        """Take no more connections, and end the open ones; what passed so far is still read."""
        assert self._process.stdin
        self._process.stdin.close()

    def segments(
        self,
        told: PassedOver,
        tick: Callable[[], None] = _nothing,
        refused: Callable[[str], None] = _nothing_of,
        taken: Callable[[], None] = _nothing,
    ) -> Iterator[Segment]:
        """Yield all segments that pass, until the tap has ended.

        `tick` is called now and then, `refused` with the reason for each connection that the
        upstream did not accept, and `taken` when all that came so far was given out. Raises
        TapError if the forwarder ends too early.
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
    """Return the address families and addresses of a host, IPv4 first."""
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
