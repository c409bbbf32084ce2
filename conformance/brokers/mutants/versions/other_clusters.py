"""ApiVersions: clients of another cluster or node that stay, and our own that are sent away."""

from __future__ import annotations

from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.error_codes import INVALID_REQUEST, NONE, REBOOTSTRAP_REQUIRED
from conformance.reference.broker.cluster import Request, Value


class OtherClusterServed(BrokerMutant, breaks="api-versions.other-cluster-sent-back"):
    """Serves who looks for another cluster."""

    def meant_for_us(self, value: Value) -> bool:
        return super().meant_for_us({**value, "clusterId": None})


class OtherNodeServed(BrokerMutant, breaks="api-versions.other-cluster-sent-back"):
    """Serves who looks for another node."""

    def meant_for_us(self, value: Value) -> bool:
        return super().meant_for_us({**value, "nodeId": -1})


class NoClusterSentBack(BrokerMutant, breaks="api-versions.other-cluster-sent-back"):
    """Sends back who names no cluster."""

    def meant_for_us(self, value: Value) -> bool:
        return value["clusterId"] is not None and super().meant_for_us(value)


class OtherClusterIsInvalid(BrokerMutant, breaks="api-versions.other-cluster-sent-back"):
    """Answers who looks for another cluster with INVALID_REQUEST."""

    def api_versions_error(self, request: Request) -> int:
        code = super().api_versions_error(request)
        return INVALID_REQUEST if code == REBOOTSTRAP_REQUIRED else code


class HalfNamedClusterServed(BrokerMutant, breaks="api-versions.half-named-cluster-refused"):
    """Serves who names a cluster and no node, or a node and no cluster."""

    def api_versions_error(self, request: Request) -> int:
        half = request.version >= 5 and self.is_half_named(request.value)
        return NONE if half else super().api_versions_error(request)


class HalfNamedClusterSentBack(BrokerMutant, breaks="api-versions.half-named-cluster-refused"):
    """Sends back who names another cluster and no node, or another node and no cluster."""

    def is_half_named(self, value: Value) -> bool:
        return False
