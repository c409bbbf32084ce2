"""A reference broker to log in to, its certificates, and the properties of clients."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import trustme

from conformance.brokers.connection.endpoint import Address, Endpoint, Security
from conformance.reference.broker.broker import Broker, play

USER, PASSWORD = "alice", "s3cr3t,=word"
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")
PATIENCE_S = 5.0


class Authority:
    """Who signs the certificates of a test."""

    def __init__(self) -> None:
        self.ca = trustme.CA()
        self.pem = self.ca.cert_pem.bytes().decode()

    def server(
        self,
        *names: str,
        demands_certificate: bool = False,
        begin: datetime | None = None,
        end: datetime | None = None,
    ) -> ssl.SSLContext:
        """The context of a broker that has a certificate for these names."""
        leaf = self.ca.issue_cert(
            *(names or ("localhost", "127.0.0.1")), not_before=begin, not_after=end
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        leaf.configure_cert(context)
        if demands_certificate:
            self.ca.configure_trust(context)
            context.verify_mode = ssl.CERT_REQUIRED
        return context

    def client(self, folder: Path, name: str = "alice") -> Path:
        """A client's key and certificate, in one file."""
        path = folder / f"{name}.pem"
        leaf = self.ca.issue_cert(common_name=name)
        path.write_bytes(leaf.private_key_and_cert_chain_pem.bytes())
        return path


def broker(**settings: Any) -> Broker:
    return play("newest", users={USER: PASSWORD, "bob": "hers-is-another"}, **settings)


def written(folder: Path, properties: Mapping[str, object]) -> Path:
    """A file of these properties; `_` in a name stands for a dot."""
    path = folder / "client.properties"
    lines = (f"{name.replace('_', '.')}={value}\n" for name, value in properties.items())
    path.write_text("".join(lines), "utf-8")
    return path


def security(folder: Path, **properties: object) -> Security:
    return Security.read(written(folder, properties))


def trusting(ca: str) -> dict[str, object]:
    """The properties of a client that speaks TLS, and trusts this authority."""
    trusted = ca.replace("\n", "\\n")
    return {"security_protocol": "SSL", "ssl_truststore_certificates": trusted}


def login(folder: Path, mechanism: str, ca: str = "", **more: object) -> Security:
    """Log in by a mechanism, through TLS where an authority is given."""
    protocol = "SASL_SSL" if ca else "SASL_PLAINTEXT"
    module = f'Module required username="{USER}" password="{PASSWORD}";'
    if mechanism == "OAUTHBEARER":
        module = f'Module required unsecuredLoginStringClaim_sub="{USER}";'
    properties = trusting(ca) if ca else {}
    properties |= {"security_protocol": protocol, "sasl_mechanism": mechanism}
    return security(folder, **{**properties, "sasl_jaas_config": module, **more})


def reached(port: int, login: Security | None = None, other: Security | None = None) -> Endpoint:
    return Endpoint(Address("127.0.0.1", port), PATIENCE_S, login, other)


@contextmanager
def listening(
    tls: ssl.SSLContext | None, answer: Callable[[socket.socket], object]
) -> Iterator[int]:
    """The port of a server of one thread that does this with each connection, once TLS is on."""
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(0.05)
    ended = threading.Event()

    def serve() -> None:
        while not ended.is_set():
            with suppress(OSError):
                raw, _ = server.accept()
                raw.settimeout(PATIENCE_S)
                with raw, tls.wrap_socket(raw, server_side=True) if tls else raw as peer:
                    answer(peer)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield int(server.getsockname()[1])
    finally:
        ended.set()
        thread.join()
        server.close()
