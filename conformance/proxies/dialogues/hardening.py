"""Malformed frames from either side: the proxy survives them, and still serves others."""

from __future__ import annotations

import struct
from collections.abc import Generator, Iterator

from conformance.brokers.dialogues.talk import api_keys, framed
from conformance.dialogue import (
    Answer,
    Arrive,
    Broken,
    Dialogue,
    Receive,
    Received,
    Reconnect,
    Send,
    Step,
    Switch,
    Tell,
)
from conformance.proxies.dialogues import (
    Held,
    ProxyCase,
    basics,
    case_of,
    cases,
    dialogue,
    singles,
    well_formed,
)
from conformance.proxies.dialogues.frames import (
    broker_ends_a_connection,
    one_beside_an_unanswered_request,
)
from conformance.proxies.dialogues.talk import ProxyFacts, ProxyTalk, correlation_id

REQUESTS = "proxy-hardening.malformed-requests-survived"
ANSWERS = "proxy-hardening.malformed-answers-survived"
PAUSE_S = 0.02
LONG_S = 0.2
"""The time in seconds after a malformed frame before another connection is tried."""
BESIDE, AFTER = "beside", "after"
"""The names of the connections that are opened before a malformed frame, and after it."""
SHARED = (broker_ends_a_connection, one_beside_an_unanswered_request)
"""Rules on shared connections, which other frames break as well as malformed ones."""
UNSETTLED = "the malformed frame was neither passed on nor refused so far"
"""The words on a frame that the proxy may still be at work on, or end by."""


@dialogue(REQUESTS, malformed=True, rests_on=SHARED)
def _negative_size(talk: ProxyTalk) -> Dialogue:
    yield from _asked_with(talk, struct.pack(">i", -5) + bytes(16), LONG_S)


@dialogue(REQUESTS, malformed=True, rests_on=SHARED)
def _size_of_two_gigabytes(talk: ProxyTalk) -> Dialogue:
    yield from _asked_with(talk, struct.pack(">i", 2**31 - 1) + bytes(1024), LONG_S)


@dialogue(REQUESTS, malformed=True, rests_on=SHARED)
def _frame_of_no_bytes(talk: ProxyTalk) -> Dialogue:
    yield from _asked_with(talk, bytes(4) + talk.metadata(), LONG_S)


@dialogue(REQUESTS, malformed=True, rests_on=SHARED)
def _another_protocol(talk: ProxyTalk) -> Dialogue:
    request = b"GET / HTTP/1.1\r\nHost: a-broker\r\n\r\n"
    yield from _asked_with(talk, request, LONG_S)


@dialogue(ANSWERS, malformed=True, rests_on=SHARED)
def _answer_of_negative_size(talk: ProxyTalk) -> Dialogue:
    yield from _answer_with(talk, struct.pack(">i", -5) + bytes(16))


@dialogue(ANSWERS, malformed=True, rests_on=SHARED)
def _answer_of_two_gigabytes(talk: ProxyTalk) -> Dialogue:
    yield from _answer_with(talk, struct.pack(">i", 2**31 - 1) + bytes(1024))


@dialogue(ANSWERS, malformed=True, rests_on=SHARED)
def _answer_that_nobody_asked_for(talk: ProxyTalk) -> Dialogue:
    answer = talk.plain_answer("Metadata", talk.lowest)
    yield from _answer_with(talk, talk.answer_frame("Metadata", talk.lowest, answer, 123456))


@dialogue(ANSWERS, malformed=True, rests_on=SHARED)
def _answer_of_no_bytes(talk: ProxyTalk) -> Dialogue:
    yield from _answer_with(talk, bytes(4))


@cases
def _malformed_bodies(facts: ProxyFacts) -> Iterator[ProxyCase]:
    """Yield for every API a body cut in half, and one of impossible lengths."""
    for api in sorted(filter(facts.has, api_keys())):
        _, version = facts.range_of(api)
        for rule, make, what in (
            (REQUESTS, _malformed_request, "request"),
            (ANSWERS, _malformed_answer, "answer"),
        ):
            for how in ("cut-short", "huge-lengths"):
                yield case_of(
                    f"{api}Request-v{version}/{what}-{how}",
                    (rule,),
                    f"{api}Request",
                    version,
                    Held(facts, make, (api, version, how)),
                    malformed=True,
                    basics=(
                        *basics(facts, "Metadata", facts.range_of("Metadata")[0]),
                        *singles(facts, SHARED),
                    ),
                )


def _malformed_request(talk: ProxyTalk, api: str, version: int, how: str) -> Dialogue:
    sent = talk.request(api, version)
    header = len(talk.request_header(talk.codec.form(f"{api}Request", version), 1))
    yield from _asked_with(talk, _spoiled(sent[4:], header, how), PAUSE_S)


def _malformed_answer(talk: ProxyTalk, api: str, version: int, how: str) -> Dialogue:
    beside = yield from _one_beside(talk)
    yield Send(talk.request(api, version))
    arrived = yield Arrive()
    assert arrived is not None
    if arrived.kind == "reply":
        number = correlation_id(arrived.frame[4:])
        answer = talk.answer_frame(api, version, talk.plain_answer(api, version), number)
        header = len(talk.response_header(talk.codec.form(f"{api}Response", version), 1))
        yield Answer(_spoiled(answer[4:], header, how))
    yield from _others(talk, beside, ANSWERS, PAUSE_S)


def _spoiled(frame: bytes, header: int, how: str) -> bytes:
    """Return a frame with its length whose body can not be read."""
    if how == "cut-short":
        return framed(frame[: header + (len(frame) - header) // 2])
    return framed(frame[:header] + b"\x7f\xff\xff\xff" * 8)


def _asked_with(talk: ProxyTalk, request: bytes, pause_s: float) -> Dialogue:
    beside = yield from _one_beside(talk)
    yield Send(request)
    yield from _others(talk, beside, REQUESTS, pause_s)


def _answer_with(talk: ProxyTalk, answer: bytes) -> Dialogue:
    beside = yield from _one_beside(talk)
    yield from talk.forwarded(talk.metadata())
    yield Answer(answer)
    yield from _others(talk, beside, ANSWERS, LONG_S)


def _one_beside(talk: ProxyTalk) -> Generator[Step, Received | None, ProxyTalk]:
    """Return another client, which is served on a connection of its own that stays open."""
    beside = ProxyTalk(talk.facts)
    yield Switch(BESIDE)
    yield from well_formed(beside)
    yield Switch("")
    return beside


def _others(talk: ProxyTalk, beside: ProxyTalk, rule: str, pause_s: float) -> Dialogue:
    """Check that other connections are served, one that is new and one that was open before.

    The fate of the malformed frame itself does not matter, but whether it is known: the process may
    still be about to end.
    """
    received = yield Receive(pause_s)
    is_settled = received is not None and received.kind != "silent"
    if not is_settled:
        arrived = yield Arrive(pause_s)
        is_settled = arrived is not None and arrived.kind != "silent"
    yield Switch(AFTER)
    yield Reconnect()
    yield from well_formed(ProxyTalk(talk.facts), rule)
    yield Switch(BESIDE)
    yield from _still_served(beside, rule)
    if not is_settled:
        yield Tell(UNSETTLED)


def _still_served(beside: ProxyTalk, rule: str) -> Dialogue:
    try:
        yield from well_formed(beside, rule)
    except Broken as broken:
        what = f"a connection that was open before is served no more: {broken.detail}"
        raise Broken(what, broken.expected, broken.actual, judged_by=rule) from None
