"""An endpoint that speaks Kafka's protocol, reached over TCP: raw connections, and no client.

What it is asked first is ApiVersions, in plaintext or through TLS, before anybody logs in. A port
that speaks another protocol instead, TLS or HTTP, is no broker; one that answers wrongly, or not at
all, is a broker that is judged, and `brokers.guessing` finds out what it can be asked.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from typing import Self

from conformance.api_keys import SASL_AUTHENTICATE, SASL_HANDSHAKE
from conformance.brokers.connection.address import Address, BadAddress, Unreachable
from conformance.brokers.connection.connection import MAX_FRAME_BYTES, Connection
from conformance.brokers.connection.greeting import (
    GREETING,
    METADATA,
    Greeting,
    answers_greeting,
    greeting_in,
)
from conformance.brokers.connection.login import LoginFailed, connected, offered
from conformance.brokers.connection.security import Security
from conformance.brokers.connection.security_properties import BadSecurity
from conformance.brokers.connection.security_tls import (
    PROBE_S,
    TlsFailed,
    asks_for_certificate,
    certificate_refused,
    speaks_tls,
)
from conformance.dialogue import Received, Who
from conformance.errors import UNREACHABLE
from conformance.schema.releases import definitions
from conformance.targets.errors import TargetError
from conformance.testee_protocol import Hello, Outcome, Request, Support
from conformance.waiting import waiting

__all__ = [
    "MAX_FRAME_BYTES",
    "Address",
    "BadAddress",
    "BadSecurity",
    "Connection",
    "Endpoint",
    "LoginFailed",
    "NoBroker",
    "Security",
    "TlsFailed",
    "Unreachable",
]

_HTTP = b"HTTP/"
_ALERT = b"\x15\x03"
"""The first bytes of a TLS alert: its type, and the major version."""
_LOGIN_VERSIONS = {SASL_HANDSHAKE: (0, 1), SASL_AUTHENTICATE: (0, 2)}
"""The versions for a login with a broker that lists none."""


class NoBroker(TargetError):
    """Something answers, and it is no Kafka broker."""

    exit_code = UNREACHABLE


class Endpoint:
    """A broker at an address, and the logins for it.

    Each principal is logged in once to begin with. Raises Unreachable, TlsFailed and LoginFailed,
    and NoBroker if another protocol answers. `advertised` are the versions of each api key that it
    advertises, and `greeting` is its answer that lists them. `served` is the API and version of a
    request that it answers, None if no such request is known. `prefix` begins the names that this
    run makes up. `nodes` are the addresses of its cluster's brokers by id, as far as they are
    known. `session_lifetime_ms` is the lifetime of a login, 0 if the broker does not state one.
    """

    def __init__(
        self,
        address: Address,
        timeout_s: float,
        login: Security | None = None,
        other: Security | None = None,
    ) -> None:
        self.address = address
        self.timeout_s = timeout_s
        self.nodes: dict[int, Address] = {}
        self.session_lifetime_ms = 0
        self.notes = [each.note for each in (login, other) if each is not None and each.note]
        self.prefix = f"kafka-conformance-{secrets.token_hex(4)}-"
        self._login = login
        self._other = other
        self.served: tuple[str, int] | None = ("ApiVersions", 0)
        with waiting(f"waiting for an answer of {address}, {timeout_s:g} s at most"):
            self.greeting = self._introduced()
            self.advertised = dict(self.greeting.advertised)
            if self.greeting.wrong and not self.advertised and self.authenticates:
                self.advertised = dict(_LOGIN_VERSIONS)
            self._check_logins()
        if self.greeting.wrong:
            self.notes.append(
                f"{address} does not answer the first request, ApiVersions v0, as a broker does: "
                f"{self.greeting.wrong}. What it serves is guessed. Is it a Kafka listener?"
                + asks_for_certificate(login)
            )

    @property
    def hello(self) -> Hello:
        """Return the versions it advertises, or those found to be served if it advertises none."""
        messages = _supported(self.advertised)
        return Hello(name=str(self.address), version="", ops=frozenset(), messages=messages)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def authenticates(self) -> bool:
        """True if a connection has to log in before it is served."""
        return self._login is not None and bool(self._login.mechanism)

    @property
    def mechanism(self) -> str:
        """The mechanism by which this principal logs in, empty where it does not."""
        return self._login.mechanism if self._login is not None else ""

    @property
    def other_principal(self) -> str:
        """Return the second principal as ACLs name it; empty without one, or if it is not known."""
        return self._other.principal if self._other is not None else ""

    def connect(self, who: Who = "self", node: int | None = None) -> Connection:
        """A fresh connection of this principal, to a broker of `nodes` where one is named.

        Raises Unreachable, TlsFailed and LoginFailed.
        """
        security = self._other if who == "other" else self._login
        if who == "other" and security is None:
            raise BadSecurity("there is no second principal", "name its properties as well")
        if node is not None and node not in self.nodes:
            raise Unreachable(f"no address of broker {node} is known", "is it in the cluster?")
        address = self.address if node is None else self.nodes[node]
        advertised = None if who == "nobody" else self.advertised
        return connected(address, self.timeout_s, security, advertised)

    def follow(self, host: str, port: int) -> Connection:
        """A fresh connection of this principal to an address that an answer has.

        Raises Unreachable, TlsFailed and LoginFailed.
        """
        return connected(Address(host, port), self.timeout_s, self._login, self.advertised)

    def ask(self, requests: Iterable[Request]) -> Iterator[Outcome]:
        """A broker is no codec: nothing can be asked of it so."""
        raise NotImplementedError

    def close(self) -> None:
        """Do nothing: no connection stays open between dialogues."""

    def _introduced(self) -> Greeting:
        """Return its answer to the one request that every broker since 0.10 understands."""
        with self.connect("nobody") as line:
            line.send(GREETING)
            received = line.hear()
        greeting = greeting_in(received)
        if greeting.wrong and not answers_greeting(received.frame):
            stranger = self._stranger(line, received)
            if stranger is not None:
                raise stranger
        return greeting

    def _check_logins(self) -> None:
        """Check that all principals can log in, and that one does if the broker demands it."""
        if self.authenticates:
            with self.connect("self") as line:
                self.session_lifetime_ms = line.lifetime_ms
        else:
            self._check_open()
        if self._other is not None:
            self.connect("other").close()

    def _check_open(self) -> None:
        with self.connect("nobody") as line:
            mechanisms = offered(line, self.address, self.advertised)
        if mechanisms and not self._serves_anybody():
            raise LoginFailed(
                f"{self.address} demands a login: it offers SASL {', '.join(mechanisms)}",
                "name a client's properties with security.protocol, sasl.mechanism and credentials",
            )

    def _serves_anybody(self) -> bool:
        """True if a client without login is answered: not all brokers that offer SASL demand it."""
        with self.connect("nobody") as line:
            line.send(METADATA)
            return line.hear().kind == "reply"

    def _stranger(self, line: Connection, received: Received) -> TargetError | None:
        """Return an error that names the protocol spoken here instead, None if nothing shows it."""
        http = NoBroker(
            f"{self.address} answers HTTP, and not Kafka's protocol",
            "give the address of a Kafka listener, often port 9092",
        )
        if received.frame.startswith(_HTTP):
            return http
        if self._login is not None and self._login.tls is not None:
            refused = certificate_refused(self.address, self._login, line.failure)
            if refused or (refused := self._refused_afterwards()):
                return refused
        elif received.frame.startswith(_ALERT) or speaks_tls(self.address, self.timeout_s):
            return NoBroker(
                f"{self.address} looks like TLS: plaintext is not answered there",
                "name a client's properties with security.protocol=SSL or SASL_SSL",
            )
        return http if received.kind != "reply" and self._speaks_http() else None

    def _refused_afterwards(self) -> TlsFailed | None:
        """Return the TLS error that a mere listener gets: a reset may hide it from a writer."""
        try:
            with self.connect("nobody") as line:
                line.hear(min(self.timeout_s, PROBE_S))
        except TlsFailed as error:
            return error
        except TargetError:
            return None
        return certificate_refused(self.address, self._login, line.failure)

    def _speaks_http(self) -> bool:
        try:
            with self.connect("nobody") as line:
                line.send(b"GET / HTTP/1.0\r\n\r\n")
                return line.hear(min(self.timeout_s, PROBE_S)).frame.startswith(_HTTP)
        except TargetError:
            return False


def _supported(advertised: Mapping[int, tuple[int, int]]) -> dict[str, Support]:
    """The advertised versions by the names of the requests, or their keys where they have none."""
    names = definitions().requests
    return {
        names.get(key, f"api key {key}"): Support((versions,), frozenset({"exchange"}))
        for key, versions in sorted(advertised.items())
    }
