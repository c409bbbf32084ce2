"""TLS of one connection, without I/O: bytes of the wire on one side, plaintext on the other."""

from __future__ import annotations

import ssl
from contextlib import suppress

CHUNK_BYTES = 64 * 1024


class Tunnel:
    """One end of TLS: the server's, or that of a client which expects the name of its server.

    The bytes of `wire` have to be sent after each call of another method. Nothing can be sent
    before the handshake is done, which `is_open` says; `ended` says that the peer will send no
    more.
    """

    def __init__(self, context: ssl.SSLContext, server: str | None = None) -> None:
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(
            self._incoming, self._outgoing, server_side=server is None, server_hostname=server
        )
        self.is_open = self.ended = False
        self._agree()

    def take(self, data: bytes) -> bytes:
        """Return the plaintext in the peer's bytes. Raises ssl.SSLError."""
        self._incoming.write(data)
        self._agree()
        said = bytearray()
        while self.is_open and not self.ended:
            try:
                chunk = self._tls.read(CHUNK_BYTES)
            except ssl.SSLWantReadError:
                break
            except ssl.SSLZeroReturnError:
                chunk = b""
            self.ended = not chunk
            said += chunk
        return bytes(said)

    def say(self, data: bytes) -> None:
        """Encrypt plaintext for `wire`. Raises ssl.SSLError."""
        if data:
            self._tls.write(data)

    def end(self) -> None:
        """Send close_notify."""
        with suppress(ssl.SSLError):  # no close_notify of the peer yet, or no handshake
            self._tls.unwrap()

    def wire(self) -> bytes:
        """Return the bytes that are to be sent now."""
        return self._outgoing.read()

    def _agree(self) -> None:
        if not self.is_open:
            with suppress(ssl.SSLWantReadError):
                self._tls.do_handshake()
                self.is_open = True
