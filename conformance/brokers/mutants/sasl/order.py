"""Login: steps that are left out, come twice or come too late, and doors left open."""

from __future__ import annotations

from typing import ClassVar

from conformance.api_keys import METADATA, SASL_AUTHENTICATE
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.brokers.mutants.sasl.users import WithUsers
from conformance.brokers.mutants.sasl.wrong_tokens import WrongTokens, token_answer
from conformance.error_codes import (
    ILLEGAL_SASL_STATE,
    SASL_AUTHENTICATION_FAILED,
    UNSUPPORTED_SASL_MECHANISM,
)
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup


class MetadataForEverybody(WithUsers):
    """Serves Metadata without login."""

    breaks = "sasl.nothing-served-before-login"

    class Sessions(Session):
        """A connection with an exception."""

        def check_authenticated(self, api_key: int) -> None:
            if api_key != METADATA:
                super().check_authenticated(api_key)


class VersionsOpenTheDoor(WithUsers):
    """Serves every request but a login once ApiVersions was asked for."""

    breaks = "sasl.nothing-served-before-login"

    class Sessions(Session):
        """A connection that takes a greeting for a login."""

        def check_authenticated(self, api_key: int) -> None:
            """Check those who did not greet, and a token that no handshake came before."""
            if self.state != "greeted" or api_key == SASL_AUTHENTICATE:
                super().check_authenticated(api_key)


class HandshakeOpensTheDoor(WithUsers):
    """Serves everything once a mechanism was agreed on."""

    breaks = "sasl.nothing-served-before-login"

    class Sessions(Session):
        """A connection that takes the handshake for a login."""

        def check_authenticated(self, api_key: int) -> None:
            if self.state != "agreed":
                super().check_authenticated(api_key)


class WrongTokenOpensTheDoor(WithUsers):
    """Reads on behind a wrong token, and serves what comes."""

    breaks = "sasl.nothing-served-before-login"
    implies = ("sasl.refusal-closes",)

    class Sessions(WrongTokens):
        """A connection that forgets to close."""

        def refused(self, answer: Value) -> Value:
            self.closed = False
            self.state = "authenticated"
            return answer


class TokenWithoutHandshakeRefused(WithUsers):
    """Answers a token without a handshake with SASL_AUTHENTICATION_FAILED, and reads on."""

    breaks = "sasl.token-needs-handshake"

    class Sessions(Session):
        """A connection that explains."""

        def check_authenticated(self, api_key: int) -> None:
            if api_key != SASL_AUTHENTICATE:
                super().check_authenticated(api_key)

        def sasl_authenticate(self, request: Request) -> Value:
            """The answer, or an error where there is no mechanism."""
            if self.state in ("begun", "greeted"):
                return token_answer(SASL_AUTHENTICATION_FAILED)
            return super().sasl_authenticate(request)


class TokenWithoutHandshakeIgnored(WithUsers):
    """Drops a token that comes without a handshake, and goes on."""

    breaks = "sasl.token-needs-handshake"

    class Sessions(Session):
        """A connection that lets it pass."""

        def respond(self, frame: bytes) -> bytes | None:
            early = self.state in ("begun", "greeted")
            if early and self.api_key_and_version(frame)[0] == SASL_AUTHENTICATE:
                return None
            return super().respond(frame)


class SecondHandshakeTaken(WithUsers):
    """Agrees on another mechanism behind a handshake."""

    breaks = "sasl.handshake-once"

    class Sessions(Session):
        """A connection that begins again."""

        def sasl_handshake(self, request: Request) -> Value:
            """The answer, as if it were the first."""
            if self.state == "agreed":
                self.state = "greeted"
            return super().sasl_handshake(request)


class VersionsAfterHandshakeServed(WithUsers):
    """Serves ApiVersions between handshake and token."""

    breaks = "sasl.handshake-once"

    class Sessions(Session):
        """A connection that always says what it can do."""

        def greet(self, request: Request) -> Value:
            return self.broker.handle(request)


class SecondHandshakeHangsUp(WithUsers):
    """Hangs up on a second handshake."""

    breaks = "sasl.handshake-once"

    class Sessions(Session):
        """A connection without a word."""

        def sasl_handshake(self, request: Request) -> Value:
            if self.state == "agreed":
                raise Hangup
            return super().sasl_handshake(request)


class HandshakeAfterLoginHangsUp(BrokerMutant):
    """Hangs up on a handshake where nobody has to log in any more."""

    breaks = "api-versions.advertised-is-served"

    class Sessions(Session):
        """A connection without a word."""

        def sasl_handshake(self, request: Request) -> Value:
            if self.state == "authenticated":
                raise Hangup
            return super().sasl_handshake(request)


class HandshakeAfterLoginListed(BrokerMutant):
    """Answers a handshake where nobody has to log in any more as one for an unknown mechanism."""

    breaks = "sasl.login-is-over"

    class Sessions(Session):
        """A connection with another error."""

        def sasl_handshake(self, request: Request) -> Value:
            """The answer, with that error afterwards."""
            answer = super().sasl_handshake(request)
            if self.state == "authenticated":
                answer["errorCode"] = UNSUPPORTED_SASL_MECHANISM
            return answer


class TokenAfterLoginFails(BrokerMutant):
    """Answers a token where nobody has to log in any more with SASL_AUTHENTICATION_FAILED."""

    breaks = "sasl.login-is-over"

    class Sessions(Session):
        """A connection with one error for all."""

        def sasl_authenticate(self, request: Request) -> Value:
            """The answer, with the other error afterwards."""
            answer = super().sasl_authenticate(request)
            if answer["errorCode"] == ILLEGAL_SASL_STATE:
                answer["errorCode"] = SASL_AUTHENTICATION_FAILED
            return answer


class HandshakeAfterLoginTaken(BrokerMutant):
    """Takes a handshake on a connection that is logged in for good."""

    breaks = "sasl.login-is-over"

    class Sessions(Session):
        """A connection on which one may log in at any time."""

        def may_log_in_again(self, request: Request) -> bool:
            return self.state == "authenticated"


class _GivesLifetime(BrokerMutant):
    """Gives each login an hour."""

    made_with: ClassVar = {"users": {"alice": "wonderland"}, "session_lifetime_ms": 3_600_000}


class RenewalRefused(_GivesLifetime):
    """Refuses a handshake on a connection whose login ends in an hour."""

    breaks = "sasl.login-renewed"

    class Sessions(Session):
        """A connection on which one logs in once."""

        def may_log_in_again(self, request: Request) -> bool:
            return False


class RenewalListed(_GivesLifetime):
    """Answers a handshake for a login that ends in an hour as one for an unknown mechanism."""

    breaks = "sasl.login-renewed"

    class Sessions(Session):
        """A connection with another error."""

        def sasl_handshake(self, request: Request) -> Value:
            """The answer, with that error where one is logged in."""
            if self.state != "authenticated":
                return super().sasl_handshake(request)
            return {"errorCode": UNSUPPORTED_SASL_MECHANISM, "mechanisms": self.mechanisms()}
