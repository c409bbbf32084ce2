"""The vocabulary of a dialogue through a proxy: frames are sent at one end, read at the other."""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.brokers.dialogues.talk import Facts, Talk, describe_received, framed
from conformance.dialogue import (
    Answer,
    Arrive,
    Broken,
    NotApplicable,
    Receive,
    Received,
    Send,
    Step,
)
from conformance.reference.broker.defaults import whole
from conformance.reference.proxy.translation import USUAL
from conformance.schema.filling import filled
from conformance.schema.layout import Form
from conformance.testee_protocol import Value
from conformance.wire.errors import DecodeError

Address = tuple[str, int]
REQUESTS_PASS = "proxy-messages.requests-pass"
ANSWERS_PASS = "proxy-messages.answers-pass"
REQUESTS_WELL_FORMED = "proxy-messages.requests-well-formed"
ANSWERS_WELL_FORMED = "proxy-messages.answers-well-formed"
REQUESTS_MEAN = "proxy-messages.requests-keep-meaning"
ANSWERS_MEAN = "proxy-messages.answers-keep-meaning"
IN_ORDER = "proxy-frames.in-order"
CORRELATED = "proxy-frames.correlation-ids-come-back"


PAUSES_S = (0.01, 0.03, 0.1, 0.3, 1.0, 1.0)
"""Seconds to wait at either end in turn, if both may be heard; then the whole timeout."""


@dataclass(frozen=True)
class ProxyFacts(Facts):
    """The facts about a proxy: `rewrites` are the things that it declares as changed.

    `brokers` are the addresses of the brokers behind it, by id. `mechanism` is the one by which its
    clients log in, "" if they need not; `tls` says that they speak TLS.
    """

    rewrites: frozenset[str] = frozenset(USUAL)
    brokers: Mapping[int, Address] = field(default_factory=dict)
    mechanism: str = ""
    tls: bool = False


@dataclass(frozen=True, slots=True)
class Arrived:
    """A request as it arrived at the broker: its frame, its correlation id there, and its way."""

    frame: bytes
    number: int
    node: int
    connection: int


class ProxyTalk(Talk):
    """The maker of frames for one dialogue, and the reader of frames at both ends.

    Its client id begins as all names of the run do, so that the broker behind the proxy knows which
    requests are the dialogue's and which the proxy's own.
    """

    facts: ProxyFacts

    def __init__(self, facts: ProxyFacts) -> None:
        super().__init__(facts)
        self.client_id = facts.name("client")
        self.lowest = facts.range_of("Metadata")[0]

    def metadata(self) -> bytes:
        """Return a Metadata in its lowest version, distinct from all others by its number."""
        return self.request("Metadata", self.lowest)

    def metadata_answer(self, arrived: Arrived, topics: int = 0) -> bytes:
        """Return an answer to it that names no broker, and so many topics."""
        named = [
            {"errorCode": 3, "name": f"a topic of some letters {number}", "partitions": []}
            for number in range(topics)
        ]
        value = {**self.plain_answer("Metadata", self.lowest), "topics": named}
        return self.answer_frame("Metadata", self.lowest, value, arrived.number)

    def request(self, api: str, version: int, value: Value | None = None) -> bytes:
        """Return a request with its length and the next number; by default an answerable one."""
        form = self.codec.form(f"{api}Request", version)
        given = filled(form.layout, self.plain(api, version) if value is None else value)
        return self.frame(api, version, given, self.number(), clientId=self.client_id)

    def plain(self, api: str, version: int) -> Value:
        """Return a request with every field at its default; a Produce asks for its answer."""
        value: Value = self.codec.form(f"{api}Request", version).layout.default_value()
        return {**value, "acks": -1} if api == "Produce" else value

    def plain_answer(self, api: str, version: int) -> Value:
        """Return an answer with every field at its default."""
        value: Value = self.codec.form(f"{api}Response", version).layout.default_value()
        return value

    def answer_frame(self, api: str, version: int, value: Value, number: int) -> bytes:
        """Return an answer with its length; fields that the value lacks have their defaults."""
        form = self.codec.form(f"{api}Response", version)
        body = self.codec.write(form, filled(form.layout, value))
        return framed(self.response_header(form, number) + body)

    def request_header(self, form: Form, number: int) -> bytes:
        """Return the header of a request of this form, with our client id."""
        fields = {
            "requestApiKey": form.api_key,
            "requestApiVersion": form.version,
            "correlationId": number,
            "clientId": self.client_id,
        }
        return self.codec.write(self.codec.header_form(form), fields)

    def response_header(self, form: Form, number: int) -> bytes:
        """Return the header of an answer of this form."""
        return self.codec.write(self.codec.header_form(form), {"correlationId": number})

    def forwarded(
        self, sent: bytes, *, judged_by: str = REQUESTS_PASS
    ) -> Generator[Step, Received | None, Arrived]:
        """Send a frame, and return it as it arrives at the broker. Raises Broken."""
        yield Send(sent)
        return (yield from self.arrival(sent, judged_by=judged_by))

    def arrival(
        self, sent: bytes, *, judged_by: str = REQUESTS_PASS, first: Received | None = None
    ) -> Generator[Step, Received | None, Arrived]:
        """Return a frame sent earlier as it arrives at the broker; `first` has arrived already.

        Raises Broken, and NotApplicable if the proxy answers it by itself.
        """
        received, at_client = (first, False) if first else (yield from self.either())
        while not at_client and received.kind == "reply" and not self.is_own(received.frame):
            received, at_client = yield from self.either()
        if at_client and received.frame[:4] == sent[8:12]:
            raise NotApplicable("the proxy answers it by itself, and need not forward it")
        if at_client or received.kind != "reply":
            raise Broken(
                f"the request does not come to the broker: {describe_received(received)}",
                sent[4:].hex(),
                received.frame,
                judged_by=judged_by,
            )
        number = correlation_id(received.frame[4:])
        return Arrived(received.frame, number, received.node, received.connection)

    def either(self) -> Generator[Step, Received | None, tuple[Received, bool]]:
        """Return the first frame at the broker or at the client; True if it is at the client."""
        silence = Received("silent")
        for pause_s in (*PAUSES_S, None):
            arrived = (yield Arrive(pause_s)) or silence
            if arrived.kind != "silent":
                return arrived, False
            received = (yield Receive(pause_s or PAUSES_S[0])) or silence
            if received.kind != "silent":
                return received, True
        return silence, False

    def is_own(self, frame: bytes) -> bool:
        """True if a request is of this dialogue, and not one that was sent before it began.

        A request with a name that no dialogue has may be ours: proxies change names.
        """
        name = client_id_in(frame) or b""
        return name == self.client_id.encode() or not name.startswith(self.facts.prefix.encode())

    def answered(
        self, sent: bytes, number: int, *, judged_by: str = ANSWERS_PASS
    ) -> Generator[Step, Received | None, bytes]:
        """Have the broker write this frame, and return the client's frame. Raises Broken."""
        yield Answer(sent)
        return (yield from self.returned(sent, number, judged_by=judged_by))

    def returned(
        self,
        sent: bytes,
        number: int,
        *,
        judged_by: str = ANSWERS_PASS,
        others: Collection[int] = (),
    ) -> Generator[Step, Received | None, bytes]:
        """Return the broker's earlier answer as the client of this number gets it. Raises Broken.

        `others` are the numbers of requests whose answers are expected later.
        """
        received = yield Receive()
        assert received is not None
        if received.kind != "reply":
            raise Broken(
                f"the answer does not come to the client: {describe_received(received)}",
                sent[4:].hex(),
                received.frame,
                judged_by=judged_by,
            )
        found = correlation_id(received.frame)
        if found != number:
            raise Broken(
                "the answer has another correlation id than the request",
                f"{number}",
                f"{found}",
                judged_by=IN_ORDER if found in others else CORRELATED,
            )
        return received.frame

    def passes(
        self,
        api: str,
        version: int,
        value: Value | None = None,
        answer: Value | None = None,
        judged_by: str = "",
    ) -> Generator[Step, Received | None, tuple[Arrived, bytes]]:
        """Send a request and its answer all the way, whatever the proxy changes. Raises Broken."""
        sent = self.request(api, version, value)
        arrived = yield from self.forwarded(sent, judged_by=judged_by or REQUESTS_PASS)
        value = self.plain_answer(api, version) if answer is None else answer
        reply = self.answer_frame(api, version, value, arrived.number)
        frame = yield from self.answered(
            reply, number_of(sent), judged_by=judged_by or ANSWERS_PASS
        )
        return arrived, frame

    def read_request(self, frame: bytes, form: Form, sent: bytes) -> tuple[Value, Value]:
        """Return header and body of a request at the broker, with defaults. Raises Broken."""
        try:
            header, value, left = self.codec.decode_request(frame)
        except DecodeError as error:
            raise _malformed(str(error), form, sent, frame, REQUESTS_WELL_FORMED) from None
        if left:
            raise _malformed(f"{left} bytes behind it", form, sent, frame, REQUESTS_WELL_FORMED)
        return header, whole(form.layout, value)

    def read_answer(self, frame: bytes, form: Form, sent: bytes) -> tuple[Value, Value]:
        """Return header and body of an answer at the client, with defaults. Raises Broken."""
        try:
            header, value, left, _ = self.codec.decode_response(form.message, form.version, frame)
        except DecodeError as error:
            raise _malformed(str(error), form, sent, frame, ANSWERS_WELL_FORMED) from None
        if left:
            raise _malformed(f"{left} bytes behind it", form, sent, frame, ANSWERS_WELL_FORMED)
        return header, whole(form.layout, value)


def _malformed(why: str, form: Form, sent: bytes, frame: bytes, rule: str) -> Broken:
    what = f"what comes out can not be read as {form.message} v{form.version}: {why}"
    return Broken(what, sent[4:].hex(), frame, judged_by=rule)


def number_of(request: bytes) -> int:
    """Return the correlation id of a request with its length."""
    return correlation_id(request[8:])


def client_id_in(frame: bytes) -> bytes | None:
    """Return the client id of a request without its length, None for null."""
    size = int.from_bytes(frame[8:10], "big", signed=True)
    return None if size < 0 else frame[10 : 10 + size]


def behind_client_id(frame: bytes) -> bytes:
    """Return the bytes of a request after its client id, which another rule judges."""
    return frame[10 + len(client_id_in(frame) or b"") :]


def correlation_id(data: bytes) -> int:
    """Return the correlation id at the begin of an answer without its length."""
    return int.from_bytes(data[:4], "big", signed=True)


def differences(before: Any, after: Any, path: str = "") -> list[str]:
    """Return the places where two values differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        names = dict.fromkeys((*before, *after))
        return [
            where
            for name in names
            for where in differences(
                before.get(name), after.get(name), f"{path}.{name}" if path else name
            )
        ]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [
            where
            for index, (one, other) in enumerate(zip(before, after, strict=True))
            for where in differences(one, other, f"{path}[{index}]")
        ]
    return [] if before == after else [path or "the whole"]
