"""The cluster behind a proxy: three brokers, and which requests are a dialogue's own."""

from __future__ import annotations

from functools import cache
from typing import Any

from conformance.reference.broker.broker import Broker
from conformance.reference.broker.releases import Ranges
from conformance.reference.proxy.translation import known_versions

BROKERS = {node: (f"broker-{node}.upstream", 9092) for node in (1, 2, 3)}
"""The addresses of the brokers where nobody listens."""
_CLIENT_ID = 10
"""Where the client id begins in a request without its length, whatever the header's version."""


def is_ours(frame: bytes, prefix: str, *, begun: bool) -> bool:
    """Whether a frame is a dialogue's: its client id begins as all our names do.

    On a connection that a dialogue has begun, so is what is no request of a known API: a token.
    """
    if frame[_CLIENT_ID:].startswith(prefix.encode()):
        return True
    return begun and int.from_bytes(frame[:2], "big") not in _known()


@cache
def _known() -> Ranges:
    return known_versions()


class UpstreamBroker(Broker):
    """A broker that lists all APIs of the newest release.

    What a proxy asks by itself it answers as the reference broker does; requests of dialogues are
    answered by these.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(_known(), **settings)
