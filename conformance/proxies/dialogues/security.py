"""Logins: a proxy passes tokens on to the broker, or takes logins itself.

A proxy that takes logins has to keep out all clients until they log in.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator

from conformance.brokers.dialogues.talk import api_keys, describe_received, framed
from conformance.dialogue import (
    Answer,
    Arrive,
    Broken,
    Dialogue,
    NotApplicable,
    OpenConnections,
    Receive,
    Received,
    Reconnect,
    Send,
)
from conformance.error_codes import NONE
from conformance.proxies.dialogues import (
    Held,
    Making,
    ProxyCase,
    case_of,
    cases,
    dialogue,
    said,
    well_formed,
)
from conformance.proxies.dialogues.talk import ProxyFacts, ProxyTalk
from conformance.reference.proxy.link import api_of

TOKENS = "proxy-security.tokens-pass"
BEFORE_LOGIN = "proxy-security.nothing-before-login"
OF_LOGINS = ("ApiVersions", "SaslHandshake", "SaslAuthenticate")
NOBODY = b"\0nobody\0wrong"
"""A token that no mechanism takes."""
PAUSE_S = 0.2
"""The time in seconds to wait for a request that is not to arrive."""
STEPS = (b"n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL", b"c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfc,p=v0X8")
"""A client's two messages of SCRAM; `REPLIES` are the broker's."""
REPLIES = (b"r=fyko+d2lbbFgONRv9qkxdawL3rfc,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096", b"v=rmF9pqV8S7suAo")


@dialogue(TOKENS, api="SaslAuthenticate", versions=True)
def _tokens_in_requests(talk: ProxyTalk, version: int) -> Dialogue:
    """Send a handshake in version 1, and a SaslAuthenticate for each step."""
    _check_passed(talk)
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
    """Send a handshake in version 0: the frames after it are tokens, until the login is through."""
    _check_passed(talk)
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


def _check_passed(talk: ProxyTalk) -> None:
    if talk.facts.mechanism:
        raise NotApplicable("the proxy takes logins itself")


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


@cases
def _before_login(facts: ProxyFacts) -> Iterator[ProxyCase]:
    """Yield a request of every API, except those of a login, of a client that has begun none."""
    for api in sorted(filter(facts.has, api_keys())):
        if facts.mechanism and api not in OF_LOGINS:
            yield _kept_out(facts, api, _before_any_login)


@cases
def _amid_logins(facts: ProxyFacts) -> Iterator[ProxyCase]:
    """Yield a Metadata at each step of an unfinished login, and an unacknowledged Produce."""
    if facts.mechanism:
        for make in (
            _with_the_handshake,
            _behind_the_handshake,
            _behind_a_refused_token,
            _beside_one_who_logged_in,
            _produce_with_acks_0,
        ):
            yield _kept_out(facts, "Produce" if make is _produce_with_acks_0 else "Metadata", make)


def _kept_out(facts: ProxyFacts, api: str, make: Making) -> ProxyCase:
    _, version = facts.range_of(api)
    return case_of(
        f"{api}Request-v{version}/{said(make)}",
        (BEFORE_LOGIN,),
        f"{api}Request",
        version,
        Held(facts, make, (api, version)),
        control_case=Held(facts, _comes_behind_a_login, (api, version)),
        malformed=True,
        rewrites=True,
    )


def _comes_behind_a_login(talk: ProxyTalk, api: str, version: int) -> Dialogue:
    try:
        yield from talk.forwarded(talk.request(api, version))
    except NotApplicable:  # answered by the proxy itself, as it may be
        return


def _before_any_login(talk: ProxyTalk, api: str, version: int) -> Dialogue:
    yield Reconnect("nobody")
    yield from _does_not_arrive(talk, talk.request(api, version))


def _produce_with_acks_0(talk: ProxyTalk, api: str, version: int) -> Dialogue:
    """Send a Produce that expects no answer: if it arrived, it would be written."""
    yield Reconnect("nobody")
    value = {**talk.plain(api, version), "acks": 0}
    yield from _does_not_arrive(talk, talk.request(api, version, value))


def _with_the_handshake(talk: ProxyTalk, api: str, version: int) -> Dialogue:
    yield Reconnect("nobody")
    yield from _does_not_arrive(talk, talk.request(api, version), _handshake(talk))


def _behind_the_handshake(talk: ProxyTalk, api: str, version: int) -> Dialogue:
    yield Reconnect("nobody")
    yield Send(_handshake(talk))
    yield Receive()
    yield from _does_not_arrive(talk, talk.request(api, version))


def _behind_a_refused_token(talk: ProxyTalk, api: str, version: int) -> Dialogue:
    if not talk.facts.has("SaslAuthenticate"):
        raise NotApplicable("it has no SaslAuthenticate")
    _, newest = talk.facts.range_of("SaslAuthenticate")
    yield Reconnect("nobody")
    yield Send(_handshake(talk))
    yield Receive()
    value = {"authBytes": _text(NOBODY)}
    yield Send(talk.frame("SaslAuthenticate", newest, value, talk.number()))
    yield Receive()
    yield from _does_not_arrive(talk, talk.request(api, version))


def _beside_one_who_logged_in(talk: ProxyTalk, api: str, version: int) -> Dialogue:
    """Check that each connection has to log in for itself."""
    yield OpenConnections(1)
    yield Reconnect("nobody")
    yield from _does_not_arrive(talk, talk.request(api, version))


def _handshake(talk: ProxyTalk) -> bytes:
    version = min(talk.facts.range_of("SaslHandshake")[1], 1)
    value = {"mechanism": talk.facts.mechanism}
    return talk.frame("SaslHandshake", version, value, talk.number())


def _does_not_arrive(talk: ProxyTalk, sent: bytes, before: bytes = b"") -> Dialogue:
    """Check that a request does not arrive at the broker, whatever the answer. Raises Broken."""
    asked = api_of(sent[4:])
    yield Send(before + sent)
    yield Receive(PAUSE_S)
    while (received := (yield Arrive(PAUSE_S))) is not None and received.kind == "reply":
        if talk.is_own(received.frame) and api_of(received.frame) == asked:
            what = "a request of a client that has not logged in comes to the broker"
            raise Broken(what, "nothing at the broker", received.frame)
