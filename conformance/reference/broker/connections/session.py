"""One connection, without a socket: bytes in as they come, whole answers out, in order.

Frames are cut from the bytes and answered one by one; what is wrong with a frame ends the
connection, and what was answered before still goes out. Nothing is kept but the bytes of the frame
that is not yet whole, and its size is known to be bearable before they are.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from conformance.api_keys import API_VERSIONS
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.sasl import Sasl
from conformance.reference.broker.defaults import can_be_echoed, whole
from conformance.reference.broker.errors import Hangup, Unanswered
from conformance.reference.broker.node import Node
from conformance.reference.broker.releases import NAMES
from conformance.wire.errors import DecodeError, EncodeError

_SIZE = struct.Struct(">i")
_KEY_AND_VERSION = struct.Struct(">hh")


class Session(Sasl):
    """A client's connection to a broker. `closed` is the broker's doing.

    `delay_s` is how long the next answer is kept back, `rest_s` how long nothing more is read
    behind the answers, `torn` that the end comes without a word, and `at_s` when the last bytes
    came, where whoever watches it says so.
    """

    delay_s = 0.0
    rest_s = 0.0
    torn = False
    at_s = 0.0

    def __init__(self, broker: Node) -> None:
        self.broker = broker
        self.closed = False
        self._received = bytearray()
        self.start_sasl()

    def receive(self, data: bytes) -> list[bytes]:
        """The answers that these bytes complete, each with its length."""
        return list(self.answers(data))

    def answers(self, data: bytes) -> Iterator[bytes]:
        """The same one at a time, so that a peer who asks much and reads little costs little."""
        self._received += data
        while not self.closed and (frame := self.next_frame()) is not None:
            answer = self.answer(frame)
            if answer is not None:
                yield _SIZE.pack(len(answer)) + answer
        if self.closed:
            self._received.clear()

    def next_frame(self) -> bytes | None:
        """The next whole frame, without its length, None where it has not come yet."""
        size = self.read_frame_size()
        if size is None or len(self._received) < _SIZE.size + size:
            return None
        frame = bytes(self._received[_SIZE.size : _SIZE.size + size])
        del self._received[: _SIZE.size + size]
        return frame

    def read_frame_size(self) -> int | None:
        """The size of the next frame, None where it has not come yet, or is no size."""
        if len(self._received) < _SIZE.size:
            return None
        (size,) = _SIZE.unpack_from(self._received)
        if not self.is_frame_size(size):
            self.close()
            return None
        return int(size)

    def is_frame_size(self, size: int) -> bool:
        """Whether so many bytes can be a frame."""
        least = 0 if self.expects_token else 1  # no bytes are a token, if a wrong one
        return least <= size <= self.broker.max_request_bytes

    def close(self) -> None:
        """Hang up."""
        self.closed = True

    def answer(self, frame: bytes) -> bytes | None:
        """The answer to one frame, without its length, None where there is none."""
        try:
            if self.expects_token:
                return self.token(frame)
            return self.respond(frame)
        except Unanswered:
            return None
        except (Hangup, DecodeError):
            self.close()
            return None

    def respond(self, frame: bytes) -> bytes | None:
        """The answer to a request. Raises Hangup and DecodeError where it is none."""
        api_key, version = self.api_key_and_version(frame)
        if api_key not in self.broker.versions:
            return self.answer_unknown_api_key()
        self.check_authenticated(api_key)
        if not self.is_supported(api_key, version):
            return self.answer_unsupported_version(api_key, version, frame)
        request = self.read_request(api_key, version, frame)
        return self.write_response(request, self.broker.throttled(request, self.handle(request)))

    def api_key_and_version(self, frame: bytes) -> tuple[int, int]:
        """What the first 4 bytes say. Raises Hangup."""
        if len(frame) < _KEY_AND_VERSION.size:
            raise Hangup
        api_key, version = _KEY_AND_VERSION.unpack_from(frame)
        return api_key, version

    def is_supported(self, api_key: int, version: int) -> bool:
        """Whether the broker serves this version of this API."""
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
        """The header of an ApiVersions whose body is not known: as that of the nearest version."""
        low, high = self.broker.versions[API_VERSIONS]
        reads = self.broker.reads
        nearest = reads.form("ApiVersionsRequest", min(max(version, low), high))
        header, _ = reads.read(reads.header_form(nearest), frame)
        return header

    def read_request(self, api_key: int, version: int, frame: bytes) -> Request:
        """Header and body; bytes behind the last field are no matter. Raises DecodeError."""
        reads = self.broker.reads
        form = reads.form(f"{NAMES[api_key]}Request", version)
        header, offset = reads.read(reads.header_form(form), frame)
        value, _ = reads.read(form, frame, offset)
        return Request(api_key, version, header, whole(form.layout, value), self.principal)

    def handle(self, request: Request) -> Value:
        """The body of the answer, from the handler that is named after the request."""
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
        """The records that there are; where there are none, not before the client's time is up."""
        body = self.broker.handle(request)
        self.delay_s = self.broker.fetch_delay_s(request, body)
        return body

    def write_response(self, request: Request, body: Value) -> bytes:
        """The answer in the version of the request. Raises Hangup where it can't be said."""
        name = NAMES[request.api_key]
        try:
            return self.write(name, request.version, request.header["correlationId"], body)
        except EncodeError:
            if can_be_echoed(body):
                raise
            raise Hangup from None

    def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
        """A response frame without its length."""
        header = {"correlationId": correlation_id}
        return self.broker.writes.encode_response(f"{name}Response", version, header, body)
