"""SaslHandshake and SaslAuthenticate (KIP-43, KIP-152), for any mechanism.

If the broker has no users a connection begins as authenticated, and both requests are out of place.
If it has, a connection goes through these states, as it does with Apache Kafka 4.3.1:

    begun          ApiVersions (once, unless it is refused), SaslHandshake
    greeted        SaslHandshake
    agreed         SaslAuthenticate, until the mechanism is through; any other request ends the
                   connection
    token          the same in a frame without a header, after a handshake in version 0
    authenticated  everything, but SASL no more; if the login has a lifetime, it may begin again
                   by SaslHandshake (KIP-368)
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Literal

from conformance import error_codes
from conformance.reference.broker.cluster import ANONYMOUS, Request, Value
from conformance.reference.broker.connections.sasl_mechanisms import MECHANISMS, Exchange
from conformance.reference.broker.errors import Hangup, Refused
from conformance.reference.broker.node import Node
from conformance.reference.broker.releases import NAMES

State = Literal["begun", "greeted", "agreed", "token", "authenticated"]
EXPECTED: Mapping[State, frozenset[str]] = {
    "begun": frozenset({"ApiVersions", "SaslHandshake"}),
    "greeted": frozenset({"SaslHandshake"}),
    "agreed": frozenset({"ApiVersions", "SaslHandshake", "SaslAuthenticate"}),
    "token": frozenset(),
    "authenticated": frozenset(NAMES.values()),
}
"""The requests that are answered in a state, even if only with ILLEGAL_SASL_STATE."""


class Sasl:
    """The state of a connection's authentication, and its principal.

    `now_s` is the time in seconds since 1970, set by the code that serves the connection; None if
    it is not set.
    """

    broker: Node
    closed: bool
    now_s: float | None = None

    def start_sasl(self) -> None:
        """Set the state of a connection on which nothing has been sent yet."""
        self.principal = ANONYMOUS
        self.exchange: Exchange | None = None
        self.lifetime_ms = 0
        self.state: State = "authenticated" if self.broker.users is None else "begun"

    @property
    def expects_token(self) -> bool:
        """True if the next frame is a token without a header."""
        return self.state == "token"

    def check_authenticated(self, api_key: int) -> None:
        """Raise Hangup for a request that is not answered before authentication."""
        if NAMES.get(api_key) not in EXPECTED[self.state]:
            raise Hangup

    def greet(self, request: Request) -> Value:
        """Answer an ApiVersions: one is allowed before the handshake, and none after it."""
        if self.state == "agreed":
            self.closed = True
            return {"errorCode": error_codes.ILLEGAL_SASL_STATE, "apiKeys": [], "throttleTimeMs": 0}
        answer = self.broker.handle(request)
        if self.state == "begun" and answer["errorCode"] == error_codes.NONE:
            self.state = "greeted"
        return answer

    def mechanisms(self) -> list[str]:
        """Return the mechanisms that a client may authenticate with."""
        return list(MECHANISMS)

    def sasl_handshake(self, request: Request) -> Value:
        """Agree on a mechanism. An unknown one is answered, and ends the connection afterwards."""
        if self.may_log_in_again(request):
            self.state = "greeted"
        if self.state in ("agreed", "authenticated"):
            self.closed = self.state == "agreed"
            return {"errorCode": error_codes.ILLEGAL_SASL_STATE, "mechanisms": []}
        mechanism = request.value["mechanism"]
        if mechanism not in self.mechanisms():
            self.closed = True
            code = error_codes.UNSUPPORTED_SASL_MECHANISM
            return {"errorCode": code, "mechanisms": self.mechanisms()}
        self.exchange = self.exchange_by(mechanism)
        self.state = "token" if request.version == 0 else "agreed"
        return {"errorCode": error_codes.NONE, "mechanisms": self.mechanisms()}

    def may_log_in_again(self, request: Request) -> bool:
        """True if a login expires, which clients learn from version 1 of SaslAuthenticate on."""
        lifetime_ms = self.lifetime_ms or self.broker.session_lifetime_ms
        return self.state == "authenticated" and lifetime_ms > 0 and request.version > 0

    def exchange_by(self, mechanism: str) -> Exchange:
        """Return the broker's side of a mechanism of ours."""
        return MECHANISMS[mechanism](mechanism, self.broker.users or {})

    def sasl_authenticate(self, request: Request) -> Value:
        """Take a token; a wrong one is answered, and ends the connection afterwards."""
        code, message, answer, lifetime_ms = error_codes.NONE, "", b"", 0
        try:
            if self.state == "authenticated":
                raise Refused(error_codes.ILLEGAL_SASL_STATE, "There is nobody to authenticate.")
            answer, lifetime_ms = self.authenticate(base64.b64decode(request.value["authBytes"]))
        except Refused as refused:
            code, message = refused.code, refused.message or ""
            self.closed = self.state != "authenticated"
        return {
            "errorCode": code,
            "errorMessage": message,
            "authBytes": base64.b64encode(answer).decode(),
            "sessionLifetimeMs": lifetime_ms,
        }

    def token(self, frame: bytes) -> bytes:
        """Take a token that is a frame, and return the answer's frame. Raises Hangup."""
        try:
            answer, _ = self.authenticate(frame)
        except Refused:
            raise Hangup from None
        return answer

    def authenticate(self, token: bytes) -> tuple[bytes, int]:
        """Return the answer to a token, and the login's lifetime in ms. Raises Refused.

        The last token of an exchange sets the principal.
        """
        assert self.exchange is not None
        self.exchange.now_s = self.now_s
        answer = self.exchange.answer(token)
        if self.exchange.user:
            self.state = "authenticated"
            self.principal = f"User:{self.exchange.user}"
            given = (self.exchange.lifetime_ms, self.broker.session_lifetime_ms)
            self.lifetime_ms = min(filter(None, given), default=0)
        return answer, self.lifetime_ms
