"""Certificates for a started broker: an authority of its own, the broker's key, one a client.

They come from trustme, so nothing outside this run trusts them. Kafka reads a private key in PEM
only as PKCS #8, which is not what trustme writes. All files are for the owner's eyes only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.targets.private import make_folder, write_private

if TYPE_CHECKING:
    import trustme


@dataclass(frozen=True)
class Certificates:
    """PEM files: the authority's certificate, and keys each followed by its certificate."""

    authority: Path
    broker: Path
    clients: Mapping[str, Path]


def issue(folder: Path, hosts: Iterable[str], clients: Iterable[str]) -> Certificates:
    """Certificates for a broker that is reached as `hosts`, and of clients by their common names.

    `folder` is made for them.
    """
    import trustme

    make_folder(folder)
    authority = trustme.CA()
    return Certificates(
        write_private(folder / "ca.pem", authority.cert_pem.bytes()),
        write_private(folder / "broker.pem", _key_and_chain(authority.issue_cert(*hosts))),
        {name: write_private(folder / f"{name}.pem", _client(authority, name)) for name in clients},
    )


def _client(authority: trustme.CA, name: str) -> bytes:
    """Return a client's certificate and key.

    It has its name twice: Java refuses a certificate without a subject alternative name.
    """
    return _key_and_chain(authority.issue_cert(name, common_name=name))


def _key_and_chain(leaf: trustme.LeafCert) -> bytes:
    from cryptography.hazmat.primitives import serialization

    key = serialization.load_pem_private_key(leaf.private_key_pem.bytes(), password=None)
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ) + b"".join(each.bytes() for each in leaf.cert_chain_pems)
