"""Proxies that list all versions of an API and refuse one of them: a row for each API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.brokers.dialogues.talk import api_keys
from conformance.proxies.in_process import OWN
from conformance.reference.proxy.link import Link, api_of
from conformance.reference.proxy.proxy import Proxy
from conformance.reference.proxy.translation import USUAL, known_versions

JUDGED_BY: Mapping[str, str] = {
    "ApiVersions": "proxy-versions.list-readable",
    "SaslAuthenticate": "proxy-security.tokens-pass",
}
"""The rules that judge if requests of these APIs pass; `OTHERS` judges all other APIs."""
OTHERS = "proxy-messages.requests-pass"


class RefusesOneVersion(Proxy):
    """Ends the connection on one version of one API, which it lists."""

    def __init__(self, api_key: int, version: int) -> None:
        super().__init__(OWN, rewrites=USUAL)
        self.refused = api_key, version

    class links(Link):  # noqa: N801
        """A connection that ends there."""

        def request(self, frame: bytes) -> None:
            assert isinstance(self.proxy, RefusesOneVersion)
            self.close() if api_of(frame) == self.proxy.refused else super().request(frame)


def rows() -> Iterator[tuple[str, int, int]]:
    """Yield each API with its key and a version that is neither first nor last, if possible."""
    for api, key in sorted(api_keys().items()):
        if key in known_versions():
            low, high = known_versions()[key]
            yield api, key, (low + high) // 2 + (low + high) % 2
