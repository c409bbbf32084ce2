"""Bases of the mutants of logins: a broker with users, and a connection with its own answer to a
wrong token.
"""

from __future__ import annotations

from typing import ClassVar

from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.error_codes import SASL_AUTHENTICATION_FAILED
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session


class WithUsers(BrokerMutant):
    """Has a user, so that its connections have to log in."""

    made_with: ClassVar = {"users": {"alice": "wonderland"}}


def token_answer(code: int) -> Value:
    """An answer to a token, with nothing in it but an error code."""
    return {"errorCode": code, "errorMessage": "", "authBytes": "", "sessionLifetimeMs": 0}


class WrongTokens(Session):
    """A connection with its own answer to a wrong token."""

    def sasl_authenticate(self, request: Request) -> Value:
        """The answer, another one to a wrong token."""
        answer = super().sasl_authenticate(request)
        if answer["errorCode"] == SASL_AUTHENTICATION_FAILED:
            return self.refused(answer)
        return answer

    def refused(self, answer: Value) -> Value:
        """Return the answer to a wrong token."""
        return answer
