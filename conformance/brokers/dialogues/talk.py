"""The words of a dialogue: requests as frames, and answers that have to be what was asked for."""

from __future__ import annotations

import struct
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, wraps
from itertools import count
from typing import Any, ParamSpec, TypeVar

from conformance.brokers.dialogues.entries import difference, entries_of
from conformance.brokers.dialogues.other_forms import other_form
from conformance.dialogue import Broken, Receive, Received, Send, Step, Tell
from conformance.reference.codec import ReferenceCodec
from conformance.results.text import json_text
from conformance.schema.filling import filled
from conformance.schema.releases import definitions
from conformance.testee_protocol import Value
from conformance.wire.errors import DecodeError

P = ParamSpec("P")
T = TypeVar("T")
Steps = Generator[Step, Received | None, T]

CLIENT_ID = "kafka-conformance"
SOFTWARE = {"clientSoftwareName": "kafka-conformance", "clientSoftwareVersion": "0.1"}
SERVED = "api-versions.advertised-is-served"
"""The rule that a valid request of an advertised version has a whole answer."""
ANY_SERVED = "api-versions.any-request-served"
"""The rule that a request is served also if it is not the plain one of its version."""
CORRELATED = "framing.correlation-id-echoed"
GREETED = "api-versions.version-0-answered"
"""The rule that the first request of a connection, ApiVersions of version 0, is answered."""
FIRST_REQUEST = ("ApiVersions", 0)
PLAIN: Mapping[str, Mapping[str, Any]] = {"ApiVersions": SOFTWARE, "Metadata": {"topics": []}}
"""The fields of requests that change nothing and that every broker answers."""
ONE_FOR_EACH = "results.one-for-each"
"""The rule that each entry of a request has its one result."""
ENDED = ("closed", "reset")
"""The kinds of `Received` that say that the peer has ended the connection."""
MOST_LAST_WORDS = 3
"""The most frames that are read from a broker that may explain why it closes a connection."""
INT16_MAX = 2**15 - 1
TIMES, LEAST_TIMES = 35, 8
PAUSE_S = 0.01
"""The most and the fewest repetitions of a request about something that a cluster may take a
moment to agree on. Each pause is `PAUSE_S` seconds longer than the one before it; all of them
add up to some seconds.
"""


@dataclass(frozen=True)
class Facts:
    """Facts about a broker, and what a run may do to it.

    `advertised` are its versions, by api key. `prefix` begins every name that is made up, so that
    the run shares no name with other users. `writes` says that requests may change something.
    `other` is the second principal as ACLs name it, empty where the run has one alone.
    `authenticates` says that a connection has to log in, by `mechanism`, for `session_lifetime_ms`
    or, with 0, for good. `nodes` are the ids of its cluster's brokers, and `stops` says that they
    may be ended. `served` is the API and version of a request that the broker answers; it is `mute`
    if no such request was found. A run that `explores` also compares whole conversations.
    `time_ms` is that of the first record that a dialogue writes: of today where a broker may delete
    what is old. `usable` has the highest version of an API that works, where that is not the
    highest that is listed, and `unwritable` why a run that may write can prepare no topic; with
    `asks_creation` what is about creation itself is asked all the same. `waited_in_vain` lists what
    this run waited for in vain.
    """

    advertised: Mapping[int, tuple[int, int]]
    prefix: str = "kafka-conformance-"
    patience_s: float = 1.0
    writes: bool = False
    other: str = ""
    authenticates: bool = False
    mechanism: str = ""
    session_lifetime_ms: int = 0
    nodes: tuple[int, ...] = ()
    stops: bool = False
    served: tuple[str, int] = FIRST_REQUEST
    mute: bool = False
    explores: bool = False
    time_ms: int = 10_000
    usable: Mapping[str, int] = field(default_factory=dict)
    unwritable: str = ""
    asks_creation: bool = False
    codec: ReferenceCodec = field(default_factory=ReferenceCodec)
    waited_in_vain: list[str] = field(default_factory=list)
    _names: Iterator[int] = field(default_factory=lambda: count(1))

    def has(self, api: str) -> bool:
        """True if the broker and the stored definitions have versions of an API in common."""
        return api in api_keys() and api_keys()[api] in self.advertised and bool(self._known(api))

    def range_of(self, api: str) -> tuple[int, int]:
        """Return the lowest and the highest version that both support. Raises KeyError."""
        known = self._known(api)
        return known[0], known[-1]

    def newest(self, api: str) -> int:
        """Return the highest version of an API that both support, and that works."""
        return min(self.usable.get(api, INT16_MAX), self.range_of(api)[1])

    def name(self, what: str) -> str:
        """Return a name that nothing has yet, and nothing else in this run gets."""
        return f"{self.prefix}{next(self._names)}-{what}"

    def times(self) -> int:
        """Return how many times to ask again; fewer after each wait in vain.

        A cluster that did not agree in time before will hardly do so now.
        """
        return max(LEAST_TIMES, TIMES >> len(self.waited_in_vain))

    def _known(self, api: str) -> list[int]:
        low, high = self.advertised[api_keys()[api]]
        return [v for v in self.codec.versions(f"{api}Request") if low <= v <= high]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer that could be read: its header, its body, and the frame without the length."""

    header: Value
    value: Value
    frame: bytes
    version: int


@cache
def api_keys() -> dict[str, int]:
    """Return the api key of each API, by its name without "Request"."""
    return {name.removesuffix("Request"): key for key, name in definitions().requests.items()}


class Talk:
    """Makes frames for one dialogue, and reads what comes back."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.codec = facts.codec
        self._numbers = count(1)

    def number(self) -> int:
        """Return the next correlation id that is unused in this dialogue."""
        return next(self._numbers)

    def frame(self, api: str, version: int, value: Value, number: int, **header: Any) -> bytes:
        """Return a request with its length; `header` replaces or adds fields of its header."""
        fields = {"clientId": CLIENT_ID, "correlationId": number, **header}
        return framed(self.codec.encode_request(f"{api}Request", version, fields, value))

    def served_request(self, number: int) -> bytes:
        """Return a request that this broker answers, with its length; only its frame matters."""
        api, version = self.facts.served
        layout = self.codec.form(f"{api}Request", version).layout
        return self.frame(api, version, filled(layout, PLAIN[api]), number)

    def served_echo(
        self, number: int, *, judged_by: str = CORRELATED
    ) -> Generator[Step, Received | None, bytes]:
        """Return the answer to `served_request`. Raises Broken."""
        frame = yield from self.echo(*self.facts.served, number, judged_by=judged_by)
        return frame

    def is_served(self) -> Generator[Step, Received | None, None]:
        """Send `served_request`; any answer that has its correlation id will do. Raises Broken."""
        number = self.number()
        yield Send(self.served_request(number))
        yield from self.served_echo(number)

    def ask(
        self, api: str, version: int, value: Value, **header: Any
    ) -> Generator[Step, Received | None, Reply]:
        """Send one request and read its answer, which has one result for each entry. Raises Broken.

        An answer that lacks results is refused here, so that no other rule is charged with them.
        """
        reply = yield from self.ask_for_any(api, version, value, **header)
        self.expect_results(api, value, reply)
        return reply

    def ask_for_any(
        self, api: str, version: int, value: Value, **header: Any
    ) -> Generator[Step, Received | None, Reply]:
        """Send one request and read its answer, to the last byte. Raises Broken."""
        number = header.pop("number", None) or self.number()
        yield Send(self.frame(api, version, value, number, **header))
        reply = yield from self.answer(api, version, number)
        return reply

    def expect_results(self, api: str, asked: Value, reply: Reply) -> None:
        """Raise Broken unless each entry of a request has its result, and nothing else has one."""
        entries = entries_of(api, reply.version)
        wrong = difference(entries, asked, reply.value) if entries else ""
        if wrong:
            what = f"the answer to {api} v{reply.version} has {wrong}"
            due, asked_of = "one result for each entry", (api, reply.version)
            raise Broken(what, due, reply.frame, judged_by=ONE_FOR_EACH, about=asked_of)

    def answer(
        self, api: str, version: int, number: int
    ) -> Generator[Step, Received | None, Reply]:
        """Return the answer to a request that was sent before. Raises Broken."""
        frame = yield from self.echo(api, version, number)
        return self.read(api, version, frame)

    def echo(
        self, api: str, version: int, number: int, *, judged_by: str = CORRELATED
    ) -> Generator[Step, Received | None, bytes]:
        """Return the next frame, which has this correlation id; the rest of it is not checked.

        Raises Broken; `judged_by` is the rule that judges the correlation id.
        """
        received = yield Receive()
        assert received is not None
        return self.understood(api, version, number, received, judged_by)

    def understood(
        self, api: str, version: int, number: int, received: Received, judged_by: str = CORRELATED
    ) -> bytes:
        """Return the received frame as the answer to a request. Raises Broken.

        It is broken if no frame came, or one with another correlation id, which `judged_by` judges.
        """
        if received.kind != "reply":
            what = f"no answer to {api} v{version}: {describe_received(received)}"
            raise Broken(what, "an answer", received.frame, unanswered=(api, version))
        found = int.from_bytes(received.frame[:4], "big", signed=True)
        if found != number:
            raise Broken(
                f"the answer to {api} v{version} has another correlation id: {found}, and the "
                f"request had {number}",
                f"{number % 2**32:08x} at its beginning",
                received.frame,
                unanswered=(api, version),
                judged_by=judged_by,
            )
        return received.frame

    def is_answered(
        self, api: str, version: int, value: Value, **header: Any
    ) -> Generator[Step, Received | None, bytes]:
        """Send one request; any answer that has its correlation id will do. Raises Broken."""
        number = self.number()
        yield Send(self.frame(api, version, value, number, **header))
        frame = yield from self.echo(api, version, number)
        return frame

    def read(self, api: str, version: int, frame: bytes) -> Reply:
        """Return a frame as the answer to a request of this version. Raises Broken."""
        message = f"{api}Response"
        try:
            header, value, left, read_as = self.codec.decode_response(message, version, frame)
        except DecodeError as error:
            why = other_form(self.codec, message, version, frame) or str(error)
            what = f"the answer can not be read as {message} v{version}: {why}"
            asked = (api, version)
            raise self._unread(what, f"{message} v{version}", frame, asked) from None
        if left:
            what = f"{left} bytes behind {message} v{version}"
            if found := other_form(self.codec, message, version, frame):
                what += f": {found}"
            raise self._unread(what, "none", frame, (api, version))
        return Reply(header, value, frame, read_as)

    def _unread(self, what: str, due: str, frame: bytes, asked: tuple[str, int]) -> Broken:
        return Broken(what, due, frame, unanswered=asked, unread=True, about=asked)

    def eventually(
        self, what: str, due: Any, ask: Callable[[], Generator[Step, Received | None, Any]]
    ) -> Generator[Step, Received | None, None]:
        """Ask until the answer is the expected one, for some seconds. Raises Broken."""
        found = yield from ask()
        for time in range(1, self.facts.times() + 1):
            if found == due:
                return
            yield Receive(time * PAUSE_S)  # nothing was asked: a pause
            found = yield from ask()
        if found != due:
            self.facts.waited_in_vain.append(what)
        self.expect(what, due, found)

    def ends(self, why: str, *, unanswered: bool = False) -> Generator[Step, Received | None, None]:
        """Wait until the broker closes the connection; it may send an answer first. Raises Broken.

        With `unanswered`, the rule demands that it closes without an answer.
        """
        first = yield Receive()
        assert first is not None
        last = yield from self.heard_after(first)
        is_answered, closed = first.kind == "reply", last.kind in ENDED
        if closed and not (is_answered and unanswered):
            if is_answered:
                yield Tell(
                    f"{why}, and {describe_received(first)} before the connection was closed"
                )
            return
        how = "is answered before the connection is closed" if closed else "the connection stays"
        what = f"{why}, and {how}: {describe_received(first)}"
        raise Broken(what, "closed, and no answer" if unanswered else "closed", first.frame)

    def heard_after(self, received: Received) -> Generator[Step, Received | None, Received]:
        """Return the first thing heard that is no frame, after at most MOST_LAST_WORDS frames.

        `received`, which was heard first, may be a frame itself. The last frame is returned if
        another follows each time.
        """
        for _ in range(MOST_LAST_WORDS):
            if received.kind != "reply":
                break
            heard = yield Receive()
            assert heard is not None
            received = heard
        return received

    def expect(self, what: str, expected: Any, actual: Any) -> None:
        """Raise Broken if the values differ."""
        if expected != actual:
            due, came = json_text(expected), json_text(actual)
            raise Broken(f"{what}: expected {due}, got {came}", due, came)


def judged_by(rule: str) -> Callable[[Callable[P, Steps[T]]], Callable[P, Steps[T]]]:
    """Return a decorator for steps that prepare a dialogue: `rule` judges whether they succeed."""

    def attribute(steps: Callable[P, Steps[T]]) -> Callable[P, Steps[T]]:
        @wraps(steps)
        def attributed(*args: P.args, **kwargs: P.kwargs) -> Steps[T]:
            try:
                return (yield from steps(*args, **kwargs))
            except Broken as broken:
                broken.judged_by = broken.judged_by or rule
                raise

        return attributed

    return attribute


def first_error(value: Any) -> int:
    """Return the first error code of an answer that is not 0, at any depth; 0 if it has none."""
    if isinstance(value, list):
        return next(filter(None, map(first_error, value)), 0)
    if not isinstance(value, dict):
        return 0
    return value.get("errorCode", 0) or first_error(list(value.values()))


def framed(data: bytes) -> bytes:
    """Return the bytes with their length in front of them."""
    return struct.pack(">i", len(data)) + data


def describe_received(received: Received) -> str:
    """Return what was heard from the broker, in words."""
    words = {
        "reply": f"a frame of {len(received.frame)} bytes came",
        "closed": "the connection was closed",
        "reset": "the connection was torn down",
        "silent": "nothing came",
        "flood": "more was announced than any answer has",
    }
    return f"{words[received.kind]} ({received.text})" if received.text else words[received.kind]
