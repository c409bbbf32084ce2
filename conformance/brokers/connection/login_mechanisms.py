"""The client's side of the SASL mechanisms: its tokens, and the answers that it expects.

A mechanism is a generator: it yields tokens, is sent the broker's answer to each, and is done when
it ends. It raises Distrusted on an answer that can't be right.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping

from conformance.brokers.connection.security import MECHANISMS, OAUTHBEARER, Security

Tokens = Generator[bytes, bytes, None]
MOST_ITERATIONS = 1_000_000
"""The most iterations of SCRAM's key derivation, so that a broker can't make it take hours; Kafka
allows at most 16384.
"""


class Distrusted(Exception):
    """The broker does not prove that it knows the password, or speaks no SASL; says which."""


def tokens_of(security: Security) -> Tokens:
    """A fresh exchange by the mechanism of this principal."""
    return _MECHANISMS[security.mechanism](security)


def plain(security: Security) -> Tokens:
    """Yield user and password in plain text (RFC 4616)."""
    yield f"\0{security.username}\0{security.password}".encode()


def scram(security: Security) -> Tokens:
    """Yield the client's messages of SCRAM; check that the broker knows the password, too.

    RFC 5802 and KIP-84 say how. Raises Distrusted.
    """
    from scramp import ScramClient, ScramException  # type: ignore[import-untyped]

    try:
        client = ScramClient([security.mechanism], security.username, security.password)
        challenge = yield client.get_client_first().encode()
        client.set_server_first(challenge.decode())
        if int(client.iterations) > MOST_ITERATIONS:
            raise Distrusted(f"it asks for {client.iterations} iterations of SCRAM")
        signature = yield client.get_client_final().encode()
        client.set_server_final(signature.decode())
    except (ScramException, ValueError) as error:
        said = error.args[0] if isinstance(error, ScramException) else "it is no SCRAM"
        raise Distrusted(f"its part of SCRAM is wrong: {said}") from None


def oauthbearer(security: Security) -> Tokens:
    """Yield the token; its error is sent before the refusal itself (RFC 7628, KIP-255)."""
    refusal = yield f"n,,\1auth=Bearer {security.password}\1\1".encode()
    if refusal:
        yield b"\1"
        raise Distrusted("it tells what is wrong with the token, and takes it")


_MECHANISMS: Mapping[str, Callable[[Security], Tokens]] = {
    **dict.fromkeys(MECHANISMS, scram),
    "PLAIN": plain,
    OAUTHBEARER: oauthbearer,
}
