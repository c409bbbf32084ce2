"""A connection that a proxy made to one of the brokers that the suite plays.

Nothing here waits until the proxy reads: what it does not take at once is kept, and the thread that
serves all connections writes it as the proxy reads on. So a dialogue reads at the client's end
while a long answer is still being written at the broker's.
"""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from threading import Condition

from conformance.brokers.connection.connection import MAX_FRAME_BYTES
from conformance.proxies.playing import plain_answer
from conformance.reference.broker.connections.session import Session
from conformance.reference.proxy.tls import Tunnel

CHUNK_BYTES = 256 * 1024
_TEAR_DOWN = struct.pack("ii", 1, 0)
"""SO_LINGER: on, and for no time."""


@dataclass(eq=False, slots=True)
class UpstreamPeer:
    """One connection. `wake` has the serving thread look at what is to be written.

    `reads` is true until the proxy has ended its half. `begun` is true once a dialogue's request
    came on it, and `owed` are those requests that have no answer yet.
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
        """True if something is to be written that the proxy has not taken."""
        return bool(self._outbox) and not self._lost

    def read(self) -> bytes | None:
        """Return what came by the socket, b"" at its end, None for nothing. Raises OSError."""
        try:
            data = self.socket.recv(CHUNK_BYTES)
        except BlockingIOError:
            return None
        if self.tunnel is None:
            self.received += data
            return data
        with self._changed:
            self.received += self.tunnel.take(data)
            self._outbox += self.tunnel.wire()  # of the handshake
            self._flush()
        return data

    def say(self, data: bytes) -> None:
        """Have all of it written, as far as possible at once. Raises OSError."""
        with self._changed:
            self._outbox += self._sealed(data)
            self._flush()
            waits = self.waits
        if waits:
            self.wake(self)

    def write(self) -> None:
        """Write on what waits, as far as the proxy takes it."""
        with self._changed:
            try:
                self._flush()
            except OSError:
                self._lost = True
            self._changed.notify_all()

    def is_drained(self, patience_s: float) -> bool:
        """Wait until all is taken; False once nothing was taken for so long."""
        with self._changed:
            while self.waits:
                before = self._written
                self._changed.wait(patience_s)
                if self._written == before:
                    break
            return not self._outbox and not self._lost

    def answered(self, data: bytes) -> None:
        """Owe no answer any more that is in here."""
        numbers = [frame[:4] for frame in cut_frames(bytearray(data))]
        for frame in list(self.owed):
            if frame[4:8] in numbers:
                numbers.remove(frame[4:8])
                self.owed.remove(frame)

    def settle(self, brokers: Mapping[int, tuple[str, int]]) -> None:
        """Answer what no dialogue has answered, as a broker does, which keeps no client waiting."""
        while self.owed:
            self.settle_one(self.owed[0], brokers)

    def settle_one(self, frame: bytes, brokers: Mapping[int, tuple[str, int]]) -> None:
        """Answer one of those requests so."""
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
        """Say that no more will come, after what waits has been written. Raises OSError."""
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
        """End the connection at once, whatever waits."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _TEAR_DOWN)
        self.close()

    def close(self) -> None:
        """Leave."""
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
    """The whole frames that are there, cut off."""
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
