"""Login: wrong tokens that are believed, tried again, or refused as no client understands."""

from __future__ import annotations

import struct
from dataclasses import replace

from conformance.api_keys import SASL_AUTHENTICATE
from conformance.brokers.mutants.sasl.users import WithUsers
from conformance.brokers.mutants.sasl.wrong_tokens import WrongTokens, token_answer
from conformance.error_codes import ILLEGAL_SASL_STATE, NONE
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup


class WrongTokenHangsUp(WithUsers):
    """Hangs up on a wrong token."""

    breaks = "sasl.wrong-token-refused"

    class Sessions(WrongTokens):
        """A connection without a word."""

        def refused(self, answer: Value) -> Value:
            raise Hangup


class WrongTokenIsIllegalState(WithUsers):
    """Answers a wrong token with ILLEGAL_SASL_STATE."""

    breaks = "sasl.wrong-token-refused"

    class Sessions(WrongTokens):
        """A connection with one error for all."""

        def refused(self, answer: Value) -> Value:
            return {**answer, "errorCode": ILLEGAL_SASL_STATE}


class WrongTokenInVersion0(WithUsers):
    """Answers a wrong token in version 0, whatever was asked."""

    breaks = "api-versions.advertised-is-served"

    class Sessions(Session):
        """A connection that takes errors for old."""

        def write_response(self, request: Request, body: Value) -> bytes:
            """The answer, an error in version 0."""
            if request.api_key == SASL_AUTHENTICATE and body["errorCode"]:
                request = replace(request, version=0)
            return super().write_response(request, body)


class WrongTokenHandedBack(WithUsers):
    """Hands a wrong token back with its error."""

    breaks = "sasl.refusal-holds-no-token"

    class Sessions(Session):
        """A connection that echoes."""

        def sasl_authenticate(self, request: Request) -> Value:
            """The answer with the token in it."""
            answer = super().sasl_authenticate(request)
            return {**answer, "authBytes": request.value["authBytes"]}


class WrongTokenAnsweredEmpty(WithUsers):
    """Answers an empty token without an error."""

    breaks = "sasl.wrong-token-refused"

    class Sessions(Session):
        """A connection that lets one begin again."""

        def sasl_authenticate(self, request: Request) -> Value:
            """The answer to a token of some bytes."""
            if request.value["authBytes"]:
                return super().sasl_authenticate(request)
            return token_answer(NONE)


class TokensMayBeTried(WithUsers):
    """Keeps the connection on which a wrong token came."""

    breaks = "sasl.refusal-closes"

    class Sessions(WrongTokens):
        """A connection that lets one try."""

        def refused(self, answer: Value) -> Value:
            self.closed = False
            return answer


class BareTokenAnswered(WithUsers):
    """Answers the frame of a wrong token with an empty one before it hangs up."""

    breaks = "sasl.wrong-bare-token-unanswered"

    class Sessions(Session):
        """A connection that always has an answer."""

        def token(self, frame: bytes) -> bytes:
            """The answer, or an empty one."""
            try:
                return super().token(frame)
            except Hangup:
                self.close()
                return b""


class HeaderInFrontOfTokens(WithUsers):
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
