"""DescribeLogDirs (KIP-113, KIP-827): a broker's only log dir, and the logs of each topic in it."""

from __future__ import annotations

from conformance import error_codes
from conformance.reference.broker.admin.access import DESCRIBE, Access
from conformance.reference.broker.cluster import Request, Topic, Value

LOG_DIR = "/var/lib/kafka"
TOTAL_BYTES, USABLE_BYTES, LOG_BYTES = 1 << 40, 1 << 39, 1 << 20


class LogDirs(Access):
    """The handler of DescribeLogDirs."""

    def describe_log_dirs(self, request: Request) -> Value:
        """Return the one log dir, with the topics asked for, or all."""
        answer: Value = {"throttleTimeMs": 0, "errorCode": error_codes.NONE, "results": []}
        if not self.may_cluster(request, DESCRIBE):
            return {**answer, "errorCode": error_codes.CLUSTER_AUTHORIZATION_FAILED}
        log_dir = {
            "errorCode": error_codes.NONE,
            "logDir": LOG_DIR,
            "topics": self.topics_in_dir(request.value["topics"]),
            "totalBytes": TOTAL_BYTES,
            "usableBytes": USABLE_BYTES,
            "isCordoned": False,
        }
        return {**answer, "results": [log_dir]}

    def topics_in_dir(self, asked: list[Value] | None) -> list[Value]:
        """Return the topics that were asked for, with the partitions that this broker has."""
        every = [{"topic": each} for each in self.topics] if asked is None else asked
        return [
            {"name": each["topic"], "partitions": self.logs(self.topics[each["topic"]], each)}
            for each in every
            if each["topic"] in self.topics
        ]

    def logs(self, topic: Topic, asked: Value) -> list[Value]:
        """Return the logs of the partitions that were asked for, or of all."""
        sizes = {"partitionSize": LOG_BYTES, "offsetLag": 0, "isFutureKey": False}
        return [
            {"partitionIndex": index, **sizes}
            for index, replicas in enumerate(topic.replicas)
            if self.node_id in replicas and index in asked.get("partitions", [index])
        ]
