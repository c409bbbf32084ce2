"""A broker in this process, reached without a socket: silence is known at once."""

from __future__ import annotations

import struct
from typing import Self

from conformance.brokers.connection.endpoint import MAX_FRAME_BYTES, Address, Unreachable
from conformance.dialogue import Received, Who
from conformance.reference.broker.broker import Broker
from conformance.wire.errors import EncodeError

OTHER = "User:other"
"""The second principal of a broker in this process."""


class SessionEndpoint:
    """A broker in this process."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker

    def connect(self, who: Who = "self", node: int | None = None) -> SessionLine:
        """A fresh connection; there is one node, whichever is named."""
        del node
        return SessionLine(self._broker, who)

    def follow(self, host: str, port: int) -> SessionLine:
        """A fresh connection. Raise Unreachable at an address that is not the broker's."""
        if (host, port) != (self._broker.host, self._broker.port):
            raise Unreachable(f"{Address(host, port)}: Connection refused")
        return self.connect()


class SessionLine:
    """A connection to a broker in this process. What is not there when we listen never comes."""

    def __init__(self, broker: Broker, who: Who = "self") -> None:
        self._session = broker.session()
        self._received = bytearray()
        if who != "nobody":
            self._session.state = "authenticated"
        if who == "other":
            self._session.principal = OTHER

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def send(self, data: bytes, pieces: int = 0, gap_s: float = 0.0) -> None:
        """Have the broker read the bytes, whole or in pieces, and answer."""
        del gap_s
        step = pieces or max(len(data), 1)
        for start in range(0, len(data), step):
            if self._session.closed:
                return
            self._read(data[start : start + step])

    def _read(self, data: bytes) -> None:
        try:
            for answer in self._session.answers(data):
                self._received += answer
        except (EncodeError, LookupError, struct.error):  # a mutant that stumbles hangs up
            self._session.closed = True

    def hear(self, patience_s: float | None = None) -> Received:
        """Return the next frame, or what came instead of one."""
        if self._session.pending is not None:
            self._read(b"")  # another connection may have done what the answer waits for
        if patience_s is not None and self._session.delay_s > patience_s:
            return Received("silent")
        if len(self._received) >= 4:
            (size,) = struct.unpack_from(">i", self._received)
            if not 0 <= size <= MAX_FRAME_BYTES:
                return Received("flood", bytes(self._received[:64]), f"a frame of {size} bytes")
            if len(self._received) >= 4 + size:
                frame = bytes(self._received[4 : 4 + size])
                del self._received[: 4 + size]
                return Received("reply", frame)
        if self._session.closed:
            return Received("reset" if self._received else "closed", bytes(self._received[:64]))
        return Received("silent", bytes(self._received[:64]))

    def finish(self) -> None:
        """Close the session, as a broker does if its peer closed; all answers are there."""
        self._received += b"".join(self._session.at_end())
        self._session.closed = True

    def reset(self) -> None:
        """Close the session, and drop what was received."""
        self._session.closed = True
        self._received.clear()
