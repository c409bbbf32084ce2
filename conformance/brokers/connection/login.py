"""Logging in: SaslHandshake and SaslAuthenticate on a connection of ours (KIP-43, KIP-152).

A broker older than SaslAuthenticate takes the tokens as frames without a header; it refuses one by
hanging up. All that a broker says of a refusal is shown but the secret, should it repeat that.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Mapping
from functools import cache
from typing import Any, Protocol

from conformance.api_keys import SASL_AUTHENTICATE, SASL_HANDSHAKE
from conformance.brokers.connection.address import Address
from conformance.brokers.connection.connection import Connection
from conformance.brokers.connection.login_mechanisms import Distrusted, tokens_of
from conformance.brokers.connection.security import Security
from conformance.dialogue import Received
from conformance.error_codes import (
    ILLEGAL_SASL_STATE,
    SASL_AUTHENTICATION_FAILED,
    UNSUPPORTED_SASL_MECHANISM,
)
from conformance.errors import UNREACHABLE
from conformance.reference.codec import ReferenceCodec
from conformance.targets.errors import TargetError, shorten
from conformance.wire.errors import WireError

MOST_BYTES = 1024 * 1024
"""The most bytes of an answer to any part of a login."""
_CLIENT_ID = "kafka-conformance"
_IN_WORDS = {
    "closed": "hangs up",
    "reset": "tears the connection down",
    "silent": "stays silent",
    "flood": "announces more than any answer has",
}
Advertised = Mapping[int, tuple[int, int]]
Value = dict[str, Any]


class LoginFailed(TargetError):
    """A broker answers, and this principal can not log in."""

    exit_code = UNREACHABLE


class Line(Protocol):
    """The connection over which a login is held."""

    def send(self, data: bytes) -> None:
        """Write."""
        ...

    def hear(self, *, most_bytes: int) -> Received:
        """Wait for a frame."""
        ...


def connected(
    address: Address, timeout_s: float, security: Security | None, advertised: Advertised | None
) -> Connection:
    """Return a fresh connection, logged in if that is required; without login if `advertised` is
    None.

    Raises Unreachable, TlsFailed and LoginFailed.
    """
    line = Connection(address, timeout_s, security)
    try:
        if security and security.mechanism and advertised is not None:
            line.lifetime_ms = log_in(line, address, security, advertised)
    except BaseException:
        line.close()
        raise
    return line


def log_in(line: Line, address: Address, security: Security, advertised: Advertised) -> int:
    """Make a connection the principal's, for so many ms; 0 for good. Raises LoginFailed."""
    if SASL_HANDSHAKE not in advertised:
        raise _no_sasl(address)
    login = Login(line, address, security, advertised)
    login.run()
    return login.lifetime_ms


def offered(line: Line, address: Address, advertised: Advertised) -> list[str]:
    """Return the mechanisms of which a listener demands one; none if no login is required.

    Asks for a mechanism that does not exist, so that the connection is of no more use.
    """
    if SASL_HANDSHAKE not in advertised:
        return []
    try:
        answer = Login(line, address, Security(mechanism="NONE"), advertised).shake_hands()
    except LoginFailed:
        return []
    found = answer["mechanisms"] if answer["errorCode"] == UNSUPPORTED_SASL_MECHANISM else []
    return [shorten(str(each), 40) for each in found[:20]]


class Login:
    """One login on one connection. `lifetime_ms` is how long it is good, as the broker says."""

    lifetime_ms = 0

    def __init__(
        self, line: Line, address: Address, security: Security, advertised: Advertised
    ) -> None:
        self._line = line
        self._address = address
        self._security = security
        self._versions = {
            SASL_HANDSHAKE: min(advertised[SASL_HANDSHAKE][1], 1),
            SASL_AUTHENTICATE: min(advertised.get(SASL_AUTHENTICATE, (0, -1))[1], 2),
        }
        if self._versions[SASL_AUTHENTICATE] < 0:
            self._versions[SASL_HANDSHAKE] = 0
        self._number = 0

    def run(self) -> None:
        """Log in. Raises LoginFailed."""
        self._agree()
        tokens = tokens_of(self._security)
        try:
            token = next(tokens)
            while True:
                token = tokens.send(self._answer_to(token))
        except StopIteration:
            return
        except Distrusted as wrong:
            raise LoginFailed(
                f"{self._address} logs nobody in as it must: {self._safe(str(wrong))}",
                "is it the broker that you mean?",
            ) from None

    def shake_hands(self) -> Value:
        """The answer to our choice of a mechanism. Raises LoginFailed."""
        value = {"mechanism": self._security.mechanism}
        return self._ask("SaslHandshake", SASL_HANDSHAKE, value)

    def _agree(self) -> None:
        answer = self.shake_hands()
        code, mechanism = answer["errorCode"], self._security.mechanism
        if code == UNSUPPORTED_SASL_MECHANISM:
            names = ", ".join(map(str, answer["mechanisms"])) or "none"
            raise LoginFailed(
                f"{self._address} has no SASL mechanism {mechanism}: it offers {shorten(names)}",
                "set sasl.mechanism to one of these",
            )
        if code == ILLEGAL_SASL_STATE:
            raise _no_sasl(self._address)
        if code:
            raise LoginFailed(
                f"{self._address} answers SaslHandshake with error {code}",
                "error 0 and the mechanisms are due",
            )

    def _answer_to(self, token: bytes) -> bytes:
        """Return the broker's answer to a token. Raises LoginFailed."""
        if self._versions[SASL_HANDSHAKE] == 0:
            self._line.send(struct.pack(">i", len(token)) + token)
            return self._heard("the token").frame
        value = {"authBytes": base64.b64encode(token).decode()}
        answer = self._ask("SaslAuthenticate", SASL_AUTHENTICATE, value)
        code = answer["errorCode"]
        if code:
            said = self._safe(answer["errorMessage"] or f"error {code}")
            raise LoginFailed(
                f"{self._address} refuses {self._who()}: {said}", self._what_to_check(code)
            )
        self.lifetime_ms = answer.get("sessionLifetimeMs", 0)
        return base64.b64decode(answer["authBytes"])

    def _ask(self, name: str, api_key: int, value: Value) -> Value:
        version, codec = self._versions[api_key], _codec()
        self._number += 1
        header = {"correlationId": self._number, "clientId": _CLIENT_ID}
        frame = codec.encode_request(f"{name}Request", version, header, value)
        self._line.send(struct.pack(">i", len(frame)) + frame)
        received = self._heard(name)
        try:
            read = codec.decode_response(f"{name}Response", version, received.frame)
        except WireError:
            read = None
        if read is None or read[2] or read[0]["correlationId"] != self._number:
            raise LoginFailed(
                f"{self._address} answers {name} v{version} with what is no answer to it",
                "is it a Kafka broker?",
            )
        return read[1]

    def _heard(self, what: str) -> Received:
        received = self._line.hear(most_bytes=MOST_BYTES)
        if received.kind == "reply":
            return received
        why = f" ({self._safe(received.text)})" if received.text else ""
        raise LoginFailed(
            f"{self._address} {_IN_WORDS[received.kind]} at {what} of {self._who()}{why}",
            "are user, password and mechanism right? The broker's log tells",
        )

    def _who(self) -> str:
        user = shorten(self._security.username, 60)
        whose = f"user {user!r}" if user else "the token"
        return f"{whose} by {self._security.mechanism}"

    def _what_to_check(self, code: int) -> str:
        if code != SASL_AUTHENTICATION_FAILED:
            return "the broker's log tells why"
        if self._security.mechanism == "OAUTHBEARER":
            return "is the token still valid, and by an issuer that the broker trusts?"
        return "are user and password right, and does the user have that mechanism?"

    def _safe(self, said: str) -> str:
        return shorten(self._security.hide(said))


@cache
def _codec() -> ReferenceCodec:
    return ReferenceCodec()


def _no_sasl(address: Address) -> LoginFailed:
    return LoginFailed(
        f"{address} takes no login: its listener has no SASL",
        "set security.protocol=PLAINTEXT or SSL, or take the port of a SASL listener",
    )
