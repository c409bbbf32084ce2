"""The differences that two right brokers may have in an answer, each with its reason.

Whatever no freedom covers has to be the same. A freedom names fields by the API and their path in
the answer, with globs.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import Literal

How = Literal["any", "order", "null", "others", "configs", "failed", "set"]
"""any: the values say nothing. order: a list may have any order. null: null and empty are the same.
others: entries with names of other users are left out. configs: only the names that both have are
compared, and values only where they were set. failed: the value says nothing beside an error.
set: any number from 0 on is the same.
"""


@dataclass(frozen=True, slots=True)
class Freedom:
    """The freedom of a field, and its reason."""

    where: str
    how: How
    reason: str


FREEDOMS = (
    Freedom("*.throttleTimeMs", "any", "a broker throttles by its load and its quotas"),
    Freedom("*.errorMessage", "any", "no text demands the words of an error"),
    Freedom("*.recordErrors", "any", "which records are named is left to the broker (KIP-467)"),
    Freedom("*.topics", "order", "results are looked up by what they name"),
    Freedom("*.topics.partitions", "order", "results are looked up by what they name"),
    Freedom("*.partitions", "order", "results are looked up by what they name"),
    Freedom("*.responses", "order", "results are looked up by what they name"),
    Freedom("*.results", "order", "results are looked up by what they name"),
    Freedom("*.partitionResponses", "order", "results are looked up by what they name"),
    Freedom("*.groups", "order", "results are looked up by what they name"),
    Freedom("*.members", "order", "members are looked up by their ids"),
    Freedom("*.resultsByTopicV3AndBelow", "order", "results are looked up by what they name"),
    Freedom("*.resultsByPartition", "order", "results are looked up by what they name"),
    Freedom("*.transactionStates", "order", "results are looked up by what they name"),
    Freedom("*.configs", "order", "configs are looked up by their names"),
    Freedom("*.isrNodes", "order", "the replicas in sync are a set"),
    Freedom("*.offlineReplicas", "order", "the replicas that are down are a set"),
    Freedom("Metadata.topics", "others", "other users' topics come and go"),
    Freedom(
        "DescribeTransactions.*.topics", "others", "offsets are in a topic of the broker's own"
    ),
    Freedom("ListGroups.groups", "others", "other users' groups come and go"),
    Freedom("ListTransactions.transactionStates", "others", "other users' come and go"),
    Freedom("ApiVersions.*eatures", "any", "features are a cluster's own"),
    Freedom("ApiVersions.finalizedFeaturesEpoch", "any", "features are a cluster's own"),
    Freedom("ApiVersions.zkMigrationReady", "any", "a cluster's own affair"),
    Freedom(
        "DescribeTransactions.*.transactionStartTimeMs",
        "any",
        "no two have the same time, and Apache Kafka keeps that of some that are over",
    ),
    Freedom("DescribeGroups.groups.authorizedOperations", "any", "other rules judge rights"),
    Freedom("DescribeTopicPartitions.*uthorizedOperations", "any", "other rules judge rights"),
    Freedom("*.resources", "order", "results are looked up by what they name"),
    Freedom("*.acls", "order", "ACLs are a set"),
    Freedom("*.matchingAcls", "order", "ACLs are a set"),
    Freedom("*.entries", "order", "results are looked up by what they name"),
    Freedom("*.values", "order", "quotas are looked up by their keys"),
    Freedom("*.coordinators", "order", "results are looked up by what they name"),
    Freedom("*.entries", "null", "null and empty both mean an absent list"),
    Freedom("Metadata.brokers.rack", "any", "where a broker stands is its operator's affair"),
    Freedom("*.abortedTransactions", "null", "null and empty both mean an absent list"),
    Freedom("*.records", "null", "null and empty both mean an absent list"),
    Freedom("Produce.*.logAppendTimeMs", "set", "no two brokers have the same time"),
    Freedom("*.logStartOffset", "failed", "where a log begins is no part of an error"),
    Freedom("Fetch.preferredReadReplica", "any", "a broker may know a nearer replica (KIP-392)"),
    Freedom("*.sessionId", "any", "a broker may have no room for a session (KIP-227)"),
    Freedom("CreateTopics.topics.configs", "configs", "brokers have defaults and configs of own"),
    Freedom("DescribeConfigs.results.configs", "configs", "brokers have defaults of their own"),
    Freedom("*.configs.documentation", "any", "no text demands these words"),
    Freedom("*.configs.synonyms", "any", "a broker lists synonyms by how it was configured"),
    Freedom("DescribeGroups.*.memberAssignment", "any", "it says nothing while a group rebalances"),
    Freedom("*.members.clientHost", "any", "an address depends on the way to the broker"),
)


@cache
def freedoms(where: str) -> frozenset[How]:
    """Return what is free in a field of an answer."""
    return frozenset(each.how for each in FREEDOMS if fnmatchcase(where, each.where))
