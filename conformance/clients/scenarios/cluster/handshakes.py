"""Logins that come to nothing: not answered, lost with their connection, or answered with lies."""

from __future__ import annotations

import struct
from typing import ClassVar, cast

from conformance.clients.scenarios.cluster.logins import ClosesAtHandshake, OddNameInScram
from conformance.clients.scenarios.judging import all_of, bears
from conformance.clients.scenarios.plain_brokers import LogsIn, ServesSteady
from conformance.clients.scenarios.playing import Closes, EndingSession, Rewrites, Silent
from conformance.clients.scenarios.visit import Visit, succeeds, survives
from conformance.dialogue import Broken
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.releases import NAMES
from conformance.schema.layout import Form

_COUNT = slice(6, 10)
"""The position of the count of mechanisms in an answer to SaslHandshake."""
_MOST = 2**31 - 1


class _Counts(Rewrites, LogsIn, is_known=False, about="SaslHandshakeRequest"):
    """Says that it lists another number of mechanisms than it does."""

    control_case = ClosesAtHandshake
    count: ClassVar[int]
    decides: ClassVar = {"client-answers.hostile-lengths-survived": all_of(survives, bears)}

    def frame(self, form: Form, frame: bytes) -> bytes:
        return frame[: _COUNT.start] + struct.pack(">i", self.count) + frame[_COUNT.stop :]


class MechanismsWithoutEnd(_Counts):
    """Says that it lists 2,147,483,647 mechanisms."""

    count = _MOST


class MechanismsBelowZero(_Counts):
    """Says that it lists -2,147,483,648 mechanisms."""

    count = -_MOST - 1


class ScramLoginToItsEnd(OddNameInScram):
    """Has a user of the same name and password, whose login by SCRAM only has to end."""

    decides: ClassVar = {"client-sasl.login-survived": survives}


class _LaterSession(EndingSession):
    """Lets the first logins pass."""

    def handle(self, request: Request) -> Value:
        broker = cast("_Later", self.broker)
        if NAMES[request.api_key] == broker.api and broker.before:
            broker.before -= 1
            return super(EndingSession, self).handle(request)
        return super().handle(request)


class _Later(Silent, LogsIn, is_known=False, about="SaslAuthenticateRequest", action="steady"):
    """Takes the first login, does not answer the second, and takes the next."""

    control_case = ServesSteady
    is_long = True
    sessions = _LaterSession
    before, left = 1, 1


def goes_elsewhere(visit: Visit) -> None:
    """Judge that the client writes a record, for which it has to use another connection."""
    if not visit.of("Produce"):
        what = "nothing was written on any connection"
        raise Broken(what, "Produce on another connection", "none")


class SilentAtSecondHandshake(_Later, about="SaslHandshakeRequest"):
    """Does not answer the second SaslHandshake, and takes the next."""

    decides: ClassVar = {"client-sasl.silence-left": goes_elsewhere}


class SilentAtSecondLogin(_Later):
    """Does not answer the second SaslAuthenticate, and takes the next."""

    decides: ClassVar = {"client-sasl.silence-left": goes_elsewhere}


def logs_in_anew(visit: Visit) -> None:
    """Each connection that says more than ApiVersions begins with a login, and all is well."""
    logged_in: set[int] = set()
    for each in visit.sent:
        if each.api == "SaslAuthenticate":
            logged_in.add(each.connection)
        elif each.api not in ("ApiVersions", "SaslHandshake") and each.connection not in logged_in:
            what = f"{each.api} v{each.version} came on a connection without a login"
            raise Broken(what, "SaslAuthenticate", each.frame)
    succeeds(visit)


class ClosesBehindLogin(Closes, LogsIn, about="SaslAuthenticateRequest", action="steady"):
    """Closes the connection of a client that has logged in, on its first Produce."""

    api = "Produce"
    control_case = ServesSteady
    left = 1
    decides: ClassVar = {"client-sasl.logs-in-anew": logs_in_anew}
