"""Malformed frames from either side: the proxy survives them, and still serves others."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from conformance.brokers.dialogues.talk import api_keys, framed
from conformance.dialogue import Answer, Arrive, Dialogue, Receive, Reconnect, Send
from conformance.proxies.dialogues import (
    Held,
    ProxyCase,
    basics,
    case_of,
    cases,
    dialogue,
    well_formed,
)
from conformance.proxies.dialogues.talk import ProxyFacts, ProxyTalk, correlation_id

REQUESTS = "proxy-hardening.malformed-requests-survived"
ANSWERS = "proxy-hardening.malformed-answers-survived"
PAUSE_S = 0.02
LONG_S = 0.2
"""The time in seconds after a malformed frame before another connection is tried."""


@dialogue(REQUESTS, malformed=True)
def _negative_size(talk: ProxyTalk) -> Dialogue:
    yield Send(struct.pack(">i", -5) + bytes(16))
    yield from _others(talk, REQUESTS, LONG_S)


@dialogue(REQUESTS, malformed=True)
def _size_of_two_gigabytes(talk: ProxyTalk) -> Dialogue:
    yield Send(struct.pack(">i", 2**31 - 1) + bytes(1024))
    yield from _others(talk, REQUESTS, LONG_S)


@dialogue(REQUESTS, malformed=True)
def _frame_of_no_bytes(talk: ProxyTalk) -> Dialogue:
    yield Send(bytes(4) + talk.metadata())
    yield from _others(talk, REQUESTS, LONG_S)


@dialogue(REQUESTS, malformed=True)
def _another_protocol(talk: ProxyTalk) -> Dialogue:
    yield Send(b"GET / HTTP/1.1\r\nHost: a-broker\r\n\r\n")
    yield from _others(talk, REQUESTS, LONG_S)


@dialogue(ANSWERS, malformed=True)
def _answer_of_negative_size(talk: ProxyTalk) -> Dialogue:
    yield from _answer_with(talk, struct.pack(">i", -5) + bytes(16))


@dialogue(ANSWERS, malformed=True)
def _answer_of_two_gigabytes(talk: ProxyTalk) -> Dialogue:
    yield from _answer_with(talk, struct.pack(">i", 2**31 - 1) + bytes(1024))


@dialogue(ANSWERS, malformed=True)
def _answer_that_nobody_asked_for(talk: ProxyTalk) -> Dialogue:
    answer = talk.plain_answer("Metadata", talk.lowest)
    yield from _answer_with(talk, talk.answer_frame("Metadata", talk.lowest, answer, 123456))


@dialogue(ANSWERS, malformed=True)
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
                    basics=basics(facts, "Metadata", facts.range_of("Metadata")[0]),
                )


def _malformed_request(talk: ProxyTalk, api: str, version: int, how: str) -> Dialogue:
    sent = talk.request(api, version)
    header = len(talk.request_header(talk.codec.form(f"{api}Request", version), 1))
    yield Send(_spoiled(sent[4:], header, how))
    yield from _others(talk, REQUESTS, PAUSE_S)


def _malformed_answer(talk: ProxyTalk, api: str, version: int, how: str) -> Dialogue:
    yield Send(talk.request(api, version))
    arrived = yield Arrive()
    assert arrived is not None
    if arrived.kind == "reply":
        number = correlation_id(arrived.frame[4:])
        answer = talk.answer_frame(api, version, talk.plain_answer(api, version), number)
        header = len(talk.response_header(talk.codec.form(f"{api}Response", version), 1))
        yield Answer(_spoiled(answer[4:], header, how))
    yield from _others(talk, ANSWERS, PAUSE_S)


def _spoiled(frame: bytes, header: int, how: str) -> bytes:
    """Return a frame with its length whose body can not be read."""
    if how == "cut-short":
        return framed(frame[: header + (len(frame) - header) // 2])
    return framed(frame[:header] + b"\x7f\xff\xff\xff" * 8)


def _answer_with(talk: ProxyTalk, answer: bytes) -> Dialogue:
    yield from talk.forwarded(talk.metadata())
    yield Answer(answer)
    yield from _others(talk, ANSWERS, LONG_S)


def _others(talk: ProxyTalk, rule: str, pause_s: float) -> Dialogue:
    """Ignore the fate of the malformed frame, and check that another connection is served."""
    yield Receive(pause_s)
    yield Reconnect()
    yield from well_formed(ProxyTalk(talk.facts), rule)
