"""A socket that speaks TLS, and can end its own half of the connection.

The standard library's TLS socket goes on reading while it announces the end, and loses the answer
that is just arriving. So TLS is done here between two buffers, and bytes from the peer are fed to
it only while a call waits for them.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

CHUNK_BYTES = 64 * 1024
_T = TypeVar("_T")


class TlsSocket:
    """A connected socket through TLS. Raises OSError, as any; the end without a word is an end."""

    def __init__(self, raw: socket.socket, context: ssl.SSLContext, name: str) -> None:
        self._raw = raw
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=name)
        self._early = bytearray()
        self._timeout_s = raw.gettimeout()
        self._done(self._tls.do_handshake)

    def settimeout(self, timeout_s: float) -> None:
        """Set the time that each of the following calls may take as a whole, in seconds."""
        self._timeout_s = timeout_s

    def setsockopt(self, level: int, name: int, value: bytes) -> None:
        """Set an option of the socket below."""
        self._raw.setsockopt(level, name, value)

    def sendall(self, data: bytes) -> None:
        """Write all of it."""
        if data:
            self._done(lambda: self._tls.write(data))

    def recv(self, most: int) -> bytes:
        """Return the available bytes, once there are some; none at the end."""
        if self._early:
            chunk = bytes(self._early[:most])
            del self._early[:most]
            return chunk
        try:
            return self._done(lambda: self._tls.read(most))
        except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
            return b""

    def finish(self) -> None:
        """Say that no more will be sent; what the peer sends can still be read."""
        with suppress(ssl.SSLError):
            while chunk := self._tls.read(CHUNK_BYTES):
                self._early += chunk
        with suppress(ssl.SSLError):  # the peer's own end may be missing yet
            self._tls.unwrap()
        self._flush()
        self._raw.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Leave, and say so if that takes no time."""
        with suppress(OSError, ValueError):
            self._raw.setblocking(False)
            self._tls.unwrap()
        with suppress(OSError):
            self._raw.send(self._outgoing.read())
        self._raw.close()

    def abandon(self) -> None:
        """Leave without a word."""
        self._raw.close()

    def _done(self, step: Callable[[], _T]) -> _T:
        """Return the result of a step, once the peer has sent the bytes that it needs."""
        deadline = None if self._timeout_s is None else time.monotonic() + self._timeout_s
        while True:
            try:
                outcome = step()
            except ssl.SSLWantReadError:
                self._flush()
                self._feed(deadline)
                continue
            except ssl.SSLError:
                with suppress(OSError):
                    self._flush()  # an alert
                raise
            self._flush()
            return outcome

    def _feed(self, deadline: float | None) -> None:
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError("timed out")
            self._raw.settimeout(left)
        chunk = self._raw.recv(CHUNK_BYTES)
        if chunk:
            self._incoming.write(chunk)
        else:
            self._incoming.write_eof()

    def _flush(self) -> None:
        data = self._outgoing.read()
        if data:
            self._raw.settimeout(self._timeout_s)
            self._raw.sendall(data)
