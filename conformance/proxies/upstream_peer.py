"""A connection that a proxy made to one of the brokers that the suite plays.

Nothing here waits until the proxy reads: bytes that it does not take at once are kept, and the
thread that serves all connections writes them as the proxy reads on. So a dialogue can read at the
client's end while a long answer is still being written at the broker's.
"""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from threading import Condition

from conformance.brokers.connection.connection import MAX_FRAME_BYTES
from conformance.proxies.played_cluster import plain_answer
from conformance.reference.broker.connections.session import Session
from conformance.reference.proxy.tls import Tunnel

CHUNK_BYTES = 256 * 1024
_TEAR_DOWN = struct.pack("ii", 1, 0)
"""SO_LINGER: on, for zero seconds."""


@dataclass(eq=False, slots=True)
class UpstreamPeer:
    """One connection. `wake` makes the serving thread look for bytes to write.

    `reads` is true until the proxy has ended its half. `begun` is true once a dialogue's request
    arrived on it, and `owed` are those requests that have no answer yet.
    """

    socket: socket.socket
    node: int
    number: int
    session: Session
    wake: Callable[[UpstreamPeer], None]
    tunnel: Tunnel | None = None
    received: bytearray = field(default_factory=bytearray)
    reads: bool = True
    begun: bool = False
    owed: list[bytes] = field(default_factory=list)
    _outbox: bytearray = field(default_factory=bytearray)
    _finishing: bool = False
    _lost: bool = False
    _written: int = 0
    _changed: Condition = field(default_factory=Condition)

    @property
    def waits(self) -> bool:
        """True if bytes are to be written that the proxy still has to read."""
        return bool(self._outbox) and not self._lost

    def read(self) -> bytes | None:
        """Return the bytes that arrived, b"" at the end, None if there are none. Raises OSError."""
        try:
            data = self.socket.recv(CHUNK_BYTES)
        except BlockingIOError:
            return None
        if self.tunnel is None:
            self.received += data
            return data
        with self._changed:
            self.received += self.tunnel.take(data)
            self._outbox += self.tunnel.wire()  # bytes of the handshake
            self._flush()
        return data

    def say(self, data: bytes) -> None:
        """Write all bytes, as many as possible at once. Raises OSError."""
        with self._changed:
            self._outbox += self._sealed(data)
            self._flush()
            waits = self.waits
        if waits:
            self.wake(self)

    def write(self) -> None:
        """Write more of the waiting bytes, as far as the proxy reads."""
        with self._changed:
            try:
                self._flush()
            except OSError:
                self._lost = True
            self._changed.notify_all()

    def is_drained(self, patience_s: float) -> bool:
        """Wait until all bytes are read; return False once none was read for `patience_s`."""
        with self._changed:
            while self.waits:
                before = self._written
                self._changed.wait(patience_s)
                if self._written == before:
                    break
            return not self._outbox and not self._lost

    def answered(self, data: bytes) -> None:
        """Drop the requests whose answers are in these bytes from those owed."""
        numbers = [frame[:4] for frame in cut_frames(bytearray(data))]
        for frame in list(self.owed):
            if frame[4:8] in numbers:
                numbers.remove(frame[4:8])
                self.owed.remove(frame)

    def settle(self, brokers: Mapping[int, tuple[str, int]]) -> None:
        """Answer requests that no dialogue has answered, as a broker does: no client may wait."""
        while self.owed:
            self.settle_one(self.owed[0], brokers)

    def settle_one(self, frame: bytes, brokers: Mapping[int, tuple[str, int]]) -> None:
        """Answer one of those requests as a broker does."""
        if frame in self.owed:
            self.owed.remove(frame)
        answer = plain_answer(frame, brokers)
        with contextlib.suppress(OSError):
            if answer is None:
                self.owed.clear()
                self.finish()
            else:
                self.say(answer)

    def finish(self) -> None:
        """Close our half of the connection after the waiting bytes. Raises OSError."""
        with self._changed:
            if self.tunnel is not None:
                self.tunnel.end()
                self._outbox += self.tunnel.wire()
            self._finishing = True
            self._flush()
            waits = self.waits
        if waits:
            self.wake(self)

    def tear_down(self) -> None:
        """End the connection at once, and drop the waiting bytes."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _TEAR_DOWN)
        self.close()

    def close(self) -> None:
        """Close the socket, and wake a thread that waits for it."""
        with self._changed:
            self._lost = True
            self._changed.notify_all()
        self.socket.close()

    def _sealed(self, data: bytes) -> bytes:
        if self.tunnel is None:
            return data
        self.tunnel.say(data)
        return self.tunnel.wire()

    def _flush(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self._outbox:
                count = self.socket.send(self._outbox[:CHUNK_BYTES])
                del self._outbox[:count]
                self._written += count
        if self._finishing and not self._outbox:
            self._finishing = False
            self.socket.shutdown(socket.SHUT_WR)


def cut_frames(received: bytearray) -> Iterator[bytes]:
    """Yield whole frames, and remove them from the buffer."""
    while len(received) >= 4:
        (size,) = struct.unpack_from(">i", received)
        if not 0 <= size <= MAX_FRAME_BYTES:
            received.clear()  # nothing can be cut any more
            return
        if len(received) < 4 + size:
            return
        frame = bytes(received[4 : 4 + size])
        del received[: 4 + size]
        yield frame
