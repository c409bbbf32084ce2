"""The broker's side of the SASL mechanisms: PLAIN, SCRAM and OAUTHBEARER.

An exchange takes a client's tokens one by one and answers each, or raises Refused. Refusals say no
more than Apache Kafka's do: not if it was the user or the password that is wrong.
"""

from __future__ import annotations

import base64
import hmac
import re
from collections.abc import Callable, Mapping
from functools import lru_cache

import msgspec

from conformance import error_codes
from conformance.reference.broker.errors import Refused

PLAIN, OAUTHBEARER = "PLAIN", "OAUTHBEARER"
SCRAM = ("SCRAM-SHA-256", "SCRAM-SHA-512")
Users = Mapping[str, str]
_BEARER = re.compile(r"n,(?:a=([^,=\x01]*))?,\x01((?:[A-Za-z]+=[^\x01]+\x01)*)\x01")
_TOKEN = re.compile(r"bearer +([-_~+/.a-zA-Z0-9]+=*)", re.IGNORECASE)
_LONGEST_MS = 2**63 - 1


class Exchange:
    """One client's way through a mechanism. `user` is empty until it is through.

    `now_s` is the time in seconds since 1970; None if it is not set, and then nothing expires.
    """

    def __init__(self, mechanism: str, users: Users) -> None:
        self.mechanism = mechanism
        self.users = users
        self.now_s: float | None = None
        self.user = ""
        self.lifetime_ms = 0

    def answer(self, token: bytes) -> bytes:
        """Return the answer to a token. Raises Refused."""
        raise NotImplementedError

    def refused(self) -> Refused:
        """Return a refusal that does not say what was wrong."""
        return Refused(
            error_codes.SASL_AUTHENTICATION_FAILED,
            f"The credentials are wrong, by the mechanism {self.mechanism}.",
        )


class Plain(Exchange):
    """PLAIN: user and password as they are (RFC 4616)."""

    def answer(self, token: bytes) -> bytes:
        """Return an empty answer to the only token. Raises Refused."""
        try:
            authorization, user, password = token.decode("utf-8").split("\0")
        except ValueError:
            raise self.refused() from None
        known = self.users.get(user, "")
        if not known or not hmac.compare_digest(known.encode(), password.encode()):
            raise self.refused()
        if authorization not in ("", user):
            raise self.refused()
        self.user = user
        return b""


class Scram(Exchange):
    """SCRAM: mutual proofs of the password (RFC 5802, KIP-84), without channel binding.

    Apache Kafka ignores extensions, and lets a client be named twice; both are refused here.
    """

    def __init__(self, mechanism: str, users: Users) -> None:
        from scramp import ScramException, ScramMechanism  # type: ignore[import-untyped]

        super().__init__(mechanism, users)
        self._wrong = ScramException, ValueError, LookupError
        self._claimed = ""
        self._server = ScramMechanism(mechanism).make_server(self._credentials)
        self._answers: list[Callable[[str], str]] = [self._first, self._final]

    def answer(self, token: bytes) -> bytes:
        """Return the server's first message, then its last. Raises Refused."""
        try:
            return self._answers.pop(0)(token.decode("utf-8")).encode()
        except self._wrong:
            raise self.refused() from None

    def _first(self, message: str) -> str:
        if not message.startswith("n,"):
            raise self.refused()  # a client that could bind the channel is refused too
        self._server.set_client_first(message)
        return str(self._server.get_server_first())

    def _final(self, message: str) -> str:
        self._server.set_client_final(message)
        self.user = self._claimed
        return str(self._server.get_server_final())

    def _credentials(self, user: str) -> tuple[bytes, bytes, bytes, int] | None:
        self._claimed = user
        password = self.users.get(user)
        return _stored(self.mechanism, user, password) if password else None


class OauthBearer(Exchange):
    """OAUTHBEARER: an unsigned token about one of the users (KIP-255; RFC 7628).

    An invalid token gets an answer without an error that names the fault; the client's next token,
    which must be a single byte 1, is refused with the same words.
    """

    def __init__(self, mechanism: str, users: Users) -> None:
        super().__init__(mechanism, users)
        self._wrong = ""

    def answer(self, token: bytes) -> bytes:
        """Return an empty answer, or the fault of the token. Raises Refused."""
        if self._wrong and token == b"\1":
            raise Refused(error_codes.SASL_AUTHENTICATION_FAILED, self._wrong)
        authorization, bearer = self._bearer(token)
        claims = claims_of(bearer)
        if claims is None or not self._holds(claims):
            self._wrong = '{"status":"invalid_token"}'
            return self._wrong.encode()
        if authorization not in ("", claims.sub):
            raise self.refused()
        self.user = claims.sub
        if self.now_s is not None:
            self.lifetime_ms = min(int(1000 * (claims.exp - self.now_s)), _LONGEST_MS)
        return b""

    def _bearer(self, token: bytes) -> tuple[str, str]:
        """Return the authorization id that the client asks for, and its token. Raises Refused."""
        try:
            found = _BEARER.fullmatch(token.decode("utf-8"))
        except ValueError:
            raise self.refused() from None
        pairs = found[2].split("\1")[:-1] if found else []
        values = dict(pair.split("=", 1) for pair in pairs)
        bearer = _TOKEN.fullmatch(values.get("auth", ""))
        if found is None or bearer is None:
            raise self.refused()
        return found[1] or "", bearer[1]

    def _holds(self, claims: Claims) -> bool:
        """True if a token is about a user of ours, and in force."""
        if claims.sub not in self.users or (claims.iat or 0) >= claims.exp:
            return False
        return self.now_s is None or (claims.iat or 0) <= self.now_s < claims.exp


class Claims(msgspec.Struct):
    """The claims that a token has to have. Times are in seconds since 1970."""

    sub: str
    exp: float
    iat: float | None = None


def claims_of(token: str) -> Claims | None:
    """Return the claims of a token without a signature, None for any other text."""
    head, _, rest = token.partition(".")
    body, _, signature = rest.partition(".")
    try:
        algorithm = msgspec.json.decode(_decoded(head), type=dict[str, object]).get("alg")
        claims = msgspec.json.decode(_decoded(body), type=Claims)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return claims if algorithm == "none" and not signature else None


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@lru_cache(maxsize=1024)
def _stored(mechanism: str, user: str, password: str) -> tuple[bytes, bytes, bytes, int]:
    """Return what a broker stores of a user in place of the password, with the user's own salt."""
    from scramp import ScramMechanism

    del user
    salt, stored_key, server_key, iterations = ScramMechanism(mechanism).make_auth_info(password)
    return salt, stored_key, server_key, iterations


MECHANISMS: Mapping[str, type[Exchange]] = {
    PLAIN: Plain,
    **dict.fromkeys(SCRAM, Scram),
    OAUTHBEARER: OauthBearer,
}
"""The mechanisms for a login, by name."""
