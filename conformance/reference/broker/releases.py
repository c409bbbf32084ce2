"""The releases of Apache Kafka that a broker can play: the versions that it lists and serves.

Releases whose definitions are stored are read from them; the older ones are written out here, for
the APIs that the broker implements and as those releases had them. A release that answers an
ApiVersions of unknown version without its own range is older than KIP-511, which came in 2.4; one
that has features is newer than KIP-584.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from conformance.schema.releases import definitions

Ranges = Mapping[int, tuple[int, int]]

IMPLEMENTED = {
    0: "Produce",
    3: "Metadata",
    10: "FindCoordinator",
    17: "SaslHandshake",
    18: "ApiVersions",
    19: "CreateTopics",
    20: "DeleteTopics",
    29: "DescribeAcls",
    30: "CreateAcls",
    31: "DeleteAcls",
    32: "DescribeConfigs",
    33: "AlterConfigs",
    36: "SaslAuthenticate",
    37: "CreatePartitions",
    44: "IncrementalAlterConfigs",
    45: "AlterPartitionReassignments",
    46: "ListPartitionReassignments",
    48: "DescribeClientQuotas",
    49: "AlterClientQuotas",
}
"""The APIs that the broker implements, by their keys."""
FOR_CLIENTS = {
    1: "Fetch",
    2: "ListOffsets",
    8: "OffsetCommit",
    9: "OffsetFetch",
    11: "JoinGroup",
    12: "Heartbeat",
    13: "LeaveGroup",
    14: "SyncGroup",
    15: "DescribeGroups",
    16: "ListGroups",
    21: "DeleteRecords",
    22: "InitProducerId",
    24: "AddPartitionsToTxn",
    25: "AddOffsetsToTxn",
    26: "EndTxn",
    28: "TxnOffsetCommit",
    71: "GetTelemetrySubscriptions",
    72: "PushTelemetry",
}
"""APIs for clients that are judged; a broker that is judged does not list them."""
FOR_EPOCHS = {23: "OffsetForLeaderEpoch"}
"""An API that only scenarios about epochs list: leaders ask it of each other as well."""
FOR_CONSUMERS = {68: "ConsumerGroupHeartbeat"}
"""An API that is listed only for clients that join a group in the protocol of KIP-848."""
FOR_SHARES = {
    76: "ShareGroupHeartbeat",
    78: "ShareFetch",
    79: "ShareAcknowledge",
    90: "DescribeShareGroupOffsets",
}
"""APIs that are listed only for clients that use share groups."""
FOR_ADMINS = {35: "DescribeLogDirs", 43: "ElectLeaders", 47: "OffsetDelete"}
"""APIs listed only for clients that ask for log dirs, elect leaders, or delete offsets."""
FOR_TRANSACTIONS = {66: "ListTransactions"}
"""An API that only a broker lists which is judged for its transactions."""
OF_NOTHING = {
    42: "DeleteGroups",
    50: "DescribeUserScramCredentials",
    51: "AlterUserScramCredentials",
    61: "DescribeProducers",
    65: "DescribeTransactions",
    69: "ConsumerGroupDescribe",
    75: "DescribeTopicPartitions",
    77: "ShareGroupDescribe",
    89: "StreamsGroupDescribe",
    92: "DeleteShareGroupOffsets",
}
"""APIs listed only to check that each entry has its result: the broker never has such entries."""
NAMES = (
    IMPLEMENTED
    | FOR_CLIENTS
    | FOR_EPOCHS
    | FOR_CONSUMERS
    | FOR_SHARES
    | FOR_ADMINS
    | FOR_TRANSACTIONS
    | OF_NOTHING
)


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature of a cluster: the range that the broker supports, and the level in force."""

    name: str
    low: int
    high: int
    level: int


@dataclass(frozen=True, slots=True)
class PlayedRelease:
    """One release. `definitions` is the stored release that its messages are read by."""

    definitions: str = ""
    versions: Ranges | None = None
    features: tuple[Feature, ...] = ()

    @property
    def ranges(self) -> Ranges:
        """The versions served of each api key: those written out, else those of the definitions."""
        return self.versions or stored_versions(self.definitions)


def stored_versions(
    release: str = "", names: Mapping[int, str] = IMPLEMENTED
) -> dict[int, tuple[int, int]]:
    """Return the stable versions of each of these APIs in a stored release, or in the newest."""
    holder = definitions(release)
    ranges = {}
    for api_key, name in names.items():
        request = holder[f"{name}Request"]
        high = request.valid.high - (1 if request.latest_unstable else 0)
        ranges[api_key] = (request.valid.low, high)
    return ranges


_KRAFT_3 = (
    Feature("kraft.version", 0, 1, 0),
    Feature("metadata.version", 1, 21, 21),
)
_KRAFT_4 = (
    Feature("group.version", 0, 1, 1),
    Feature("metadata.version", 7, 30, 30),
    Feature("transaction.version", 0, 2, 2),
)


def _from_zero(highest: str) -> Ranges:
    """Return ranges of versions from 0 on; each word is an api key and the highest version."""
    return {int(key): (0, int(high)) for key, high in (word.split(":") for word in highest.split())}


PLAYED: Mapping[str, PlayedRelease] = {
    "0.10": PlayedRelease(
        versions=_from_zero("0:2 3:2 10:0 17:0 18:0 19:1 20:0"),
    ),
    "2.3": PlayedRelease(
        versions=_from_zero(
            "0:7 3:8 10:2 17:1 18:2 19:3 20:3 29:1 30:1 31:1 32:2 33:1 36:1 37:1 44:0"
        ),
    ),
    "2.4": PlayedRelease(
        versions=_from_zero(
            "0:8 3:9 10:3 17:1 18:3 19:5 20:4 29:1 30:1 31:1 32:2 33:1 36:1 37:1 44:1 45:0 46:0"
        ),
    ),
    "3.9": PlayedRelease("3.9.2", features=_KRAFT_3),
    "4.x": PlayedRelease("4.3.1", features=_KRAFT_4),
    "newest": PlayedRelease(features=_KRAFT_4),
}
"""The releases that can be played, by name."""
