"""Logins that end (KIP-368): the client makes another one, and says nothing else meanwhile."""

from __future__ import annotations

from typing import ClassVar

from conformance.clients.scenarios.plain_brokers import LogsIn
from conformance.clients.scenarios.visit import Visit, require, succeeds
from conformance.dialogue import Broken
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup
from conformance.reference.broker.releases import NAMES

LIFETIME_MS = 1500
AGREES_S = 0.18
"""The seconds to agree on a mechanism: longer than a client goes without another request."""
MOST_SLOW = 3
"""Of so many logins on a connection: there are clients that make one before each request."""
SLACK_S = 0.4
GOOD_S = LIFETIME_MS / 1000 + SLACK_S
"""The seconds for which a login is good, from its last token on, whose answer may come late."""
LIFETIMES_SINCE = 1
SECOND = 2


class Ending(Session):
    """A connection whose login is good for a while, on which one may log in again."""

    until_s = 0.0
    logins = 0

    def handle(self, request: Request) -> Value:
        name = NAMES[request.api_key]
        if self.state == "authenticated" and self.until_s:
            if name == "SaslHandshake":
                self.start_sasl()
            elif self.at_s > self.until_s:
                raise Hangup
        body = super().handle(request)
        self.logins += name == "SaslHandshake"
        if name == "SaslHandshake" and self.logins <= MOST_SLOW:
            self.delay_s = AGREES_S
        return body

    def authenticate(self, token: bytes) -> tuple[bytes, int]:
        answer, _ = super().authenticate(token)
        if self.state == "authenticated":
            self.until_s = self.at_s + GOOD_S
            return answer, LIFETIME_MS
        return answer, 0


def undisturbed(visit: Visit) -> None:
    """Judge that nothing else is sent on a connection from SaslHandshake to the end of a login."""
    again = 0
    for connection in range(len(visit.opened)):
        logins, is_open = 0, False
        for each in visit.sent:
            if each.connection != connection:
                continue
            if each.api == "SaslHandshake":
                logins, is_open = logins + 1, True
            elif each.api == "SaslAuthenticate":
                is_open = False
            elif is_open:
                what = f"{each.api} v{each.version} came between SaslHandshake and SaslAuthenticate"
                raise Broken(what, "SaslAuthenticate", each.frame)
        again += logins > 1
    require(again, "it did not log in again on any connection")


def leaves_ended(visit: Visit) -> None:
    """Judge that only another login is sent on a connection whose login has ended."""
    until_s: dict[int, float] = {}
    for each in visit.sent:
        if each.api == "SaslAuthenticate" and each.version >= LIFETIMES_SINCE:
            until_s[each.connection] = each.at_s + GOOD_S
        has_ended = each.at_s > until_s.get(each.connection, each.at_s)
        if has_ended and not each.api.startswith("Sasl"):
            what = f"{each.api} v{each.version} came behind the end of the login"
            raise Broken(what, "SaslHandshake, or another connection", each.frame)
    require(until_s, f"it asks no SaslAuthenticate of version {LIFETIMES_SINCE} or above")


class LoginEnds(LogsIn, about="SaslAuthenticateRequest", action="steady"):
    """Gives a login a second and a half, and hangs up on who writes on without another."""

    sessions = Ending
    leaves_open = frozenset({"client-requests.correlation-ids-differ"})  # each login counts anew
    decides: ClassVar = {
        "client-sasl.login-undisturbed": undisturbed,
        "client-sasl.logs-in-again": succeeds,
        "client-sasl.ended-login-left": leaves_ended,
    }


class _LeadsAndEnds(LogsIn, is_known=False):
    """Ends a login after its lifetime, as leader of the topic that coordinates no group."""

    sessions = Ending

    def coordinator(self, request: Request, key: str) -> Value:
        """Return the first of the brokers as coordinator."""
        first = self.company[0]
        where = {"nodeId": first.node_id, "host": first.host, "port": first.port}
        return {**super().coordinator(request, key), **where}

    def leader_of(self, topic: str) -> int:
        return SECOND


class LoginEndsAtEach(LoginEnds):
    """Gives a login a second and a half at each of two brokers, and leads nothing itself."""

    others: ClassVar = {SECOND: _LeadsAndEnds}

    def leader_of(self, topic: str) -> int:
        return SECOND


class LoginEndsForMembers(LoginEndsAtEach, action="remain"):
    """Gives a login a second and a half at each of two brokers, and looks after a group itself."""

    decides: ClassVar = {"client-sasl.ended-login-left": leaves_ended}
