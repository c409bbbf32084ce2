"""The replicas of a partition, as reported to the application: a driver may print their ids."""

from __future__ import annotations

from typing import ClassVar

from conformance.clients.scenarios.actions import FIRST
from conformance.clients.scenarios.judging import where_asked
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit, succeeds
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.broker.cluster import Value

GONE = 9
ALL_SINCE = range(1, 100)
"""Version 0 of Metadata names no replica whose broker is not there."""


def each_told(visit: Visit) -> None:
    """Judge that the driver prints the ids of both replicas."""
    succeeds(visit)
    told, wanted = visit.ended.text.split(), [str(FIRST), str(GONE)]
    if not told:
        raise NotApplicable("the driver does not tell of the replicas")
    if sorted(told) != wanted:
        what = f"it tells the replicas {', '.join(told)}, and they are {', '.join(wanted)}"
        raise Broken(what, " ".join(wanted), " ".join(told))


class ReplicaGone(Scenario):
    """Tells of a partition of which a broker that is not there now holds a replica."""

    about = "MetadataRequest"
    action = "describe"
    decides: ClassVar = {
        "client-answers.replicas-told": where_asked("Metadata", each_told, ALL_SINCE)
    }

    def described_partition(self, index: int, replicas: list[int]) -> Value:
        return super().described_partition(index, [*replicas, GONE])
