"""The interface of a broker to its connections."""

from __future__ import annotations

from abc import abstractmethod

from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.api_versions import ApiVersions
from conformance.reference.codec import PlainCodec


class Node(ApiVersions):
    """The methods of a broker that a session needs, beside the cluster's state."""

    reads: PlainCodec
    writes: PlainCodec

    @abstractmethod
    def handle(self, request: Request) -> Value:
        """Return the body of the answer. Raises Hangup for no answer."""

    @abstractmethod
    def throttled(self, request: Request, body: Value) -> Value:
        """Return the answer, with a throttle time if the client broke a quota."""

    @abstractmethod
    def fetch_delay_s(self, request: Request, body: Value) -> float:
        """Return the seconds that the answer to a Fetch is held back."""
