"""Logins through a proxy that leaves them to the broker: tokens go through as they are."""

from __future__ import annotations

import base64

from conformance.brokers.dialogues.talk import describe_received, framed
from conformance.dialogue import (
    Answer,
    Arrive,
    Broken,
    Dialogue,
    NotApplicable,
    Receive,
    Received,
    Send,
)
from conformance.error_codes import NONE
from conformance.proxies.dialogues import dialogue, well_formed
from conformance.proxies.dialogues.talk import ProxyTalk

TOKENS = "proxy-security.tokens-pass"
STEPS = (b"n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL", b"c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfc,p=v0X8")
"""A client's two messages of SCRAM, and what a broker says to them."""
REPLIES = (b"r=fyko+d2lbbFgONRv9qkxdawL3rfc,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096", b"v=rmF9pqV8S7suAo")


@dialogue(TOKENS, api="SaslHandshake")
def _tokens_in_requests(talk: ProxyTalk) -> Dialogue:
    """A handshake in version 1, and a SaslAuthenticate for each step."""
    _, version = talk.facts.range_of("SaslAuthenticate")
    yield from _agreed(talk, 1)
    for token, reply in zip(STEPS, REPLIES, strict=True):
        value = {**talk.plain("SaslAuthenticate", version), "authBytes": _text(token)}
        answer = {**talk.plain_answer("SaslAuthenticate", version), "authBytes": _text(reply)}
        arrived, frame = yield from talk.passes("SaslAuthenticate", version, value, answer, TOKENS)
        if token not in arrived.frame or reply not in frame:
            raise Broken("a token comes out changed", token.hex(), arrived.frame)
    yield from _served(talk)


@dialogue(TOKENS, api="SaslHandshake")
def _tokens_without_a_header(talk: ProxyTalk) -> Dialogue:
    """A handshake in version 0: the frames behind it are tokens, until the login is through."""
    if talk.facts.range_of("SaslHandshake")[0] > 0:
        raise NotApplicable("it lists SaslHandshake from version 1 on")
    yield from _agreed(talk, 0)
    for token, reply in zip(STEPS, REPLIES, strict=True):
        yield Send(framed(token))
        arrived = yield Arrive()
        assert arrived is not None
        _expect(token, arrived, "the client's token does not come to the broker")
        yield Answer(framed(reply))
        received = yield Receive()
        assert received is not None
        _expect(reply, received, "the broker's token does not come to the client")
    yield from _served(talk)


def _agreed(talk: ProxyTalk, version: int) -> Dialogue:
    value = {"mechanism": "SCRAM-SHA-256"}
    answer = {"errorCode": NONE, "mechanisms": ["SCRAM-SHA-256"]}
    yield from talk.passes("SaslHandshake", version, value, answer, TOKENS)


def _served(talk: ProxyTalk) -> Dialogue:
    yield from well_formed(talk, TOKENS)


def _expect(token: bytes, received: Received, what: str) -> None:
    if received.kind != "reply" or received.frame != token:
        raise Broken(f"{what}: {describe_received(received)}", token.hex(), received.frame)


def _text(token: bytes) -> str:
    return base64.b64encode(token).decode()
