"""The properties of a `--config` file: those that are used here, and those of other clients.

An unknown name is an error, since a slip in `security.protocol` would have a broker judged by a
client that is not logged in. Properties of other clients are skipped, and listed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from importlib.resources import files

READ = frozenset(
    {
        "enable.ssl.certificate.verification",
        "sasl.jaas.config",
        "sasl.mechanism",
        "sasl.mechanisms",
        "sasl.oauthbearer.token",
        "sasl.password",
        "sasl.username",
        "security.protocol",
        "ssl.ca.location",
        "ssl.ca.pem",
        "ssl.certificate.location",
        "ssl.certificate.pem",
        "ssl.endpoint.identification.algorithm",
        "ssl.key.location",
        "ssl.key.password",
        "ssl.key.pem",
        "ssl.keystore.certificate.chain",
        "ssl.keystore.key",
        "ssl.keystore.location",
        "ssl.keystore.password",
        "ssl.keystore.type",
        "ssl.truststore.certificates",
        "ssl.truststore.location",
        "ssl.truststore.password",
        "ssl.truststore.type",
    }
)
"""The names that decide how a broker is connected to."""
ADDRESS = frozenset({"bootstrap.servers", "metadata.broker.list"})
"""The names for the broker's address, which is an argument here."""
_PROVIDERS = "config.providers."


@cache
def known() -> frozenset[str]:
    """Return every name that a client of Kafka takes, and ours."""
    tables = tomllib.loads((files(__package__) / "client_keys.toml").read_text("utf-8"))
    return READ.union(*tables.values())


def unknown(names: Iterable[str]) -> list[str]:
    """The names that no client knows."""
    return [name for name in names if name not in known() and not name.startswith(_PROVIDERS)]


def meaningless(names: Iterable[str]) -> list[str]:
    """The names that some client knows, and that say nothing of how to connect."""
    there = set(names) - READ - ADDRESS
    return sorted(there.difference(unknown(there)))


def meant(name: str) -> str:
    """Return the known name nearest to an unknown one, "" if none is near."""
    for names in (READ, known()):
        if near := get_close_matches(name, names, n=1, cutoff=0.8):
            return near[0]
    return ""
