"""Groups that are none of consumers: workers of Kafka Connect have some as well."""

from __future__ import annotations

from typing import ClassVar

from conformance.clients.scenarios.actions import BESIDE
from conformance.clients.scenarios.plain_brokers import ServesLookups
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import survives
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.releases import Ranges


class GroupOfWorkers(Scenario):
    """Describes each group as one of Kafka Connect's workers."""

    about = "DescribeGroupsRequest"
    action = "groups"
    control_case = ServesLookups
    decides: ClassVar = {"client-groups.other-types-survived": survives}

    @classmethod
    def beside(cls) -> Ranges:
        """Return the versions served where groups are looked up."""
        return BESIDE[ServesLookups.about]

    def described_group(self, request: Request, name: str) -> Value:
        """Return a group of another protocol, without members."""
        group = super().described_group(request, name)
        return {**group, "groupState": "Empty", "protocolType": "connect"}
