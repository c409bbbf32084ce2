"""A proxy as the target of a run: reached over TCP, with the brokers that we play behind it."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from typing import Self

from conformance.brokers.connection.address import Address
from conformance.brokers.connection.connection import Connection
from conformance.brokers.connection.endpoint import NoBroker
from conformance.brokers.connection.greeting import GREETING, advertised_in
from conformance.brokers.connection.login import connected
from conformance.brokers.connection.security_tls import speaks_tls
from conformance.dialogue import Who
from conformance.errors import UNREACHABLE
from conformance.proxies.place import ProxyPlace
from conformance.proxies.security import secured
from conformance.proxies.started import Started, started
from conformance.proxies.upstream import UpstreamServer
from conformance.reference.proxy.translation import CLIENT_IDS
from conformance.targets.errors import TargetError
from conformance.targets.registry import PROXIES, started_as
from conformance.testee_protocol import Hello, Outcome, Request, Support
from conformance.waiting import waiting


class PortInUse(TargetError):
    """A port in use by another program where the proxy expects its broker."""

    exit_code = UNREACHABLE


class ProxyEndpoint:
    """A proxy, and both its ends.

    Raises TargetError if it can't be started or reached, or if no broker answers through it.
    """

    def __init__(self, place: ProxyPlace, timeout_s: float) -> None:
        self.place = place
        self.timeout_s = timeout_s
        self.notes: list[str] = []
        self.prefix = f"kafka-conformance-{secrets.token_hex(4)}-"
        self._kept = ExitStack()
        try:
            self.secured = self._kept.enter_context(secured(place))
            self.upstream = self._kept.enter_context(self._upstream())
            self.control: Started | None = None
            self.address = self._reached()
            self.advertised = self._introduced()
            self.connect().close()  # raises if a login fails
        except BaseException:
            self._kept.close()
            raise
        name, version = started_as(place.start, PROXIES)
        self.hello = Hello(
            name=name or str(self.address),
            version=version,
            ops=frozenset(),
            messages={"ApiVersionsRequest": Support(((0, 0),), frozenset({"exchange"}))},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def connect(self, who: Who = "self", node: int | None = None) -> Connection:
        """Return a fresh connection to the address that clients are given.

        Raises Unreachable, TlsFailed and LoginFailed.
        """
        del node
        return self._connected(self.address, who)

    def follow(self, host: str, port: int) -> Connection:
        """Return a connection to an address from an answer. Raises Unreachable."""
        return self._connected(Address(host, port))

    def _connected(self, address: Address, who: Who = "self") -> Connection:
        advertised = None if who == "nobody" else self.advertised
        return connected(address, self.timeout_s, self.secured.login, advertised)

    def ask(self, requests: Iterable[Request]) -> Iterator[Outcome]:
        """Raise NotImplementedError: a proxy is no codec."""
        raise NotImplementedError

    def close(self) -> None:
        """End the proxy, if we started it, and the brokers behind it."""
        self._kept.close()

    def _upstream(self) -> UpstreamServer:
        port = self.place.upstream_port
        try:
            return UpstreamServer(
                self.prefix,
                self.timeout_s,
                port,
                tls=self.secured.upstream,
                renames=CLIENT_IDS in self.place.rewrites,
            )
        except OSError as error:
            raise PortInUse(
                f"127.0.0.1:{port}: {error.strerror}",
                "the suite plays the broker there: name a port that is free",
            ) from None

    def _reached(self) -> Address:
        if self.place.address:
            return Address.parse(self.place.address)
        self.control = self._kept.enter_context(
            started(self.place, self.upstream.brokers, self.secured.proxy)
        )
        return self.control.address

    def _introduced(self) -> Mapping[int, tuple[int, int]]:
        """Return the versions that it lists, asked as any client does: that takes both its ends."""
        with waiting(f"waiting for an answer of {self.address}, {self.timeout_s:g} s at most"):
            with self.connect("nobody") as line:
                line.send(GREETING)
                received = line.hear()
            advertised = advertised_in(received.frame) if received.kind == "reply" else {}
        if not advertised:
            where = ", ".join(f"{host}:{port}" for host, port in self.upstream.brokers.values())
            remedy = self._what_is_missing() or (
                f"does it forward to 127.0.0.1:{self.upstream.brokers[1][1]}, where the suite "
                f"plays the broker? (the brokers are {where})"
            )
            raise NoBroker(f"nobody answers ApiVersions v0 through {self.address}", remedy)
        return advertised

    def _what_is_missing(self) -> str:
        """Return a hint on security if one end speaks TLS and the other side plaintext, else ""."""
        if self.upstream.tls_came:
            return "it speaks TLS to the broker: name --upstream-config with a certificate"
        if self.secured.login is None and speaks_tls(self.address, self.timeout_s):
            return "it speaks TLS to clients: name --config with security.protocol=SSL or SASL_SSL"
        return ""
