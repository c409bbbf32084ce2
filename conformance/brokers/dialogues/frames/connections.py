"""Connections beside bad ones: slow and stalled peers, many of them, and peers that go away.

A stream says nothing about time. So a frame of which a part has come waits for the rest, no other
connection waits with it, and a peer that has sent its last byte still gets its answer.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from typing import NamedTuple

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.frames.framing import IN_ORDER
from conformance.brokers.dialogues.frames.headers import header
from conformance.brokers.dialogues.harmless import harmless
from conformance.brokers.dialogues.talk import Talk, describe_received, framed
from conformance.dialogue import (
    Broken,
    Dialogue,
    Finish,
    OpenConnections,
    Receive,
    Reconnect,
    Reset,
    Send,
)

CROWD = 100
MANY = 200
SOON_S = 0.15
"""Long enough for an answer that must not come."""
PIECES_GAP_S = 0.002
READS = ("ApiVersions", "Metadata", "ListOffsets", "OffsetFetch", "DescribeGroups", "ListGroups")
"""APIs that change nothing even where a part of the request is read as zeros."""
MISSING = (1, 3, 10)
"""The numbers of bytes at the end of a request that never come."""


@question("framing.split-anywhere")
def _cut_once_at_every_byte(talk: Talk) -> Dialogue:
    size = len(talk.served_request(1))
    for cut in range(1, size):
        number = talk.number()
        frame = talk.served_request(number)
        yield Send(frame[:cut])
        yield Receive(PIECES_GAP_S)
        yield Send(frame[cut:])
        yield from talk.served_echo(number)


@question("framing.split-anywhere")
def _frames_in_pieces_of_odd_sizes(talk: Talk) -> Dialogue:
    """Send frames in pieces that, except for the last, begin and end within a frame."""
    numbers = [talk.number() for _ in range(12)]
    stream = b"".join(talk.served_request(number) for number in numbers)
    yield Send(stream, pieces=7, gap_s=PIECES_GAP_S)
    for number in numbers:
        yield from talk.served_echo(number)


@question("framing.responses-in-order")
def _hundreds_of_requests_at_once(talk: Talk) -> Dialogue:
    low, high = talk.facts.range_of("ApiVersions")
    sent = [(low if index % 3 else min(high, 2), talk.number()) for index in range(MANY)]
    yield Send(b"".join(talk.frame("ApiVersions", each, {}, number) for each, number in sent))
    for version, number in sent:
        yield from talk.echo("ApiVersions", version, number, judged_by=IN_ORDER)


@question("framing.stalled-frame-waits")
def _frame_that_stalls_within_its_size(talk: Talk) -> Dialogue:
    yield from _stalled(talk, [2])


@question("framing.stalled-frame-waits")
def _frame_that_stalls_within_header_and_body(talk: Talk) -> Dialogue:
    yield from _stalled(talk, [4, 9, -1])


def _stalled(talk: Talk, cuts: Iterable[int]) -> Dialogue:
    low, _ = talk.facts.range_of("ApiVersions")
    for cut in cuts:
        number = talk.number()
        frame = talk.frame("ApiVersions", low, {}, number)
        yield Send(frame[:cut])
        received = yield Receive(SOON_S)
        assert received is not None
        if received.kind != "silent":
            detail = f"{len(frame[:cut])} bytes of a frame, and {describe_received(received)}"
            raise Broken(detail, "silence until the rest comes", received.frame)
        yield Send(frame[cut:])
        yield from talk.echo("ApiVersions", low, number)


@question("framing.stalled-senders-delay-nobody")
def _a_hundred_half_frames(talk: Talk) -> Dialogue:
    yield from _beside(talk, _half(talk))


@question("framing.stalled-senders-delay-nobody")
def _a_hundred_halves_of_a_size(talk: Talk) -> Dialogue:
    yield from _beside(talk, bytes(2))


@question("framing.many-connections-served")
def _a_hundred_idle_connections(talk: Talk) -> Dialogue:
    yield from _beside(talk, b"")


def _beside(talk: Talk, sent: bytes) -> Dialogue:
    """Expect an old and a new connection to be served beside many that have sent these bytes."""
    yield from talk.is_served()
    yield OpenConnections(CROWD, sent)
    yield from talk.is_served()
    yield Reconnect()
    yield from talk.is_served()


@question("framing.unread-answers-delay-nobody")
def _peers_that_do_not_read(talk: Talk) -> Dialogue:
    number = talk.number()
    yield from talk.is_served()
    yield OpenConnections(10, talk.served_request(number) * MANY)
    yield from talk.is_served()
    yield Reconnect()
    yield from talk.is_served()


@question("framing.answered-after-half-close")
def _request_before_the_end(talk: Talk) -> Dialogue:
    yield from _finished(talk, 1)


@question("framing.answered-after-half-close")
def _requests_before_the_end(talk: Talk) -> Dialogue:
    yield from _finished(talk, 3)


def _finished(talk: Talk, requests: int) -> Dialogue:
    numbers = [talk.number() for _ in range(requests)]
    yield Send(b"".join(talk.served_request(number) for number in numbers))
    yield Finish()
    for number in numbers:
        yield from talk.served_echo(number)
    yield from talk.ends("the client has nothing more to say", unanswered=True)


@question("framing.end-of-stream-closes", malformed=True)
def _end_before_any_request(talk: Talk) -> Dialogue:
    yield Finish()
    yield from talk.ends("the client said nothing and has ended its stream")


@question("framing.end-of-stream-closes", malformed=True)
def _end_within_a_size(talk: Talk) -> Dialogue:
    yield Send(bytes(2))
    yield Finish()
    yield from talk.ends("the client has ended its stream within a size")


@question("framing.end-of-stream-closes", malformed=True)
def _end_within_a_frame(talk: Talk) -> Dialogue:
    yield Send(_half(talk))
    yield Finish()
    yield from talk.ends("the client has ended its stream within a frame")


def _cut(api: str) -> Callable[[Talk], Dialogue]:
    """The question about a request of one API, of which a part is missing."""

    def _request_cut_short_by_its_end(talk: Talk) -> Dialogue:
        version = talk.facts.range_of(api)[1]
        value = harmless(talk, api, version)
        for missing in MISSING:
            yield from dropped(api, talk.frame(api, version, value, 1), missing)
            yield Reconnect()

    return _request_cut_short_by_its_end


def dropped(api: str, frame: bytes, missing: int) -> Dialogue:
    """Send a request but for its last bytes, and end the stream. Raises Broken if answered."""
    yield Send(frame[:-missing])
    yield Finish()
    received = yield Receive()
    assert received is not None
    if received.kind == "reply":
        sizes = f"{missing} of {len(frame)} bytes"
        detail = f"{api}, of which {sizes} never came: {describe_received(received)}"
        raise Broken(detail, "no answer", received.frame)


for _api in READS:
    question("framing.cut-frame-dropped", _api, malformed=True)(_cut(_api))


@question("framing.others-unharmed", malformed=True)
def _connections_torn_within_a_frame(talk: Talk) -> Dialogue:
    """Torn where a half request waits for its rest, which a new connection must not give it."""
    frame = talk.served_request(1)
    for cut in (2, 4, 12, len(frame) - 1):
        yield Send(frame[:cut])
        yield Reset()
        yield Reconnect()
        yield from talk.is_served()


@question("framing.others-unharmed", malformed=True)
def _connections_torn_before_their_answers(talk: Talk) -> Dialogue:
    for _ in range(5):
        yield Send(talk.served_request(1) * 20)
        yield Reset()
        yield Reconnect()
        yield from talk.is_served()


class Stream(NamedTuple):
    """Bytes that end their own connection, or leave it waiting, and the rule that judges them.

    If a broker fails on such bytes alone, only that rule reports it.
    """

    what: str
    sent: bytes
    judged_by: str = ""


STREAMS = (
    Stream("a negative size", struct.pack(">i", -5), "framing.negative-size-closes"),
    Stream("a size of zero", struct.pack(">i", 0), "framing.zero-size-closes"),
    Stream("a size of two gigabytes", struct.pack(">i", 2**31 - 1), "framing.huge-size-closes"),
    Stream("an unknown api", framed(header(32_000, 0)), "request-header.unknown-key-closes"),
    Stream(
        "a negative version",
        framed(header(3, -1)),
        "request-header.negative-version-survived",
    ),
    Stream("a frame of one byte", framed(b"\0"), "request-header.short-header-closes"),
    Stream("a header cut short", framed(header(18, 0)[:8]), "request-header.short-header-closes"),
    Stream("a request of http", b"GET / HTTP/1.1\r\n\r\n"),
    Stream("a greeting of tls", bytes([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3])),
)


def _beside_stream(stream: Stream) -> Callable[[Talk], Dialogue]:
    """The question about one of them, named after it."""

    def ask(talk: Talk) -> Dialogue:
        yield from talk.is_served()
        yield OpenConnections(2, stream.sent)
        try:
            yield from talk.is_served()
        except Broken as broken:
            broken.detail = f"beside {stream.what}, {stream.sent.hex()}: {broken.detail}"
            raise

    ask.__name__ = f"an_old_connection_beside_{stream.what.replace(' ', '_')}"
    return ask


for _stream in STREAMS:
    question("framing.others-unharmed", malformed=True, sends=_stream.judged_by)(
        _beside_stream(_stream)
    )


def _half(talk: Talk) -> bytes:
    frame = talk.served_request(1)
    return frame[: len(frame) // 2]
