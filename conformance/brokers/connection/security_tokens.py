"""Unsigned bearer tokens, for OAUTHBEARER (KIP-255; RFC 7515, appendix A.5).

Kafka's login module makes such a token of the claims that are given to it as options. It proves
nothing, and is meant for development. Ours lives for a day, so that no run outlives it.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Mapping

from conformance.brokers.connection.security_properties import BadSecurity

_CLAIM = "unsecuredLogin"
LIFETIME_S = 24 * 3600


def unsecured_token(options: Mapping[str, str]) -> str:
    """The token that these options of the login module describe, empty where they don't.

    Raises BadSecurity.
    """
    claims: dict[str, object] = {}
    for name, value in options.items():
        kind, _, claim = name.removeprefix(_CLAIM).partition("_")
        if not name.startswith(_CLAIM) or not claim:
            continue
        try:
            match kind:
                case "StringClaim":
                    claims[claim] = value
                case "NumberClaim":
                    claims[claim] = float(value)
                case "ListClaim":
                    claims[claim] = value[1:].split(value[0]) if value else []
        except ValueError:
            raise BadSecurity(f"{name} is no number", "write one as in 3600") from None
    if not claims:
        return ""
    now = time.time()
    claims |= {"iat": now, "exp": now + LIFETIME_S}
    return f"{_encoded({'alg': 'none'})}.{_encoded(claims)}."


def subject_of(token: str) -> str:
    """Return the subject of a token, if it can be read without its issuer; else empty."""
    try:
        payload = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        subject = claims["sub"]
    except (LookupError, TypeError, ValueError, RecursionError):
        return ""
    return subject if isinstance(subject, str) else ""


def _encoded(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
