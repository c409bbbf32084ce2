"""The security of both ends of a proxy: from the named files, or made for our own proxy.

Our own proxy that demands TLS and a login is given a key, and so are the brokers behind it, by an
authority that nothing outside this run trusts.
"""

from __future__ import annotations

import ssl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from conformance.brokers.connection.certificates import issue
from conformance.brokers.connection.security import Security, listener
from conformance.proxies.mutants import proxy_mutants
from conformance.proxies.mutants.mutant import USERS
from conformance.proxies.place import ProxyPlace
from conformance.reference.proxy.server import Tls

SECURED = "secured-reference"
MUTANT = "mutant:"
_HOSTS = ("127.0.0.1", "localhost")
[(_USER, _PASSWORD)] = USERS.items()


@dataclass(frozen=True)
class Secured:
    """The login in front of a proxy, the TLS of the brokers behind it, and our own proxy's TLS."""

    login: Security | None = None
    upstream: ssl.SSLContext | None = field(default=None, repr=False)
    proxy: Tls = field(default=(None, None), repr=False)


@contextmanager
def secured(place: ProxyPlace) -> Iterator[Secured]:
    """Yield the security of this proxy's ends. Raises BadSecurity."""
    mutant = proxy_mutants().get(place.start.removeprefix(MUTANT))
    if place.start == SECURED:
        with tempfile.TemporaryDirectory(prefix="kafka-conformance-") as folder:
            yield _our_own(Path(folder) / "keys")
    elif mutant is not None and mutant.users_of and place.start.startswith(MUTANT):
        yield Secured(Security(mechanism="PLAIN", username=_USER, password=_PASSWORD))
    else:
        behind = place.upstream_config
        yield Secured(
            Security.read(Path(place.config)) if place.config else None,
            listener(Path(behind)) if behind else None,
        )


def _our_own(folder: Path) -> Secured:
    """Return TLS on both sides, and a login by SCRAM."""
    made = issue(folder, _HOSTS, ())
    trusting = ssl.create_default_context(cafile=str(made.authority))
    trusting.verify_flags &= ~ssl.VERIFY_X509_STRICT
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(made.broker)
    login = Security(trusting, None, "SCRAM-SHA-256", _USER, _PASSWORD)
    return Secured(login, serving, (serving, trusting))
