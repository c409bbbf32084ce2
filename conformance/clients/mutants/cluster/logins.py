"""Clients that log in wrongly, or believe any peer that says it is a broker."""

from __future__ import annotations

from typing import ClassVar

from conformance.api_keys import SASL_HANDSHAKE
from conformance.clients.mutants.mutant import ClientMutant
from conformance.reference.client import Course, Failed, Lost
from conformance.reference.client.logging_in import Saying, Tokens


class EscapesThePassword(ClientMutant, breaks="client-sasl.odd-names-as-given"):
    """Writes the password of SCRAM as the name of its user is written."""

    def scram(self) -> Tokens:
        self.password = self.password.replace("=", "=3D").replace(",", "=2C")
        yield from super().scram()


class NamesTheUserAsItIs(ClientMutant, breaks="client-sasl.odd-names-as-given"):
    """Leaves commas and equal signs of a name as they are in SCRAM."""

    def say(self, token: bytes) -> Saying:
        if token.startswith(b"n,,n="):
            token = token.replace(b"=2C", b",").replace(b"=3D", b"=")
        return (yield from super().say(token))


class NeverSaysWho(ClientMutant, breaks="client-sasl.logs-in"):
    """Asks on behind the handshake of PLAIN, as if that were the login."""

    def plain(self) -> Tokens:
        yield b""


class AuthenticatesAfterV0(ClientMutant, breaks="client-sasl.logs-in"):
    """Sends its tokens in SaslAuthenticate, whatever the version of its handshake."""

    versions: ClassVar = {**ClientMutant.versions, 17: (0, 0)}

    def say_bare(self, token: bytes) -> Saying:
        return (yield from self.say(token))


class KnowsOneHandshake(ClientMutant, breaks="client-sasl.bare-tokens"):
    """Knows no tokens but those in requests."""

    versions: ClassVar = {**ClientMutant.versions, 17: (1, 1)}


class BelievesAnyProof(ClientMutant, breaks="client-sasl.server-proves-itself"):
    """Never looks at the proof of a broker that it knows the password."""

    def believe(self, client: object, proof: bytes) -> None:
        """Accept any proof."""


class KeepsRefusalsQuiet(ClientMutant, breaks="client-sasl.refusal-told"):
    """Says that all is well where it was not let in."""

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


class CatchesNothingInScram(ClientMutant, breaks="client-sasl.nonsense-survived"):
    """Leaves what is wrong with a broker's part of SCRAM to whoever catches it."""

    def say(self, token: bytes) -> Saying:
        said = yield from super().say(token)
        if said[:1] != b"r" or self.mechanism == "PLAIN":
            return said
        if any(b"=" not in part for part in said.split(b",")):
            raise IndexError("no =")
        return said


class PassesOverInScram(ClientMutant, breaks="client-sasl.nonsense-survived"):
    """Passes over each part of a broker's first message of SCRAM that has no equals sign."""

    def say(self, token: bytes) -> Saying:
        said = yield from super().say(token)
        if said[:1] != b"r" or self.mechanism == "PLAIN":
            return said
        return b",".join(part for part in said.split(b",") if b"=" in part)


class GivesUpAtNoAnswer(ClientMutant, breaks="client-answers.end-survived"):
    """Ends by itself, and not in good order, where a handshake is not answered."""

    implies = ("client-answers.asked-again", "client-sasl.silence-left")

    def log_in(self) -> Course:
        try:
            yield from super().log_in()
        except Lost as lost:
            raise RuntimeError("no handshake") from lost


class PlainHearsNothing(ClientMutant, breaks="client-sasl.more-said-survived"):
    """Refuses a login by PLAIN where the broker has something to say beside that."""

    def say(self, token: bytes) -> Saying:
        said = yield from super().say(token)
        if said and self.mechanism == "PLAIN":
            raise Failed("there is nothing to say in PLAIN")
        return said


class HandshakesAsEver(ClientMutant, breaks="client-sasl.handshake-tells-errors"):
    """Sends SaslHandshake in version 0 before PLAIN, whatever the broker lists."""

    def version_of(self, api_key: int) -> int:
        is_plain = api_key == SASL_HANDSHAKE and self.mechanism == "PLAIN"
        return 0 if is_plain else super().version_of(api_key)


class AsksInLogin(ClientMutant, breaks="client-sasl.login-undisturbed"):
    """Asks Metadata in the midst of a login that it makes again."""

    def say(self, token: bytes) -> Saying:
        if self.lifetime_s and self.logged_in_s:
            yield from self.metadata()
        return (yield from super().say(token))


class LogsInOnce(ClientMutant, breaks="client-sasl.logs-in-again"):
    """Never logs in again, and gives up where its login ends."""

    implies = ("client-sasl.ended-login-left", "client-sasl.logs-in-anew")

    def stay_logged_in(self, passed_s: float) -> Course:
        yield from ()

    def come_again(self) -> Course:
        yield from ()
        raise Failed("the connection has been closed")


class LeavesAtAnError(ClientMutant, breaks="client-sasl.token-error-answered"):
    """Ends a login by a token where that is answered with an error, without another word."""

    def oauth(self) -> Tokens:
        tokens = super().oauth()
        said = yield next(tokens)
        if said:
            raise Failed("the broker does not take the token")


class UsesAnEndedLogin(ClientMutant, breaks="client-sasl.ended-login-left"):
    """Logs in again only where its connection has been closed."""

    def stay_logged_in(self, passed_s: float) -> Course:
        del passed_s
        yield from ()


class CrashesOnANameWithCommas(ClientMutant, breaks="client-sasl.login-survived"):
    """Ends, and not in good order, where the name of its user has a comma and it is to be SCRAM."""

    implies = ("client-sasl.odd-names-as-given",)

    def scram(self) -> Tokens:
        if "," in self.user:
            raise RuntimeError("no room for the name")
        yield from super().scram()


class StaysWhereNothingIsSaid(ClientMutant, breaks="client-sasl.silence-left"):
    """Takes a login that is not answered for the end of all, on any connection but its first."""

    logins = 0

    def log_in(self) -> Course:
        self.logins += 1
        try:
            yield from super().log_in()
        except Lost as lost:
            if self.logins > 1 and str(lost).startswith("silent"):
                raise Failed("the login is not answered") from None
            raise


class KeepsTheLogin(ClientMutant, breaks="client-sasl.logs-in-anew"):
    """Takes a login for one of all connections that it opens in place of the one where it was."""

    comes_again = False

    def come_again(self) -> Course:
        self.comes_again = True
        yield from super().come_again()

    def log_in(self) -> Course:
        if not self.comes_again:
            yield from super().log_in()


class TakesTheTicketForTheLogin(ClientMutant, breaks="client-sasl.layer-chosen"):
    """Ends a login by GSSAPI where its ticket has been taken, whatever is offered then."""

    def gssapi(self) -> Tokens:
        tokens = super().gssapi()
        accepted = yield next(tokens)
        yield tokens.send(accepted)
        raise Failed("there is nothing to say behind a ticket that is taken")
