"""Tokens of a login that do not get through."""

from __future__ import annotations

from conformance.api_keys import SASL_AUTHENTICATE, SASL_HANDSHAKE
from conformance.proxies.mutants.mutant import ProxyMutant
from conformance.reference.proxy.link import Link, api_of


class TokensAreRequests(ProxyMutant):
    """Ends the connection on a token without a header, which it takes for a request."""

    breaks = "proxy-security.tokens-pass"

    class Links(Link):
        """A connection that knows requests alone."""

        def request(self, frame: bytes) -> None:
            key, _ = api_of(frame)
            super().request(frame) if key in self.proxy.versions else self.close()


class OneTokenALogin(ProxyMutant):
    """Ends the connection on the second step of a login."""

    breaks = "proxy-security.tokens-pass"

    class Links(Link):
        """A connection that knows PLAIN alone."""

        steps = 0

        def request(self, frame: bytes) -> None:
            if api_of(frame)[0] == SASL_AUTHENTICATE:
                self.steps += 1
            self.close() if self.steps > 1 else super().request(frame)


class HandshakeVersion0Refused(ProxyMutant):
    """Ends the connection on a SaslHandshake in version 0, which it lists."""

    breaks = "proxy-security.tokens-pass"

    class Links(Link):
        """A connection of newer clients."""

        def request(self, frame: bytes) -> None:
            key, version = api_of(frame)
            old = key == SASL_HANDSHAKE and version == 0
            self.close() if old else super().request(frame)
