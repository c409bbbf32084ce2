"""TCP around the reference proxy: a listening address for each broker behind it.

One thread serves all connections. A side is read again only after the other side took the waiting
bytes, so that a connection holds one frame and one chunk, however slow its peers are.
"""

from __future__ import annotations

import selectors
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Thread

from conformance.reference.proxy.link import FULL_BYTES, Link
from conformance.reference.proxy.proxy import Proxy
from conformance.reference.proxy.tls import CHUNK_BYTES, Tunnel

CONNECT_S = 2.0
Address = tuple[str, int]
Tls = tuple[ssl.SSLContext | None, ssl.SSLContext | None]


class _Side:
    """One non-blocking connection of a pair, in plaintext or through TLS."""

    def __init__(self, line: socket.socket, tunnel: Tunnel | None) -> None:
        self.line = line
        self.reads = True
        self._tunnel = tunnel
        self._wire = bytearray(tunnel.wire() if tunnel else b"")
        line.setblocking(False)

    def read(self) -> bytes:
        """Return bytes of its peer; `reads` says if more may come. Raises OSError."""
        try:
            data = self.line.recv(CHUNK_BYTES)
        except BlockingIOError:
            return b""
        self.reads = bool(data)
        if self._tunnel is not None and data:
            data = self._tunnel.take(data)
            self._wire += self._tunnel.wire()
            self.reads = not self._tunnel.ended
        return data

    def has_to_write(self, waiting: bytearray) -> bool:
        """True if anything can be written, of the waiting bytes or of TLS itself."""
        return bool(self._wire or (waiting and (self._tunnel is None or self._tunnel.is_open)))

    def write(self, waiting: bytearray) -> None:
        """Write as many of the waiting bytes as the peer takes. Raises OSError."""
        while self.has_to_write(waiting):
            if not self._wire:
                self._wire += self._sealed(bytes(waiting[:CHUNK_BYTES]))
                del waiting[:CHUNK_BYTES]
            try:
                del self._wire[: self.line.send(self._wire)]
            except BlockingIOError:
                return

    def finish(self) -> None:
        """Close our half of the connection, after all bytes have been written."""
        with suppress(OSError):
            if self._tunnel is not None:
                self._tunnel.end()
                self.line.send(self._tunnel.wire())
            self.line.shutdown(socket.SHUT_WR)

    def lose(self) -> None:
        """Record that the connection is lost: nothing more is read or written."""
        self.reads = False
        self._wire.clear()

    def close(self) -> None:
        """Close the connection."""
        if self._tunnel is not None:
            self.finish()
        self.line.close()

    def _sealed(self, data: bytes) -> bytes:
        if self._tunnel is None:
            return data
        self._tunnel.say(data)
        return self._tunnel.wire()


class _Pair:
    """A client's connection, the one to the broker, and the link between them."""

    def __init__(
        self, link: Link, client: _Side, broker: _Side, selector: selectors.BaseSelector
    ) -> None:
        self.link = link
        self.client, self.broker = client, broker
        self._selector = selector
        self._finished = False
        self._go_on()

    def ready(self, line: socket.socket, events: int) -> None:
        """Read and write as far as possible, and end the pair if it is done."""
        side = self.client if line is self.client.line else self.broker
        if events & selectors.EVENT_READ and side.reads:
            self._read(side)
        self._go_on()

    def end(self) -> None:
        """Close both connections."""
        for side in (self.client, self.broker):
            with suppress(KeyError, ValueError):
                self._selector.unregister(side.line)
            side.close()

    def _go_on(self) -> None:
        ways = (self.client, self.link.to_client), (self.broker, self.link.to_upstream)
        for side, waiting in ways:
            self._write(side, waiting)
        if self.link.closed and not any(side.has_to_write(waiting) for side, waiting in ways):
            self.end()
        else:
            self._listen()

    def _read(self, side: _Side) -> None:
        try:
            data = side.read()
        except OSError:
            self._lost(side)
            return
        is_client = side is self.client
        if data and not self.link.closed:
            (self.link.client_sent if is_client else self.link.upstream_sent)(data)
        if not side.reads:
            self.link.end_client() if is_client else self.link.end_upstream()

    def _write(self, side: _Side, waiting: bytearray) -> None:
        try:
            side.write(waiting)
        except OSError:
            self._lost(side)
            return
        if side is self.broker and self.link.finished and not (self._finished or waiting):
            self._finished = True
            side.finish()

    def _lost(self, side: _Side) -> None:
        side.lose()
        self.link.close()
        (self.link.to_client if side is self.client else self.link.to_upstream).clear()

    def _listen(self) -> None:
        """Register each side for the events that it needs next."""
        for side, own, other in (
            (self.client, self.link.to_client, self.link.to_upstream),
            (self.broker, self.link.to_upstream, self.link.to_client),
        ):
            full = self.link.is_full() if other is self.link.to_client else len(other) >= FULL_BYTES
            events = selectors.EVENT_READ if side.reads and not full else 0
            events |= selectors.EVENT_WRITE if side.has_to_write(own) else 0
            known = side.line in self._selector.get_map()
            if not events and known:
                self._selector.unregister(side.line)
            elif events and known:
                self._selector.modify(side.line, events, self)
            elif events:
                self._selector.register(side.line, events, self)


class _Server:
    """A proxy at some listening sockets, each for one broker."""

    def __init__(
        self,
        proxy: Proxy,
        lines: Mapping[int, socket.socket],
        brokers: Mapping[int, Address],
        tls: Tls,
    ) -> None:
        self._proxy, self._lines, self._brokers, self._tls = proxy, lines, brokers, tls
        self._selector = selectors.DefaultSelector()
        self.stop, self._stopping = socket.socketpair()

    def serve(self) -> None:
        """Serve until `stop` is written to or closed."""
        for node, line in self._lines.items():
            self._selector.register(line, selectors.EVENT_READ, node)
        self._selector.register(self._stopping, selectors.EVENT_READ)
        while True:
            for key, events in self._selector.select():
                if key.fileobj is self._stopping:
                    self._end()
                    return
                assert isinstance(key.fileobj, socket.socket)
                if isinstance(key.data, _Pair):
                    key.data.ready(key.fileobj, events)
                else:
                    self._let_in(key.fileobj, key.data)

    def _let_in(self, line: socket.socket, node: int) -> None:
        client, _ = line.accept()
        to = self._proxy.behind.get(node, self._brokers[node])
        try:
            broker = socket.create_connection(to, CONNECT_S)
        except OSError:
            client.close()
            return
        for side in (client, broker):
            side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        before, behind = self._tls
        sides = (
            _Side(client, Tunnel(before) if before else None),
            _Side(broker, Tunnel(behind, to[0]) if behind else None),
        )
        _Pair(self._proxy.link(), *sides, self._selector)

    def _end(self) -> None:
        pairs = {key.data for key in self._selector.get_map().values()}
        for pair in pairs:
            if isinstance(pair, _Pair):
                pair.end()
        self._selector.close()
        self._stopping.close()


@contextmanager
def serving_proxy(
    proxy: Proxy, brokers: Mapping[int, Address], tls: Tls = (None, None)
) -> Iterator[Address]:
    """Yield the proxy's address in front of broker 1; afterwards no thread or socket is left.

    It speaks TLS to its clients if `tls` has a server's context first, and to the brokers if it has
    a client's context second.
    """
    lines = {node: socket.create_server(("127.0.0.1", 0), backlog=1024) for node in brokers}
    proxy.addresses = {node: line.getsockname()[:2] for node, line in lines.items()}
    server = _Server(proxy, lines, brokers, tls)
    thread = Thread(target=server.serve, name="proxy", daemon=True)
    thread.start()
    try:
        yield proxy.addresses[1]
    finally:
        server.stop.close()
        thread.join()
        for line in lines.values():
            line.close()
