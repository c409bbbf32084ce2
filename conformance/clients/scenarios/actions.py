"""The actions that a client is asked for, and the APIs served for each action."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from conformance.api_keys import (
    ALTER_CONFIGS,
    CREATE_ACLS,
    DELETE_ACLS,
    DELETE_TOPICS,
    DESCRIBE_ACLS,
    DESCRIBE_LOG_DIRS,
    ELECT_LEADERS,
    INCREMENTAL_ALTER_CONFIGS,
    LIST_OFFSETS,
)
from conformance.reference.broker.releases import (
    FOR_ADMINS,
    FOR_CLIENTS,
    FOR_CONSUMERS,
    FOR_SHARES,
    IMPLEMENTED,
    NAMES,
    Feature,
    Ranges,
    stored_versions,
)

Action = Literal[
    "topics",
    "groups",
    "create",
    "produce",
    "consume",
    "join",
    "sticky",
    "commits",
    "member",
    "share",
    "shared",
    "lookup",
    "resume",
    "batch",
    "gzip",
    "snappy",
    "lz4",
    "zstd",
    "unacknowledged",
    "idempotent",
    "stream",
    "flush",
    "many",
    "large",
    "both",
    "made",
    "steady",
    "patient",
    "transact",
    "empty",
    "fence",
    "twice",
    "later",
    "login",
    "scram",
    "oauth",
    "gssapi",
    "listing",
    "offsets",
    "configs",
    "brokers",
    "ends",
    "latest",
    "grow",
    "trim",
    "elect",
    "describe",
    "cluster",
    "read",
    "uncommitted",
    "pause",
    "alter",
    "replace",
    "acls",
    "forget",
    "delete",
    "dirs",
    "nameless",
    "blank",
    "lengthy",
    "brimming",
    "foreign",
    "aside",
    "remain",
    "widen",
    "again",
    "change",
    "position",
]
"""The actions of a client; docs/judge-a-client.md describes each."""
ACTIONS: tuple[Action, ...] = get_args(Action)
USER, PASSWORD = "alice", "wonderland"
"""The user's name and password, where the test is not about the name."""
ODD_USER, ODD_PASSWORD = "one,two=three", "four=five,six"
"""A user and password with characters that are special in SCRAM. Drivers that ignore the variable
for the user log in with them.
"""
USERS = {USER: PASSWORD, ODD_USER: ODD_PASSWORD}
FILLED = "events"
"""The topic that is written to and read."""
END = "end"
"""The key of the last record of a topic that is read as a whole."""
OTHER = "orders.v2"
"""Another topic, with two partitions."""
TOPICS = {FILLED: 1, OTHER: 2}
ALTERED = ("log.cleaner.threads", "2")
"""The config that is altered, and the value that it is set to."""
PRINCIPAL = "User:alice"
"""The principal that is allowed to read the topic."""
CLIENT_IDS: Mapping[Action, str | None] = {
    "nameless": None,
    "blank": "",
    "lengthy": "x" * 300,
    "brimming": "x" * 240,
    "foreign": "cl\u00e9-\u540d-\U0001f99c",
}
"""By action, the client ids that an application gives: letters of one to four bytes at last."""
TELEMETRY = (71, 72)
PLAYED = {
    key: range_
    for key, range_ in stored_versions(names=IMPLEMENTED | FOR_CLIENTS).items()
    if key not in TELEMETRY
}
PLAYED[LIST_OFFSETS] = (0, PLAYED[LIST_OFFSETS][1])
"""The served versions: all but telemetry, as of a broker that was given no use for it. ListOffsets
is served from version 0 on, which brokers before 4.0 have and some clients ask alone.
"""
FOR_ACTION: Mapping[Action, Ranges] = {
    "member": stored_versions(names=FOR_CONSUMERS),
    "again": stored_versions(names=FOR_CONSUMERS),
    "elect": stored_versions(names=FOR_ADMINS),
    "share": stored_versions(names=FOR_SHARES),
    "shared": stored_versions(names=FOR_SHARES),
    "forget": stored_versions(names=FOR_ADMINS),
    "dirs": stored_versions(names=FOR_ADMINS),
}
"""The APIs served in addition for an action: clients that know them use them for other groups too.
"""


def played_for(action: Action) -> Ranges:
    """Return the versions served to a client that is asked for this action."""
    return {**PLAYED, **FOR_ACTION.get(action, {})}


BEFORE_KAFKA_4 = "3.9.2"
"""The last release that serves what Kafka 4 has removed (KIP-896)."""
REMOVED: Ranges = {
    key: range_
    for key, range_ in stored_versions(BEFORE_KAFKA_4, {key: NAMES[key] for key in PLAYED}).items()
    if range_[0] < PLAYED[key][0]
}
"""The versions of that release, of each API of which it serves older ones than Kafka 4."""


def with_removed(served: Ranges) -> Ranges:
    """Return the served versions, and those below them that Kafka 4 has removed."""
    return {
        key: (min(low, REMOVED.get(key, (low, high))[0]), high)
        for key, (low, high) in served.items()
    }


FEATURES: Mapping[Action, tuple[Feature, ...]] = {
    "member": (Feature("group.version", 0, 1, 1),),
    "again": (Feature("group.version", 0, 1, 1),),
    "share": (Feature("share.version", 0, 1, 1),),
    "shared": (Feature("share.version", 0, 1, 1),),
}
"""The features of the cluster for an action."""
BESIDE: Mapping[str, Ranges] = {"FindCoordinatorRequest": {15: (0, 2)}}
"""The APIs served in other versions, by the request that a scenario is about.

Groups are described once they are found, so DescribeGroups is served in versions without known
problems for any client: it has scenarios of its own. A client that has none of these versions is
played the `whole` scenario.
"""
FIRST = 1
"""The id of the broker whose address the client gets."""
ADMINISTERED: Mapping[int, Action] = {
    DELETE_TOPICS: "delete",
    DESCRIBE_ACLS: "acls",
    CREATE_ACLS: "acls",
    DELETE_ACLS: "acls",
    ALTER_CONFIGS: "replace",
    DESCRIBE_LOG_DIRS: "dirs",
    ELECT_LEADERS: "elect",
    INCREMENTAL_ALTER_CONFIGS: "alter",
}
"""The requests of an administrator's client, in versions of which some are flexible, and the
actions that make a client send them.
"""
MEMBERS: tuple[int, ...] = (8, 9, 11, 12, 13, 14)
"""The requests of a group's member: OffsetCommit, OffsetFetch, JoinGroup, Heartbeat, LeaveGroup and
SyncGroup.
"""
