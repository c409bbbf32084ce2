"""One connection, without a socket: bytes in as they arrive, whole answers out, in order.

Frames are cut from the bytes and answered one by one; a faulty frame ends the connection, and
earlier answers are still written. Only the bytes of an incomplete frame are kept, and its size is
checked before they are.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from functools import partial

from conformance.api_keys import API_VERSIONS
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.sasl import Sasl
from conformance.reference.broker.defaults import can_be_echoed, whole
from conformance.reference.broker.errors import Hangup, Unanswered, Waits
from conformance.reference.broker.node import Node
from conformance.reference.broker.releases import NAMES
from conformance.wire.errors import DecodeError, EncodeError

_SIZE = struct.Struct(">i")
_KEY_AND_VERSION = struct.Struct(">hh")


class Session(Sasl):
    """A client's connection to a broker. `closed` says that the broker ended it.

    `delay_s` is the time that the next answer is held back, `rest_s` the time without reading after
    the answers, `torn` says that the end is a reset, and `at_s` is when the last bytes arrived, if
    the code that serves it sets that. `pending` returns the answer that waits for other clients;
    it is tried again whenever answers are asked for.
    """

    delay_s = 0.0
    rest_s = 0.0
    torn = False
    at_s = 0.0

    def __init__(self, broker: Node) -> None:
        self.broker = broker
        self.closed = False
        self.pending: Callable[[], bytes | None] | None = None
        self._received = bytearray()
        self.start_sasl()

    def receive(self, data: bytes) -> list[bytes]:
        """Return the answers that these bytes complete, each with its length."""
        return list(self.answers(data))

    def answers(self, data: bytes) -> Iterator[bytes]:
        """Yield the answers one at a time, so that a peer that reads little costs little memory."""
        self._received += data
        while not self.closed and (attempt := self.next_attempt()) is not None:
            answer = attempt()
            if answer is not None:
                yield _SIZE.pack(len(answer)) + answer
            if self.pending is not None:
                break
        if self.closed:
            self._received.clear()

    def at_end(self) -> Iterator[bytes]:
        """Yield the answers to bytes left when the client ends its side: none, as it is cut."""
        yield from ()

    def next_attempt(self) -> Callable[[], bytes | None] | None:
        """Return how to answer the pending request or else the next frame, None without any."""
        if self.pending is not None:
            pending, self.pending = self.pending, None
            return partial(self.attempted, pending)
        frame = self.next_frame()
        return None if frame is None else partial(self.answer, frame)

    def next_frame(self) -> bytes | None:
        """Return the next whole frame, without its length, None if it is incomplete."""
        size = self.read_frame_size()
        if size is None or len(self._received) < _SIZE.size + size:
            return None
        frame = bytes(self._received[_SIZE.size : _SIZE.size + size])
        del self._received[: _SIZE.size + size]
        return frame

    def read_frame_size(self) -> int | None:
        """Return the size of the next frame, None if it is incomplete or illegal."""
        if len(self._received) < _SIZE.size:
            return None
        (size,) = _SIZE.unpack_from(self._received)
        if not self.is_frame_size(size):
            self.close()
            return None
        return int(size)

    def is_frame_size(self, size: int) -> bool:
        """True if a frame can have so many bytes."""
        least = 0 if self.expects_token else 1  # an empty frame is a token, though a wrong one
        return least <= size <= self.broker.max_request_bytes

    def close(self) -> None:
        """Hang up."""
        self.closed = True

    def answer(self, frame: bytes) -> bytes | None:
        """Return the answer to one frame, without its length, None for no answer."""
        return self.attempted(partial(self.token if self.expects_token else self.respond, frame))

    def attempted(self, attempt: Callable[[], bytes | None]) -> bytes | None:
        """Return the answer of an attempt, None for no answer."""
        try:
            return attempt()
        except Unanswered:
            return None
        except (Hangup, DecodeError):
            self.close()
            return None

    def respond(self, frame: bytes) -> bytes | None:
        """Return the answer to a request. Raises Hangup, and DecodeError if it can't be read."""
        api_key, version = self.api_key_and_version(frame)
        if api_key not in self.broker.versions:
            return self.answer_unknown_api_key()
        self.check_authenticated(api_key)
        if not self.is_supported(api_key, version):
            return self.answer_unsupported_version(api_key, version, frame)
        request = self.read_request(api_key, version, frame)
        return self.answered(request, partial(self.handle, request))

    def answered(self, request: Request, handle: Callable[[], Value]) -> bytes | None:
        """Return the answer that `handle` makes, None while it waits for other clients."""
        try:
            body = handle()
        except Waits as waits:
            self.pending = partial(self.answered, request, waits.then)
            return None
        return self.write_response(request, self.broker.throttled(request, body))

    def api_key_and_version(self, frame: bytes) -> tuple[int, int]:
        """Return api key and version from the first 4 bytes. Raises Hangup."""
        if len(frame) < _KEY_AND_VERSION.size:
            raise Hangup
        api_key, version = _KEY_AND_VERSION.unpack_from(frame)
        return api_key, version

    def is_supported(self, api_key: int, version: int) -> bool:
        """True if the broker serves this version of this API."""
        low, high = self.broker.versions[api_key]
        return low <= version <= high

    def answer_unknown_api_key(self) -> bytes | None:
        """Hang up."""
        raise Hangup

    def answer_unsupported_version(self, api_key: int, version: int, frame: bytes) -> bytes | None:
        """Hang up, unless it is ApiVersions: that is answered in version 0 (KIP-511)."""
        if api_key != API_VERSIONS:
            raise Hangup
        header = self.read_unsupported_header(version, frame)
        body = self.broker.unsupported_api_versions()
        return self.write("ApiVersions", 0, header["correlationId"], body)

    def read_unsupported_header(self, version: int, frame: bytes) -> Value:
        """Return the header of an ApiVersions of unknown version, read in the nearest known one."""
        low, high = self.broker.versions[API_VERSIONS]
        reads = self.broker.reads
        nearest = reads.form("ApiVersionsRequest", min(max(version, low), high))
        header, _ = reads.read(reads.header_form(nearest), frame)
        return header

    def read_request(self, api_key: int, version: int, frame: bytes) -> Request:
        """Return header and body; bytes after the last field are ignored. Raises DecodeError."""
        reads = self.broker.reads
        form = reads.form(f"{NAMES[api_key]}Request", version)
        header, offset = reads.read(reads.header_form(form), frame)
        value, _ = reads.read(form, frame, offset)
        return Request(api_key, version, header, whole(form.layout, value), self.principal)

    def handle(self, request: Request) -> Value:
        """Return the body of the answer, from the handler that is named after the request."""
        match NAMES[request.api_key]:
            case "ApiVersions":
                return self.greet(request)
            case "SaslHandshake":
                return self.sasl_handshake(request)
            case "SaslAuthenticate":
                return self.sasl_authenticate(request)
            case "Fetch" | "ShareFetch":
                return self.fetch(request)
        return self.broker.handle(request)

    def fetch(self, request: Request) -> Value:
        """Return the records; an answer without any is delayed until the client's time is up."""
        body = self.broker.handle(request)
        self.delay_s = self.broker.fetch_delay_s(request, body)
        return body

    def write_response(self, request: Request, body: Value) -> bytes:
        """Return the answer in the request's version. Raises Hangup if it can't be written."""
        name = NAMES[request.api_key]
        try:
            return self.write(name, request.version, request.header["correlationId"], body)
        except EncodeError:
            if can_be_echoed(body):
                raise
            raise Hangup from None

    def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
        """Return a response frame without its length."""
        header = {"correlationId": correlation_id}
        return self.broker.writes.encode_response(f"{name}Response", version, header, body)
