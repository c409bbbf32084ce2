"""A Kerberos that seals nothing, for clients whose application brings one of its own.

A login by GSSAPI is a conversation of Kerberos, and behind it one of SASL (RFC 4752). The latter
is the client's own, and the former an application's that can be replaced: here a ticket is the name
of the user, and what is to be sealed stands as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from conformance.reference.broker.connections.sasl_mechanisms import Exchange, Users
from conformance.reference.broker.connections.session import Session

GSSAPI = "GSSAPI"
ACCEPTED = b"accepted"
NO_LAYER = 1
OFFER = bytes([NO_LAYER, 1, 0, 0])
"""The offered security layers, none, and the most bytes that a message may have."""


class Unsealed(Exchange):
    """The broker's side of it. Whose rights are asked for is not looked at, as by Apache Kafka."""

    def __init__(self, mechanism: str, users: Users) -> None:
        super().__init__(mechanism, users)
        self._claimed = ""
        self._answers: list[Callable[[bytes], bytes]] = [self._accept, self._offer, self._choose]

    def answer(self, token: bytes) -> bytes:
        """Return the answer to a ticket, to an empty token or to a layer. Raises Refused."""
        return self._answers.pop(0)(token)

    def _accept(self, token: bytes) -> bytes:
        self._claimed = token.decode("utf-8", "replace")
        if self._claimed not in self.users:
            raise self.refused()
        return ACCEPTED

    def _offer(self, token: bytes) -> bytes:
        if token:
            raise self.refused()
        return OFFER

    def _choose(self, token: bytes) -> bytes:
        if len(token) < len(OFFER) or token[0] != NO_LAYER:
            raise self.refused()
        self.user = self._claimed
        return b""


class UnsealedSession(Session):
    """Lets clients log in by nothing else."""

    def mechanisms(self) -> list[str]:
        return [GSSAPI]

    def exchange_by(self, mechanism: str) -> Exchange:
        return Unsealed(mechanism, cast("Users", self.broker.users))
