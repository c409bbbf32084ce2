"""Login by SASL, as far as it can be judged without a valid password (KIP-43, KIP-152, KIP-511).

All requests go over connections without a login. A broker shows its answers there to any
peer, so they hold as little as possible: its versions, its mechanisms, and refusals.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Generator, Iterable

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.frames.headers import header, software
from conformance.brokers.dialogues.harmless import harmless
from conformance.brokers.dialogues.talk import (
    Reply,
    Talk,
    api_keys,
    describe_received,
    first_error,
    framed,
    judged_by,
)
from conformance.brokers.dialogues.versions.api_versions import ILLEGAL, TOO_HIGH, fallback
from conformance.dialogue import (
    Broken,
    Dialogue,
    NotApplicable,
    Receive,
    Received,
    Reconnect,
    Send,
    Step,
    Tell,
)
from conformance.error_codes import (
    ILLEGAL_SASL_STATE,
    INVALID_REQUEST,
    SASL_AUTHENTICATION_FAILED,
    UNSUPPORTED_SASL_MECHANISM,
)

TURNED_AWAY = (29, 30, 31, 34, 53, 58)
"""Error codes for a caller that lacks the authorization for a request, or a login."""
NO_MECHANISM = "KAFKA-CONFORMANCE"
GARBAGE = (b"garbage",)
WRONG = b"\0nobody\0wrong"
"""A token that PLAIN reads as a user and a password."""
TOKENS = {
    "PLAIN": (*GARBAGE, WRONG, b"\xff\xfe\0", b""),
    "SCRAM-SHA-512": (*GARBAGE, b""),
}
"""Tokens that authenticate no user, whichever users exist. Any other mechanism is sent garbage."""
OF_BROKERS = ("Metadata", "Produce", "Fetch", "CreateTopics", "DescribeConfigs", "CreateAcls")
"""Requests of which none may be served before login. Brokers let each refused one wait."""
UNMISTAKABLE = 0x51AB1E
"""A correlation id that no mechanism's token begins with."""
TOO_LARGE = 16 * 1024 * 1024
ANY = range(100)
RENEWING = range(1, 100)
"""The versions of SaslHandshake after which tokens have headers and answers name a lifetime."""

Talking = Generator[Step, Received | None, Reply]


@question("sasl.unknown-mechanism-refused", "SaslHandshake", ANY, wants=("login",))
def _mechanisms_that_nobody_has(talk: Talk, version: int) -> Dialogue:
    _, high = talk.facts.range_of("SaslHandshake")
    for name in (NO_MECHANISM, "", "plain") if version == high else (NO_MECHANISM,):
        reply = yield from _handshake(talk, name, version)
        talk.expect(f"{name[:20]!r}: the error", UNSUPPORTED_SASL_MECHANISM, _error(reply))
        if not reply.value["mechanisms"] or name in reply.value["mechanisms"]:
            raise Broken("the mechanisms are not those enabled", "at least one", reply.frame)


@question("sasl.unknown-mechanism-closes", "SaslHandshake", ANY, wants=("login",), malformed=True)
def _request_after_such_a_mechanism(talk: Talk, version: int) -> Dialogue:
    yield from _handshake(talk, NO_MECHANISM, version)
    yield from talk.ends("a mechanism was asked for that is not enabled")


@question("sasl.enabled-mechanism-agreed", "SaslHandshake", ANY, wants=("login",))
def _each_mechanism(talk: Talk, version: int) -> Dialogue:
    enabled = yield from _mechanisms_of_a_refusal(talk)
    for name in enabled:
        reply = yield from _handshake(talk, name, version)
        talk.expect(f"{name}: the error", 0, _error(reply))
        talk.expect(f"{name}: the mechanisms", sorted(enabled), sorted(reply.value["mechanisms"]))


@question("sasl.wrong-token-refused", "SaslAuthenticate", ANY, wants=("login",), malformed=True)
def _tokens_of_nobody(talk: Talk, version: int) -> Dialogue:
    _, high = talk.facts.range_of("SaslAuthenticate")
    enabled = yield from _mechanisms(talk)
    for name in enabled if version == high else enabled[:1]:
        tokens = TOKENS.get(name, GARBAGE) if version == high else GARBAGE
        for token in tokens:
            yield from _handshake(talk, name)
            reply = yield from _authenticate(talk, token, version)
            talk.expect(
                f"{name}, {token[:20]!r}: the error", SASL_AUTHENTICATION_FAILED, _error(reply)
            )


@question("sasl.refusal-holds-no-token", "SaslAuthenticate", ANY, wants=("login",), malformed=True)
def _token_beside_the_refusal(talk: Talk, version: int) -> Dialogue:
    enabled = yield from _mechanisms(talk)
    yield from _handshake(talk, enabled[0])
    reply = yield from _authenticate(talk, *GARBAGE, version)
    talk.expect("the token that comes back", "", reply.value["authBytes"])


@question("sasl.refusal-closes", "SaslAuthenticate", ANY, wants=("login",), malformed=True)
def _request_after_a_wrong_token(talk: Talk, version: int) -> Dialogue:
    enabled = yield from _mechanisms(talk)
    yield from _handshake(talk, enabled[0])
    yield from _authenticate(talk, *GARBAGE, version)
    yield from talk.ends("a wrong token was refused")


@question("sasl.nothing-served-before-login", wants=("login",), malformed=True)
def _requests_at_once(talk: Talk) -> Dialogue:
    for api in filter(talk.facts.has, OF_BROKERS):
        yield Reconnect("nobody")
        yield from _not_served(talk, api, "without login")


@question("sasl.nothing-served-before-login", wants=("login",), malformed=True)
def _requests_after_the_versions(talk: Talk) -> Dialogue:
    for api in filter(talk.facts.has, OF_BROKERS[:2]):
        yield Reconnect("nobody")
        yield from talk.ask("ApiVersions", 0, {})
        yield from _not_served(talk, api, "after ApiVersions, without login")


@question("sasl.nothing-served-before-login", wants=("login",), malformed=True)
def _requests_after_the_handshake(talk: Talk) -> Dialogue:
    """Send requests after the handshake; an answer with an error alone is allowed as well."""
    enabled = yield from _mechanisms(talk)
    for api in ("Metadata", "DescribeConfigs"):
        if talk.facts.has(api):
            yield from _handshake(talk, enabled[0])
            yield from _not_served(talk, api, "before the token")


@question("sasl.nothing-served-before-login", "SaslAuthenticate", wants=("login",), malformed=True)
def _requests_after_a_wrong_token(talk: Talk) -> Dialogue:
    """Send token and request in one go, to catch a broker that refuses the token and reads on."""
    enabled = yield from _mechanisms(talk)
    _, version = talk.facts.range_of("Metadata")
    yield from _handshake(talk, enabled[0])
    ask = talk.frame("Metadata", version, harmless(talk, "Metadata", version), 2)
    yield Send(_token_frame(talk, WRONG, 0, 1) + ask)
    yield from talk.answer("SaslAuthenticate", 0, 1)
    yield from talk.ends("a request followed a wrong token", unanswered=True)


@question("sasl.token-needs-handshake", "SaslAuthenticate", ANY, wants=("login",), malformed=True)
def _token_without_handshake(talk: Talk, version: int) -> Dialogue:
    for greets in (False, True):
        yield Reconnect("nobody")
        if greets:
            yield from talk.ask("ApiVersions", 0, {})
        yield Send(_token_frame(talk, WRONG, version, 1))
        yield from talk.ends("a token came before the handshake")


@question(
    "sasl.handshake-once",
    "SaslHandshake",
    ANY,
    wants=("login",),
    needs=("SaslAuthenticate",),
    malformed=True,
)
def _handshake_after_a_handshake(talk: Talk, version: int) -> Dialogue:
    enabled = yield from _mechanisms(talk)
    yield from _handshake(talk, enabled[0], 1)
    reply = yield from talk.ask("SaslHandshake", version, {"mechanism": enabled[0]})
    talk.expect("the error", ILLEGAL_SASL_STATE, _error(reply))
    yield from talk.ends("a second handshake came")


@question("sasl.handshake-once", needs=("SaslAuthenticate",), wants=("login",), malformed=True)
def _versions_after_a_handshake(talk: Talk) -> Dialogue:
    enabled = yield from _mechanisms(talk)
    for version in talk.facts.range_of("ApiVersions"):
        yield from _handshake(talk, enabled[0], 1)
        reply = yield from talk.ask("ApiVersions", version, software(version))
        talk.expect("the error", ILLEGAL_SASL_STATE, _error(reply))
        yield from talk.ends("ApiVersions came after the handshake")


@question("sasl.login-is-over", "SaslHandshake", ANY)
def _handshake_after_login(talk: Talk, version: int) -> Dialogue:
    """Refuse a handshake also if the broker requires no login: login is over from the beginning."""
    if talk.facts.session_lifetime_ms > 0:
        raise NotApplicable("logins have a lifetime here, so that one may log in again (KIP-368)")
    reply = yield from talk.ask("SaslHandshake", version, {"mechanism": "PLAIN"})
    talk.expect("the error", ILLEGAL_SASL_STATE, _error(reply))
    yield from talk.ask("ApiVersions", 0, {})


@question("sasl.login-renewed", "SaslHandshake", RENEWING, wants=("login",))
def _handshake_before_a_login_ends(talk: Talk, version: int) -> Dialogue:
    """Handshake again on a connection that is logged in, for the same mechanism."""
    if talk.facts.session_lifetime_ms <= 0:
        raise NotApplicable("logins have no lifetime here")
    reply = yield from talk.ask("SaslHandshake", version, {"mechanism": talk.facts.mechanism})
    talk.expect("the error", 0, _error(reply))


@question("sasl.login-is-over", "SaslAuthenticate", ANY)
def _token_after_login(talk: Talk, version: int) -> Dialogue:
    reply = yield from _authenticate(talk, *GARBAGE, version)
    talk.expect("the error", ILLEGAL_SASL_STATE, _error(reply))
    yield from talk.ask("ApiVersions", 0, {})


@question(
    "sasl.bare-tokens-after-version-0", wants=("login",), needs=("SaslHandshake",), malformed=True
)
def _bare_tokens_of_nobody(talk: Talk) -> Dialogue:
    """Send bare wrong tokens; a mechanism may answer one before the connection closes."""
    enabled = yield from _mechanisms(talk)
    for token in (*GARBAGE, WRONG):
        yield from _handshake(talk, enabled[0], 0)
        yield Send(framed(token))
        received = yield Receive()
        assert received is not None
        if received.kind not in ("closed", "reset"):
            yield from talk.ends("the frame of a wrong token came")


@question("sasl.bare-tokens-after-version-0", "SaslAuthenticate", wants=("login",), malformed=True)
def _token_with_a_header(talk: Talk) -> Dialogue:
    enabled = yield from _mechanisms(talk)
    yield from _handshake(talk, enabled[0], 0)
    yield Send(_token_frame(talk, WRONG, 0, UNMISTAKABLE))
    received = yield Receive()
    assert received is not None
    if received.frame[:4] == struct.pack(">i", UNMISTAKABLE):
        raise Broken(
            "a frame was taken for a request where it is a token", "closed", received.frame
        )
    if received.kind not in ("closed", "reset"):
        yield from talk.ends("a request came where a frame is a token")


@question(
    "sasl.wrong-bare-token-unanswered", wants=("login",), needs=("SaslHandshake",), malformed=True
)
def _end_without_a_word(talk: Talk) -> Dialogue:
    enabled = yield from _mechanisms(talk)
    for token in (*GARBAGE, WRONG, b""):
        yield from _handshake(talk, enabled[0], 0)
        yield Send(framed(token))
        yield from talk.ends("the frame of a wrong token came", unanswered=True)


@question("sasl.other-versions-close", "SaslAuthenticate", wants=("login",), malformed=True)
def _versions_that_there_are_not(talk: Talk) -> Dialogue:
    enabled = yield from _mechanisms(talk)
    for api, handshakes in (("SaslHandshake", False), ("SaslAuthenticate", True)):
        key = api_keys()[api]
        for version in (talk.facts.advertised[key][1] + 1, -1):
            yield Reconnect("nobody")
            if handshakes:
                yield from _handshake(talk, enabled[0], 1)
            yield Send(framed(header(key, version)))
            yield from talk.ends(f"{api} came in version {version}", unanswered=True)


@question("sasl.large-frame-closes", wants=("login",), malformed=True)
def _sizes_before_login(talk: Talk) -> Dialogue:
    for size in (TOO_LARGE, -1):
        yield Reconnect("nobody")
        yield Send(struct.pack(">i", size) + bytes(16))
        yield from talk.ends(f"{size} bytes were announced before login")


@question("sasl.large-frame-closes", "SaslHandshake", wants=("login",), malformed=True)
def _sizes_of_tokens(talk: Talk) -> Dialogue:
    enabled = yield from _mechanisms(talk)
    for version, size in zip(talk.facts.range_of("SaslHandshake"), (TOO_LARGE, -1), strict=True):
        yield from _handshake(talk, enabled[0], version)
        yield Send(struct.pack(">i", size) + bytes(16))
        yield from talk.ends(f"a token of {size} bytes was announced")


@question("sasl.malformed-before-login-closes", wants=("login",), malformed=True)
def _malformed_requests_before_login(talk: Talk) -> Dialogue:
    """Send malformed requests on connections of their own; a new connection is still served."""
    for data in _malformed(talk):
        yield Reconnect("nobody")
        yield Send(framed(data))
        yield from talk.ends(f"{data[:24].hex()} came before login")
    yield Reconnect("nobody")
    yield from talk.ask("ApiVersions", 0, {})


@question("api-versions.unsupported-keeps-connection", wants=("login",), malformed=True)
def _handshake_after_the_fallback(talk: Talk) -> Dialogue:
    enabled = yield from _mechanisms(talk)
    yield Reconnect("nobody")
    for _ in range(2):
        yield from fallback(talk, TOO_HIGH)
    _, version = talk.facts.range_of("ApiVersions")
    reply = yield from talk.ask("ApiVersions", version, software(version))
    talk.expect("the error", 0, _error(reply))
    agreed = yield from talk.ask("SaslHandshake", 0, {"mechanism": enabled[0]})
    talk.expect("the handshake's error", 0, _error(agreed))


@question("api-versions.unsupported-answered-in-v0", wants=("login",), malformed=True)
def _too_high_version_before_login(talk: Talk) -> Dialogue:
    yield Reconnect("nobody")
    yield from fallback(talk, TOO_HIGH)


@question("api-versions.illegal-software-refused", "ApiVersions", range(3, 100), wants=("login",))
def _illegal_names_before_login(talk: Talk, version: int) -> Dialogue:
    yield Reconnect("nobody")
    for name in ILLEGAL[:4]:
        value = {**software(version), "clientSoftwareName": name}
        reply = yield from talk.ask("ApiVersions", version, value)
        talk.expect(f"{name!r}: the error", INVALID_REQUEST, _error(reply))
    reply = yield from talk.ask("ApiVersions", version, software(version))
    talk.expect("a legal name: the error", 0, _error(reply))


def _malformed(talk: Talk) -> Iterable[bytes]:
    handshake = api_keys()["SaslHandshake"]
    head = struct.pack(">hhih", handshake, 0, 1, -1)
    yield head + struct.pack(">h", -1)  # null where no null may be
    yield head + struct.pack(">h", 100) + b"PLAIN"
    yield head
    yield head[:7]
    yield b"\0"
    yield struct.pack(">hhih", api_keys()["ApiVersions"], 3, 1, -1)[:-1]
    yield framed(talk.frame("SaslHandshake", 0, {"mechanism": "PLAIN"}, 1))  # two lengths
    yield b"\0nobody\0wrong"  # a bare token, as before KIP-43


def _not_served(talk: Talk, api: str, when: str) -> Dialogue:
    """Raise Broken unless the connection is closed or the answer holds an error."""
    _, version = talk.facts.range_of(api)
    yield Send(talk.frame(api, version, harmless(talk, api, version), talk.number()))
    received = yield Receive()
    assert received is not None
    if received.kind == "reply":
        found = first_error(talk.read(api, version, received.frame).value)
        if found not in TURNED_AWAY:
            raise Broken(f"{api} is served {when}", "closed, or an error", received.frame)
        yield Tell(f"error {found}")
    elif received.kind not in ("closed", "reset"):
        raise Broken(f"{api} {when}: {describe_received(received)}", "closed, or an error")


def _mechanisms(talk: Talk) -> Generator[Step, Received | None, list[str]]:
    """Return the enabled mechanisms, which an answer lists whether or not it agrees to the one
    asked.
    """
    reply = yield from _handshake(talk, "PLAIN")
    if not reply.value["mechanisms"]:
        raise Broken("no mechanism is enabled", "at least one", reply.frame)
    return list(reply.value["mechanisms"])


@judged_by("sasl.unknown-mechanism-refused")
def _mechanisms_of_a_refusal(talk: Talk) -> Generator[Step, Received | None, list[str]]:
    """Return the mechanisms that the refusal of an unknown one lists."""
    reply = yield from _handshake(talk, NO_MECHANISM)
    return list(reply.value["mechanisms"])


def _handshake(talk: Talk, mechanism: str, version: int = -1) -> Talking:
    """Ask for a mechanism on a fresh connection, by default in the highest version."""
    yield Reconnect("nobody")
    given = talk.facts.range_of("SaslHandshake")[1] if version < 0 else version
    reply = yield from talk.ask("SaslHandshake", given, {"mechanism": mechanism})
    return reply


def _authenticate(talk: Talk, token: bytes, version: int) -> Talking:
    value = {"authBytes": base64.b64encode(token).decode()}
    reply = yield from talk.ask("SaslAuthenticate", version, value)
    return reply


def _token_frame(talk: Talk, token: bytes, version: int, number: int) -> bytes:
    value = {"authBytes": base64.b64encode(token).decode()}
    return talk.frame("SaslAuthenticate", version, value, number)


def _error(reply: Reply) -> int:
    return int(reply.value["errorCode"])
