"""TCP around the reference proxy: a listening address for each broker behind it.

One thread serves all connections. What one side has not taken yet is waited for before the other
side is read on, so that a connection holds one frame and one chunk, however slow its peers are.
"""

from __future__ import annotations

import selectors
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Thread

from conformance.reference.proxy.link import FULL_BYTES, Link
from conformance.reference.proxy.proxy import Proxy

CHUNK_BYTES = 64 * 1024
CONNECT_S = 2.0
Address = tuple[str, int]


class _Pair:
    """A client's connection, the one behind it, and the link between them."""

    def __init__(
        self,
        link: Link,
        client: socket.socket,
        broker: socket.socket,
        selector: selectors.BaseSelector,
    ) -> None:
        self.link = link
        self.client, self.broker = client, broker
        self._selector = selector
        self._readable = {client, broker}
        self._finished = False
        for side in (client, broker):
            side.setblocking(False)
            selector.register(side, selectors.EVENT_READ, self)

    def ready(self, side: socket.socket, events: int) -> None:
        """Take and give what can be, and end where nothing more can."""
        if events & selectors.EVENT_READ and side in self._readable:
            self._read(side)
        self._write(self.client, self.link.to_client)
        self._write(self.broker, self.link.to_upstream)
        if self.link.closed and not (self.link.to_client or self.link.to_upstream):
            self.end()
        else:
            self._listen()

    def end(self) -> None:
        """Leave both."""
        for side in (self.client, self.broker):
            with suppress(KeyError, ValueError):
                self._selector.unregister(side)
            side.close()

    def _read(self, side: socket.socket) -> None:
        try:
            data = side.recv(CHUNK_BYTES)
        except BlockingIOError:
            return
        except OSError:
            self._lost(side)
            return
        if not data:
            self._readable.discard(side)
            self.link.end_client() if side is self.client else self.link.end_upstream()
        elif not self.link.closed:
            (self.link.client_sent if side is self.client else self.link.upstream_sent)(data)

    def _write(self, side: socket.socket, waiting: bytearray) -> None:
        while waiting:
            try:
                sent = side.send(waiting[:CHUNK_BYTES])
            except BlockingIOError:
                return
            except OSError:
                self._lost(side)
                return
            del waiting[:sent]
        if side is self.broker and self.link.finished and not self._finished:
            self._finished = True
            with suppress(OSError):
                side.shutdown(socket.SHUT_WR)

    def _lost(self, side: socket.socket) -> None:
        """Nothing more comes from this side, and nothing more can be told it."""
        self._readable.discard(side)
        self.link.close()
        (self.link.to_client if side is self.client else self.link.to_upstream).clear()

    def _listen(self) -> None:
        """Wait for what can be done next on each side."""
        for side, own, other in (
            (self.client, self.link.to_client, self.link.to_upstream),
            (self.broker, self.link.to_upstream, self.link.to_client),
        ):
            full = self.link.is_full() if other is self.link.to_client else len(other) >= FULL_BYTES
            reads = side in self._readable and not full
            events = (selectors.EVENT_READ if reads else 0) | (selectors.EVENT_WRITE if own else 0)
            known = side in self._selector.get_map()
            if not events and known:
                self._selector.unregister(side)
            elif events and known:
                self._selector.modify(side, events, self)
            elif events:
                self._selector.register(side, events, self)


class _Server:
    """A proxy at some listening sockets, each for one broker."""

    def __init__(
        self, proxy: Proxy, lines: Mapping[int, socket.socket], brokers: Mapping[int, Address]
    ) -> None:
        self._proxy, self._lines, self._brokers = proxy, lines, brokers
        self._selector = selectors.DefaultSelector()
        self.stop, self._stopping = socket.socketpair()

    def serve(self) -> None:
        """Until `stop` is written to or closed."""
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
        _Pair(self._proxy.link(), client, broker, self._selector)

    def _end(self) -> None:
        pairs = {key.data for key in self._selector.get_map().values()}
        for pair in pairs:
            if isinstance(pair, _Pair):
                pair.end()
        self._selector.close()
        self._stopping.close()


@contextmanager
def serving_proxy(proxy: Proxy, brokers: Mapping[int, Address]) -> Iterator[Address]:
    """Where clients find the proxy in front of broker 1; behind the `with` nothing is left."""
    lines = {node: socket.create_server(("127.0.0.1", 0), backlog=1024) for node in brokers}
    proxy.addresses = {node: line.getsockname()[:2] for node, line in lines.items()}
    server = _Server(proxy, lines, brokers)
    thread = Thread(target=server.serve, name="proxy", daemon=True)
    thread.start()
    try:
        yield proxy.addresses[1]
    finally:
        server.stop.close()
        thread.join()
        for line in lines.values():
            line.close()
