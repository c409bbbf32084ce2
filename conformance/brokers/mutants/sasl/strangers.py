"""Login: unreadable or endless input, accepted from any client that connects."""

from __future__ import annotations

from typing import Any

from conformance.api_keys import SASL_AUTHENTICATE, SASL_HANDSHAKE
from conformance.brokers.mutants.mutant import LetsPass
from conformance.brokers.mutants.sasl.bases import WithUsers
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup
from conformance.wire.errors import DecodeError


class NextHandshakeServed(WithUsers, breaks="sasl.other-versions-close"):
    """Serves the version of SaslHandshake behind its highest as that."""

    implies = ("request-header.unsupported-version-closes",)

    class Sessions(Session):
        def api_key_and_version(self, frame: bytes) -> tuple[int, int]:
            api_key, version = super().api_key_and_version(frame)
            if api_key == SASL_HANDSHAKE:
                version = min(version, self.broker.versions[api_key][1])
            return api_key, version


class OtherTokenVersionsIgnored(WithUsers, breaks="sasl.other-versions-close"):
    """Drops SaslAuthenticate in a version that it has not, and goes on."""

    implies = (
        "request-header.unsupported-version-closes",
        "request-header.negative-version-survived",
    )

    class Sessions(Session):
        def answer_unsupported_version(
            self, api_key: int, version: int, frame: bytes
        ) -> bytes | None:
            if api_key == SASL_AUTHENTICATE:
                return None
            return super().answer_unsupported_version(api_key, version, frame)


class LargeFramesBeforeLogin(WithUsers, breaks="sasl.large-frame-closes"):
    """Waits for a frame of any size before login."""

    class Sessions(Session):
        def is_frame_size(self, size: int) -> bool:
            if self.state in ("begun", "greeted"):
                return size > 0
            return super().is_frame_size(size)


class LargeTokensAwaited(WithUsers, breaks="sasl.large-frame-closes"):
    """Waits for a token of any size."""

    class Sessions(Session):
        def is_frame_size(self, size: int) -> bool:
            if self.state in ("agreed", "token"):
                return size >= 0
            return super().is_frame_size(size)


class MalformedBeforeLoginIgnored(WithUsers, breaks="sasl.malformed-before-login-closes"):
    """Drops what it can't read before login, and goes on."""

    implies = (
        "framing.short-body-closes",
        "primitives.short-input-refused",
        "primitives.length-beyond-input-refused",
    )

    Sessions = LetsPass


class MalformedBeforeLoginEndsBroker(WithUsers, breaks="sasl.malformed-before-login-closes"):
    """Serves nobody any more when a handshake can't be read."""

    implies = (
        "framing.others-unharmed",
        "api-versions.advertised-is-served",
        "api-versions.version-0-answered",
    )
    harmed = False

    class Sessions(Session):
        broker: Any

        def respond(self, frame: bytes) -> bytes | None:
            if self.broker.harmed:
                raise Hangup
            try:
                return super().respond(frame)
            except DecodeError:
                self.broker.harmed = self.state != "authenticated"
                raise
