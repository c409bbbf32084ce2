"""Mutants that lose the tokens of a login, or forward requests before one."""

from __future__ import annotations

from conformance.api_keys import SASL_AUTHENTICATE, SASL_HANDSHAKE
from conformance.proxies.mutants.mutant import USERS, ProxyMutant
from conformance.reference.proxy.link import Link, api_of
from conformance.reference.proxy.translation import LOGIN


class TokensAreRequests(ProxyMutant, breaks="proxy-security.tokens-pass"):
    """Ends the connection on a token without a header, which it takes for a request."""

    class Links(Link):
        def request(self, frame: bytes) -> None:
            key, _ = api_of(frame)
            super().request(frame) if key in self.proxy.versions else self.close()


class OneTokenALogin(ProxyMutant, breaks="proxy-security.tokens-pass"):
    """Ends the connection on the second step of a login."""

    class Links(Link):
        steps = 0

        def request(self, frame: bytes) -> None:
            if api_of(frame)[0] == SASL_AUTHENTICATE:
                self.steps += 1
            self.close() if self.steps > 1 else super().request(frame)


class HandshakeVersion0Refused(ProxyMutant, breaks="proxy-security.tokens-pass"):
    """Ends the connection on a SaslHandshake in version 0, which it lists."""

    implies = ("proxy-messages.requests-pass",)

    class Links(Link):
        def request(self, frame: bytes) -> None:
            key, version = api_of(frame)
            old = key == SASL_HANDSHAKE and version == 0
            self.close() if old else super().request(frame)


class _LogsIn(ProxyMutant):
    """Demands a login, and keeps out too little before it."""

    users_of = USERS


class LoginIsNoCondition(_LogsIn, breaks="proxy-security.nothing-before-login"):
    """Forwards requests whether their client has logged in or not."""

    class Links(Link):
        def is_of_login(self, frame: bytes) -> bool:
            assert self.session is not None
            return self.session.expects_token or api_of(frame)[0] in LOGIN


class HandshakeIsLogin(_LogsIn, breaks="proxy-security.nothing-before-login"):
    """Forwards requests as soon as a client has named a mechanism."""

    class Links(Link):
        def is_of_login(self, frame: bytes) -> bool:
            assert self.session is not None
            begun = self.session.state == "agreed" and api_of(frame)[0] not in LOGIN
            return super().is_of_login(frame) and not begun


class RefusedLoginIsLogin(_LogsIn, breaks="proxy-security.nothing-before-login"):
    """Refuses a wrong token, and forwards what comes behind it."""

    class Links(Link):
        def log_in(self, frame: bytes) -> None:
            super().log_in(frame)
            if self.closed and api_of(frame)[0] == SASL_AUTHENTICATE:
                self.session, self.closed = None, False


class OneLoginOpensAll(_LogsIn, breaks="proxy-security.nothing-before-login"):
    """Takes the login of one connection for that of all."""

    class Links(Link):
        def is_of_login(self, frame: bytes) -> bool:
            if self.session is not None and self.session.state == "authenticated":
                self.proxy.__dict__["opened"] = True
            opened = self.proxy.__dict__.get("opened") and api_of(frame)[0] not in LOGIN
            return super().is_of_login(frame) and not opened


class UnacknowledgedNeedNoLogin(_LogsIn, breaks="proxy-security.nothing-before-login"):
    """Forwards a Produce with acks 0 before a login, since nobody would be told of its refusal."""

    class Links(Link):
        def is_of_login(self, frame: bytes) -> bool:
            return super().is_of_login(frame) and (
                self.proxy.form(*api_of(frame), "Request") is None
                or self.has_answer(*api_of(frame), frame)
            )
