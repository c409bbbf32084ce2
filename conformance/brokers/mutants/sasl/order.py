"""Login: steps that are left out, come twice or come too late, and doors left open."""

from __future__ import annotations

from typing import ClassVar

from conformance.api_keys import METADATA, SASL_AUTHENTICATE
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.brokers.mutants.sasl.bases import WithUsers, WrongTokens, token_answer
from conformance.error_codes import (
    ILLEGAL_SASL_STATE,
    SASL_AUTHENTICATION_FAILED,
    UNSUPPORTED_SASL_MECHANISM,
)
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup


class MetadataForEverybody(WithUsers, breaks="sasl.nothing-served-before-login"):
    """Serves Metadata without login."""

    class Sessions(Session):
        def check_authenticated(self, api_key: int) -> None:
            if api_key != METADATA:
                super().check_authenticated(api_key)


class VersionsOpenTheDoor(WithUsers, breaks="sasl.nothing-served-before-login"):
    """Serves every request but a login once ApiVersions was asked for."""

    class Sessions(Session):
        def check_authenticated(self, api_key: int) -> None:
            if self.state != "greeted" or api_key == SASL_AUTHENTICATE:
                super().check_authenticated(api_key)


class HandshakeOpensTheDoor(WithUsers, breaks="sasl.nothing-served-before-login"):
    """Serves everything once a mechanism was agreed on."""

    class Sessions(Session):
        def check_authenticated(self, api_key: int) -> None:
            if self.state != "agreed":
                super().check_authenticated(api_key)


class WrongTokenOpensTheDoor(WithUsers, breaks="sasl.nothing-served-before-login"):
    """Reads on behind a wrong token, and serves what comes."""

    implies = ("sasl.refusal-closes",)

    class Sessions(WrongTokens):
        def refused(self, answer: Value) -> Value:
            self.closed = False
            self.state = "authenticated"
            return answer


class TokenWithoutHandshakeRefused(WithUsers, breaks="sasl.token-needs-handshake"):
    """Answers a token without a handshake with SASL_AUTHENTICATION_FAILED, and reads on."""

    class Sessions(Session):
        def check_authenticated(self, api_key: int) -> None:
            if api_key != SASL_AUTHENTICATE:
                super().check_authenticated(api_key)

        def sasl_authenticate(self, request: Request) -> Value:
            if self.state in ("begun", "greeted"):
                return token_answer(SASL_AUTHENTICATION_FAILED)
            return super().sasl_authenticate(request)


class TokenWithoutHandshakeIgnored(WithUsers, breaks="sasl.token-needs-handshake"):
    """Drops a token that comes without a handshake, and goes on."""

    class Sessions(Session):
        def respond(self, frame: bytes) -> bytes | None:
            early = self.state in ("begun", "greeted")
            if early and self.api_key_and_version(frame)[0] == SASL_AUTHENTICATE:
                return None
            return super().respond(frame)


class SecondHandshakeTaken(WithUsers, breaks="sasl.handshake-once"):
    """Agrees on another mechanism behind a handshake."""

    class Sessions(Session):
        def sasl_handshake(self, request: Request) -> Value:
            if self.state == "agreed":
                self.state = "greeted"
            return super().sasl_handshake(request)


class VersionsAfterHandshakeServed(WithUsers, breaks="sasl.handshake-once"):
    """Serves ApiVersions between handshake and token."""

    class Sessions(Session):
        def greet(self, request: Request) -> Value:
            return self.broker.handle(request)


class SecondHandshakeHangsUp(WithUsers, breaks="sasl.handshake-once"):
    """Hangs up on a second handshake."""

    class Sessions(Session):
        def sasl_handshake(self, request: Request) -> Value:
            if self.state == "agreed":
                raise Hangup
            return super().sasl_handshake(request)


class HandshakeAfterLoginHangsUp(BrokerMutant, breaks="api-versions.advertised-is-served"):
    """Hangs up on a handshake where nobody has to log in any more."""

    class Sessions(Session):
        def sasl_handshake(self, request: Request) -> Value:
            if self.state == "authenticated":
                raise Hangup
            return super().sasl_handshake(request)


class HandshakeAfterLoginListed(BrokerMutant, breaks="sasl.login-is-over"):
    """Answers a handshake where nobody has to log in any more as one for an unknown mechanism."""

    class Sessions(Session):
        def sasl_handshake(self, request: Request) -> Value:
            answer = super().sasl_handshake(request)
            if self.state == "authenticated":
                answer["errorCode"] = UNSUPPORTED_SASL_MECHANISM
            return answer


class TokenAfterLoginFails(BrokerMutant, breaks="sasl.login-is-over"):
    """Answers a token where nobody has to log in any more with SASL_AUTHENTICATION_FAILED."""

    class Sessions(Session):
        def sasl_authenticate(self, request: Request) -> Value:
            answer = super().sasl_authenticate(request)
            if answer["errorCode"] == ILLEGAL_SASL_STATE:
                answer["errorCode"] = SASL_AUTHENTICATION_FAILED
            return answer


class HandshakeAfterLoginTaken(BrokerMutant, breaks="sasl.login-is-over"):
    """Takes a handshake on a connection that is logged in for good."""

    class Sessions(Session):
        def may_log_in_again(self, request: Request) -> bool:
            return self.state == "authenticated"


class _GivesLifetime(BrokerMutant):
    """Gives each login an hour."""

    made_with: ClassVar = {"users": {"alice": "wonderland"}, "session_lifetime_ms": 3_600_000}


class RenewalRefused(_GivesLifetime, breaks="sasl.login-renewed"):
    """Refuses a handshake on a connection whose login ends in an hour."""

    class Sessions(Session):
        def may_log_in_again(self, request: Request) -> bool:
            return False


class RenewalListed(_GivesLifetime, breaks="sasl.login-renewed"):
    """Answers a handshake for a login that ends in an hour as one for an unknown mechanism."""

    class Sessions(Session):
        def sasl_handshake(self, request: Request) -> Value:
            if self.state != "authenticated":
                return super().sasl_handshake(request)
            return {"errorCode": UNSUPPORTED_SASL_MECHANISM, "mechanisms": self.mechanisms()}
