"""The proof that a connection speaks Kafka's protocol, if no port was named that says so, and other
protocols by their first bytes.

The bytes of any protocol may look like a frame or two. So no event of such a connection is given
out until one request on it was read to its last byte; the earlier events are given out then. A
connection without such a request among its first frames is skipped as one of another protocol.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.captures.errors import Room
from conformance.captures.streams.boundaries import Requests
from conformance.captures.streams.events import Captured, Event, Skipped, SkippedFrame, Unanswering

NONE = "not Kafka's"
"""The name of a protocol that is not recognised."""
_VERBS = (b"GET ", b"POST", b"PUT ", b"HEAD", b"HTTP", b"OPTI", b"DELE", b"PATC", b"CONN", b"PRI ")


def named(head: bytes) -> str:
    """Return the name of the protocol that a stream begins with, if it is recognised."""
    if head[:2] == b"\x16\x03":
        return "TLS"
    if head[:4] in _VERBS:
        return "HTTP"
    if head[:4] == b"SSH-":
        return "SSH"
    if head[:5] == b"PROXY" or head[:4] == b"\x0d\x0a\x0d\x0a":
        return "the PROXY protocol"
    return NONE


UNPROVEN = "connections without a request that could be read to its end"
_MOST_HELD = 32


class Proof:
    """The events of one connection, held until they are known to be Kafka's."""

    def __init__(self, connection: str, requests: Requests, room: Room, *, given: bool) -> None:
        self.given = given
        self.failed = False
        self._connection = connection
        self._requests = requests
        self._room = room
        self._held: list[Event] = []
        self._bytes = 0

    def checked(self, events: Iterable[Event]) -> Iterator[Event]:
        """Yield the events that are known to be Kafka's, in their order."""
        for event in events:
            if not self.given and self._shows(event):
                self.given = True
                yield from self._release()
            if self.given:
                yield event
            elif not self.failed:
                self._hold(event)

    def finish(self) -> Iterator[Event]:
        """Yield one event that the connection was skipped, if it was."""
        if self.given or not (self._held or self.failed):
            return
        self.given = True
        reasons = (event for event in self._release() if type(event) is Skipped)
        yield next(reasons, Skipped(self._connection, UNPROVEN))

    def _shows(self, event: Event) -> bool:
        return (
            isinstance(event, Captured)
            and event.side == "request"
            and self._requests.readable(event.frame)
        )

    def _hold(self, event: Event) -> None:
        size = _size(event)
        if len(self._held) < _MOST_HELD and self._room.take(size):
            self._held.append(event)
            self._bytes += size
        else:
            self.failed = True
            self._release()

    def _release(self) -> list[Event]:
        held, self._held = self._held, []
        self._room.give(self._bytes)
        self._bytes = 0
        return held


def _size(event: Event) -> int:
    """Return the number of bytes that an event keeps."""
    if isinstance(event, Captured | Unanswering):
        return len(event.frame)
    return len(event.head) if isinstance(event, SkippedFrame) else 0
