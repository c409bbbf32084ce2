"""Login: mechanisms that are not what was said."""

from __future__ import annotations

from conformance.brokers.mutants.sasl.bases import WithUsers
from conformance.error_codes import ILLEGAL_SASL_STATE, UNSUPPORTED_SASL_MECHANISM
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup


class UnknownMechanismListsNone(WithUsers, breaks="sasl.unknown-mechanism-refused"):
    """Refuses a mechanism that is not enabled without saying which are."""

    class Sessions(Session):
        def sasl_handshake(self, request: Request) -> Value:
            answer = super().sasl_handshake(request)
            return {**answer, "mechanisms": []} if answer["errorCode"] else answer


class UnknownMechanismHangsUp(WithUsers, breaks="sasl.unknown-mechanism-refused"):
    """Hangs up on a mechanism that is not enabled."""

    class Sessions(Session):
        def sasl_handshake(self, request: Request) -> Value:
            answer = super().sasl_handshake(request)
            if answer["errorCode"] == UNSUPPORTED_SASL_MECHANISM:
                raise Hangup
            return answer


class UnknownMechanismIsIllegalState(WithUsers, breaks="sasl.unknown-mechanism-refused"):
    """Answers a mechanism that is not enabled with ILLEGAL_SASL_STATE."""

    class Sessions(Session):
        def sasl_handshake(self, request: Request) -> Value:
            answer = super().sasl_handshake(request)
            return {**answer, "errorCode": ILLEGAL_SASL_STATE} if answer["errorCode"] else answer


class MechanismInAnyCase(WithUsers, breaks="sasl.unknown-mechanism-refused"):
    """Takes a mechanism in lower case for the one in upper case."""

    class Sessions(Session):
        def sasl_handshake(self, request: Request) -> Value:
            request.value["mechanism"] = request.value["mechanism"].upper()
            return super().sasl_handshake(request)


class NextMechanismMayBeTried(WithUsers, breaks="sasl.unknown-mechanism-closes"):
    """Keeps the connection on which a mechanism was asked for that is not enabled."""

    class Sessions(Session):
        def sasl_handshake(self, request: Request) -> Value:
            answer = super().sasl_handshake(request)
            self.closed = self.closed and answer["errorCode"] != UNSUPPORTED_SASL_MECHANISM
            return answer


class LastMechanismRefused(WithUsers, breaks="sasl.enabled-mechanism-agreed"):
    """Refuses the last of the mechanisms that it lists."""

    class Sessions(Session):
        def sasl_handshake(self, request: Request) -> Value:
            if request.value["mechanism"] == self.mechanisms()[-1]:
                request.value["mechanism"] = "none"
            return super().sasl_handshake(request)


class AgreedMechanismListed(WithUsers, breaks="sasl.enabled-mechanism-agreed"):
    """Lists the mechanism alone that was agreed on."""

    class Sessions(Session):
        def sasl_handshake(self, request: Request) -> Value:
            answer = super().sasl_handshake(request)
            if not answer["errorCode"]:
                answer["mechanisms"] = [request.value["mechanism"]]
            return answer
