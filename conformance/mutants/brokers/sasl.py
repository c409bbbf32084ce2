"""Login: mechanisms that are not what was said, tokens believed, and doors left open."""

# ruff: noqa: ARG002 - not to look at something is a defect like others

from __future__ import annotations

import struct
from dataclasses import replace
from typing import Any, ClassVar

from conformance.mutants.brokers.mutant import BrokerMutant
from conformance.peers.cluster import Request, Value
from conformance.peers.errors import (
    ILLEGAL_SASL_STATE,
    NONE,
    SASL_AUTHENTICATION_FAILED,
    UNSUPPORTED_SASL_MECHANISM,
    Hangup,
)
from conformance.peers.session import Session
from conformance.wire.errors import DecodeError

METADATA = 3
SASL_HANDSHAKE = 17
SASL_AUTHENTICATE = 36
PASSWORDS = {"alice": "wonderland"}


class _WithUsers(BrokerMutant):
    """Has a user, so that its connections have to log in."""

    made_with: ClassVar = {"users": PASSWORDS}


class UnknownMechanismListsNone(_WithUsers):
    """Refuses a mechanism that is not enabled without saying which are."""

    breaks = "sasl.unknown-mechanism-refused"

    class Sessions(Session):
        """A connection of few words."""

        def sasl_handshake(self, request: Request) -> Value:
            """The answer, without a list where it is an error."""
            answer = super().sasl_handshake(request)
            return {**answer, "mechanisms": []} if answer["errorCode"] else answer


class UnknownMechanismHangsUp(_WithUsers):
    """Hangs up on a mechanism that is not enabled."""

    breaks = "sasl.unknown-mechanism-refused"

    class Sessions(Session):
        """A connection without a word."""

        def sasl_handshake(self, request: Request) -> Value:
            """The answer where it is no error."""
            answer = super().sasl_handshake(request)
            if answer["errorCode"] == UNSUPPORTED_SASL_MECHANISM:
                raise Hangup
            return answer


class UnknownMechanismIsIllegalState(_WithUsers):
    """Answers a mechanism that is not enabled with ILLEGAL_SASL_STATE."""

    breaks = "sasl.unknown-mechanism-refused"

    class Sessions(Session):
        """A connection with one error for all."""

        def sasl_handshake(self, request: Request) -> Value:
            """The answer, maybe with that error."""
            answer = super().sasl_handshake(request)
            return {**answer, "errorCode": ILLEGAL_SASL_STATE} if answer["errorCode"] else answer


class MechanismInAnyCase(_WithUsers):
    """Takes a mechanism in lower case for the one in upper case."""

    breaks = "sasl.unknown-mechanism-refused"

    class Sessions(Session):
        """A connection that does not look closely."""

        def sasl_handshake(self, request: Request) -> Value:
            """The answer to the name in upper case."""
            request.value["mechanism"] = request.value["mechanism"].upper()
            return super().sasl_handshake(request)


class NextMechanismMayBeTried(_WithUsers):
    """Keeps the connection on which a mechanism was asked for that is not enabled."""

    breaks = "sasl.unknown-mechanism-closes"

    class Sessions(Session):
        """A connection that lets one try."""

        def sasl_handshake(self, request: Request) -> Value:
            """The answer, and no end."""
            answer = super().sasl_handshake(request)
            self.closed = self.closed and answer["errorCode"] != UNSUPPORTED_SASL_MECHANISM
            return answer


class LastMechanismRefused(_WithUsers):
    """Refuses the last of the mechanisms that it lists."""

    breaks = "sasl.enabled-mechanism-agreed"

    class Sessions(Session):
        """A connection that lists one too many."""

        def sasl_handshake(self, request: Request) -> Value:
            """The answer to all but one."""
            if request.value["mechanism"] == self.mechanisms()[-1]:
                request.value["mechanism"] = "none"
            return super().sasl_handshake(request)


class AgreedMechanismListed(_WithUsers):
    """Lists the mechanism alone that was agreed on."""

    breaks = "sasl.enabled-mechanism-agreed"

    class Sessions(Session):
        """A connection that says what is needed."""

        def sasl_handshake(self, request: Request) -> Value:
            """The answer, with a list of one where it is no error."""
            answer = super().sasl_handshake(request)
            if not answer["errorCode"]:
                answer["mechanisms"] = [request.value["mechanism"]]
            return answer


class _Tokens(Session):
    """A connection with its own answer to a wrong token."""

    def sasl_authenticate(self, request: Request) -> Value:
        """The answer, another one to a wrong token."""
        answer = super().sasl_authenticate(request)
        if answer["errorCode"] == SASL_AUTHENTICATION_FAILED:
            return self.refused(answer)
        return answer

    def refused(self, answer: Value) -> Value:
        """What is said to a wrong token."""
        return answer


class WrongTokenHangsUp(_WithUsers):
    """Hangs up on a wrong token."""

    breaks = "sasl.wrong-token-refused"

    class Sessions(_Tokens):
        """A connection without a word."""

        def refused(self, answer: Value) -> Value:
            """Nothing."""
            raise Hangup


class WrongTokenIsIllegalState(_WithUsers):
    """Answers a wrong token with ILLEGAL_SASL_STATE."""

    breaks = "sasl.wrong-token-refused"

    class Sessions(_Tokens):
        """A connection with one error for all."""

        def refused(self, answer: Value) -> Value:
            """The wrong error."""
            return {**answer, "errorCode": ILLEGAL_SASL_STATE}


class WrongTokenInVersion0(_WithUsers):
    """Answers a wrong token in version 0, whatever was asked."""

    breaks = "sasl.wrong-token-refused"

    class Sessions(Session):
        """A connection that takes errors for old."""

        def write_response(self, request: Request, body: Value) -> bytes:
            """The answer, an error in version 0."""
            if request.api_key == SASL_AUTHENTICATE and body["errorCode"]:
                request = replace(request, version=0)
            return super().write_response(request, body)


class WrongTokenHandedBack(_WithUsers):
    """Hands a wrong token back with its error."""

    breaks = "sasl.wrong-token-refused"

    class Sessions(Session):
        """A connection that echoes."""

        def sasl_authenticate(self, request: Request) -> Value:
            """The answer with the token in it."""
            answer = super().sasl_authenticate(request)
            return {**answer, "authBytes": request.value["authBytes"]}


class WrongTokenAnsweredEmpty(_WithUsers):
    """Answers an empty token without an error, and waits for the next."""

    breaks = "sasl.wrong-token-refused"

    class Sessions(Session):
        """A connection that lets one begin again."""

        def sasl_authenticate(self, request: Request) -> Value:
            """The answer to a token of some bytes."""
            if request.value["authBytes"]:
                return super().sasl_authenticate(request)
            return {"errorCode": NONE, "errorMessage": "", "authBytes": "", "sessionLifetimeMs": 0}


class TokensMayBeTried(_WithUsers):
    """Keeps the connection on which a wrong token came."""

    breaks = "sasl.refusal-closes"

    class Sessions(_Tokens):
        """A connection that lets one try."""

        def refused(self, answer: Value) -> Value:
            """The answer, and no end."""
            self.closed = False
            return answer


class MetadataForEverybody(_WithUsers):
    """Serves Metadata without login."""

    breaks = "sasl.nothing-served-before-login"

    class Sessions(Session):
        """A connection with an exception."""

        def check_authenticated(self, api_key: int) -> None:
            """Check all other requests."""
            if api_key != METADATA:
                super().check_authenticated(api_key)


class VersionsOpenTheDoor(_WithUsers):
    """Serves everything once ApiVersions was asked for."""

    breaks = "sasl.nothing-served-before-login"

    class Sessions(Session):
        """A connection that takes a greeting for a login."""

        def check_authenticated(self, api_key: int) -> None:
            """Check those who did not greet."""
            if self.state != "greeted":
                super().check_authenticated(api_key)


class HandshakeOpensTheDoor(_WithUsers):
    """Serves everything once a mechanism was agreed on."""

    breaks = "sasl.nothing-served-before-login"

    class Sessions(Session):
        """A connection that takes the handshake for a login."""

        def check_authenticated(self, api_key: int) -> None:
            """Check those without a handshake."""
            if self.state != "agreed":
                super().check_authenticated(api_key)


class WrongTokenOpensTheDoor(_WithUsers):
    """Reads on behind a wrong token, and serves what comes."""

    breaks = "sasl.nothing-served-before-login"

    class Sessions(_Tokens):
        """A connection that forgets to close."""

        def refused(self, answer: Value) -> Value:
            """The answer, and all others."""
            self.closed = False
            self.state = "authenticated"
            return answer


class TokenWithoutHandshakeRefused(_WithUsers):
    """Answers a token without a handshake with SASL_AUTHENTICATION_FAILED."""

    breaks = "sasl.token-needs-handshake"

    class Sessions(Session):
        """A connection that explains."""

        def check_authenticated(self, api_key: int) -> None:
            """Check all but the token."""
            if api_key != SASL_AUTHENTICATE:
                super().check_authenticated(api_key)

        def sasl_authenticate(self, request: Request) -> Value:
            """The answer, or an error where there is no mechanism."""
            if self.state in ("begun", "greeted"):
                self.closed = True
                code = SASL_AUTHENTICATION_FAILED
                return {
                    "errorCode": code,
                    "errorMessage": "",
                    "authBytes": "",
                    "sessionLifetimeMs": 0,
                }
            return super().sasl_authenticate(request)


class TokenWithoutHandshakeIgnored(_WithUsers):
    """Drops a token that comes without a handshake, and goes on."""

    breaks = "sasl.token-needs-handshake"

    class Sessions(Session):
        """A connection that lets it pass."""

        def respond(self, frame: bytes) -> bytes | None:
            """The answer to all else."""
            early = self.state in ("begun", "greeted")
            if early and self.api_key_and_version(frame)[0] == SASL_AUTHENTICATE:
                return None
            return super().respond(frame)


class SecondHandshakeTaken(_WithUsers):
    """Agrees on another mechanism behind a handshake."""

    breaks = "sasl.handshake-once"

    class Sessions(Session):
        """A connection that begins again."""

        def sasl_handshake(self, request: Request) -> Value:
            """The answer, as if it were the first."""
            if self.state == "agreed":
                self.state = "greeted"
            return super().sasl_handshake(request)


class VersionsAfterHandshakeServed(_WithUsers):
    """Serves ApiVersions between handshake and token."""

    breaks = "sasl.handshake-once"

    class Sessions(Session):
        """A connection that always says what it can do."""

        def greet(self, request: Request) -> Value:
            """The list."""
            return self.broker.handle(request)


class SecondHandshakeHangsUp(_WithUsers):
    """Hangs up on a second handshake."""

    breaks = "sasl.handshake-once"

    class Sessions(Session):
        """A connection without a word."""

        def sasl_handshake(self, request: Request) -> Value:
            """The answer to the first."""
            if self.state == "agreed":
                raise Hangup
            return super().sasl_handshake(request)


class HandshakeAfterLoginHangsUp(BrokerMutant):
    """Hangs up on a handshake where nobody has to log in any more."""

    breaks = "sasl.login-is-over"

    class Sessions(Session):
        """A connection without a word."""

        def sasl_handshake(self, request: Request) -> Value:
            """The answer before."""
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


class BareTokenAnswered(_WithUsers):
    """Answers the frame of a wrong token with an empty one before it hangs up."""

    breaks = "sasl.bare-tokens-after-version-0"

    class Sessions(Session):
        """A connection that always has an answer."""

        def token(self, frame: bytes) -> bytes:
            """The answer, or an empty one."""
            try:
                return super().token(frame)
            except Hangup:
                self.close()
                return b""


class HeaderInFrontOfTokens(_WithUsers):
    """Looks for SaslAuthenticate where the frame is a token."""

    breaks = "sasl.bare-tokens-after-version-0"

    class Sessions(Session):
        """A connection that knows one way alone."""

        def token(self, frame: bytes) -> bytes:
            """The answer to a token with a header."""
            if frame[:2] != struct.pack(">h", SASL_AUTHENTICATE):
                return super().token(frame)
            self.state = "agreed"
            return self.respond(frame) or b""


class NextHandshakeServed(_WithUsers):
    """Serves the version of SaslHandshake behind its highest as that."""

    breaks = "sasl.other-versions-close"

    class Sessions(Session):
        """A connection that is off by one."""

        def api_key_and_version(self, frame: bytes) -> tuple[int, int]:
            """The version never above the highest."""
            api_key, version = super().api_key_and_version(frame)
            if api_key == SASL_HANDSHAKE:
                version = min(version, self.broker.versions[api_key][1])
            return api_key, version


class OtherTokenVersionsIgnored(_WithUsers):
    """Drops SaslAuthenticate in a version that it has not, and goes on."""

    breaks = "sasl.other-versions-close"

    class Sessions(Session):
        """A connection that lets it pass."""

        def answer_unsupported_version(
            self, api_key: int, version: int, frame: bytes
        ) -> bytes | None:
            """The answer to all else."""
            if api_key == SASL_AUTHENTICATE:
                return None
            return super().answer_unsupported_version(api_key, version, frame)


class LargeFramesBeforeLogin(_WithUsers):
    """Waits for a frame of any size before login."""

    breaks = "sasl.large-frame-closes"

    class Sessions(Session):
        """A connection that knows limits for its users alone."""

        def is_frame_size(self, size: int) -> bool:
            """Whether so many bytes can be a frame."""
            if self.state in ("begun", "greeted"):
                return size > 0
            return super().is_frame_size(size)


class LargeTokensAwaited(_WithUsers):
    """Waits for a token of any size."""

    breaks = "sasl.large-frame-closes"

    class Sessions(Session):
        """A connection that knows limits for requests alone."""

        def is_frame_size(self, size: int) -> bool:
            """Whether so many bytes can be a frame."""
            if self.state in ("agreed", "token"):
                return size >= 0
            return super().is_frame_size(size)


class MalformedBeforeLoginIgnored(_WithUsers):
    """Drops what it can't read before login, and goes on."""

    breaks = "sasl.malformed-before-login-closes"

    class Sessions(Session):
        """A connection that lets it pass."""

        def respond(self, frame: bytes) -> bytes | None:
            """The answer where there is one."""
            try:
                return super().respond(frame)
            except DecodeError:
                return None


class MalformedBeforeLoginEndsBroker(_WithUsers):
    """Serves nobody any more when a handshake can't be read."""

    breaks = "sasl.malformed-before-login-closes"
    harmed = False

    class Sessions(Session):
        """A connection of a broker that may be gone."""

        broker: Any

        def respond(self, frame: bytes) -> bytes | None:
            """The answer, while there is a broker."""
            if self.broker.harmed:
                raise Hangup
            try:
                return super().respond(frame)
            except DecodeError:
                self.broker.harmed = self.state != "authenticated"
                raise
