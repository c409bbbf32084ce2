"""Clients that log in wrongly, or believe any peer that says it is a broker."""

from __future__ import annotations

from typing import ClassVar

from conformance.api_keys import SASL_HANDSHAKE
from conformance.clients.mutants.mutant import ClientMutant
from conformance.reference.client import Course, Failed, Lost
from conformance.reference.client.logging_in import Saying, Tokens


class EscapesThePassword(ClientMutant):
    """Writes the password of SCRAM as the name of its user is written."""

    breaks = "client-sasl.odd-names-as-given"

    def scram(self) -> Tokens:
        self.password = self.password.replace("=", "=3D").replace(",", "=2C")
        yield from super().scram()


class NamesTheUserAsItIs(ClientMutant):
    """Leaves commas and equal signs of a name as they are in SCRAM."""

    breaks = "client-sasl.odd-names-as-given"

    def say(self, token: bytes) -> Saying:
        if token.startswith(b"n,,n="):
            token = token.replace(b"=2C", b",").replace(b"=3D", b"=")
        return (yield from super().say(token))


class NeverSaysWho(ClientMutant):
    """Asks on behind the handshake of PLAIN, as if that were the login."""

    breaks = "client-sasl.logs-in"

    def plain(self) -> Tokens:
        yield b""


class AuthenticatesAfterV0(ClientMutant):
    """Sends its tokens in SaslAuthenticate, whatever the version of its handshake."""

    breaks = "client-sasl.logs-in"
    versions: ClassVar = {**ClientMutant.versions, 17: (0, 0)}

    def say_bare(self, token: bytes) -> Saying:
        return (yield from self.say(token))


class KnowsOneHandshake(ClientMutant):
    """Knows no tokens but those in requests."""

    breaks = "client-sasl.bare-tokens"
    versions: ClassVar = {**ClientMutant.versions, 17: (1, 1)}


class BelievesAnyProof(ClientMutant):
    """Never looks at the proof of a broker that it knows the password."""

    breaks = "client-sasl.server-proves-itself"

    def believe(self, client: object, proof: bytes) -> None:
        """Accept any proof."""


class KeepsRefusalsQuiet(ClientMutant):
    """Says that all is well where it was not let in."""

    breaks = "client-sasl.refusal-told"
    was_refused = False

    def run(self, action: str) -> Course:
        try:
            yield from super().run(action)
        except Failed:
            if action != "login" or not self.was_refused:
                raise

    def check(self, code: int, what: str) -> None:
        self.was_refused = self.was_refused or (code != 0 and self.mechanism == "PLAIN")
        super().check(code, what)


class CatchesNothingInScram(ClientMutant):
    """Leaves what is wrong with a broker's part of SCRAM to whoever catches it."""

    breaks = "client-sasl.nonsense-survived"

    def say(self, token: bytes) -> Saying:
        said = yield from super().say(token)
        if said[:1] != b"r" or self.mechanism == "PLAIN":
            return said
        if any(b"=" not in part for part in said.split(b",")):
            raise IndexError("no =")
        return said


class PassesOverInScram(ClientMutant):
    """Passes over each part of a broker's first message of SCRAM that has no equals sign."""

    breaks = "client-sasl.nonsense-survived"

    def say(self, token: bytes) -> Saying:
        said = yield from super().say(token)
        if said[:1] != b"r" or self.mechanism == "PLAIN":
            return said
        return b",".join(part for part in said.split(b",") if b"=" in part)


class GivesUpAtNoAnswer(ClientMutant):
    """Ends by itself, and not in good order, where a handshake is not answered."""

    breaks = "client-answers.end-survived"
    implies = ("client-answers.asked-again", "client-sasl.silence-left")

    def log_in(self) -> Course:
        try:
            yield from super().log_in()
        except Lost as lost:
            raise RuntimeError("no handshake") from lost


class PlainHearsNothing(ClientMutant):
    """Refuses a login by PLAIN where the broker has something to say beside that."""

    breaks = "client-sasl.more-said-survived"

    def say(self, token: bytes) -> Saying:
        said = yield from super().say(token)
        if said and self.mechanism == "PLAIN":
            raise Failed("there is nothing to say in PLAIN")
        return said


class HandshakesAsEver(ClientMutant):
    """Sends SaslHandshake in version 0 before PLAIN, whatever the broker lists."""

    breaks = "client-sasl.handshake-tells-errors"

    def version_of(self, api_key: int) -> int:
        is_plain = api_key == SASL_HANDSHAKE and self.mechanism == "PLAIN"
        return 0 if is_plain else super().version_of(api_key)


class AsksInLogin(ClientMutant):
    """Asks Metadata in the midst of a login that it makes again."""

    breaks = "client-sasl.login-undisturbed"

    def say(self, token: bytes) -> Saying:
        if self.lifetime_s and self.logged_in_s:
            yield from self.metadata()
        return (yield from super().say(token))


class LogsInOnce(ClientMutant):
    """Never logs in again, and gives up where its login ends."""

    breaks = "client-sasl.logs-in-again"
    implies = ("client-sasl.ended-login-left", "client-sasl.logs-in-anew")

    def stay_logged_in(self, passed_s: float) -> Course:
        yield from ()

    def come_again(self) -> Course:
        yield from ()
        raise Failed("the connection has been closed")


class LeavesAtAnError(ClientMutant):
    """Ends a login by a token where that is answered with an error, without another word."""

    breaks = "client-sasl.token-error-answered"

    def oauth(self) -> Tokens:
        tokens = super().oauth()
        said = yield next(tokens)
        if said:
            raise Failed("the broker does not take the token")


class UsesAnEndedLogin(ClientMutant):
    """Logs in again only where its connection has been closed."""

    breaks = "client-sasl.ended-login-left"

    def stay_logged_in(self, passed_s: float) -> Course:
        del passed_s
        yield from ()


class CrashesOnANameWithCommas(ClientMutant):
    """Ends, and not in good order, where the name of its user has a comma and it is to be SCRAM."""

    breaks = "client-sasl.login-survived"
    implies = ("client-sasl.odd-names-as-given",)

    def scram(self) -> Tokens:
        if "," in self.user:
            raise RuntimeError("no room for the name")
        yield from super().scram()


class StaysWhereNothingIsSaid(ClientMutant):
    """Takes a login that is not answered for the end of all, on any connection but its first."""

    breaks = "client-sasl.silence-left"
    logins = 0

    def log_in(self) -> Course:
        self.logins += 1
        try:
            yield from super().log_in()
        except Lost as lost:
            if self.logins > 1 and str(lost).startswith("silent"):
                raise Failed("the login is not answered") from None
            raise


class KeepsTheLogin(ClientMutant):
    """Takes a login for one of all connections that it opens in place of the one where it was."""

    breaks = "client-sasl.logs-in-anew"
    comes_again = False

    def come_again(self) -> Course:
        self.comes_again = True
        yield from super().come_again()

    def log_in(self) -> Course:
        if not self.comes_again:
            yield from super().log_in()


class TakesTheTicketForTheLogin(ClientMutant):
    """Ends a login by GSSAPI where its ticket has been taken, whatever is offered then."""

    breaks = "client-sasl.layer-chosen"

    def gssapi(self) -> Tokens:
        tokens = super().gssapi()
        accepted = yield next(tokens)
        yield tokens.send(accepted)
        raise Failed("there is nothing to say behind a ticket that is taken")
