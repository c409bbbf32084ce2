"""Two partitions that are read at once, each led by a broker of its own."""

from __future__ import annotations

from typing import ClassVar

from conformance.clients.scenarios.actions import OTHER
from conformance.clients.scenarios.plain_brokers import ServesPauses
from conformance.clients.scenarios.records.leaders import (
    EACH_ITS_OWN,
    HalfOfIt,
    asks_once_for_offsets,
)
from conformance.clients.scenarios.records.logs import SECOND
from conformance.reference.broker.cluster import Request, Value


class _Leader(ServesPauses, HalfOfIt, is_known=False):
    """Leads one of two partitions that both hold records."""

    halved = OTHER

    def coordinator(self, request: Request, key: str) -> Value:
        """The first broker, whichever is asked."""
        home = self.company[0]
        found = super().coordinator(request, key)
        return {**found, "nodeId": home.node_id, "host": home.host, "port": home.port}


class LeaderOfOneOfBoth(_Leader):
    """Leads one of two partitions that are read at once, and another broker the other one."""

    about = "ListOffsetsRequest"
    others: ClassVar = {SECOND: _Leader}
    decides: ClassVar = {
        **EACH_ITS_OWN,
        "client-requests.offsets-asked-once": asks_once_for_offsets,
    }
