"""One connection to an endpoint, in plaintext or through TLS: raw bytes out, whole frames in.

Every read is bounded in time and size, so that an endpoint that stalls, floods or lies about a
length costs a verdict and nothing else. The end of one half through TLS is the alert close_notify
and the end of TCP's: Apache Kafka answers what it was asked before, other peers may not.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import time
from typing import Self

from conformance.brokers.connection.address import Address, Unreachable
from conformance.brokers.connection.security import Security
from conformance.brokers.connection.security_socket import CHUNK_BYTES, TlsSocket
from conformance.brokers.connection.security_tls import handshake_failed, in_words
from conformance.dialogue import Received

MAX_FRAME_BYTES = 64 * 1024 * 1024
"""A longer answer than this is none: everything that is asked for here fits many times over."""
_TEAR_DOWN = struct.pack("ii", 1, 0)
"""SO_LINGER: on, and for no time."""


class Connection:
    """One connection, not logged in.

    Raises Unreachable where there can be none, and TlsFailed where it can't be secured; later
    trouble is an answer. `failure` is what the socket last raised, None while all is well.
    `lifetime_ms` is how long a login on it is good, 0 for good or without any.
    """

    lifetime_ms = 0

    def __init__(
        self, address: Address, timeout_s: float, security: Security | None = None
    ) -> None:
        self.failure: OSError | None = None
        self._timeout_s = timeout_s
        self._received = bytearray()
        self._broken: Received | None = None
        try:
            raw = socket.create_connection((address.host, address.port), timeout_s)
        except (OSError, OverflowError, UnicodeError) as error:  # of a port beyond 65535
            why = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise Unreachable(
                f"{address}: {why}", "is the broker up, and is this its own address?"
            ) from None
        self._socket: socket.socket | TlsSocket = raw
        try:
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if security and security.tls:
                self._socket = TlsSocket(raw, security.tls, address.host)
        except (OSError, ValueError) as error:
            raw.close()
            raise handshake_failed(address, timeout_s, security, error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def send(self, data: bytes, pieces: int = 0, gap_s: float = 0.0) -> None:
        """Write, all at once or in pieces. `hear` reports if the peer reads no more."""
        step = pieces or max(len(data), 1)
        for start in range(0, len(data), step):
            if start and gap_s:
                time.sleep(gap_s)
            try:
                self._socket.settimeout(self._timeout_s)
                self._socket.sendall(data[start : start + step])
            except TimeoutError:
                self._broken = Received("silent", text="it does not read what is sent")
                return
            except OSError as error:
                self._broken = self._broken or self._torn(error)
                return

    def hear(self, patience_s: float | None = None, most_bytes: int = MAX_FRAME_BYTES) -> Received:
        """Return the next frame, or what came instead of one."""
        deadline = time.monotonic() + (self._timeout_s if patience_s is None else patience_s)
        try:
            while True:
                if len(self._received) >= 4:
                    (size,) = struct.unpack_from(">i", self._received)
                    if not 0 <= size <= most_bytes:
                        return Received(
                            "flood", bytes(self._received[:64]), f"a frame of {size} bytes"
                        )
                    if len(self._received) >= 4 + size:
                        frame = bytes(self._received[4 : 4 + size])
                        del self._received[: 4 + size]
                        return Received("reply", frame)
                left = deadline - time.monotonic()
                if left <= 0:
                    return self._silent()
                self._socket.settimeout(left)
                chunk = self._socket.recv(CHUNK_BYTES)
                if not chunk:
                    return self._ended()
                self._received += chunk
        except TimeoutError:
            return self._silent()
        except OSError as error:
            return self._torn(error)

    def finish(self) -> None:
        """Say that no more will be sent, and go on listening."""
        with contextlib.suppress(OSError):
            if isinstance(self._socket, TlsSocket):
                self._socket.finish()
            else:
                self._socket.shutdown(socket.SHUT_WR)

    def reset(self) -> None:
        """Tear the connection down, whatever was sent or not yet read."""
        with contextlib.suppress(OSError):
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _TEAR_DOWN)
            if isinstance(self._socket, TlsSocket):
                self._socket.abandon()
        self.close()

    def close(self) -> None:
        """Leave."""
        with contextlib.suppress(OSError):
            self._socket.close()

    def _silent(self) -> Received:
        if self._broken is not None and self._broken.kind != "silent":
            return self._broken
        begun = f"{len(self._received)} bytes of a frame came" if self._received else ""
        return Received("silent", bytes(self._received[:64]), begun)

    def _ended(self) -> Received:
        if self._received:
            text = f"it ended after {len(self._received)} bytes of a frame"
            return Received("reset", bytes(self._received[:64]), text)
        return Received("closed")

    def _torn(self, error: OSError) -> Received:
        self.failure = error
        return Received("reset", text=in_words(error))
