"""The cluster behind a proxy: three brokers, and which requests are a dialogue's own."""

from __future__ import annotations

from typing import Any

from conformance.reference.broker.broker import Broker
from conformance.reference.proxy.translation import known_versions

BROKERS = {1: ("broker-1.upstream", 9092), 2: ("broker-2.upstream", 9092), 3: ("::1", 9094)}
"""The addresses of the brokers where nobody listens."""
_CLIENT_ID = 10
"""Where the client id begins in a request without its length, whatever the header's version."""


def is_ours(frame: bytes, prefix: str) -> bool:
    """Whether a request is a dialogue's: its client id begins as all our names do."""
    return frame[_CLIENT_ID:].startswith(prefix.encode())


class UpstreamBroker(Broker):
    """A broker that lists all APIs of the newest release.

    What a proxy asks by itself it answers as the reference broker does; requests of dialogues are
    answered by these.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(known_versions(), **settings)
