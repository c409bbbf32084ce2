"""Brokers that delay the very answer that has the throttle time."""

from __future__ import annotations

from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.releases import NAMES


class _WaitsFirst(Session):
    """A connection that keeps throttled answers of one API back."""

    api = ""

    def write_response(self, request: Request, body: Value) -> bytes:
        if NAMES[request.api_key] == self.api:
            self.delay_s = body["throttleTimeMs"] / 1000
        return super().write_response(request, body)


class VersionsToldAfterThrottling(BrokerMutant, breaks="api-versions.answered-before-throttling"):
    """Makes a client that broke its quota wait, and answers its ApiVersions then."""

    class Sessions(_WaitsFirst):
        api = "ApiVersions"


class CoordinatorsToldAfterThrottling(
    BrokerMutant, breaks="coordinators.answered-before-throttling"
):
    """Makes a client that broke its quota wait, and answers its FindCoordinator then."""

    class Sessions(_WaitsFirst):
        api = "FindCoordinator"
