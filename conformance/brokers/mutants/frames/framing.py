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


class NegativeCorrelationIdZero(BrokerMutant, breaks="framing.correlation-id-echoed"):
    """Answers a request of a negative correlation id with the correlation id 0."""

    class Sessions(Session):
        def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
            return super().write(name, version, max(correlation_id, 0), body)


class CorrelationIdWithoutSign(BrokerMutant, breaks="framing.correlation-id-echoed"):
    """Drops the sign bit of a correlation id."""

    class Sessions(Session):
        def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
            return super().write(name, version, correlation_id & 0x7FFFFFFF, body)


class CorrelationIdCounted(BrokerMutant, breaks="framing.correlation-id-echoed"):
    """Counts up from the first correlation id of a connection, whatever the others are."""

    class Sessions(Session):
        numbers: Iterator[int] | None = None

        def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
            self.numbers = self.numbers or count(correlation_id)
            return super().write(name, version, next(self.numbers), body)


class LatestAnswerFirst(BrokerMutant, breaks="framing.responses-in-order"):
    """Answers requests that came together in the reverse order."""

    class Sessions(Session):
        def answers(self, data: bytes) -> Iterator[bytes]:
            yield from reversed(list(super().answers(data)))


class ShortAnswersOvertake(BrokerMutant, breaks="framing.responses-in-order"):
    """Sends the shorter of the answers that are ready before the longer ones."""

    class Sessions(Session):
        def answers(self, data: bytes) -> Iterator[bytes]:
            yield from sorted(super().answers(data), key=len)


class PipelinedRequestLost(BrokerMutant, breaks="framing.responses-in-order"):
    """Answers the first of the requests that came together, and forgets the others."""

    implies = ("framing.answered-after-half-close",)

    class Sessions(Session):
        def answers(self, data: bytes) -> Iterator[bytes]:
            yield from list(super().answers(data))[:1]


class PipelineOfTenRequests(BrokerMutant, breaks="framing.responses-in-order"):
    """Hangs up when more than ten requests come together."""

    class Sessions(Session):
        def answers(self, data: bytes) -> Iterator[bytes]:
            for number, answer in enumerate(super().answers(data)):
                if number == 10:
                    self.close()
                    return
                yield answer


class FrameInOnePiece(BrokerMutant, breaks="framing.split-anywhere"):
    """Hangs up unless a read brings whole frames."""

    implies = ("framing.stalled-frame-waits",)

    class Sessions(Session):
        def answers(self, data: bytes) -> Iterator[bytes]:
            yield from super().answers(data)
            if self._received:
                self.close()


class SizeInOnePiece(BrokerMutant, breaks="framing.split-anywhere"):
    """Forgets the begin of a size that comes in two pieces."""

    implies = ("framing.stalled-frame-waits",)

    class Sessions(Session):
        def answers(self, data: bytes) -> Iterator[bytes]:
            yield from super().answers(data)
            if len(self._received) < _SIZE.size:
                self._received.clear()


class RestOfReadDropped(BrokerMutant, breaks="framing.split-anywhere"):
    """Drops the begin of a frame that came in one read with the end of another."""

    class Sessions(Session):
        def answers(self, data: bytes) -> Iterator[bytes]:
            found = list(super().answers(data))
            if found:
                self._received.clear()
            yield from found


class SizeTakenUnsigned(BrokerMutant, breaks="framing.negative-size-closes"):
    """Takes a negative size for one of gigabytes, and waits for them."""

    class Sessions(Session):
        def read_frame_size(self) -> int | None:
            (size,) = _SIZE.unpack_from(self._received.ljust(_SIZE.size, b"\0"))
            return size & 0xFFFFFFFF if size < 0 else super().read_frame_size()


class NegativeSizeSkipped(BrokerMutant, breaks="framing.negative-size-closes"):
    """Skips the four bytes of a negative size, and reads on behind them."""

    class Sessions(Session):
        def read_frame_size(self) -> int | None:
            while len(self._received) >= _SIZE.size and _SIZE.unpack_from(self._received)[0] < 0:
                del self._received[: _SIZE.size]
            return super().read_frame_size()


class SignOfSizeDropped(BrokerMutant, breaks="framing.negative-size-closes"):
    """Takes a negative size for the same without its sign, and answers the frame behind it."""

    class Sessions(Session):
        def read_frame_size(self) -> int | None:
            if len(self._received) >= _SIZE.size and self._received[0] & 0x80:
                (size,) = _SIZE.unpack_from(self._received)
                self._received[: _SIZE.size] = _SIZE.pack(min(-size, 2**31 - 1))
            return super().read_frame_size()


class NegativeSizeAnswered(BrokerMutant, breaks="framing.negative-size-closes"):
    """Answers a negative size with an error, and reads on."""

    class Sessions(Session):
        def answers(self, data: bytes) -> Iterator[bytes]:
            yield from super().answers(data)
            if self.closed and data[:1] > b"\x7f":
                self.closed = False
                yield struct.pack(">iih", 6, 0, INVALID_REQUEST)


class HugeSizeAwaited(BrokerMutant, breaks="framing.huge-size-closes"):
    """Waits for a frame of any size."""

    class Sessions(Session):
        def is_frame_size(self, size: int) -> bool:
            return size > 0


class HugeSizeCutToLimit(BrokerMutant, breaks="framing.huge-size-closes"):
    """Takes a size above the limit for the limit, and waits for as many bytes."""

    class Sessions(Session):
        def read_frame_size(self) -> int | None:
            if len(self._received) >= _SIZE.size:
                (size,) = _SIZE.unpack_from(self._received)
                self._received[: _SIZE.size] = _SIZE.pack(min(size, self.broker.max_request_bytes))
            return super().read_frame_size()


class EmptyFrameSkipped(BrokerMutant, breaks="framing.zero-size-closes"):
    """Skips a frame of no bytes."""

    class Sessions(Session):
        def is_frame_size(self, size: int) -> bool:
            return size == 0 or super().is_frame_size(size)

        def answer(self, frame: bytes) -> bytes | None:
            return super().answer(frame) if frame else None


class EmptyFrameAnswered(BrokerMutant, breaks="framing.zero-size-closes"):
    """Answers a frame of no bytes with another."""

    class Sessions(EmptyFrameSkipped.Sessions):
        def answer(self, frame: bytes) -> bytes | None:
            return super().answer(frame) if frame else b""


class ShortBodyFilledUp(BrokerMutant, breaks="framing.short-body-closes"):
    """Answers a body that ends within a field as if it were whole."""

    implies = ("primitives.short-input-refused", "primitives.length-beyond-input-refused")

    class Sessions(Session):
        def read_request(self, api_key: int, version: int, frame: bytes) -> Request:
            return super().read_request(api_key, version, frame + bytes(1024))


class ShortBodyAnswered(BrokerMutant, breaks="framing.short-body-closes"):
    """Answers a body that ends within a field with an error alone."""

    implies = ("primitives.short-input-refused", "primitives.length-beyond-input-refused")

    class Sessions(Session):
        def respond(self, frame: bytes) -> bytes | None:
            try:
                return super().respond(frame)
            except DecodeError:
                return frame[_CORRELATION_ID] + struct.pack(">h", INVALID_REQUEST)


class ShortBodyIgnored(BrokerMutant, breaks="framing.short-body-closes"):
    """Drops a request whose body ends within a field, and goes on."""

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


class MalformedFrameEndsBroker(_Remembering, breaks="framing.others-unharmed"):
    """Hangs up on everybody once a frame was malformed."""

    implies = (
        "api-versions.version-0-answered",
        "api-versions.advertised-is-served",
    )

    def session(self) -> Session:
        harmed = self.harmed()
        found = super().session()
        found.closed = harmed
        return found


class MalformedFrameSilencesBroker(_Remembering, breaks="framing.others-unharmed"):
    """Answers nobody any more once a frame was malformed."""

    implies = (
        "api-versions.version-0-answered",
        "api-versions.advertised-is-served",
        "acls.unknown-code-refused",
    )

    def session(self) -> Session:
        return Silent(self) if self.harmed() else super().session()


class MalformedBytesLeft(_Remembering, breaks="framing.others-unharmed"):
    """Takes what a malformed frame left in the buffer for the begin of the next connection."""

    implies = (
        "api-versions.version-0-answered",
        "api-versions.advertised-is-served",
    )

    class Sessions(Session):
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
