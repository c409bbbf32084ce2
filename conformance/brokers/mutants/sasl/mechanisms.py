"""Login: mechanisms that are not what was said."""

from __future__ import annotations

from conformance.brokers.mutants.sasl.users import WithUsers
from conformance.error_codes import ILLEGAL_SASL_STATE, UNSUPPORTED_SASL_MECHANISM
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup


class UnknownMechanismListsNone(WithUsers):
    """Refuses a mechanism that is not enabled without saying which are."""

    breaks = "sasl.unknown-mechanism-refused"

    class Sessions(Session):
        """A connection of few words."""

        def sasl_handshake(self, request: Request) -> Value:
            """The answer, without a list where it is an error."""
            answer = super().sasl_handshake(request)
            return {**answer, "mechanisms": []} if answer["errorCode"] else answer


class UnknownMechanismHangsUp(WithUsers):
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


class UnknownMechanismIsIllegalState(WithUsers):
    """Answers a mechanism that is not enabled with ILLEGAL_SASL_STATE."""

    breaks = "sasl.unknown-mechanism-refused"

    class Sessions(Session):
        """A connection with one error for all."""

        def sasl_handshake(self, request: Request) -> Value:
            """The answer, maybe with that error."""
            answer = super().sasl_handshake(request)
            return {**answer, "errorCode": ILLEGAL_SASL_STATE} if answer["errorCode"] else answer


class MechanismInAnyCase(WithUsers):
    """Takes a mechanism in lower case for the one in upper case."""

    breaks = "sasl.unknown-mechanism-refused"

    class Sessions(Session):
        """A connection that does not look closely."""

        def sasl_handshake(self, request: Request) -> Value:
            """The answer to the name in upper case."""
            request.value["mechanism"] = request.value["mechanism"].upper()
            return super().sasl_handshake(request)


class NextMechanismMayBeTried(WithUsers):
    """Keeps the connection on which a mechanism was asked for that is not enabled."""

    breaks = "sasl.unknown-mechanism-closes"

    class Sessions(Session):
        """A connection that lets one try."""

        def sasl_handshake(self, request: Request) -> Value:
            answer = super().sasl_handshake(request)
            self.closed = self.closed and answer["errorCode"] != UNSUPPORTED_SASL_MECHANISM
            return answer


class LastMechanismRefused(WithUsers):
    """Refuses the last of the mechanisms that it lists."""

    breaks = "sasl.enabled-mechanism-agreed"

    class Sessions(Session):
        """A connection that lists one too many."""

        def sasl_handshake(self, request: Request) -> Value:
            """The answer to all but one."""
            if request.value["mechanism"] == self.mechanisms()[-1]:
                request.value["mechanism"] = "none"
            return super().sasl_handshake(request)


class AgreedMechanismListed(WithUsers):
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
