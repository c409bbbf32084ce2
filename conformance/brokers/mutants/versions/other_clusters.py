"""ApiVersions: clients of another cluster or node that stay, and our own that are sent away."""

from __future__ import annotations

from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.error_codes import INVALID_REQUEST, NONE, REBOOTSTRAP_REQUIRED
from conformance.reference.broker.cluster import Request, Value


class OtherClusterServed(BrokerMutant):
    """Serves who looks for another cluster."""

    breaks = "api-versions.other-cluster-sent-back"

    def meant_for_us(self, value: Value) -> bool:
        return super().meant_for_us({**value, "clusterId": None})


class OtherNodeServed(BrokerMutant):
    """Serves who looks for another node."""

    breaks = "api-versions.other-cluster-sent-back"

    def meant_for_us(self, value: Value) -> bool:
        return super().meant_for_us({**value, "nodeId": -1})


class NoClusterSentBack(BrokerMutant):
    """Sends back who names no cluster."""

    breaks = "api-versions.other-cluster-sent-back"

    def meant_for_us(self, value: Value) -> bool:
        return value["clusterId"] is not None and super().meant_for_us(value)


class OtherClusterIsInvalid(BrokerMutant):
    """Answers who looks for another cluster with INVALID_REQUEST."""

    breaks = "api-versions.other-cluster-sent-back"

    def api_versions_error(self, request: Request) -> int:
        code = super().api_versions_error(request)
        return INVALID_REQUEST if code == REBOOTSTRAP_REQUIRED else code


class HalfNamedClusterServed(BrokerMutant):
    """Serves who names a cluster and no node, or a node and no cluster."""

    breaks = "api-versions.half-named-cluster-refused"

    def api_versions_error(self, request: Request) -> int:
        half = request.version >= 5 and self.is_half_named(request.value)
        return NONE if half else super().api_versions_error(request)


class HalfNamedClusterSentBack(BrokerMutant):
    """Sends back who names another cluster and no node, or another node and no cluster."""

    breaks = "api-versions.half-named-cluster-refused"

    def is_half_named(self, value: Value) -> bool:
        return False
