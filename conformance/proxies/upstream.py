"""The brokers behind a proxy, on sockets of their own: requests of dialogues wait for them.

One thread serves all connections, and blocks on none of them. A request that is no dialogue's is
answered at once by a reference broker, since a proxy by itself asks for facts about the cluster.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import ssl
import struct
import time
from collections.abc import Callable, Mapping
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Self

from conformance.dialogue import Received, ReceivedKind
from conformance.proxies.played_cluster import UpstreamBroker
from conformance.proxies.sorting import Sorting
from conformance.proxies.upstream_peer import CHUNK_BYTES, UpstreamPeer, cut_frames
from conformance.reference.proxy.tls import Tunnel

STOP_S = 10.0
"""Seconds that the serving thread may take to end; it waits only for the selector."""
_HANDSHAKE = b"\x16\x03"
"""The first bytes of TLS: the type of its records, and the major version."""


class UpstreamServer:
    """Brokers 1 to `count`, each at an address of its own. Raises OSError if a port is taken.

    `port` is that of broker 1, 0 for any free one. `patience_s` is the time for a request to
    arrive. They speak TLS if `tls` is a server's context; `tls_came` says that a peer tried TLS
    without it. `renames` says that the proxy changes client ids.
    """

    def __init__(
        self,
        prefix: str,
        patience_s: float,
        port: int = 0,
        count: int = 3,
        tls: ssl.SSLContext | None = None,
        *,
        renames: bool = False,
    ) -> None:
        self.patience_s = patience_s
        self.tls_came = False
        self._tls = tls
        self.sorting = Sorting(prefix, renames=renames)
        self._arrived: SimpleQueue[tuple[UpstreamPeer, Received]] = SimpleQueue()
        self._asking: UpstreamPeer | None = None
        self._half_closed: list[UpstreamPeer] = []
        self.made = 0
        """The number of connections that the proxy has made."""
        self._owing: SimpleQueue[UpstreamPeer] = SimpleQueue()
        self._selector = selectors.DefaultSelector()
        self._listening = [
            socket.create_server(("127.0.0.1", 0 if number else port), backlog=1024)
            for number in range(count)
        ]
        self.brokers: Mapping[int, tuple[str, int]] = {
            node: ("127.0.0.1", each.getsockname()[1])
            for node, each in enumerate(self._listening, 1)
        }
        self._broker = UpstreamBroker(
            port=self.brokers[1][1], other_nodes=tuple(self.brokers)[1:], host="127.0.0.1"
        )
        for each in self._listening:
            each.setblocking(False)
        self._to_do: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._stop, self._stopping = socket.socketpair()
        self._thread = Thread(target=self._serve, name="upstream", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def begin(self) -> None:
        """Forget the requests of earlier dialogues, and answer those that have no answer."""
        self._asking = None
        while not self._owing.empty():
            self._owing.get().settle(self.brokers)
        while self._half_closed:
            self._do(partial(self._leave, self._half_closed.pop()))
        self.sorting.begin()
        with contextlib.suppress(Empty):
            while True:
                self._arrived.get_nowait()

    def arrive(self, patience_s: float | None = None) -> Received:
        """Return the next request of a dialogue, or the end of the last request's connection."""
        deadline = time.monotonic() + (self.patience_s if patience_s is None else patience_s)
        while (left := deadline - time.monotonic()) > 0:
            try:
                peer, received = self._arrived.get(timeout=left)
            except Empty:
                break
            if self.sorting.is_stale(received.frame) and received.kind == "reply":
                peer.settle_one(received.frame, self.brokers)
            elif received.kind == "reply" or peer is self._asking:
                self._asking = peer
                return received
        return Received("silent")

    def answer(self, data: bytes, pieces: int = 0, gap_s: float = 0.0) -> None:
        """Write to the connection of the last request, all at once or in pieces."""
        if self._asking is None:
            return
        self._asking.answered(data)
        step = pieces or max(len(data), 1)
        for start in range(0, len(data), step):
            if start and gap_s:
                time.sleep(gap_s)
            with contextlib.suppress(OSError):  # a lost reader shows at the other end
                self._asking.say(data[start : start + step])

    def pour(self, data: bytes, patience_s: float) -> int:
        """Write until nothing is read for `patience_s`, or all is; return the bytes read."""
        peer, taken = self._asking, 0
        if peer is None:
            return 0
        peer.owed.clear()
        with contextlib.suppress(OSError):
            for start in range(0, len(data), CHUNK_BYTES):
                chunk = data[start : start + CHUNK_BYTES]
                peer.say(chunk)
                if not peer.is_drained(patience_s):
                    break
                taken += len(chunk)
        return taken

    def hang_up(self, *, reset: bool) -> None:
        """End that connection: at once, or after the bytes that are still to be written."""
        peer = self._asking
        if peer is None:
            return
        if reset:
            self._do(partial(self._tear_down, peer))
        else:
            with contextlib.suppress(OSError):
                peer.finish()

    def close(self) -> None:
        """Close all sockets, and end the thread."""
        self._stopping.close()
        self._thread.join(STOP_S)
        while self._half_closed:
            self._half_closed.pop().close()

    def _do(self, what: Callable[[], None]) -> None:
        """Have the serving thread call a function, as it owns the sockets."""
        self._to_do.put(what)
        with contextlib.suppress(OSError):  # where it has ended, all sockets are closed
            self._stopping.send(b".")

    def _serve(self) -> None:
        for node, listening in enumerate(self._listening, 1):
            self._selector.register(listening, selectors.EVENT_READ, node)
        self._selector.register(self._stop, selectors.EVENT_READ)
        while True:
            for key, events in self._selector.select():
                if key.fileobj is self._stop:
                    if not self._stop.recv(CHUNK_BYTES):
                        self._end()
                        return
                elif isinstance(key.data, UpstreamPeer):
                    self._go_on(key.data, events)
                else:
                    self._let_in(key.fileobj, key.data)  # type: ignore[arg-type]
            while not self._to_do.empty():
                self._to_do.get()()

    def _let_in(self, listening: socket.socket, node: int) -> None:
        try:
            line, _ = listening.accept()
        except OSError:  # the proxy has gone again
            return
        line.setblocking(False)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        tunnel = Tunnel(self._tls) if self._tls else None
        session = self._broker.session()
        self.made += 1
        peer = UpstreamPeer(line, node, self.made, session, self._wake, tunnel)
        self._listen(peer)

    def _wake(self, peer: UpstreamPeer) -> None:
        self._do(partial(self._listen, peer))

    def _listen(self, peer: UpstreamPeer) -> None:
        """Register a connection for the events that it needs next."""
        events = selectors.EVENT_READ if peer.reads else 0
        events |= selectors.EVENT_WRITE if peer.waits else 0
        line = peer.socket
        known = line.fileno() >= 0 and line in self._selector.get_map()
        if line.fileno() < 0:
            return
        if events and known:
            self._selector.modify(line, events, peer)
        elif events:
            self._selector.register(line, events, peer)
        elif known:
            self._selector.unregister(line)

    def _go_on(self, peer: UpstreamPeer, events: int) -> None:
        if events & selectors.EVENT_WRITE:
            peer.write()
        if events & selectors.EVENT_READ and peer.reads:
            self._read(peer)
        self._listen(peer)

    def _read(self, peer: UpstreamPeer) -> None:
        try:
            data = peer.read()
        except OSError as error:
            self._gone(peer, self._end_of(peer, "reset", text=str(error.strerror)))
            return
        if data is None:
            return
        if data[:2] == _HANDSHAKE and peer.tunnel is None and peer.received == data:
            self.tls_came = True
        self._take(peer)
        if not data or (peer.tunnel and peer.tunnel.ended):
            kind: ReceivedKind = "reset" if peer.received else "closed"
            self._gone(peer, self._end_of(peer, kind, bytes(peer.received[:64])))

    def _end_of(
        self, peer: UpstreamPeer, kind: ReceivedKind, frame: bytes = b"", text: str = ""
    ) -> Received:
        return Received(kind, frame, text, node=peer.node, connection=peer.number)

    def _take(self, peer: UpstreamPeer) -> None:
        """Pass whole frames to the dialogue, or answer them at once."""
        for frame in cut_frames(peer.received):
            if self.sorting.is_ours(frame, begun=peer.begun):
                peer.begun = True
                peer.owed.append(frame)
                self._owing.put(peer)
                came = Received("reply", frame, node=peer.node, connection=peer.number)
                self._arrived.put((peer, came))
                continue
            for answer in peer.session.answers(struct.pack(">i", len(frame)) + frame):
                with contextlib.suppress(OSError):
                    peer.say(answer)

    def _gone(self, peer: UpstreamPeer, how: Received) -> None:
        """Record that nothing more will arrive on a connection.

        Requests of a dialogue may still be answered, until the next dialogue begins: the proxy may
        have passed on that its client closed its half.
        """
        peer.reads = False
        if peer.begun and how.kind == "closed":
            self._half_closed.append(peer)
        else:
            self._leave(peer)
        self._arrived.put((peer, how))  # last, as its reader may begin the next dialogue

    def _tear_down(self, peer: UpstreamPeer) -> None:
        with contextlib.suppress(OSError):
            self._forget(peer)
            peer.tear_down()

    def _leave(self, peer: UpstreamPeer) -> None:
        self._forget(peer)
        peer.close()

    def _forget(self, peer: UpstreamPeer) -> None:
        with contextlib.suppress(KeyError, ValueError):  # the other end may have gone before
            self._selector.unregister(peer.socket)

    def _end(self) -> None:
        while not self._to_do.empty():
            self._to_do.get()()
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
        self._selector.close()
