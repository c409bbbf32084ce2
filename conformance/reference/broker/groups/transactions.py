"""The requests of producers about themselves: ids, and transactions (KIP-98, KIP-890).

All is granted, and dropped: each transaction is known to its producer alone. From the version on in
which the epoch rises with each transaction, its end returns the next epoch.
"""

from __future__ import annotations

from conformance import error_codes
from conformance.reference.broker.cluster import Cluster, Request, Value
from conformance.reference.broker.groups.members import offsets_taken

OF_BROKERS_SINCE = 4
"""The first version of AddPartitionsToTxn that brokers send to each other."""
EPOCH_SINCE = 5
"""The first version of EndTxn that raises the epoch."""
IDS_SINCE = 6
"""The first version of TxnOffsetCommit that has ids of topics."""


class Transactions(Cluster):
    """The handlers of the requests of producers about themselves."""

    producers = 0

    def init_producer_id(self, request: Request) -> Value:
        """Return a fresh producer id."""
        del request
        self.producers += 1
        return {
            "throttleTimeMs": 0,
            "errorCode": error_codes.NONE,
            "producerId": self.producers,
            "producerEpoch": 0,
        }

    def add_partitions_to_txn(self, request: Request) -> Value:
        """Return no error for each partition."""
        asked = request.value
        if request.version < OF_BROKERS_SINCE:
            added = self.added(asked["v3AndBelowTopics"])
            return {"throttleTimeMs": 0, "resultsByTopicV3AndBelow": added}
        results = [
            {"transactionalId": each["transactionalId"], "topicResults": self.added(each["topics"])}
            for each in asked["transactions"]
        ]
        return {"throttleTimeMs": 0, "errorCode": error_codes.NONE, "resultsByTransaction": results}

    def added(self, topics: list[Value]) -> list[Value]:
        """Return each partition, without an error."""
        return [
            {
                "name": topic["name"],
                "resultsByPartition": [
                    {"partitionIndex": index, "partitionErrorCode": error_codes.NONE}
                    for index in topic["partitions"]
                ],
            }
            for topic in topics
        ]

    def add_offsets_to_txn(self, request: Request) -> Value:
        """Return no error for the group."""
        del request
        return {"throttleTimeMs": 0, "errorCode": error_codes.NONE}

    def end_txn(self, request: Request) -> Value:
        """Return no error, and from some version on the next epoch."""
        answer: Value = {"throttleTimeMs": 0, "errorCode": error_codes.NONE}
        if request.version >= EPOCH_SINCE:
            asked = request.value
            following = asked["producerEpoch"] + 1
            answer |= {"producerId": asked["producerId"], "producerEpoch": following}
        return answer

    def txn_offset_commit(self, request: Request) -> Value:
        """Accept the offsets, and drop them."""
        return offsets_taken(request, IDS_SINCE)
