"""ElectLeaders (KIP-183, KIP-460): the leader of a partition is elected as soon as it is asked for.

No replica ever lags, so each election of a partition that exists succeeds.
"""

from __future__ import annotations

from conformance import error_codes
from conformance.reference.broker.admin.access import ALTER
from conformance.reference.broker.admin.metadata import Metadata
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.errors import Refused


class Elections(Metadata):
    """The handler of ElectLeaders."""

    def elect_leaders(self, request: Request) -> Value:
        """Return one result for each partition; from v1 on a general error has its own field."""
        refused = Refused(error_codes.NONE)
        try:
            self.check_controller()
            if not self.may_cluster(request, ALTER):
                raise Refused(error_codes.CLUSTER_AUTHORIZATION_FAILED, "Not authorized.")
        except Refused as why:
            refused = why
        asked = request.value["topicPartitions"]
        wanted = self.all_partitions() if asked is None else asked
        results = [
            {
                "topic": each["topic"],
                "partitionResult": [
                    self.elected(each["topic"], index, refused) for index in each["partitions"]
                ],
            }
            for each in wanted
        ]
        whole = {"errorCode": refused.code} if request.version else {}
        return {"throttleTimeMs": 0, **whole, "replicaElectionResults": results}

    def all_partitions(self) -> list[Value]:
        """Return all partitions, which null asks for."""
        return [
            {"topic": name, "partitions": list(range(len(topic.replicas)))}
            for name, topic in self.topics.items()
        ]

    def elected(self, name: str, index: int, refused: Refused) -> Value:
        """Return the result of the election of one partition."""
        if not refused.code and not self.has_partition(name, index):
            refused = Refused(error_codes.UNKNOWN_TOPIC_OR_PARTITION, "There is no such partition.")
        return {"partitionId": index, "errorCode": refused.code, "errorMessage": refused.message}

    def has_partition(self, name: str, index: int) -> bool:
        """True if this partition exists."""
        return name in self.topics and 0 <= index < len(self.topics[name].replicas)
