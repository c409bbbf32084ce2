"""The brokers behind a proxy, on sockets of their own: requests of dialogues wait for them.

One thread reads all connections. A request that is no dialogue's is answered at once by a reference
broker, since a proxy asks by itself what it has to know of a cluster.
"""

from __future__ import annotations

import contextlib
import itertools
import selectors
import socket
import ssl
import struct
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Self

from conformance.brokers.connection.connection import MAX_FRAME_BYTES
from conformance.dialogue import Received, ReceivedKind
from conformance.proxies.playing import Sorting, UpstreamBroker, plain_answer
from conformance.reference.broker.connections.session import Session
from conformance.reference.proxy.tls import Tunnel

CHUNK_BYTES = 256 * 1024
_HANDSHAKE = b"\x16\x03"
"""How TLS begins: the type of its records, and the major version."""
_TEAR_DOWN = struct.pack("ii", 1, 0)


@dataclass(eq=False, slots=True)
class _Peer:
    """A connection that the proxy made to one broker."""

    socket: socket.socket
    node: int
    number: int
    session: Session
    tunnel: Tunnel | None = None
    received: bytearray = field(default_factory=bytearray)
    begun: bool = False
    """Whether a dialogue's request came on it."""
    owed: list[bytes] = field(default_factory=list)
    """The requests of dialogues that have not been answered."""
    _sealing: Lock = field(default_factory=Lock)
    _writing: Lock = field(default_factory=Lock)

    def heard(self, data: bytes) -> None:
        """Take what came by the socket. Raises OSError."""
        if self.tunnel is None:
            self.received += data
            return
        with self._sealing:
            self.received += self.tunnel.take(data)
            wire = self.tunnel.wire()
        if wire:  # of the handshake, before anything else is written
            with self._writing:
                self.socket.sendall(wire)

    def say(self, data: bytes) -> None:
        """Write all of it. Raises OSError."""
        with self._writing:
            self.socket.sendall(self.sealed(data))

    def sealed(self, data: bytes) -> bytes:
        """The same as it is to be written. Raises OSError."""
        if self.tunnel is None:
            return data
        with self._sealing:
            self.tunnel.say(data)
            return self.tunnel.wire()

    def answered(self, data: bytes) -> None:
        """Owe no answer any more that is in here."""
        numbers = [frame[:4] for frame in _frames(bytearray(data))]
        for frame in list(self.owed):
            if frame[4:8] in numbers:
                numbers.remove(frame[4:8])
                self.owed.remove(frame)

    def settle(self, brokers: Mapping[int, tuple[str, int]]) -> None:
        """Answer what no dialogue has answered, as a broker does, which keeps nobody waiting."""
        with contextlib.suppress(OSError):
            while self.owed:
                answer = plain_answer(self.owed.pop(0), brokers)
                if answer is None:
                    self.finish()
                    return
                self.say(answer)

    def finish(self) -> None:
        """Say that no more will come. Raises OSError."""
        if self.tunnel is not None:
            with self._sealing:
                self.tunnel.end()
            self.say(b"")
        self.socket.shutdown(socket.SHUT_WR)


class UpstreamServer:
    """Brokers 1 to `count`, each at an address of its own. Raises OSError where a port is taken.

    `port` is that of broker 1, 0 any that is free. `patience_s` is for a request to arrive. They
    speak TLS where `tls` is a server's context; `tls_came` is that somebody else did. `renames`
    says that clients' ids come changed.
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
        self._arrived: SimpleQueue[tuple[_Peer, Received]] = SimpleQueue()
        self._asking: _Peer | None = None
        self._half_closed: list[_Peer] = []
        self._numbers = itertools.count(1)
        self._owing: SimpleQueue[_Peer] = SimpleQueue()
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
        self._stop, self._stopping = socket.socketpair()
        self._thread = Thread(target=self._serve, name="upstream", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def begin(self) -> None:
        """Forget what came for the dialogues before, and leave none of it unanswered."""
        self._asking = None
        while not self._owing.empty():
            self._owing.get().settle(self.brokers)
        while self._half_closed:
            self._half_closed.pop().socket.close()
        self.sorting.begin()
        with contextlib.suppress(Empty):
            while True:
                self._arrived.get_nowait()

    def arrive(self, patience_s: float | None = None) -> Received:
        """The next request of a dialogue, or the end of the connection that the last came by."""
        deadline = time.monotonic() + (self.patience_s if patience_s is None else patience_s)
        while (left := deadline - time.monotonic()) > 0:
            try:
                peer, received = self._arrived.get(timeout=left)
            except Empty:
                break
            if received.kind == "reply" or peer is self._asking:
                self._asking = peer
                return received
        return Received("silent")

    def answer(self, data: bytes, pieces: int = 0, gap_s: float = 0.0) -> None:
        """Write to the connection that the last request came by, all at once or in pieces."""
        if self._asking is None:
            return
        self._asking.answered(data)
        step = pieces or max(len(data), 1)
        for start in range(0, len(data), step):
            if start and gap_s:
                time.sleep(gap_s)
            with contextlib.suppress(OSError):  # that nobody reads shows at the other end
                self._asking.say(data[start : start + step])

    def pour(self, data: bytes, patience_s: float) -> int:
        """Write there until nothing is taken for so long, or all is; how many bytes were."""
        if self._asking is None:
            return 0
        self._asking.owed.clear()
        line, taken, waiting = self._asking.socket, 0, b""
        with contextlib.suppress(OSError), selectors.DefaultSelector() as writable:
            writable.register(line, selectors.EVENT_WRITE)
            while taken < len(data) and writable.select(patience_s):
                chunk = data[taken : taken + CHUNK_BYTES]
                waiting = waiting or self._asking.sealed(chunk)
                waiting = waiting[line.send(waiting, socket.MSG_DONTWAIT) :]
                taken += 0 if waiting else len(chunk)
        return taken

    def hang_up(self, *, reset: bool) -> None:
        """End that connection."""
        if self._asking is None:
            return
        with contextlib.suppress(OSError):
            if reset:
                line = self._asking.socket
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _TEAR_DOWN)
                with contextlib.suppress(KeyError, ValueError):  # the other end may have gone
                    self._selector.unregister(line)
                line.close()
            else:
                self._asking.finish()

    def close(self) -> None:
        """Leave no socket and no thread behind."""
        self._stopping.close()
        self._thread.join()
        self.begin()

    def _serve(self) -> None:
        for node, listening in enumerate(self._listening, 1):
            self._selector.register(listening, selectors.EVENT_READ, node)
        self._selector.register(self._stop, selectors.EVENT_READ)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._stop:
                    self._end()
                    return
                if isinstance(key.data, _Peer):
                    self._read(key.data)
                else:
                    self._let_in(key.fileobj, key.data)  # type: ignore[arg-type]

    def _let_in(self, listening: socket.socket, node: int) -> None:
        line, _ = listening.accept()
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        tunnel = Tunnel(self._tls) if self._tls else None
        peer = _Peer(line, node, next(self._numbers), self._broker.session(), tunnel)
        self._selector.register(line, selectors.EVENT_READ, peer)

    def _read(self, peer: _Peer) -> None:
        try:
            data = peer.socket.recv(CHUNK_BYTES)
            peer.heard(data)
        except OSError as error:
            self._gone(peer, Received("reset", text=str(error.strerror), node=peer.node))
            return
        if data[:2] == _HANDSHAKE and peer.tunnel is None and peer.received == data:
            self.tls_came = True
        self._take(peer)
        if not data or (peer.tunnel and peer.tunnel.ended):
            kind: ReceivedKind = "reset" if peer.received else "closed"
            self._gone(peer, Received(kind, bytes(peer.received[:64]), node=peer.node))

    def _take(self, peer: _Peer) -> None:
        """Whole frames, to whom they are for."""
        for frame in _frames(peer.received):
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

    def _gone(self, peer: _Peer, how: Received) -> None:
        """Nothing more comes on a connection.

        What a dialogue has begun may still be answered, until the next one begins: the proxy may
        have passed on that its client closed its half.
        """
        with contextlib.suppress(KeyError, ValueError, OSError):
            self._selector.unregister(peer.socket)
        if peer.begun and how.kind == "closed":
            self._half_closed.append(peer)
        else:
            peer.socket.close()
        self._arrived.put((peer, how))  # at last: who hears of it may begin the next dialogue

    def _end(self) -> None:
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
        self._selector.close()


def _frames(received: bytearray) -> Iterator[bytes]:
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
