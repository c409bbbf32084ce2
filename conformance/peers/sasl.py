"""SaslHandshake and SaslAuthenticate (KIP-43, KIP-152), with PLAIN (RFC 4616).

Where the broker has no users a connection begins as authenticated, and both requests are out of
place. Where it has, a connection goes through these states, as it does with Apache Kafka 4.3.1:

    begun          ApiVersions (once, unless it is refused), SaslHandshake
    greeted        SaslHandshake
    agreed         SaslAuthenticate; any other request ends the connection
    token          the same in a frame without a header, after a handshake in version 0
    authenticated  everything, but SASL no more
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from conformance.peers import errors
from conformance.peers.cluster import ANONYMOUS, Request, Value
from conformance.peers.errors import Hangup, Refused
from conformance.peers.played import IMPLEMENTED

if TYPE_CHECKING:
    from conformance.peers.broker import Broker

State = Literal["begun", "greeted", "agreed", "token", "authenticated"]
MECHANISM = "PLAIN"
EXPECTED: Mapping[State, frozenset[str]] = {
    "begun": frozenset({"ApiVersions", "SaslHandshake"}),
    "greeted": frozenset({"SaslHandshake"}),
    "agreed": frozenset({"ApiVersions", "SaslHandshake", "SaslAuthenticate"}),
    "token": frozenset(),
    "authenticated": frozenset(IMPLEMENTED.values()),
}
"""The requests that are answered in a state, if only with ILLEGAL_SASL_STATE."""


class Sasl:
    """How far a connection's authentication is, and whose the connection is."""

    broker: Broker
    closed: bool

    def start_sasl(self) -> None:
        """Nothing has been said yet."""
        self.principal = ANONYMOUS
        self.state: State = "authenticated" if self.broker.users is None else "begun"

    @property
    def expects_token(self) -> bool:
        """Whether the next frame is a token without a header."""
        return self.state == "token"

    def check_authenticated(self, api_key: int) -> None:
        """Raise Hangup for a request that is not answered before authentication."""
        if IMPLEMENTED[api_key] not in EXPECTED[self.state]:
            raise Hangup

    def greet(self, request: Request) -> Value:
        """Answer an ApiVersions: there is one of them before the handshake, and none after it."""
        if self.state == "agreed":
            self.closed = True
            return {"errorCode": errors.ILLEGAL_SASL_STATE, "apiKeys": [], "throttleTimeMs": 0}
        answer = self.broker.handle(request)
        if self.state == "begun" and answer["errorCode"] == errors.NONE:
            self.state = "greeted"
        return answer

    def mechanisms(self) -> list[str]:
        """What a client may authenticate with."""
        return [MECHANISM]

    def sasl_handshake(self, request: Request) -> Value:
        """Agree on a mechanism. What is no mechanism of ours ends the connection afterwards."""
        if self.state in ("agreed", "authenticated"):
            self.closed = self.state == "agreed"
            return {"errorCode": errors.ILLEGAL_SASL_STATE, "mechanisms": []}
        if request.value["mechanism"] not in self.mechanisms():
            self.closed = True
            code = errors.UNSUPPORTED_SASL_MECHANISM
            return {"errorCode": code, "mechanisms": self.mechanisms()}
        self.state = "token" if request.version == 0 else "agreed"
        return {"errorCode": errors.NONE, "mechanisms": self.mechanisms()}

    def sasl_authenticate(self, request: Request) -> Value:
        """Take a token; a wrong one is answered, and ends the connection afterwards."""
        code, message = errors.NONE, ""
        try:
            if self.state == "authenticated":
                raise Refused(errors.ILLEGAL_SASL_STATE, "There is nobody to authenticate.")
            self.authenticate(base64.b64decode(request.value["authBytes"]))
        except Refused as refused:
            code, message = refused.code, refused.message or ""
            self.closed = self.state != "authenticated"
        return {
            "errorCode": code,
            "errorMessage": message,
            "authBytes": "",
            "sessionLifetimeMs": 0,
        }

    def token(self, frame: bytes) -> bytes:
        """Take a token that is a frame; the answer is an empty one. Raises Hangup."""
        try:
            self.authenticate(frame)
        except Refused:
            raise Hangup from None
        return b""

    def authenticate(self, token: bytes) -> None:
        """Learn who it is. Raises Refused."""
        user = self.user_of(token)
        if user is None:
            message = "The user or the password is wrong."
            raise Refused(errors.SASL_AUTHENTICATION_FAILED, message)
        self.state = "authenticated"
        self.principal = f"User:{user}"

    def user_of(self, token: bytes) -> str | None:
        """The user whose password the token of PLAIN has; None for any other token."""
        try:
            authorization, user, password = token.decode("utf-8").split("\0")
        except ValueError:
            return None
        known = (self.broker.users or {}).get(user)
        return user if known == password and authorization in ("", user) else None
