"""The process that forwards: one loop, two sockets a connection, and a pipe to the judge.

A chunk is read from one side, put into the outbox, and written to the other; that side is read
again when all of the chunk was taken, so a connection holds one chunk in each direction, however
slow its peers are. The end of one direction and a reset are forwarded as such. The process ends
when its stdin does.
"""

from __future__ import annotations

import errno
import json
import os
import selectors
import socket
import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from conformance.captures.tap.outbox import Outbox, Told
from conformance.captures.tap.records import Kind

CHUNK_BYTES = 64 * 1024
MOST_AT_ONCE = 100
"""The number of clients that are let in before open connections have their turn."""
FULL_S = 0.1
"""The pause, in seconds, after a client could not be let in because no handles were left."""
TELL_S = 0.01
WORTH_BYTES = 64 * 1024
"""The judge is woken for so many bytes, or after TELL_S seconds."""
_READ, _WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE
_HARD = struct.pack("ii", 1, 0)
Ready = Callable[[int], None]


class Forwarder:
    """A server that connects each client to the first upstream address that accepts.

    With `most`, it ends by itself after so many connections have been closed.
    """

    def __init__(
        self,
        listening: socket.socket,
        upstream: list[tuple[int, tuple[Any, ...]]],
        outbox: Outbox,
        most: int | None = None,
    ) -> None:
        self.selector = selectors.DefaultSelector()
        self.outbox = outbox
        self.upstream = upstream
        self.lines: set[Line] = set()
        self._listening: socket.socket | None = listening
        self._left = most
        self._number = 0
        self._rests_until = 0.0
        self._stopped = False
        self._told_at = 0.0
        self._waits = False
        listening.setblocking(False)
        self.selector.register(listening, _READ, self._let_in)

    def run(self, pipe: int) -> None:
        """Forward until there is nothing left to do, then send the judge all that remains."""
        self.selector.register(sys.stdin, _READ, self._stop)
        while not self._stopped and (self._listening or self.lines):
            for key, mask in self.selector.select(self._patience()):
                ready: Ready = key.data
                ready(mask)
            self._go_on()
            if self.outbox.size and not self._waits:
                self._tell(pipe)
        self._leave()

    def _patience(self) -> float | None:
        """Return the timeout of the selector in seconds, None for no timeout."""
        if self.outbox.size and not self._waits:
            return TELL_S
        return FULL_S if self._rests_until else None

    def _tell(self, pipe: int) -> None:
        """Write to the judge if that is worth it; if the pipe is full, go on when it takes more."""
        now = time.monotonic()
        if self.outbox.size < WORTH_BYTES and now < self._told_at + TELL_S:
            return
        self._told_at = now
        if not self.outbox.flush():
            self._waits = True
            self.selector.register(pipe, _WRITE, partial(self._tell_on, pipe))

    def _tell_on(self, pipe: int, _: int) -> None:
        if self.outbox.flush():
            self._waits = False
            self.selector.unregister(pipe)

    def _leave(self) -> None:
        if self._listening:
            self._listening.close()
        for line in list(self.lines):
            self.outbox.losses(line.told)
            line.close()
        self.outbox.close()

    def _stop(self, _: int) -> None:
        self._stopped = True

    def _let_in(self, _: int) -> None:
        assert self._listening
        for _ in range(MOST_AT_ONCE):
            try:
                client, address = self._listening.accept()
            except (BlockingIOError, ConnectionError):
                return
            except OSError:
                self._rest()
                return
            self._number += 1
            Line(self, client, address, Told(self._number)).connect()
            if self._left is not None:
                self._left -= 1
                if not self._left:
                    self._close_door()
                    return

    def _close_door(self) -> None:
        assert self._listening
        self.selector.unregister(self._listening)
        self._listening.close()
        self._listening = None

    def _rest(self) -> None:
        assert self._listening
        self.selector.unregister(self._listening)
        self._rests_until = time.monotonic() + FULL_S

    def _go_on(self) -> None:
        """Let clients in again after a pause without free handles."""
        if self._rests_until and time.monotonic() > self._rests_until:
            self._rests_until = 0.0
            assert self._listening
            self.selector.register(self._listening, _READ, self._let_in)


class End:
    """One of the two sockets of a connection, and the bytes not yet written to it."""

    def __init__(self, line: Line, side: int, sock: socket.socket) -> None:
        sock.setblocking(False)
        with suppress(OSError):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.line = line
        self.side = side
        self.sock = sock
        self.unsent: memoryview | None = None
        self.has_finished = False
        self._watched = 0

    @property
    def other(self) -> End:
        """Return the other end of the connection."""
        return self.line.ends[1 - self.side]

    def watch(self) -> None:
        """Register the socket for what can be done now: reading, writing, or nothing."""
        wanted = 0 if self.has_finished or self.other.unsent else _READ
        wanted |= _WRITE if self.unsent else 0
        if wanted == self._watched:
            return
        selector = self.line.forwarder.selector
        if not self._watched:
            selector.register(self.sock, wanted, self._ready)
        elif not wanted:
            selector.unregister(self.sock)
        else:
            selector.modify(self.sock, wanted, self._ready)
        self._watched = wanted

    def close(self) -> None:
        """Unregister from the loop, and close."""
        if self._watched:
            self.line.forwarder.selector.unregister(self.sock)
            self._watched = 0
        self.sock.close()

    def write(self, data: bytes | memoryview) -> None:
        """Write, and keep the bytes that the socket does not take."""
        try:
            taken = self.sock.send(data)
        except BlockingIOError:
            taken = 0
        self.unsent = memoryview(data)[taken:] if taken < len(data) else None

    def finish(self) -> None:
        """Shut down writing: no more bytes will come."""
        with suppress(OSError):  # the peer is gone, which its own direction reports
            self.sock.shutdown(socket.SHUT_WR)

    def _ready(self, mask: int) -> None:
        end = self
        try:
            if mask & _WRITE and self.unsent:
                self._write_on()
            if mask & _READ and not self.line.closed and not self.other.unsent:
                self._read()
            return
        except _Gone as gone:
            end = gone.args[0]
        self.line.reset(end)

    def _write_on(self) -> None:
        assert self.unsent
        try:
            self.write(self.unsent)
        except OSError:
            raise _Gone(self) from None
        if not self.unsent:
            if self.other.has_finished:
                self.finish()
            self.line.watch()

    def _read(self) -> None:
        try:
            data = self.sock.recv(CHUNK_BYTES)
        except BlockingIOError:
            return
        except OSError:
            raise _Gone(self) from None
        outbox, told = self.line.forwarder.outbox, self.line.told
        if data:
            outbox.said(told, self.side, data)
            try:
                self.other.write(data)
            except OSError:
                raise _Gone(self.other) from None
            if not self.other.unsent:
                return
        else:
            self.has_finished = True
            outbox.ended(Kind.FINISHED, told, self.side)
            self.other.finish()
        self.line.watch()


class _Gone(Exception):
    """The peer of an end is gone."""


class Line:
    """A client's connection and the one on to the broker."""

    def __init__(
        self, forwarder: Forwarder, client: socket.socket, address: tuple[Any, ...], told: Told
    ) -> None:
        self.forwarder = forwarder
        self.told = told
        self.closed = False
        self.ends: tuple[End, ...] = (End(self, 0, client),)
        self._address = address
        self._next = 0
        self._connecting: socket.socket | None = None
        forwarder.lines.add(self)

    def connect(self) -> None:
        """Connect to the next of the upstream's addresses."""
        family, address = self.forwarder.upstream[self._next]
        try:
            sock = socket.socket(family, socket.SOCK_STREAM)
        except OSError as error:
            self._refused(error)
            return
        sock.setblocking(False)
        number = sock.connect_ex(address)
        if number in (0, errno.EINPROGRESS):
            self._connecting = sock
            self.forwarder.selector.register(sock, _WRITE, self._connected)
        else:
            self._connect_elsewhere(sock, number)

    def _connect_elsewhere(self, sock: socket.socket, number: int) -> None:
        sock.close()
        self._next += 1
        if self._next < len(self.forwarder.upstream):
            self.connect()
        else:
            self._refused(OSError(number, os.strerror(number)))

    def _connected(self, _: int) -> None:
        sock, self._connecting = self._connecting, None
        assert sock
        self.forwarder.selector.unregister(sock)
        number = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if number:
            self._connect_elsewhere(sock, number)
            return
        there = self.forwarder.upstream[self._next][1]
        self.ends = (*self.ends, End(self, 1, sock))
        ends = f"{self._address[0]} {self._address[1]} {there[0]} {there[1]}"
        self.forwarder.outbox.opened(self.told, ends)
        self.watch()

    def _refused(self, error: OSError) -> None:
        self.forwarder.outbox.refused(self.told, error.strerror or str(error))
        self.close()

    def watch(self) -> None:
        """Have the loop watch both ends; close if both directions are done."""
        if all(end.has_finished and not end.unsent for end in self.ends):
            self.close()
            return
        for end in self.ends:
            end.watch()

    def reset(self, by: End) -> None:
        """Reset the other end, since one end is gone without a proper close."""
        self.forwarder.outbox.ended(Kind.RESET, self.told, by.side)
        with suppress(OSError):
            by.other.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _HARD)
        self.close()

    def close(self) -> None:
        """Close the sockets of the connection."""
        self.closed = True
        if self._connecting:
            self.forwarder.selector.unregister(self._connecting)
            self._connecting.close()
        for end in self.ends:
            end.close()
        self.forwarder.lines.discard(self)


def _room_for_handles() -> None:
    """Raise the limit of open handles as far as allowed: each connection takes two."""
    import resource

    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def main() -> None:
    """Forward by the plan in the first argument: descriptors, addresses, connections."""
    told = json.loads(sys.argv[1])
    _room_for_handles()
    upstream = [(family, tuple(address)) for family, address in told["upstream"]]
    listening = socket.socket(fileno=told["listening"])
    outbox = Outbox(told["pipe"])
    with suppress(BrokenPipeError):  # the judge is gone: nothing is left to forward for
        Forwarder(listening, upstream, outbox, told["most"]).run(told["pipe"])


if __name__ == "__main__":
    main()
