"""Requests as frames, and the answers to them: bytes of a connection that are read, and the rest.

Nothing here knows the contents of requests. Bytes arrive as a connection gives them, and are sent
as whole frames.
"""

from __future__ import annotations

import struct
from collections.abc import Generator, Mapping, Sequence
from itertools import count
from typing import Any

from conformance import error_codes
from conformance.dialogue import Receive, Received, Send
from conformance.reference.client.steps import Asking, Course, Failed, Lost, Step, Wait
from conformance.reference.codec import PlainCodec, ReferenceCodec
from conformance.schema.filling import filled
from conformance.schema.releases import definitions
from conformance.testee_protocol import Value
from conformance.wire.errors import DecodeError

SIZE_BYTES = 4
MOST_BYTES = 64 * 1024 * 1024


class ClientFrames:
    """One connection after another, for requests and answers; `patience_s` is for one answer.

    `client_id` is its name in each header, which is mostly `name`. `was_full` says that the
    connection did not take the last bytes at once.
    """

    name = "kafka-conformance-client"
    patience_s = 3.0
    least_bytes = SIZE_BYTES
    was_full = False

    def __init__(self) -> None:
        self.client_id: str | None = self.name
        self.codec: PlainCodec = ReferenceCodec()
        self.unread = bytearray()
        self._numbers = count(1)

    def take(self, piece: bytes) -> None:
        """Add bytes from a connection, which may be less than an answer, or several."""
        self.unread += piece

    def next_answer(self) -> Received | None:
        """Return the next answer if it is complete or impossible; None if more has to arrive."""
        if len(self.unread) < SIZE_BYTES:
            return None
        size = self.answer_size()
        if not self.least_bytes <= size <= MOST_BYTES:
            return Received("flood", text=f"an answer of {size} bytes")
        if len(self.unread) < SIZE_BYTES + size:
            return None
        frame = bytes(self.unread[SIZE_BYTES : SIZE_BYTES + size])
        del self.unread[: SIZE_BYTES + size]
        return Received("reply", frame)

    def answer_size(self) -> int:
        """Return the size of the next answer by its length field."""
        return int(struct.unpack_from(">i", self.unread)[0])

    def end_of_line(self) -> Received:
        """Return the end of a connection: a reset if an answer was incomplete."""
        return Received("reset" if self.unread else "closed")

    def ask(self, api_key: int, version: int, wanted: Mapping[str, Any]) -> Asking:
        """Send one request, and return the body of its answer. Raises Lost and Failed."""
        frame = yield from self.exchange(api_key, version, wanted)
        answer = self.read(api_key, version, frame)
        yield from self.throttle(answer)
        return answer

    def throttle(self, answer: Value) -> Course:
        """Send nothing more for as long as an answer says (KIP-219)."""
        if milliseconds := answer.get("throttleTimeMs", 0):
            yield Wait(milliseconds / 1000)

    def tell(self, api_key: int, version: int, wanted: Mapping[str, Any]) -> Course:
        """Send one request that has no answer."""
        yield Send(self.frame(api_key, version, next(self._numbers), wanted))

    def exchange(
        self, api_key: int, version: int, wanted: Mapping[str, Any]
    ) -> Generator[Step, Received | None, bytes]:
        """Send one request, and return the frame that answers it. Raises Lost."""
        number = next(self._numbers)
        yield Send(self.frame(api_key, version, number, wanted))
        return self.answer_to(number, (yield from self.hear()))

    def hear(self) -> Generator[Step, Received | None, Received]:
        """Wait `patience_s` for an answer, and return what was received."""
        received = yield Receive(self.patience_s)
        assert received is not None
        return received

    def ask_all(
        self, api_key: int, version: int, wanted: Sequence[Mapping[str, Any]]
    ) -> Generator[Step, Received | None, list[Value]]:
        """Send several requests at once, and return the bodies of their answers. Raises Lost."""
        numbers = [next(self._numbers) for _ in wanted]
        frames = [
            self.frame(api_key, version, number, each)
            for number, each in zip(numbers, wanted, strict=True)
        ]
        yield Send(b"".join(frames))
        bodies = []
        for number in numbers:
            frame = self.answer_to(number, (yield from self.hear()))
            bodies.append(self.read(api_key, version, frame))
        for body in bodies:
            yield from self.throttle(body)
        return bodies

    def answer_to(self, number: int, received: Received) -> bytes:
        """Return the frame that answers a request. Raises Lost."""
        if received.kind != "reply":
            raise Lost(f"{received.kind} instead of an answer")
        self.check_number(number, received.frame)
        return received.frame

    def frame(self, api_key: int, version: int, number: int, wanted: Mapping[str, Any]) -> bytes:
        """Return a request with its length."""
        form = self.codec.form(self.message(api_key, "Request"), version)
        header = {"correlationId": number, "clientId": self.client_id}
        full = {"requestApiKey": api_key, "requestApiVersion": version, **header}
        body = self.codec.write(form, filled(form.layout, wanted))
        data = self.codec.write(self.codec.header_form(form), full) + body
        return struct.pack(">i", len(data)) + data

    def check_number(self, number: int, frame: bytes) -> None:
        """Raise Lost if the answer is to another request."""
        if frame[:4] != struct.pack(">i", number):
            raise Lost("the answer has another correlation id")

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        """Return the body of an answer. Raises Lost if it can't be read."""
        form = self.codec.form(self.message(api_key, "Response"), version)
        try:
            _, offset = self.codec.read(self.codec.header_form(form), frame)
            value, _ = self.codec.read(form, frame, offset)
        except DecodeError as error:
            raise Lost(f"an answer that can't be read: {error}") from None
        return value

    def message(self, api_key: int, kind: str) -> str:
        """Return the name of a request or response."""
        return definitions().requests[api_key].removesuffix("Request") + kind

    def first_entry(self, answer: Value, *arrays: str) -> Value:
        """Return the first entry of an array in an answer, or of one in it. Raises Failed."""
        for name in arrays:
            if not answer[name]:
                raise Failed(f"the answer has no {name}")
            answer = answer[name][0]
        return answer

    def check(self, code: int, what: str) -> None:
        """Raise Failed for any error, known or not."""
        if code != error_codes.NONE:
            raise Failed(f"{what}: error {code}")
