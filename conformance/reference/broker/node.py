"""A broker as its connections see it."""

from __future__ import annotations

from abc import abstractmethod

from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.api_versions import ApiVersions
from conformance.reference.codec import PlainCodec


class Node(ApiVersions):
    """What a session asks of its broker, beside what the cluster holds."""

    reads: PlainCodec
    writes: PlainCodec

    @abstractmethod
    def handle(self, request: Request) -> Value:
        """The body of the answer. Raises Hangup where there is none."""

    @abstractmethod
    def throttled(self, request: Request, body: Value) -> Value:
        """The answer, which tells the client to wait where it broke a quota."""

    @abstractmethod
    def fetch_delay_s(self, request: Request, body: Value) -> float:
        """How long the answer to a Fetch is held back, in seconds."""
