"""One client's connection through the reference proxy, without sockets: bytes in, bytes out.

Whole frames go through, each as soon as it is complete, so that nothing is ever half sent. Answers
are sent in the order of the requests; each request's API is kept until its answer has been sent.
"""

from __future__ import annotations

import struct
from collections import deque
from dataclasses import dataclass

from conformance.api_keys import API_VERSIONS, PRODUCE
from conformance.error_codes import UNSUPPORTED_VERSION
from conformance.reference.proxy.translation import LOGIN, Translation
from conformance.wire.errors import WireError

_SIZE = struct.Struct(">i")
_REQUEST = struct.Struct(">hhi")
MOST_BYTES = 100 * 1024 * 1024
"""The limit of one frame: Apache Kafka's own, socket.request.max.bytes."""
FULL_BYTES = 1024 * 1024
"""The bytes that may wait for a peer before the other peer is not read any more."""


def api_of(frame: bytes) -> tuple[int, int]:
    """Return api key and version of a request without its length, from its first four bytes."""
    return int.from_bytes(frame[:2], "big"), int.from_bytes(frame[2:4], "big")


@dataclass(slots=True)
class Pending:
    """A request whose answer has not been sent yet; `answer` is our own, if we have one."""

    api_key: int
    version: int
    answer: bytes | None = None


class Link:
    """The bytes of each side that have not been sent on yet.

    `to_client` and `to_upstream` are for the holder of the sockets to write and clear. `closed`
    says that both are to be ended after that, `finished` that our half to the broker is to be
    closed; `client_ended` that the client will send no more.
    """

    def __init__(self, proxy: Translation) -> None:
        self.proxy = proxy
        self.to_client = bytearray()
        self.to_upstream = bytearray()
        self.closed = False
        self.finished = False
        self.client_ended = False
        self._requests = bytearray()
        self._answers = bytearray()
        self._pending: deque[Pending] = deque()
        self.session = proxy.session()

    def client_sent(self, data: bytes) -> None:
        """Take bytes of the client."""
        self._requests += data
        while not self.closed and (frame := self.cut(self._requests)) is not None:
            self.request(frame)

    def upstream_sent(self, data: bytes) -> None:
        """Take bytes of the broker."""
        self._answers += data
        while not self.closed and (frame := self.cut(self._answers)) is not None:
            self.answer(frame)

    def end_client(self) -> None:
        """Record that the client will send no more: its requests are still answered."""
        self.client_ended = True
        if not self._pending:
            self.close()

    def end_upstream(self) -> None:
        """Record that the broker ended the connection."""
        self.close()

    def close(self) -> None:
        """End both connections, once the waiting bytes have been written."""
        self.closed = True

    def is_full(self) -> bool:
        """True if so many bytes wait for the client that the broker is not read any more."""
        return len(self.to_client) >= FULL_BYTES

    def cut(self, received: bytearray) -> bytes | None:
        """Return the next whole frame, without its length; None if it is incomplete."""
        if len(received) < _SIZE.size:
            return None
        (size,) = _SIZE.unpack_from(received)
        if not 0 <= size <= MOST_BYTES:
            self.close()
            return None
        if len(received) < _SIZE.size + size:
            return None
        frame = bytes(received[_SIZE.size : _SIZE.size + size])
        del received[: _SIZE.size + size]
        return frame

    def request(self, frame: bytes) -> None:
        """Forward one request, or answer it here."""
        if self.is_of_login(frame):
            self.log_in(frame)
        else:
            self.pass_on(frame)

    def is_of_login(self, frame: bytes) -> bool:
        """True if we answer a frame because the client is not logged in, or because it logs in."""
        if self.session is None:
            return False
        key, _ = api_of(frame)
        logged_in = self.session.state == "authenticated" and key not in LOGIN
        is_greeting = key == API_VERSIONS and not self.session.expects_token
        return not (logged_in or is_greeting)

    def log_in(self, frame: bytes) -> None:
        """Take a step of a login."""
        assert self.session is not None
        answer = self.session.answer(frame)
        if answer is not None:
            self._pending.append(Pending(*api_of(frame), answer))
            self.send_answers()
        if self.session.closed:
            self.close()

    def pass_on(self, frame: bytes) -> None:
        """Forward one request, or refuse an ApiVersions."""
        if len(frame) < _REQUEST.size:
            self.close()
            return
        api_key, version, correlation_id = _REQUEST.unpack_from(frame)
        if api_key == API_VERSIONS and self.is_too_new(version):
            self._pending.append(Pending(api_key, 0, self.refusal(correlation_id)))
            self.send_answers()
            return
        if self.has_answer(api_key, version, frame):
            self._pending.append(Pending(api_key, version))
        forwarded = self.forwarded(frame)
        self.to_upstream += _SIZE.pack(len(forwarded)) + forwarded

    def is_too_new(self, version: int) -> bool:
        """True if we do not know this version of ApiVersions."""
        return self.proxy.form(API_VERSIONS, version, "Request") is None

    def refusal(self, correlation_id: int) -> bytes:
        """Return the answer to an unknown version of ApiVersions: in v0, with our own range."""
        low, high = self.proxy.versions[API_VERSIONS]
        own = {"apiKey": API_VERSIONS, "minVersion": low, "maxVersion": high}
        value = {"errorCode": UNSUPPORTED_VERSION, "apiKeys": [own]}
        header = {"correlationId": correlation_id}
        return self.proxy.codec.encode_response("ApiVersionsResponse", 0, header, value)

    def has_answer(self, api_key: int, version: int, frame: bytes) -> bool:
        """True if a request gets an answer: a Produce with acks 0 does not."""
        form = self.proxy.form(api_key, version, "Request")
        if api_key != PRODUCE or form is None:
            return True
        try:
            _, value, _ = self.proxy.codec.decode_request(frame)
        except WireError:
            return True
        return bool(value["acks"] != 0)

    def forwarded(self, frame: bytes) -> bytes:
        """Return a request as it is forwarded to the broker."""
        return self.proxy.asked(frame)

    def answer(self, frame: bytes) -> None:
        """Forward one answer to the request that has waited longest."""
        if not self._pending:
            self.close()
            return
        asked = self._pending.popleft()
        form = self.proxy.form(asked.api_key, asked.version, "Response")
        try:
            self.send(frame if form is None else self.proxy.translate(form, frame))
        except WireError:
            self.close()
        self.send_answers()

    def send_answers(self) -> None:
        """Send our own answers whose turn has come; close after the client's last one."""
        while self._pending and (own := self._pending[0].answer) is not None:
            self._pending.popleft()
            self.send(own)
        if self.client_ended and not self._pending:
            self.close()

    def send(self, frame: bytes) -> None:
        """Write one answer to the client."""
        self.to_client += _SIZE.pack(len(frame)) + frame
