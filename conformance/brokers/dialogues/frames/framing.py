"""Frames on a connection: sizes, order, and what a malformed one does to it."""

from __future__ import annotations

import struct

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.talk import CORRELATED, Talk, framed
from conformance.dialogue import Dialogue, Receive, Reconnect, Send

HUGE = 2**31 - 1
PIPELINED = 20
IN_ORDER = "framing.responses-in-order"


@question(CORRELATED)
def _correlation_ids_of_any_sign(talk: Talk) -> Dialogue:
    for number in (-1, -(2**31), 2**31 - 1, 0):
        yield Send(talk.frame("ApiVersions", 0, {}, number))
        yield from talk.echo("ApiVersions", 0, number)


@question("framing.responses-in-order", "Metadata")
def _pipelined_requests(talk: Talk) -> Dialogue:
    """Requests of two kinds, of which some take a broker longer than others."""
    low, _ = talk.facts.range_of("Metadata")
    kinds = [("ApiVersions", 0, {}), ("Metadata", low, all_topics(talk, low))]
    sent = [(*kinds[index % 2], talk.number()) for index in range(PIPELINED)]
    yield Send(b"".join(talk.frame(*each) for each in sent))
    for api, version, _, number in sent:
        yield from talk.echo(api, version, number, judged_by=IN_ORDER)


@question("framing.split-anywhere")
def _one_byte_at_a_time(talk: Talk) -> Dialogue:
    number = talk.number()
    yield Send(talk.served_request(number), pieces=1, gap_s=0.005)
    yield from talk.served_echo(number)


@question("framing.split-anywhere")
def _two_frames_cut_within_the_second_size(talk: Talk) -> Dialogue:
    one, other = talk.number(), talk.number()
    first, second = (talk.served_request(number) for number in (one, other))
    yield Send(first + second, pieces=len(first) + 2, gap_s=0.05)
    yield from talk.served_echo(one)
    yield from talk.served_echo(other)


@question("framing.negative-size-closes", malformed=True)
def _size_below_zero(talk: Talk) -> Dialogue:
    yield Send(struct.pack(">i", -1) + talk.served_request(1)[4:])
    yield from talk.ends("a size of -1 was announced")


@question("framing.negative-size-closes", malformed=True)
def _size_with_a_minus(talk: Talk) -> Dialogue:
    """The size of the frame that follows, but for its sign."""
    frame = talk.served_request(1)
    yield Send(struct.pack(">i", 4 - len(frame)) + frame[4:])
    yield from talk.ends(f"a size of {4 - len(frame)} was announced")


@question("framing.negative-size-closes", malformed=True)
def _lowest_size(talk: Talk) -> Dialogue:
    yield Send(struct.pack(">i", -(2**31)) + talk.served_request(1))
    yield from talk.ends("a size of -2^31 was announced")


@question("framing.huge-size-closes", malformed=True)
def _size_of_two_gigabytes(talk: Talk) -> Dialogue:
    yield Send(struct.pack(">i", HUGE) + bytes(16))
    yield from talk.ends("a size of 2^31-1 was announced")


@question("framing.zero-size-closes", malformed=True)
def _size_of_zero(talk: Talk) -> Dialogue:
    yield Send(struct.pack(">i", 0) + talk.served_request(1))
    yield from talk.ends("a frame of no bytes came")


@question("framing.short-body-closes", "Metadata", range(100), malformed=True)
def _body_cut_short(talk: Talk, version: int) -> Dialogue:
    body = talk.codec.encode_request(
        "MetadataRequest",
        version,
        {"clientId": "short", "correlationId": 1},
        {**all_topics(talk, version), "topics": [topic(talk, version, "no-such-topic")]},
    )
    yield Send(framed(body[: len(body) - 3]))
    yield from talk.ends("a body ended within a field", unanswered=True)


@question("framing.others-unharmed", malformed=True)
def _a_connection_beside_a_malformed_one(talk: Talk) -> Dialogue:
    yield Send(struct.pack(">i", -5))
    yield Receive()
    yield Reconnect()
    yield from talk.is_served()


def all_topics(talk: Talk, version: int) -> dict[str, object]:
    """A Metadata request of which every field is at its default."""
    return talk.codec.form("MetadataRequest", version).layout.default_value()


def topic(talk: Talk, version: int, name: str, *, whole: bool = False) -> dict[str, object]:
    """A topic of a Metadata request; its name begins as all that is ours does, unless `whole`."""
    fields = talk.codec.form("MetadataRequest", version).layout.fields
    layout = next(item for item in fields if item.name == "topics").type.item.layout
    return {**layout.default_value(), "name": name if whole else talk.facts.prefix + name}
