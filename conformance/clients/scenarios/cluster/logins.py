"""Logins by SASL: who a client says that it is, and what it makes of a broker that is none.

A broker that can't prove that it knows the password may be anybody (RFC 5802), and a refusal is an
error of the application: another attempt with the same words meets the same answer.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from conformance import error_codes
from conformance.api_keys import API_VERSIONS, SASL_AUTHENTICATE, SASL_HANDSHAKE
from conformance.clients.scenarios.actions import ODD_PASSWORD, ODD_USER
from conformance.clients.scenarios.judging import all_of, bears, gets_nothing
from conformance.clients.scenarios.kerberos import UnsealedSession
from conformance.clients.scenarios.plain_brokers import (
    LogsIn,
    ServesLogins,
    ServesScram,
    ServesTopics,
)
from conformance.clients.scenarios.playing import Closes, Silent
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import (
    NotDone,
    Sent,
    Visit,
    fails,
    judgement,
    succeeds,
    survives,
)
from conformance.dialogue import Broken
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup
from conformance.results.text import json_text

ESCAPED = ODD_USER.replace("=", "=3D").replace(",", "=2C")
"""The name as SCRAM has it (RFC 5802, section 5.1)."""


def names_as_given(visit: Visit) -> None:
    """Each token of PLAIN has name and password as they are, each first message of SCRAM the name
    with its commas and equal signs escaped, and no other message is refused."""
    for each in visit.of("SaslAuthenticate"):
        if each.value is not None:
            _check(base64.b64decode(each.value["authBytes"]), each)
            if _is_refused(visit, each):
                what = "SaslAuthenticate has a proof that is not of the password"
                raise Broken(what, "a proof that the client knows it", each.frame)
    succeeds(visit)


def _check(token: bytes, asked: Sent) -> None:
    """Raise Broken if a token says another name, or PLAIN another password."""
    if token.startswith(b"n,"):
        name = token.partition(b",n=")[2].rpartition(b",r=")[0].decode("utf-8", "replace")
        if name != ESCAPED:
            said = json_text(name)
            what = f"SaslAuthenticate names the user {said} in the first message of SCRAM"
            raise Broken(what, json_text(ESCAPED), asked.frame)
    elif token.count(b"\0") > 1:
        found = [each.decode("utf-8", "replace") for each in token.split(b"\0")[1:]]
        if found != [ODD_USER, ODD_PASSWORD]:
            what = f"SaslAuthenticate says {' and '.join(map(json_text, found))} in PLAIN"
            raise Broken(what, f"{json_text(ODD_USER)} and {json_text(ODD_PASSWORD)}", asked.frame)


def _is_refused(visit: Visit, asked: Sent) -> bool:
    """True if the connection was ended with the answer to a request."""
    answer = visit.answer_to(asked)
    if answer is None:
        return False
    later = visit.answered[answer + 1 :]
    here = next((each for each in later if each.connection == asked.connection), None)
    return here is not None and not here.size


LOGS_IN = "client-sasl.logs-in"
ODD_NAMES = "client-sasl.odd-names-as-given"
TOKENS = 3
"""The number of tokens of a login by GSSAPI: a ticket, an empty one, and a layer."""
KVSEP = b"\1"
"""The client's answer to the error of its token (RFC 7628)."""


def logs_in(visit: Visit) -> None:
    """Judge that the client gets in, with tokens in the form that its SaslHandshake announced."""
    for each in filter(partial(_is_misplaced, visit), visit.of("SaslAuthenticate")):
        what = f"SaslAuthenticate v{each.version} was sent after SaslHandshake v0"
        raise Broken(what, "the bare token, or SaslHandshake v1", each.frame)
    succeeds(visit)


def _is_misplaced(visit: Visit, asked: Sent) -> bool:
    """True if a SaslAuthenticate came where SaslHandshake v0 is followed by a bare token."""
    before = visit.sent[: visit.sent.index(asked)]
    here = [each for each in before if each.connection == asked.connection]
    return [each.version for each in here if each.api == "SaslHandshake"][-1:] == [0]


class PlainLogin(LogsIn):
    """Has a user, who logs in by PLAIN."""

    control_case = ServesTopics
    decides: ClassVar = {LOGS_IN: logs_in}


class ScramLogin(LogsIn, action="scram"):
    """Has a user, who logs in by SCRAM."""

    control_case = ServesTopics
    decides: ClassVar = {LOGS_IN: logs_in}


class OddNameInPlain(LogsIn):
    """Has a user whose name and password hold commas and equal signs, who logs in by PLAIN."""

    login = ODD_USER, ODD_PASSWORD
    control_case = ServesLogins
    decides: ClassVar = {ODD_NAMES: names_as_given}


class OddNameInScram(LogsIn, action="scram"):
    """Has a user whose name and password hold commas and equal signs, who logs in by SCRAM."""

    login = ODD_USER, ODD_PASSWORD
    control_case = ServesScram
    decides: ClassVar = {ODD_NAMES: names_as_given}


class _OldHandshake(LogsIn, is_known=False):
    """Serves SaslHandshake in version 0 alone and no SaslAuthenticate, as before Kafka 1.0."""

    served: ClassVar = {SASL_HANDSHAKE: (0, 0)}
    answers = "ApiVersions"

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.versions = {k: range_ for k, range_ in self.versions.items() if k != SASL_AUTHENTICATE}

    decides: ClassVar = {"client-sasl.bare-tokens": succeeds}


class BareTokensOfPlain(_OldHandshake):
    """Serves SaslHandshake in version 0 alone, behind which PLAIN's token is a frame of its own."""

    control_case = ServesLogins


class BareTokensOfScram(_OldHandshake, action="scram"):
    """Serves SaslHandshake in version 0 alone, behind which SCRAM's tokens are frames."""

    control_case = ServesScram


class SilentAtHandshake(Silent, LogsIn, about="SaslHandshakeRequest"):
    """Never answers SaslHandshake, and keeps the connection."""

    control_case = ServesLogins
    decides: ClassVar = {"client-answers.end-survived": survives}


class ClosesAtHandshake(Closes, LogsIn, about="SaslHandshakeRequest"):
    """Closes the connection on SaslHandshake."""

    holds = staticmethod(survives)
    control_case = ServesLogins
    decides: ClassVar = {"client-answers.end-survived": survives}


class MechanismRefused(LogsIn):
    """Refuses the mechanism, and has none to offer in its place."""

    control_case = ServesLogins
    decides: ClassVar = {"client-sasl.refusal-told": fails}

    class Sessions(Session):
        """Has none."""

        def mechanisms(self) -> list[str]:
            return []


class CredentialsRefused(LogsIn, about="SaslAuthenticateRequest"):
    """Does not know the user."""

    control_case = ServesLogins
    decides: ClassVar = {"client-sasl.refusal-told": fails}
    configured: ClassVar = {"users": {"another": "user"}}


class RefusedAndGone(CredentialsRefused):
    """Does not know the user, and hangs up on ApiVersions from then on."""

    decides: ClassVar = {"client-answers.end-survived": survives}
    refused = False

    class Sessions(Session):
        """A session that hangs up once a login was refused."""

        def greet(self, request: Request) -> Value:
            if isinstance(self.broker, RefusedAndGone) and self.broker.refused:
                raise Hangup
            return super().greet(request)

        def sasl_authenticate(self, request: Request) -> Value:
            if isinstance(self.broker, RefusedAndGone):
                self.broker.refused = True
            return super().sasl_authenticate(request)


class _SaysSession(Session):
    """Has its broker look at what it says to each token."""

    said = 0

    def sasl_authenticate(self, request: Request) -> Value:
        answer = super().sasl_authenticate(request)
        if answer["errorCode"] != error_codes.NONE:
            return answer
        self.said += 1
        text = base64.b64decode(answer["authBytes"]).decode()
        assert isinstance(self.broker, _Says)
        changed = self.broker.first(text) if self.said == 1 else self.broker.last(text)
        return {**answer, "authBytes": base64.b64encode(changed.encode()).decode()}


class _Says(LogsIn, is_known=False, about="SaslAuthenticateRequest", action="scram"):
    """Says something else than it should in SCRAM."""

    control_case = ServesScram
    sessions = _SaysSession

    def first(self, text: str) -> str:
        """The nonces, the salt and how often."""
        return text

    def last(self, text: str) -> str:
        return text


_PROVES = {"client-sasl.server-proves-itself": fails}


class WrongProof(_Says):
    """Proves itself to a client of SCRAM by a signature that is made of another password."""

    decides: ClassVar = _PROVES

    def last(self, text: str) -> str:
        return "v=" + base64.b64encode(bytes(32)).decode()


class NoProof(_Says):
    """Says nothing in place of the proof of itself that a client of SCRAM waits for."""

    decides: ClassVar = _PROVES

    def last(self, text: str) -> str:
        return ""


class AnotherNonce(_Says):
    """Answers a client of SCRAM with a nonce that does not begin with the client's."""

    decides: ClassVar = _PROVES

    def first(self, text: str) -> str:
        return "r=a-nonce-of-its-own," + text.partition(",")[2]


_HOSTILE = {
    "NoEqualsSign": "a part without an equals sign",
    "NoParts": "no parts",
    "NothingInParts": "parts that are empty",
    "CountOfLetters": "a count of iterations that is none",
    "CountBelowZero": "a count of iterations below zero",
    "SaltOfNothingElse": "a salt that is no base64",
}


def _ends_login(visit: Visit) -> None:
    """The client is not let in behind a broken message; one that sends its proof may yet fail."""
    went_on = (login[1] for login in _logins(visit) if len(login) > 1)
    if visit.ended.outcome == "ok" and (proof := next(went_on, None)):
        what = "the client went on behind a broken message of SCRAM, and was let in"
        raise Broken(what, "an error", proof.frame)
    gets_nothing(visit)


def _parts(text: str, name: str) -> str:
    """The first message of a broker, spoiled."""
    nonce, salt, count = text.split(",")
    return {
        "NoEqualsSign": f"{nonce},nonsense,{salt},{count}",
        "NoParts": "",
        "NothingInParts": "r=,s=,i=",
        "CountOfLetters": f"{nonce},{salt},i=many",
        "CountBelowZero": f"{nonce},{salt},i=-1",
        "SaltOfNothingElse": f"{nonce},s=!,{count}",
    }[name]


def _first(name: str) -> Callable[[_Says, str], str]:
    return lambda _, text: _parts(text, name)


for _name, _says in _HOSTILE.items():
    _Says.variant(
        _name,
        f"Answers a client of SCRAM with {_says}.",
        first=_first(_name),
        decides={"client-sasl.nonsense-survived": all_of(survives, bears, _ends_login)},
    )


class EmptyExtension(_Says):
    """Adds an extension without a value to what it answers a client of SCRAM with."""

    decides: ClassVar = {"client-sasl.nonsense-survived": all_of(survives, bears)}

    def first(self, text: str) -> str:
        return f"{text},x="


class OauthLogin(LogsIn, about="SaslAuthenticateRequest", action="oauth"):
    """Has a user, of whom a token tells that a client logs in with by OAUTHBEARER."""

    control_case = ServesTopics
    decides: ClassVar = {LOGS_IN: logs_in}


def _logins(visit: Visit) -> list[list[Sent]]:
    """The SaslAuthenticate requests that can be read, connection by connection."""
    said: dict[int, list[Sent]] = {}
    for each in visit.of("SaslAuthenticate"):
        if each.value is not None and not _is_misplaced(visit, each):
            said.setdefault(each.connection, []).append(each)
    return list(said.values())


def chooses_a_layer(visit: Visit) -> None:
    """A connection that says any token of GSSAPI says three, the last of which is not empty."""
    for asked in _logins(visit):
        if not any(each.value["authBytes"] for each in asked[TOKENS - 1 :] if each.value):
            what = f"SaslAuthenticate has {len(asked)} tokens, and none answers the offer"
            raise NotDone(what, "a security layer", asked[-1].frame)


class GssapiLogin(LogsIn, about="SaslAuthenticateRequest", action="gssapi"):
    """Has a user, who logs in by GSSAPI, and a Kerberos that seals nothing."""

    answers = "ApiVersions"
    control_case = ServesTopics
    sessions = UnsealedSession
    decides: ClassVar = {"client-sasl.layer-chosen": chooses_a_layer, LOGS_IN: logs_in}


def answers_the_error(visit: Visit) -> None:
    """Judge that the error of a token is answered with one byte, 1, on the same connection."""
    for asked in _logins(visit):
        tokens = [base64.b64decode(each.value["authBytes"]) for each in asked if each.value]
        if tokens[1:] != [KVSEP]:
            said = json_text(tokens[1:]) if tokens[1:] else "nothing"
            what = f"SaslAuthenticate has {said} after the error of its token"
            kind = Broken if tokens[1:] else NotDone
            raise kind(what, json_text(KVSEP), asked[-1].frame)
    fails(visit)


class TokenRefused(LogsIn, about="SaslAuthenticateRequest", action="oauth"):
    """Knows nobody of whom the token tells that a client logs in with by OAUTHBEARER."""

    decides: ClassVar = {"client-sasl.token-error-answered": answers_the_error}
    configured: ClassVar = {"users": {"another": "user"}}


class PlainAnsweredWithBytes(LogsIn, about="SaslAuthenticateRequest"):
    """Takes a login by PLAIN, and has something to say beside that."""

    control_case = ServesLogins
    decides: ClassVar = {"client-sasl.more-said-survived": succeeds}

    class Sessions(Session):
        """Says it."""

        def authenticate(self, token: bytes) -> tuple[bytes, int]:
            _, lifetime_ms = super().authenticate(token)
            return b"welcome", lifetime_ms


class LoginOfWiderRanges(LogsIn):
    """Lists every API but ApiVersions up to version 100, to a client that logs in."""

    answers = "ApiVersions"
    decides: ClassVar = {"client-versions.within-both-ranges": succeeds}

    def advertised_range(self, api_key: int) -> Value:
        """Return the range of an API, up to version 100."""
        listed = super().advertised_range(api_key)
        return listed if api_key == API_VERSIONS else {**listed, "maxVersion": 100}


@judgement
def asks_in(visit: Visit, version: int) -> None:
    """Each SaslHandshake is of this version, where it is known that it is served."""
    for each in visit.of("SaslHandshake"):
        if each.version < version:
            what = f"SaslHandshake v{each.version} was sent to a broker that has v{version}"
            raise Broken(what, f"v{version}", each.frame)


class HandshakeOfToday(LogsIn):
    """Serves SaslHandshake in versions 0 and 1."""

    decides: ClassVar = {"client-sasl.handshake-tells-errors": asks_in(1)}


class ClosesAtHandshakeOnce(ClosesAtHandshake):
    """Closes the connection on the first SaslHandshake, and takes the next."""

    left = 1
    decides: ClassVar = {"client-answers.asked-again": succeeds}


class ClosesAtLoginOnce(Closes, LogsIn, about="SaslAuthenticateRequest"):
    """Closes the connection on the first SaslAuthenticate, and takes the next."""

    control_case: ClassVar[type[Scenario] | None] = ServesLogins
    left = 1
    decides: ClassVar = {"client-answers.asked-again": succeeds}


class ClosesInScramOnce(ClosesAtLoginOnce, action="scram"):
    """Closes the connection in the midst of the first login by SCRAM, and takes the next."""

    control_case = ServesScram
