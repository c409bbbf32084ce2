"""Where a dialogue with two ends is held: the steps in front of a proxy, and those behind it."""

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
from conformance.proxies.playing import Sorting


class Upstream(Protocol):
    """The broker behind a proxy, played by the suite."""

    sorting: Sorting

    def begin(self) -> None:
        """Forget what came for the dialogues before."""
        ...

    def arrive(self, patience_s: float | None = None) -> Received:
        """The next request that the proxy forwards, or the end of its connection."""
        ...

    def answer(self, data: bytes, pieces: int = 0, gap_s: float = 0.0) -> None:
        """Write to the connection that the last request came by."""
        ...

    def pour(self, data: bytes, patience_s: float) -> int:
        """Write there as long as it is taken; how many bytes were."""
        ...

    def hang_up(self, *, reset: bool) -> None:
        """End that connection."""
        ...


class ProxyPeer(Peer, Protocol):
    """A proxy with both its ends."""

    @property
    def upstream(self) -> Upstream:
        """What it forwards to."""
        ...

    def follow(self, host: str, port: int) -> Line:
        """A connection to an address that an answer told. Raises TargetError."""
        ...


class Control(Protocol):
    """The hand that started the proxy."""

    def alive(self) -> bool:
        """Whether it runs."""
        ...

    def restart(self) -> None:
        """Start it again. Raises TargetError."""
        ...


class ProxyTable(Table):
    """Where a dialogue is held: before the proxy, and behind it."""

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
                self.talking.close()
                upstream.begin()
                self.line = self.talking.enter_context(self.endpoint.follow(host, port))
            case _:
                return super().take(step)
        return None


def exchange(dialogue: Dialogue, peer: ProxyPeer) -> Exchange:
    """Hold one dialogue. Raises TargetError where there is no connection."""
    found = Exchange()
    with ProxyTable(peer, None, found) as table:
        hold(dialogue, table, found)
    return found
