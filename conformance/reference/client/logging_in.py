"""Logins by SASL: a handshake, then tokens until the mechanism is through."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Generator, Mapping
from typing import ClassVar

from conformance.api_keys import SASL_AUTHENTICATE, SASL_HANDSHAKE
from conformance.dialogue import Received, Send
from conformance.reference.client.frames import SIZE_BYTES
from conformance.reference.client.greeting import Greeting
from conformance.reference.client.steps import Course, Failed, Lost, Step

Tokens = Generator[bytes, bytes, None]
Saying = Generator[Step, Received | None, bytes]
MOST_ITERATIONS = 100_000
LAYER_BYTES, NO_LAYER = 4, 1
HEAD, KVSEP, NEVER_S = b'{"alg":"none"}', b"\1", 4_102_444_800


class LoggingIn(Greeting):
    """A client that logs in on each connection if it has a `mechanism`.

    `lifetime_s` is how long that is valid, if the broker says so, `logged_in_s` the time since
    then.
    """

    mechanism = ""
    mechanisms: ClassVar[Mapping[str, str]] = {
        "login": "PLAIN",
        "steady": "PLAIN",
        "remain": "PLAIN",
        "scram": "SCRAM-SHA-256",
        "oauth": "OAUTHBEARER",
        "gssapi": "GSSAPI",
    }
    user, password = "one,two=three", "four=five,six"
    nonce: str | None = None
    """The nonce of SCRAM; by default a random one for each login."""
    lifetime_s = 0.0
    logged_in_s = 0.0

    def greet(self) -> Course:
        """Ask for the versions, then log in."""
        yield from super().greet()
        if self.mechanism:
            yield from self.log_in()

    def log_in(self) -> Course:
        """Send one token after the other, in requests or, after version 0, as plain frames."""
        version = self.version_of(SASL_HANDSHAKE)
        wanted = {"mechanism": self.mechanism}
        answer = yield from self.ask(SASL_HANDSHAKE, version, wanted)
        self.check(answer["errorCode"], f"the mechanism {self.mechanism}")
        ways = {"PLAIN": self.plain, "OAUTHBEARER": self.oauth, "GSSAPI": self.gssapi}
        tokens = ways.get(self.mechanism, self.scram)()
        token = next(tokens)
        while True:
            said = yield from (self.say(token) if version else self.say_bare(token))
            try:
                token = tokens.send(said)
            except StopIteration:
                return

    def say(self, token: bytes) -> Saying:
        """Send a token in a request, and return the answer's token. Raises Failed."""
        wanted = {"authBytes": base64.b64encode(token).decode()}
        version = self.version_of(SASL_AUTHENTICATE)
        answer = yield from self.ask(SASL_AUTHENTICATE, version, wanted)
        self.check(answer["errorCode"], f"the login of {self.user}")
        self.lifetime_s, self.logged_in_s = answer.get("sessionLifetimeMs", 0) / 1000, 0.0
        return base64.b64decode(answer["authBytes"])

    def say_bare(self, token: bytes) -> Saying:
        """Send a token as a frame of its own, and return the frame that answers it. Raises Lost."""
        yield Send(struct.pack(">i", len(token)) + token)
        self.least_bytes = 0
        received = yield from self.hear()
        self.least_bytes = SIZE_BYTES
        if received.kind != "reply":
            raise Lost(f"{received.kind} instead of a token")
        return received.frame

    def plain(self) -> Tokens:
        """Yield user and password as they are (RFC 4616)."""
        yield f"\0{self.user}\0{self.password}".encode()

    def oauth(self) -> Tokens:
        """Yield an unsigned token, and one byte after an error (RFC 7628, KIP-255)."""
        claims = json.dumps({"sub": self.user, "exp": NEVER_S}).encode()
        parts = (base64.urlsafe_b64encode(each).decode().rstrip("=") for each in (HEAD, claims))
        said = yield f"n,,\1auth=Bearer {'.'.join(parts)}.\1\1".encode()
        if said:
            yield KVSEP
            raise Failed(f"the broker does not take the token: {said.decode('utf-8', 'replace')}")

    def gssapi(self) -> Tokens:
        """Yield a ticket, which is our name, and the choice of no security layer (RFC 4752)."""
        yield self.user.encode()
        offer = yield b""
        if len(offer) != LAYER_BYTES or not offer[0] & NO_LAYER:
            raise Failed("the broker has no connection without a security layer")
        yield bytes([NO_LAYER]) + offer[1:]

    def scram(self) -> Tokens:
        """Yield a proof of the password, and check the broker's (RFC 5802, KIP-84)."""
        from scramp import ScramClient, ScramException  # type: ignore[import-untyped]

        try:
            client = ScramClient([self.mechanism], self.user, self.password, None, self.nonce)
            challenge = yield client.get_client_first().encode()
            client.set_server_first(challenge.decode())
            if not 0 < int(client.iterations) <= MOST_ITERATIONS:
                raise Failed(f"the broker asks for {client.iterations} iterations of SCRAM")
            proof = yield client.get_client_final().encode()
            self.believe(client, proof)
        except (ScramException, ValueError, LookupError) as error:
            raise Failed(f"the broker's part of SCRAM is wrong: {error}") from None

    def believe(self, client: object, proof: bytes) -> None:
        """Check the broker's proof. Raises ValueError and exceptions of scramp."""
        client.set_server_final(proof.decode())  # type: ignore[attr-defined]
