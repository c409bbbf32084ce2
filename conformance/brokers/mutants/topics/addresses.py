"""Addresses in answers where no broker is."""

from __future__ import annotations

from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.cluster import Request, Value

_ELSEWHERE = 1
"""A port where nothing answers."""


class OtherPortListed(BrokerMutant, breaks="metadata.listed-address-answers"):
    """Lists itself at a port that is fixed in its source, whatever port it listens at."""

    implies = ("coordinators.type-by-version",)

    def brokers(self) -> list[Value]:
        return [{**each, "port": _ELSEWHERE} for each in super().brokers()]


class CoordinatorAtOtherPort(BrokerMutant, breaks="metadata.listed-address-answers"):
    """Names a coordinator at a port where nothing answers, and lists itself at the right one."""

    implies = ("coordinators.type-by-version",)

    def coordinator(self, request: Request, key: str) -> Value:
        found = super().coordinator(request, key)
        return found if found["errorCode"] else {**found, "port": _ELSEWHERE}
