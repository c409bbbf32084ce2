"""The place where a dialogue with two ends is held: steps in front of a proxy and behind it."""

from __future__ import annotations

from typing import Protocol, Self

from conformance.brokers.exchange import Exchange, Line, Peer, Table, hold
from conformance.dialogue import (
    Answer,
    Arrive,
    Dialogue,
    Follow,
    HangUp,
    OpenConnections,
    Pour,
    Received,
    Reconnect,
    Send,
    Step,
)
from conformance.proxies.sorting import Sorting


class Upstream(Protocol):
    """The broker behind a proxy, played by the suite."""

    sorting: Sorting

    @property
    def made(self) -> int:
        """The number of connections that the proxy has made to brokers so far."""
        ...

    def begin(self) -> None:
        """Forget the requests of earlier dialogues."""
        ...

    def arrive(self, patience_s: float | None = None) -> Received:
        """Return the next request that the proxy forwards, or the end of its connection."""
        ...

    def answer(self, data: bytes, pieces: int = 0, gap_s: float = 0.0) -> None:
        """Write to the connection that the last request arrived by."""
        ...

    def pour(self, data: bytes, patience_s: float) -> int:
        """Write there as long as the proxy reads; return the number of bytes that it took."""
        ...

    def hang_up(self, *, reset: bool) -> None:
        """End that connection."""
        ...


class ProxyPeer(Peer, Protocol):
    """A proxy with both its ends."""

    @property
    def upstream(self) -> Upstream:
        """The broker that it forwards to."""
        ...

    def follow(self, host: str, port: int) -> Line:
        """Return a connection to an address from an answer. Raises TargetError."""
        ...


class Control(Protocol):
    """The control over a proxy that the suite started."""

    def alive(self) -> bool:
        """True if it runs."""
        ...

    def ended(self, patience_s: float) -> bool:
        """True if it ends within this time."""
        ...

    def restart(self) -> None:
        """Start it again. Raises TargetError."""
        ...

    def last_words(self) -> str:
        """Return the last that it wrote about its end, "" if it wrote nothing."""
        ...


class ProxyTable(Table):
    """The place where a dialogue is held: in front of the proxy, and behind it."""

    endpoint: ProxyPeer

    def __enter__(self) -> Self:
        self.endpoint.upstream.begin()
        return super().__enter__()

    def take(self, step: Step) -> Received | None:
        """Do one step of a dialogue, on the side that it is for."""
        upstream = self.endpoint.upstream
        if isinstance(step, Send):
            upstream.sorting.sends(step.data)
        match step:
            case Arrive(patience_s):
                self.found.last = upstream.arrive(patience_s)
                return self.found.last
            case Answer(data, pieces, gap_s):
                upstream.answer(data, pieces, gap_s)
            case Pour(data, patience_s):
                return Received("reply", text=str(upstream.pour(data, patience_s)))
            case HangUp(reset):
                upstream.hang_up(reset=reset)
            case OpenConnections(number, sent):
                for _ in range(number):
                    upstream.sorting.sends(sent)
                    self.kept.enter_context(self.endpoint.connect()).send(sent)
            case Reconnect():
                super().take(step)
                upstream.begin()
            case Follow(host, port):
                self.leave()
                upstream.begin()
                self.go_on_with(self.endpoint.follow(host, port))
            case _:
                return super().take(step)
        return None


def exchange(dialogue: Dialogue, peer: ProxyPeer) -> Exchange:
    """Hold one dialogue and return its exchange. Raises TargetError without a connection."""
    found = Exchange()
    with ProxyTable(peer, None, found) as table:
        hold(dialogue, table, found)
    return found
