"""One connection: segments of both directions go in, requests and answers come out, paired.

An answer belongs to the request of its correlation id that has waited longest. Where frames are
missing and ids are reused, that is not certain, and such an answer is skipped. An answer that
comes before its request is kept for a while: captures of several network cards have packets in
another order than the wire had. Bytes that can't be read as Kafka's are reported once, and then
skipped.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from conformance.api_keys import SASL_HANDSHAKE
from conformance.captures.errors import Limits, Room
from conformance.captures.packets.network import ACK, FIN, RST, SYN, PacketEnd, Segment
from conformance.captures.streams.boundaries import Requests, Responses
from conformance.captures.streams.cutting import Cutter, Missed
from conformance.captures.streams.events import (
    Captured,
    Event,
    Side,
    Skipped,
    SkippedFrame,
    Unanswering,
)
from conformance.captures.streams.proof import Proof, named
from conformance.captures.streams.request_head import RequestHead, api_name, is_silent, request_head
from conformance.captures.streams.streams import Piece, TcpStream
from conformance.captures.streams.waiting import Waiting
from conformance.reference.codec import ReferenceCodec

TOKENS = "SASL tokens"
_MOST_EARLY = 16


class _Side:
    """One direction: its stream, and the frames cut out of it."""

    def __init__(self, stream: TcpStream, cutter: Cutter) -> None:
        self.stream = stream
        self.cutter = cutter
        self.frames = 0


class _Answer(NamedTuple):
    """A frame of the broker, when it came, and the offset of its size in the stream."""

    at_ns: int
    frame: bytes
    offset: int


class Conversation:
    """The frames of a client and a broker on one connection.

    `whole` means that the capture has its begin, `proven` that its port is known as a broker's.
    """

    def __init__(
        self,
        client: PacketEnd,
        server: PacketEnd,
        codec: ReferenceCodec,
        limits: Limits,
        room: Room,
        *,
        name: str = "",
        whole: bool = True,
        proven: bool = True,
    ) -> None:
        self.client = client
        self.server = server
        self.name = name or f"{client}-{server}"
        self.closed = False
        self.foreign = ""
        self.who = ""
        self.is_named = False
        self.counted_as: tuple[str, str, str] | None = None
        self._codec = codec
        self._finder = Requests(codec)
        self._waiting = Waiting()
        self._answers = Responses(codec, self._waiting)
        self._asks = _Side(
            TcpStream(limits, room), Cutter(limits, room, self._finder.seek, aligned=whole)
        )
        self._replies = _Side(
            TcpStream(limits, room), Cutter(limits, room, self._answers.seek, aligned=whole)
        )
        self._proof = Proof(self.name, self._finder, room, given=proven)
        self._whole = whole
        self._at_ns = 0
        self._number = 0
        self._early: deque[_Answer] = deque()
        self._tokens = False

    @property
    def frames(self) -> int:
        """Return the number of frames so far."""
        return self._asks.frames + self._replies.frames

    def is_begun_by(self, segment: Segment) -> bool:
        """True if this is the first segment of its side, or no segment of it was seen before."""
        side = self._asks if segment.source == self.client else self._replies
        return side.stream.begins_at((segment.sequence + 1) & 0xFFFF_FFFF)

    def feed(self, segment: Segment) -> Iterator[Event]:
        """Take a segment of either direction, and yield the events that it completes."""
        yield from self._proof.checked(self._taken(segment))
        if self._proof.failed and not self.closed:
            self._give_up()
        if self.closed:
            yield from self._proof.finish()

    def finish(self) -> Iterator[Event]:
        """Yield the remaining events: the connection has ended, or its capture."""
        yield from self._proof.checked(self._ended())
        yield from self._proof.finish()

    def _taken(self, segment: Segment) -> Iterator[Event]:
        """Yield the events that a segment completes."""
        self._at_ns = segment.at_ns
        side, other = self._asks, self._replies
        if segment.source != self.client:
            side, other = other, side
        sequence = segment.sequence
        if segment.flags & SYN:
            sequence = (sequence + 1) & 0xFFFF_FFFF
            side.stream.start(sequence)
        if segment.flags & ACK:
            yield from self._pieces(other, other.stream.acknowledge(segment.acknowledged))
        if segment.payload or segment.lost:
            yield from self._pieces(side, side.stream.push(sequence, segment.payload, segment.lost))
        if segment.flags & FIN and side.stream.started:
            end = sequence + len(segment.payload) + segment.lost
            side.stream.finish_at(end & 0xFFFF_FFFF)
        if segment.flags & RST or (side.stream.ended and other.stream.ended):
            yield from self._ended()

    def _ended(self) -> Iterator[Event]:
        """Yield the remaining events of a connection, once."""
        if self.closed:
            return
        self.closed = True
        for side in (self._asks, self._replies):
            yield from self._pieces(side, side.stream.flush())
        while self._early:
            yield from self._unasked(self._early.popleft())
        for side in (self._asks, self._replies):
            for missed in side.cutter.finish():
                yield from self._missed(side, missed)

    def _pieces(self, side: _Side, pieces: Iterator[Piece]) -> Iterator[Event]:
        for piece in pieces:
            for found in side.cutter.feed(piece):
                if isinstance(found, Missed):
                    yield from self._missed(side, found)
                else:
                    side.frames += 1
                    yield from self._frame(side, found)
            for _ in range(len(self._early) if side is self._asks else 0):
                yield from self._reply(self._early.popleft())

    def _frame(self, side: _Side, frame: bytes) -> Iterator[Event]:
        if self._tokens and (side is self._replies or not self._finder.readable(frame)):
            yield self._skipped_frame(
                TOKENS, side, frame, detail="without headers, after SaslHandshake v0"
            )
        elif side is self._replies:
            yield from self._reply(_Answer(self._at_ns, frame, side.cutter.begun))
        else:
            self._tokens = False
            yield from self._request(frame)

    def _request(self, frame: bytes) -> Iterator[Event]:
        """Yield the event of a frame in the place of a request."""
        found = request_head(self._codec, frame)
        self._number += 1
        if found is None:
            what = f"a frame of {len(frame)} bytes where a request belongs"
            yield self._skipped_frame("too short for a request", self._asks, frame, detail=what)
            return
        if self._asks.frames == 1 and not found.message and not self._finder.names_api(frame):
            yield from self._other(named(frame))
            return
        again = self._is_complete(self._replies) and found.correlation_id in self._waiting
        self._await(found, frame)
        yield self._captured("request", frame, found, self._asks.cutter.begun, again=again)

    def _await(self, request: RequestHead, head: bytes) -> None:
        self._waiting.add(request, silent=is_silent(self._codec, head, request))
        self._whole = self._whole and not self._waiting.dropped

    def _reply(self, reply: _Answer) -> Iterator[Event]:
        """Yield the event of an answer, or keep the answer until its request comes."""
        frame = reply.frame
        found = self._waiting.answer(_number(frame)) if len(frame) >= 4 else None
        if found is None:
            yield from self._without_request(reply)
            return
        to = found.request
        self._number += 1
        if self._is_sure(frame, to):
            yield self._captured("response", frame, to, reply.offset, late=found.late)
        else:
            why = "answers of which the request is not sure"
            yield self._skipped_frame(why, self._replies, frame, reply.offset)
        error = frame[4:6]
        if to.api_key == SASL_HANDSHAKE and to.version == 0 and error == b"\0\0":
            self._tokens = True

    def _without_request(self, reply: _Answer) -> Iterator[Event]:
        """Keep an answer whose request may still come out of the stream, else yield its event."""
        if self._asks.stream.lacks:
            self._early.append(reply)
            if len(self._early) > _MOST_EARLY:
                yield from self._unasked(self._early.popleft())
        else:
            yield from self._unasked(reply)

    def _is_sure(self, frame: bytes, to: RequestHead) -> bool:
        """True if an answer certainly belongs to this request, not to one that was not captured."""
        if self._whole or not self._waiting.counts_up:
            return self._whole
        return self._waiting.asked > 1 or self._answers.readable(frame, to)

    def _unasked(self, reply: _Answer) -> Iterator[Event]:
        """Yield the event of an answer to no request: a fault only if no request is missing."""
        at_ns, frame, offset = reply
        self._number += 1
        if self._is_complete(self._asks):
            silent = self._waiting.was_silent(_number(frame))
            yield Unanswering(self.name, self._number, at_ns, frame, silent, offset)
        else:
            yield self._skipped_frame(
                "answers without their requests", self._replies, frame, offset
            )

    def _is_complete(self, side: _Side) -> bool:
        """True if no bytes of a side are known to be missing."""
        return self._whole and not side.stream.lacks

    def _missed(self, side: _Side, missed: Missed) -> Iterator[Event]:
        """Yield the event of bytes that gave no frame; register a request that was begun."""
        if missed.why == "no size" and side.frames == 0 and self._whole:
            yield from self._other(named(missed.head))
            return
        what = "a request" if side is self._asks else "an answer"
        why, has_end = _WORDS[missed.why], missed.why in ("incomplete", "too large", "no room")
        if not has_end and missed.why != "cut off":
            self._whole = False
            yield self._skipped(why, f"{what}: {missed.size}")
            return
        is_known = self._register(side, missed.head)
        detail = f"{what}: {self._describe(side, missed)}"
        if has_end:
            self._whole = self._whole and is_known
            name, at = self._name_of(side), side.cutter.begun
            yield SkippedFrame(self.name, why, detail, name, at, missed.size, missed.head)
        else:
            yield self._skipped(why, detail)

    def _register(self, side: _Side, head: bytes) -> bool:
        """Register a frame that is not judged; return True if its begin identifies it."""
        if side is self._asks:
            found = request_head(self._codec, head)
            if found is not None:
                self._await(found, head)
            return found is not None
        return len(head) >= 4 and self._waiting.answer(_number(head)) is not None

    def _describe(self, side: _Side, missed: Missed) -> str:
        found = request_head(self._codec, missed.head) if side is self._asks else None
        name = f"{api_name(found.api_key)} v{found.version}, " if found and found.message else ""
        return f"{name}{missed.size} bytes"

    def _other(self, protocol: str) -> Iterator[Event]:
        """Report another protocol, and read no more of this connection."""
        self.foreign = protocol
        self._give_up()
        yield self._skipped("other protocols", protocol)

    def _give_up(self) -> None:
        """Read no more of this connection."""
        for side in (self._asks, self._replies):
            side.cutter.give_up()
        self._early.clear()

    def _captured(
        self,
        side: Side,
        frame: bytes,
        to: RequestHead,
        offset: int,
        late: bool = False,
        again: bool = False,
    ) -> Captured:
        return Captured(self.name, self._number, self._at_ns, side, frame, to, late, again, offset)

    def _name_of(self, side: _Side) -> Side:
        return "request" if side is self._asks else "response"

    def _skipped(self, why: str, detail: str = "") -> Skipped:
        return Skipped(self.name, why, detail)

    def _skipped_frame(
        self, why: str, side: _Side, frame: bytes, offset: int | None = None, detail: str = ""
    ) -> SkippedFrame:
        """Return the event of a whole frame, by default the one that was cut last."""
        at = side.cutter.begun if offset is None else offset
        return SkippedFrame(self.name, why, detail, self._name_of(side), at, len(frame), frame)


def _number(frame: bytes) -> int:
    """Return the correlation id of an answer."""
    return int.from_bytes(frame[:4], "big", signed=True)


_WORDS = {
    "incomplete": "frames with bytes that were not captured",
    "too large": "frames larger than are kept",
    "no room": "frames for which there was no room",
    "no size": "bytes where a frame's size belongs",
    "unaligned": "lost bytes between frames",
    "not found": "streams in which no frame was found",
    "cut off": "frames cut off at the end",
}
