"""Groups that are none of consumers: workers of Kafka Connect have some as well."""

from __future__ import annotations

from typing import ClassVar

from conformance.peers.cluster import Request, Value
from conformance.peers.played import Ranges
from conformance.scenarios import BESIDE, Scenario, ServesLookups
from conformance.scenarios.visit import survives


class GroupOfWorkers(Scenario):
    """Describes each group as one of Kafka Connect's workers."""

    about = "DescribeGroupsRequest"
    action = "groups"
    twin = ServesLookups
    decides: ClassVar = {"client-groups.other-types-survived": survives}

    @classmethod
    def beside(cls) -> Ranges:
        """As where they are looked up."""
        return BESIDE[ServesLookups.about]

    def described_group(self, request: Request, name: str) -> Value:
        """With no member, and a state that it may have."""
        group = super().described_group(request, name)
        return {**group, "groupState": "Empty", "protocolType": "connect"}
