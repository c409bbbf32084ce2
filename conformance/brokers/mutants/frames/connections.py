"""Connections: lost patience, harm from other connections, and unseen ends of streams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import WeakSet

from conformance.brokers.mutants.baselines import Silent
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.connections.session import Session

MOST = 50


class LastByteNotAwaited(BrokerMutant, breaks="framing.stalled-frame-waits"):
    """Takes a zero for the last byte of a frame that has not come yet."""

    implies = ("framing.split-anywhere", "framing.cut-frame-dropped")

    class Sessions(Session):
        def next_frame(self) -> bytes | None:
            size = self.read_frame_size()
            if size is not None and len(self._received) == size + 3:
                self._received.append(0)
            return super().next_frame()


class HeaderInOnePiece(BrokerMutant, breaks="framing.stalled-frame-waits"):
    """Hangs up when a read ends within the first eight bytes of a frame."""

    implies = ("framing.split-anywhere",)

    class Sessions(Session):
        def answers(self, data: bytes) -> Iterator[bytes]:
            yield from super().answers(data)
            if 4 <= len(self._received) < 12:
                self.close()


class SizeClosesAtPause(BrokerMutant, breaks="framing.stalled-frame-waits"):
    """Hangs up when a read ends within the size of a frame."""

    implies = ("framing.split-anywhere",)

    class Sessions(Session):
        def answers(self, data: bytes) -> Iterator[bytes]:
            yield from super().answers(data)
            if 0 < len(self._received) < 4:
                self.close()


class ShortReadDropped(BrokerMutant, breaks="framing.split-anywhere"):
    """Forgets a read of less than three bytes."""

    implies = ("framing.stalled-frame-waits",)

    class Sessions(Session):
        def answers(self, data: bytes) -> Iterator[bytes]:
            if len(data) >= 3:
                yield from super().answers(data)


class HundredRequestsAtOnce(BrokerMutant, breaks="framing.responses-in-order"):
    """Drops what comes behind the hundredth request of a read."""

    class Sessions(Session):
        def answers(self, data: bytes) -> Iterator[bytes]:
            yield from list(super().answers(data))[:100]


class _Watching(BrokerMutant):
    """Knows which connections there are."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.opened: WeakSet[Session] = WeakSet()

    def session(self) -> Session:
        found = super().session()
        self.opened.add(found)
        return found

    def unfinished(self) -> int:
        """Return the number of connections that wait for the rest of a frame."""
        return sum(bool(each._received) for each in self.opened)


class OneFrameAtATime(_Watching, breaks="framing.stalled-senders-delay-nobody"):
    """Serves nobody new while it waits for the rest of a frame."""

    implies = ("framing.others-unharmed",)

    def session(self) -> Session:
        return Silent(self) if self.unfinished() else super().session()


class FiftyUnfinishedFrames(_Watching, breaks="framing.stalled-senders-delay-nobody"):
    """Hangs up on newcomers while it waits for the rest of fifty frames."""

    def session(self) -> Session:
        full = self.unfinished() >= MOST
        found = super().session()
        found.closed = full
        return found


class UnfinishedFramesClosedTogether(_Watching, breaks="framing.stalled-senders-delay-nobody"):
    """Hangs up on everybody when it waits for the rest of fifty frames."""

    def session(self) -> Session:
        if self.unfinished() >= MOST:
            for each in self.opened:
                each.close()
        return super().session()


class FiftyConnections(_Watching, breaks="framing.many-connections-served"):
    """Hangs up on who comes when there are fifty connections."""

    def session(self) -> Session:
        full = len(self.opened) >= MOST
        found = super().session()
        found.closed = full
        return found


class OldestConnectionGivesWay(_Watching, breaks="framing.many-connections-served"):
    """Hangs up on the first connection when there are more than fifty."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.in_order: list[Session] = []

    def session(self) -> Session:
        self.in_order = [each for each in self.in_order if each in self.opened]
        found = super().session()
        self.in_order.append(found)
        if len(self.in_order) > MOST:
            self.in_order.pop(0).close()
        return found


class NewcomersWaitForFifty(_Watching, breaks="framing.many-connections-served"):
    """Accepts who comes when there are fifty connections, and does not serve them."""

    def session(self) -> Session:
        return Silent(self) if len(self.opened) >= MOST else super().session()


class OnePeerKeepsAllBusy(_Watching, breaks="framing.unread-answers-delay-nobody"):
    """Serves nobody new once a connection has been given a hundred answers."""

    busy = False

    class Sessions(Session):
        given = 0

        def answers(self, data: bytes) -> Iterator[bytes]:
            for answer in super().answers(data):
                self.given += 1
                yield answer

    def session(self) -> Session:
        busy = any(getattr(each, "given", 0) >= 100 for each in self.opened)
        return Silent(self) if busy else super().session()


class _KeptOpen(Session):
    """A connection that does not see some ends of its stream."""

    ended = False

    @property
    def closed(self) -> bool:
        """True if the broker hung up, or saw the end of the stream."""
        return self.ended

    @closed.setter
    def closed(self, value: bool) -> None:
        self.ended = value and not self.overlooks_end()

    def overlooks_end(self) -> bool:
        """True if an end of the stream is not seen now."""
        return False

    def close(self) -> None:
        self.ended = True


class HalfCloseOverlooked(BrokerMutant, breaks="framing.answered-after-half-close"):
    """Keeps a connection whose client has ended its stream behind a request."""

    class Sessions(_KeptOpen):
        served = False

        def write(
            self, name: str, version: int, correlation_id: int, body: dict[str, Any]
        ) -> bytes:
            self.served = True
            return super().write(name, version, correlation_id, body)

        def overlooks_end(self) -> bool:
            return self.served


class LastAnswerKeptBack(BrokerMutant, breaks="framing.answered-after-half-close"):
    """Holds the last answer of several back until it is asked again."""

    implies = ("framing.responses-in-order",)

    class Sessions(Session):
        kept: bytes = b""

        def answers(self, data: bytes) -> Iterator[bytes]:
            found = [self.kept, *super().answers(data)] if self.kept else [*super().answers(data)]
            self.kept = found.pop() if len(found) > 1 else b""
            yield from found


class SilentEndOverlooked(BrokerMutant, breaks="framing.end-of-stream-closes"):
    """Keeps a connection whose client has ended its stream without a word."""

    class Sessions(_KeptOpen):
        begun = False

        def answers(self, data: bytes) -> Iterator[bytes]:
            self.begun = True
            yield from super().answers(data)

        def overlooks_end(self) -> bool:
            return not self.begun


class EndWithinFrameOverlooked(BrokerMutant, breaks="framing.end-of-stream-closes"):
    """Keeps a connection whose client has ended its stream within a frame."""

    class Sessions(_KeptOpen):
        def overlooks_end(self) -> bool:
            return len(self._received) >= 4


class EndWithinSizeOverlooked(BrokerMutant, breaks="framing.end-of-stream-closes"):
    """Keeps a connection whose client has ended its stream within the size of a frame."""

    class Sessions(_KeptOpen):
        def overlooks_end(self) -> bool:
            return 0 < len(self._received) < 4


class CutFrameFilledUp(BrokerMutant, breaks="framing.cut-frame-dropped"):
    """Reads the bytes that a frame lacks when its stream ends as zeros, and carries it out."""

    class Sessions(Session):
        def at_end(self) -> Iterator[bytes]:
            size = self.read_frame_size()
            missing = 0 if size is None else 4 + size - len(self._received)
            yield from self.answers(bytes(missing))


class TornFrameHandedOn(BrokerMutant, breaks="framing.others-unharmed"):
    """Leaves a connection unanswered after another was torn within a frame."""

    last: Session | None = None

    def session(self) -> Session:
        found = super().session()
        if self.last is not None:
            found._received += self.last._received
        self.last = found
        return found
