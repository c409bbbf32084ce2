"""Proxies in this process, with both ends: a client's connection is a link, and not a socket.

Silence is detected at once, without waiting.
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable, Iterable
from functools import cache
from itertools import count
from typing import Self

from conformance.brokers.connection.address import Address, Unreachable
from conformance.brokers.connection.login import log_in
from conformance.brokers.connection.security import Security
from conformance.dialogue import Received, ReceivedKind, Who
from conformance.proxies.dialogues.talk import ProxyFacts
from conformance.proxies.mutants.baselines import Forwarder
from conformance.proxies.mutants.mutant import USERS
from conformance.proxies.played_cluster import BROKERS, UpstreamBroker
from conformance.proxies.sorting import Sorting
from conformance.reference.broker.connections.session import Session
from conformance.reference.codec import ReferenceCodec
from conformance.reference.proxy.link import Link
from conformance.reference.proxy.proxy import Proxy
from conformance.reference.proxy.translation import USUAL
from conformance.wire.errors import WireError

PREFIX = "kafka-conformance-"
CHUNK_BYTES = 64 * 1024
OWN = {node: ("proxy", 9000 + node) for node in BROKERS}
"""The addresses of a proxy in this process."""
LOGIN = Security(mechanism="PLAIN", username="alice", password=USERS["alice"])
"""The login of a client of our own proxies that demand one."""
_ADDRESS = Address("proxy", 9092)
_PLACES = {address: node for node, address in BROKERS.items()}


class LinkPeer:
    """A proxy in this process, and the cluster behind it."""

    def __init__(self, proxy: Proxy, *, renames: bool = False) -> None:
        self.proxy = proxy
        self.upstream = LinkUpstream(renames=renames)
        self._numbers = count(1)

    def connect(self, who: Who = "self", node: int | None = None) -> LinkLine:
        """Return a fresh connection through it to broker 1, or to `node`, logged in if demanded."""
        line = self.line(node or 1)
        if self.proxy.users and who != "nobody":
            log_in(line, _ADDRESS, LOGIN, self.proxy.versions)
        return line

    def line(self, node: int) -> LinkLine:
        """Return a connection on which nothing has been sent."""
        link = self.proxy.link()
        self.upstream.made += not link.closed
        return LinkLine(link, self.upstream, node, next(self._numbers))

    def follow(self, host: str, port: int) -> LinkLine:
        """Return a connection to an address of the proxy. Raises Unreachable for any other."""
        for node, address in self.proxy.addresses.items():
            if address == (host, port):
                behind = self.proxy.behind.get(node, BROKERS[node])
                return self.connect(node=_PLACES.get(behind, node))
        raise Unreachable(f"{host}:{port}: nobody is there")


class LinkUpstream:
    """The cluster behind the proxy: requests of the dialogue wait for it, others are answered."""

    def __init__(self, *, renames: bool = False) -> None:
        self.sorting = Sorting(PREFIX, renames=renames)
        self.made = 0
        self.begin()

    def begin(self) -> None:
        """Forget all earlier requests."""
        self._arrived: deque[tuple[LinkLine, Received]] = deque()
        self._asking: LinkLine | None = None
        self.sorting.begin()

    def came(self, line: LinkLine, received: Received) -> None:
        """Queue a request, or the end of a connection."""
        self._arrived.append((line, received))

    def arrive(self, patience_s: float | None = None) -> Received:
        """Return the first request that is waiting, or "silent" at once."""
        del patience_s
        while self._arrived:
            line, received = self._arrived.popleft()
            if received.kind == "reply" or line is self._asking:
                self._asking = line
                return received
        return Received("silent")

    def answer(self, data: bytes, pieces: int = 0, gap_s: float = 0.0) -> None:
        """Have the proxy read the broker's bytes, whole or in pieces."""
        del gap_s
        step = pieces or max(len(data), 1)
        for start in range(0, len(data), step):
            if self._asking is not None:
                self._asking.behind(data[start : start + step])

    def pour(self, data: bytes, patience_s: float) -> int:
        """Write as long as the proxy reads; return the number of bytes that it took."""
        del patience_s
        taken = 0
        while self._asking is not None and taken < len(data) and not self._asking.link.is_full():
            self.answer(data[taken : taken + CHUNK_BYTES])
            taken += CHUNK_BYTES
        return min(taken, len(data))

    def hang_up(self, *, reset: bool) -> None:
        """End the connection of the last request."""
        del reset
        if self._asking is not None:
            self._asking.hung_up()


class LinkLine:
    """A client's connection through a proxy in this process, and the one behind it."""

    def __init__(self, link: Link, upstream: LinkUpstream, node: int, number: int = 0) -> None:
        self.link = link
        self.node = node
        self._number = number
        self._upstream = upstream
        self._session: Session = UpstreamBroker().session()
        self._received = bytearray()
        self._told_end = self._begun = self._hung_up = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.reset()

    def send(self, data: bytes, pieces: int = 0, gap_s: float = 0.0) -> None:
        """Have the proxy read the client's bytes, whole or in pieces."""
        del gap_s
        step = pieces or max(len(data), 1)
        for start in range(0, len(data), step):
            if not self.link.closed:
                self._take(self.link.client_sent, data[start : start + step])
            self._move()

    def hear(self, patience_s: float | None = None, most_bytes: int = 0) -> Received:
        """Return the next frame for the client, the end of its connection, or silence."""
        del patience_s, most_bytes
        received = self.link.to_client
        if len(received) >= 4:
            (size,) = struct.unpack_from(">i", received)
            if len(received) >= 4 + size:
                frame = bytes(received[4 : 4 + size])
                del received[: 4 + size]
                return Received("reply", frame)
        if self.link.closed:
            return Received("reset" if received else "closed", bytes(received[:64]))
        return Received("silent", bytes(received[:64]))

    def finish(self) -> None:
        """Close the client's half: it will send no more."""
        self.link.end_client()
        self._move()

    def reset(self) -> None:
        """End the client's connection."""
        self.link.closed = True
        self._move()

    def behind(self, data: bytes) -> None:
        """Have the proxy read bytes of the broker."""
        if not self.link.closed:
            self._take(self.link.upstream_sent, data)
        self._move()

    def hung_up(self) -> None:
        """End the broker's connection."""
        self._hung_up = True
        self.link.end_upstream()
        self._move()

    def _take(self, into: Callable[[bytes], None], data: bytes) -> None:
        """Have the proxy read; a mutant that fails on it hangs up."""
        try:
            into(data)
        except (WireError, LookupError, struct.error):
            self.link.close()

    def _move(self) -> None:
        """Take the bytes for the broker: frames go to the dialogue, or are answered at once."""
        sent = self.link.to_upstream
        if self._hung_up:
            sent.clear()
        while len(sent) >= 4:
            (size,) = struct.unpack_from(">i", sent)
            if len(sent) < 4 + size:
                break
            frame = bytes(sent[4 : 4 + size])
            del sent[: 4 + size]
            if self._upstream.sorting.is_ours(frame, begun=self._begun):
                self._begun = True
                came = Received("reply", frame, node=self.node, connection=self._number)
                self._upstream.came(self, came)
                continue
            for answer in self._session.answers(struct.pack(">i", size) + frame):
                self.link.upstream_sent(answer)
        if (self.link.closed or self.link.finished) and not self._told_end:
            self._told_end = True
            kind: ReceivedKind = "reset" if sent else "closed"
            self._upstream.came(self, Received(kind, bytes(sent[:64]), node=self.node))


def direct() -> LinkPeer:
    """Return both ends with nothing in between."""
    return LinkPeer(Forwarder(BROKERS))


@cache
def _codec() -> ReferenceCodec:
    return ReferenceCodec()


def facts_of(rewrites: Iterable[str] = USUAL, *, logs_in: bool = False) -> ProxyFacts:
    """Return the facts about a proxy in this process."""
    return ProxyFacts(
        UpstreamBroker().versions,
        PREFIX,
        codec=_codec(),
        rewrites=frozenset(rewrites),
        brokers=BROKERS,
        mechanism=LOGIN.mechanism if logs_in else "",
    )
