"""What a client is asked to do, and what is served to one that is asked that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from conformance.api_keys import LIST_OFFSETS
from conformance.reference.broker.releases import (
    FOR_CLIENTS,
    FOR_CONSUMERS,
    FOR_SHARES,
    IMPLEMENTED,
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
    "both",
    "steady",
    "patient",
    "transact",
    "empty",
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
    "describe",
    "read",
    "uncommitted",
    "pause",
]
"""What a client is asked to do. topics: list all of them. groups: describe two groups. create: make
a topic. produce: write one record. consume: read one, from the begin of a topic. join: read one
as a member of a group, commit its offset, and leave. sticky: the same with an assignor that
leaves members what they have. member: the same in the protocol of KIP-848. share: read one as a
member of a share group, acknowledge it, and leave. shared: ask where a share group is in a
topic. lookup: ask for the first offset of a topic, the next one, and that of a time. resume:
read one where a group has come to, without being a member, and commit its offset. batch: write
several records at once; gzip, snappy, lz4 and zstd: the same compressed. unacknowledged: write
one that no broker answers to. idempotent: write two, one after the other, as an idempotent
producer. stream: write eight as one, and wait for none before the next. flush: write some, and
tell of each what is known when they have been flushed. both: write one to each of two topics,
the second whatever became of the first. steady: write one each tenth of a second behind a login.
patient: write one, and give brokers as long for it as can be said. transact: write one and an
offset in a transaction. empty: begin a transaction, and commit it with nothing in it. login,
scram, oauth and gssapi: list all topics behind a login, by PLAIN, by SCRAM-SHA-256, by OAUTHBEARER
or by GSSAPI.
listing: list all groups. offsets: list all that a group committed. configs: describe the configs
of broker 1. brokers: describe those of brokers 1 and 2 at once. ends: tell where a partition
ends, of what is committed. latest: ask as an administrator where it ends. grow: ask whether a
topic may have a second partition. trim: delete the first record of a topic. describe: describe a
topic. read: read all records of a partition, up to the one with the key `end`, and tell each.
uncommitted: the same, and those of transactions that are not committed. pause: read from two
partitions, pause one and then the other, and read both again."""
ACTIONS: tuple[Action, ...] = get_args(Action)
USER, PASSWORD = "one,two=three", "four=five,six"
"""Who logs in: with letters that SCRAM has a meaning of its own for."""
FILLED = "events"
"""The topic that is written to and read."""
END = "end"
"""The key of the last record of a topic that is read as a whole."""
OTHER = "orders.v2"
"""Another one, with two partitions."""
TOPICS = {FILLED: 1, OTHER: 2}
TELEMETRY = (71, 72)
PLAYED = {
    key: range_
    for key, range_ in stored_versions(names=IMPLEMENTED | FOR_CLIENTS).items()
    if key not in TELEMETRY
}
PLAYED[LIST_OFFSETS] = (0, PLAYED[LIST_OFFSETS][1])
"""What is served: telemetry alone is not, as by a broker that nobody gave a use for it. Of
ListOffsets version 0 is, which brokers before 4.0 have and some clients ask alone."""
FOR_ACTION: Mapping[Action, Ranges] = {
    "member": stored_versions(names=FOR_CONSUMERS),
    "share": stored_versions(names=FOR_SHARES),
    "shared": stored_versions(names=FOR_SHARES),
}
"""What is served besides for an action: who knows of it asks it of other groups as well."""
FEATURES: Mapping[Action, tuple[Feature, ...]] = {
    "member": (Feature("group.version", 0, 1, 1),),
    "share": (Feature("share.version", 0, 1, 1),),
    "shared": (Feature("share.version", 0, 1, 1),),
}
"""The features of the cluster for an action."""
BESIDE: Mapping[str, Ranges] = {"FindCoordinatorRequest": {15: (0, 2)}}
"""What is served otherwise, by the request that a scenario is about.

Groups are described once they are found, and DescribeGroups is in no version that one client or
another is known to stumble over: it has scenarios of its own. Who has none of these versions is
played the `whole` scenario.
"""
FIRST = 1
"""The broker that the client is told of."""
MEMBERS: tuple[int, ...] = (8, 9, 11, 12, 13, 14)
"""What is asked to be a member: OffsetCommit, OffsetFetch, JoinGroup, Heartbeat, LeaveGroup and
SyncGroup."""
