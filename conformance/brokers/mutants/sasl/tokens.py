"""Login: wrong tokens that are believed, tried again, or refused as no client understands."""

from __future__ import annotations

import struct
from dataclasses import replace

from conformance.api_keys import SASL_AUTHENTICATE
from conformance.brokers.mutants.sasl.bases import WithUsers, WrongTokens, token_answer
from conformance.error_codes import ILLEGAL_SASL_STATE, NONE
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup


class WrongTokenHangsUp(WithUsers, breaks="sasl.wrong-token-refused"):
    """Hangs up on a wrong token."""

    class Sessions(WrongTokens):
        def refused(self, answer: Value) -> Value:
            raise Hangup


class WrongTokenIsIllegalState(WithUsers, breaks="sasl.wrong-token-refused"):
    """Answers a wrong token with ILLEGAL_SASL_STATE."""

    class Sessions(WrongTokens):
        def refused(self, answer: Value) -> Value:
            return {**answer, "errorCode": ILLEGAL_SASL_STATE}


class WrongTokenInVersion0(WithUsers, breaks="api-versions.advertised-is-served"):
    """Answers a wrong token in version 0, whatever was asked."""

    class Sessions(Session):
        def write_response(self, request: Request, body: Value) -> bytes:
            if request.api_key == SASL_AUTHENTICATE and body["errorCode"]:
                request = replace(request, version=0)
            return super().write_response(request, body)


class WrongTokenHandedBack(WithUsers, breaks="sasl.refusal-holds-no-token"):
    """Hands a wrong token back with its error."""

    class Sessions(Session):
        def sasl_authenticate(self, request: Request) -> Value:
            answer = super().sasl_authenticate(request)
            return {**answer, "authBytes": request.value["authBytes"]}


class WrongTokenAnsweredEmpty(WithUsers, breaks="sasl.wrong-token-refused"):
    """Answers an empty token without an error."""

    class Sessions(Session):
        def sasl_authenticate(self, request: Request) -> Value:
            if request.value["authBytes"]:
                return super().sasl_authenticate(request)
            return token_answer(NONE)


class TokensMayBeTried(WithUsers, breaks="sasl.refusal-closes"):
    """Keeps the connection on which a wrong token came."""

    class Sessions(WrongTokens):
        def refused(self, answer: Value) -> Value:
            self.closed = False
            return answer


class BareTokenAnswered(WithUsers, breaks="sasl.wrong-bare-token-unanswered"):
    """Answers the frame of a wrong token with an empty one before it hangs up."""

    class Sessions(Session):
        def token(self, frame: bytes) -> bytes:
            try:
                return super().token(frame)
            except Hangup:
                self.close()
                return b""


class HeaderInFrontOfTokens(WithUsers, breaks="sasl.bare-tokens-after-version-0"):
    """Looks for SaslAuthenticate where the frame is a token."""

    class Sessions(Session):
        def token(self, frame: bytes) -> bytes:
            if frame[:2] != struct.pack(">h", SASL_AUTHENTICATE):
                return super().token(frame)
            self.state = "agreed"
            return self.respond(frame) or b""
