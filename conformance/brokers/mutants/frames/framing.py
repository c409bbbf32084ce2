"""Frames: sizes misread, pieces lost, answers mixed up, and what a malformed one does."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import count
from typing import Any

from conformance.brokers.mutants.baselines import Silent
from conformance.brokers.mutants.mutant import BrokerMutant, LetsPass
from conformance.error_codes import INVALID_REQUEST
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.wire.errors import DecodeError

_SIZE = struct.Struct(">i")
_CORRELATION_ID = slice(4, 8)
"""The position of the correlation id in a request frame without its length."""


class NegativeCorrelationIdZero(BrokerMutant):
    """Answers a request of a negative correlation id with the correlation id 0."""

    breaks = "framing.correlation-id-echoed"

    class Sessions(Session):
        """A connection that clamps."""

        def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
            return super().write(name, version, max(correlation_id, 0), body)


class CorrelationIdWithoutSign(BrokerMutant):
    """Drops the sign bit of a correlation id."""

    breaks = "framing.correlation-id-echoed"

    class Sessions(Session):
        """A connection that knows no negative ids."""

        def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
            return super().write(name, version, correlation_id & 0x7FFFFFFF, body)


class CorrelationIdCounted(BrokerMutant):
    """Counts up from the first correlation id of a connection, whatever the others are."""

    breaks = "framing.correlation-id-echoed"

    class Sessions(Session):
        """A connection that counts."""

        numbers: Iterator[int] | None = None

        def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
            self.numbers = self.numbers or count(correlation_id)
            return super().write(name, version, next(self.numbers), body)


class LatestAnswerFirst(BrokerMutant):
    """Answers requests that came together in the reverse order."""

    breaks = "framing.responses-in-order"

    class Sessions(Session):
        """A connection with a stack where a queue should be."""

        def answers(self, data: bytes) -> Iterator[bytes]:
            """Yield all answers, the last one first."""
            yield from reversed(list(super().answers(data)))


class ShortAnswersOvertake(BrokerMutant):
    """Sends the shorter of the answers that are ready before the longer ones."""

    breaks = "framing.responses-in-order"

    class Sessions(Session):
        """A connection that sends what is ready."""

        def answers(self, data: bytes) -> Iterator[bytes]:
            yield from sorted(super().answers(data), key=len)


class PipelinedRequestLost(BrokerMutant):
    """Answers the first of the requests that came together, and forgets the others."""

    breaks = "framing.responses-in-order"
    implies = ("framing.answered-after-half-close",)

    class Sessions(Session):
        """A connection that serves one request a read."""

        def answers(self, data: bytes) -> Iterator[bytes]:
            yield from list(super().answers(data))[:1]


class PipelineOfTenRequests(BrokerMutant):
    """Hangs up when more than ten requests come together."""

    breaks = "framing.responses-in-order"

    class Sessions(Session):
        """A connection with a short queue."""

        def answers(self, data: bytes) -> Iterator[bytes]:
            for number, answer in enumerate(super().answers(data)):
                if number == 10:
                    self.close()
                    return
                yield answer


class FrameInOnePiece(BrokerMutant):
    """Hangs up unless a read brings whole frames."""

    breaks = "framing.split-anywhere"
    implies = ("framing.stalled-frame-waits",)

    class Sessions(Session):
        """A connection that takes a read for a frame."""

        def answers(self, data: bytes) -> Iterator[bytes]:
            yield from super().answers(data)
            if self._received:
                self.close()


class SizeInOnePiece(BrokerMutant):
    """Forgets the begin of a size that comes in two pieces."""

    breaks = "framing.split-anywhere"
    implies = ("framing.stalled-frame-waits",)

    class Sessions(Session):
        """A connection that reads sizes at once."""

        def answers(self, data: bytes) -> Iterator[bytes]:
            """Yield the answers to frames whose size came in one piece."""
            yield from super().answers(data)
            if len(self._received) < _SIZE.size:
                self._received.clear()


class RestOfReadDropped(BrokerMutant):
    """Drops the begin of a frame that came in one read with the end of another."""

    breaks = "framing.split-anywhere"

    class Sessions(Session):
        """A connection that empties its buffer after an answer."""

        def answers(self, data: bytes) -> Iterator[bytes]:
            """Yield the answers to a read; if there are any, drop the bytes left over."""
            found = list(super().answers(data))
            if found:
                self._received.clear()
            yield from found


class SizeTakenUnsigned(BrokerMutant):
    """Takes a negative size for one of gigabytes, and waits for them."""

    breaks = "framing.negative-size-closes"

    class Sessions(Session):
        """A connection without negative numbers."""

        def read_frame_size(self) -> int | None:
            (size,) = _SIZE.unpack_from(self._received.ljust(_SIZE.size, b"\0"))
            return size & 0xFFFFFFFF if size < 0 else super().read_frame_size()


class NegativeSizeSkipped(BrokerMutant):
    """Skips the four bytes of a negative size, and reads on behind them."""

    breaks = "framing.negative-size-closes"

    class Sessions(Session):
        """A connection that goes on."""

        def read_frame_size(self) -> int | None:
            """Return the next frame size that is not negative."""
            while len(self._received) >= _SIZE.size and _SIZE.unpack_from(self._received)[0] < 0:
                del self._received[: _SIZE.size]
            return super().read_frame_size()


class SignOfSizeDropped(BrokerMutant):
    """Takes a negative size for the same without its sign, and answers the frame behind it."""

    breaks = "framing.negative-size-closes"

    class Sessions(Session):
        """A connection that knows amounts alone."""

        def read_frame_size(self) -> int | None:
            if len(self._received) >= _SIZE.size and self._received[0] & 0x80:
                (size,) = _SIZE.unpack_from(self._received)
                self._received[: _SIZE.size] = _SIZE.pack(min(-size, 2**31 - 1))
            return super().read_frame_size()


class NegativeSizeAnswered(BrokerMutant):
    """Answers a negative size with an error, and reads on."""

    breaks = "framing.negative-size-closes"

    class Sessions(Session):
        """A connection that excuses itself."""

        def answers(self, data: bytes) -> Iterator[bytes]:
            yield from super().answers(data)
            if self.closed and data[:1] > b"\x7f":
                self.closed = False
                yield struct.pack(">iih", 6, 0, INVALID_REQUEST)


class HugeSizeAwaited(BrokerMutant):
    """Waits for a frame of any size."""

    breaks = "framing.huge-size-closes"

    class Sessions(Session):
        """A connection without a limit."""

        def is_frame_size(self, size: int) -> bool:
            return size > 0


class HugeSizeCutToLimit(BrokerMutant):
    """Takes a size above the limit for the limit, and waits for as many bytes."""

    breaks = "framing.huge-size-closes"

    class Sessions(Session):
        """A connection that clamps."""

        def read_frame_size(self) -> int | None:
            if len(self._received) >= _SIZE.size:
                (size,) = _SIZE.unpack_from(self._received)
                self._received[: _SIZE.size] = _SIZE.pack(min(size, self.broker.max_request_bytes))
            return super().read_frame_size()


class EmptyFrameSkipped(BrokerMutant):
    """Skips a frame of no bytes."""

    breaks = "framing.zero-size-closes"

    class Sessions(Session):
        """A connection that takes it for a sign of life."""

        def is_frame_size(self, size: int) -> bool:
            """True if `size` is a valid frame size or 0."""
            return size == 0 or super().is_frame_size(size)

        def answer(self, frame: bytes) -> bytes | None:
            """Return the answer to a frame, or None for an empty frame."""
            return super().answer(frame) if frame else None


class EmptyFrameAnswered(BrokerMutant):
    """Answers a frame of no bytes with another."""

    breaks = "framing.zero-size-closes"

    class Sessions(EmptyFrameSkipped.Sessions):
        """A connection that plays ping-pong."""

        def answer(self, frame: bytes) -> bytes | None:
            """Return the answer to a frame, or an empty answer for an empty frame."""
            return super().answer(frame) if frame else b""


class ShortBodyFilledUp(BrokerMutant):
    """Answers a body that ends within a field as if it were whole."""

    breaks = "framing.short-body-closes"
    implies = ("primitives.short-input-refused", "primitives.length-beyond-input-refused")

    class Sessions(Session):
        """A connection that reads behind the end."""

        def read_request(self, api_key: int, version: int, frame: bytes) -> Request:
            """Return the request, read from the frame with zeros after its end."""
            return super().read_request(api_key, version, frame + bytes(1024))


class ShortBodyAnswered(BrokerMutant):
    """Answers a body that ends within a field with an error alone."""

    breaks = "framing.short-body-closes"
    implies = ("primitives.short-input-refused", "primitives.length-beyond-input-refused")

    class Sessions(Session):
        """A connection that explains."""

        def respond(self, frame: bytes) -> bytes | None:
            try:
                return super().respond(frame)
            except DecodeError:
                return frame[_CORRELATION_ID] + struct.pack(">h", INVALID_REQUEST)


class ShortBodyIgnored(BrokerMutant):
    """Drops a request whose body ends within a field, and goes on."""

    breaks = "framing.short-body-closes"
    implies = ("primitives.short-input-refused", "primitives.length-beyond-input-refused")

    Sessions = LetsPass


class _Remembering(BrokerMutant):
    """Keeps its connections."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.opened: list[Session] = []

    def session(self) -> Session:
        self.opened.append(super().session())
        return self.opened[-1]

    def harmed(self) -> bool:
        """True if the broker has closed any of its connections."""
        return any(each.closed for each in self.opened)


class MalformedFrameEndsBroker(_Remembering):
    """Hangs up on everybody once a frame was malformed."""

    breaks = "framing.others-unharmed"
    implies = (
        "api-versions.version-0-answered",
        "api-versions.advertised-is-served",
    )

    def session(self) -> Session:
        harmed = self.harmed()
        found = super().session()
        found.closed = harmed
        return found


class MalformedFrameSilencesBroker(_Remembering):
    """Answers nobody any more once a frame was malformed."""

    breaks = "framing.others-unharmed"
    implies = (
        "api-versions.version-0-answered",
        "api-versions.advertised-is-served",
        "acls.unknown-code-refused",
    )

    def session(self) -> Session:
        return Silent(self) if self.harmed() else super().session()


class MalformedBytesLeft(_Remembering):
    """Takes what a malformed frame left in the buffer for the begin of the next connection."""

    breaks = "framing.others-unharmed"
    implies = (
        "api-versions.version-0-answered",
        "api-versions.advertised-is-served",
    )

    class Sessions(Session):
        """A connection that keeps what it could not read."""

        rest = b""

        def close(self) -> None:
            self.rest = bytes(self._received)
            super().close()

    def session(self) -> Session:
        before = list(self.opened)
        found = super().session()
        for each in before:
            if isinstance(each, self.Sessions):
                found.receive(each.rest)
        return found
