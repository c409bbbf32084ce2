"""Which results an answer owes to the entries of its request, API by API.

A caller looks results up by what it asked for, so that one which is left out is waited for, and one
too many is taken for another's. An answer with an error at its top owes nothing; nor does an entry
with an error of its own owe what would stand inside it. What an entry is owed that is given twice
differs from API to API, and other rules judge it.

An API that has entries and does not owe a result for each of them stands in `OTHERWISE`, with the
reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from conformance.results.text import json_text
from conformance.schema.layout import ZERO_UUID

Value = Mapping[str, Any]
Key = tuple[Any, ...]

EMPTY = (None, "", ZERO_UUID)
ITSELF = ""
"""Names the key of entries that are plain values."""


@dataclass(frozen=True, slots=True)
class Level:
    """A list of the request, and the list of the answer that has a result for each of its entries.

    `by` are the fields that name an entry, `told_by` those of its result; without any, results are
    known by their place alone. `either` says that an entry has one of these fields, and the other
    null or zero. Two entries may then mean the same, and a result may leave the one empty which was
    given: other rules judge that, and here all results together are no more than the entries.
    """

    asked: str
    answered: str
    by: tuple[str, ...] = ()
    told_by: tuple[str, ...] = ()
    either: bool = False

    def is_named(self, key: Key, result: Any) -> bool:
        """True if a result is that of an entry with this key."""
        told = _key(result, self.told_by or self.by)
        if not self.either:
            return key == told
        given = [at for at, part in enumerate(key) if part not in (None, ZERO_UUID)]
        named = any(told[at] in (key[at], *EMPTY) for at in given)
        return named or (not given and set(told) <= set(EMPTY))


@dataclass(frozen=True, slots=True)
class Entries:
    """The results that some versions of an API owe: lists within lists, the outermost first.

    `source` says where that is stated.
    """

    api: str
    levels: tuple[Level, ...]
    source: str
    versions: range = range(100)


def difference(entries: Entries, asked: Value, answer: Value) -> str:
    """Return what is wrong with the results of an answer, "" if nothing is."""
    if answer.get("errorCode") or answer.get("nextCursor"):
        return ""
    if asked.get("sessionEpoch", 0) > 0:  # unchanged partitions are left out (KIP-227)
        return ""
    return _difference(entries.levels, asked, answer)


def _difference(levels: Sequence[Level], asked: Value, answer: Value) -> str:
    level, *deeper = levels
    wanted, results = asked.get(level.asked), answer.get(level.answered) or []
    if not wanted:  # no list asks for all, an empty one for all or none
        return ""
    too_many = len(results) > len(wanted) and (level.either or not level.by)
    if too_many or (not level.by and len(results) < len(wanted)):
        return f"{_results(len(results))} for {len(wanted)} {level.asked}"
    if not level.by:
        return ""
    by_key: dict[Key, list[Any]] = {}
    for each in wanted:
        by_key.setdefault(_key(each, level.by), []).append(each)
    once = {key: same[0] for key, same in by_key.items() if len(same) == 1}
    found = (_of_entry(level, deeper, key, item, results) for key, item in once.items())
    return next(filter(None, found), "") or _stranger(level, by_key, results)


def _of_entry(
    level: Level, deeper: Sequence[Level], key: Key, item: Any, results: Sequence[Any]
) -> str:
    """Return the flaw in the result of one entry, "" if there is none."""
    found = [each for each in results if level.is_named(key, each)]
    if not found or (len(found) > 1 and not level.either):
        return f"{_results(len(found))} for {_named(level, key)}"
    owes = bool(deeper) and not found[0].get("errorCode")
    wrong = _difference(deeper, item, found[0]) if owes else ""
    return f"{wrong} of {_named(level, key)}" if wrong else ""


def _stranger(level: Level, keys: Iterable[Key], results: Sequence[Any]) -> str:
    """A result that none of these entries has asked for."""
    for each in results:
        if not any(level.is_named(key, each) for key in keys):
            told = _key(each, level.told_by or level.by)
            return f"a result for {_named(level, told)}, which was not asked for"
    return ""


def _key(item: Any, names: Sequence[str]) -> Key:
    return tuple(_frozen(item if name == ITSELF else item.get(name)) for name in names)


def _frozen(value: Any) -> Any:
    """The parts of a compound key, in any order."""
    if isinstance(value, list):
        return tuple(sorted(tuple(sorted(each.items(), key=str)) for each in value))
    return value


def _results(number: int) -> str:
    return {0: "no result", 1: "1 result"}.get(number, f"{number} results")


def _named(level: Level, key: Key) -> str:
    names = level.by if level.by != (ITSELF,) else (level.asked,)
    return ", ".join(f"{name} {json_text(part)}" for name, part in zip(names, key, strict=True))


@cache
def entries_of(api: str, version: int) -> Entries | None:
    """Return the results that a version of an API owes; None if entries have no results."""
    return next((each for each in ENTRIES if each.api == api and version in each.versions), None)


def _in_topics(
    topics: str = "topics",
    answered: str = "topics",
    name: str = "name",
    index: str = "partitionIndex",
    of_request: str = "partitions",
) -> tuple[Level, Level]:
    """Return the levels of partitions in topics, as most APIs have them."""
    outer = Level(topics, answered, (name,))
    return outer, Level(of_request, "partitions", (index,), ("partitionIndex",))


_RESOURCE = ("resourceType", "resourceName")
_GROUP_IDS = (Level("groupIds", "groups", (ITSELF,), ("groupId",)),)
_IN_V3 = Level("v3AndBelowTopics", "resultsByTopicV3AndBelow", ("name",))
_OF_V3 = Level("partitions", "resultsByPartition", (ITSELF,), ("partitionIndex",))
_BY_ID = (Level("topics", "topics", ("topicId",)), _in_topics()[1])

ENTRIES: tuple[Entries, ...] = (
    Entries("CreateTopics", (Level("topics", "topics", ("name",)),), "KIP-4"),
    Entries(
        "DeleteTopics",
        (Level("topicNames", "responses", (ITSELF,), ("name",)),),
        "KIP-4",
        range(6),
    ),
    Entries(
        "DeleteTopics",
        (Level("topics", "responses", ("name", "topicId"), either=True),),
        "KIP-4, KIP-516",
        range(6, 100),
    ),
    Entries("CreatePartitions", (Level("topics", "results", ("name",)),), "KIP-195"),
    Entries("DeleteRecords", _in_topics(), "KIP-107"),
    Entries("DescribeConfigs", (Level("resources", "results", _RESOURCE),), "KIP-4, KIP-133"),
    Entries("AlterConfigs", (Level("resources", "responses", _RESOURCE),), "KIP-133"),
    Entries("IncrementalAlterConfigs", (Level("resources", "responses", _RESOURCE),), "KIP-339"),
    Entries("CreateAcls", (Level("creations", "results"),), "KIP-140"),
    Entries("DeleteAcls", (Level("filters", "filterResults"),), "KIP-140"),
    Entries("AlterPartitionReassignments", _in_topics(answered="responses"), "KIP-455"),
    Entries(
        "ElectLeaders",
        (
            Level("topicPartitions", "replicaElectionResults", ("topic",)),
            Level("partitions", "partitionResult", (ITSELF,), ("partitionId",)),
        ),
        "KIP-183, KIP-460",
    ),
    Entries("AlterClientQuotas", (Level("entries", "entries", ("entity",)),), "KIP-546"),
    Entries(
        "DescribeUserScramCredentials",
        (Level("users", "results", ("name",), ("user",)),),
        "KIP-554",
    ),
    Entries(
        "AlterUserScramCredentials",
        (Level("deletions", "results", ("name",), ("user",)),),
        "KIP-554",
    ),
    Entries("DescribeTopicPartitions", (Level("topics", "topics", ("name",)),), "KIP-966"),
    Entries(
        "FindCoordinator",
        (Level("coordinatorKeys", "coordinators", (ITSELF,), ("key",)),),
        "KIP-699",
        range(4, 100),
    ),
    Entries(
        "DescribeGroups",
        (Level("groups", "groups", (ITSELF,), ("groupId",)),),
        "the message definitions, and Apache Kafka's KafkaApis",
    ),
    Entries("DeleteGroups", (Level("groupsNames", "results", (ITSELF,), ("groupId",)),), "KIP-229"),
    Entries("ConsumerGroupDescribe", _GROUP_IDS, "KIP-848"),
    Entries("ShareGroupDescribe", _GROUP_IDS, "KIP-932"),
    Entries("StreamsGroupDescribe", _GROUP_IDS, "KIP-1071"),
    Entries(
        "LeaveGroup",
        (Level("members", "members", ("memberId", "groupInstanceId"), either=True),),
        "KIP-345",
        range(3, 100),
    ),
    Entries("OffsetCommit", _in_topics(), "the message definitions", range(1, 10)),
    Entries("OffsetCommit", _BY_ID, "KIP-848, the message definitions", range(10, 100)),
    Entries("TxnOffsetCommit", _in_topics(), "KIP-98", range(6)),
    Entries("TxnOffsetCommit", _BY_ID, "the message definitions", range(6, 100)),
    Entries(
        "OffsetFetch",
        _in_topics(index=ITSELF, of_request="partitionIndexes"),
        "the message definitions",
        range(8),
    ),
    Entries(
        "OffsetFetch",
        (
            Level("groups", "groups", ("groupId",)),
            *_in_topics(index=ITSELF, of_request="partitionIndexes"),
        ),
        "KIP-709",
        range(8, 10),
    ),
    Entries(
        "OffsetFetch",
        (
            Level("groups", "groups", ("groupId",)),
            Level("topics", "topics", ("topicId",)),
            _in_topics(index=ITSELF, of_request="partitionIndexes")[1],
        ),
        "KIP-709, KIP-848",
        range(10, 100),
    ),
    Entries("OffsetDelete", _in_topics(), "KIP-496"),
    Entries("AddPartitionsToTxn", (_IN_V3, _OF_V3), "KIP-98", range(4)),
    Entries(
        "AddPartitionsToTxn",
        (
            Level("transactions", "resultsByTransaction", ("transactionalId",)),
            Level("topics", "topicResults", ("name",)),
            _OF_V3,
        ),
        "KIP-890",
        range(4, 100),
    ),
    Entries(
        "DescribeTransactions",
        (Level("transactionalIds", "transactionStates", (ITSELF,), ("transactionalId",)),),
        "KIP-664",
    ),
    Entries(
        "DescribeProducers",
        _in_topics(index=ITSELF, of_request="partitionIndexes"),
        "KIP-664",
    ),
    Entries(
        "Fetch",
        _in_topics(answered="responses", name="topic", index="partition"),
        "KIP-227",
        range(13),
    ),
    Entries(
        "Fetch",
        _in_topics(answered="responses", name="topicId", index="partition"),
        "KIP-227, KIP-516",
        range(13, 100),
    ),
    Entries("ListOffsets", _in_topics(), "KIP-79"),
    Entries(
        "OffsetForLeaderEpoch",
        (
            Level("topics", "topics", ("topic",)),
            Level("partitions", "partitions", ("partition",)),
        ),
        "KIP-101",
    ),
    Entries(
        "Produce",
        (
            Level("topicData", "responses", ("name",)),
            Level("partitionData", "partitionResponses", ("index",)),
        ),
        "the message definitions",
        range(3, 13),
    ),
    Entries(
        "Produce",
        (
            Level("topicData", "responses", ("topicId",)),
            Level("partitionData", "partitionResponses", ("index",)),
        ),
        "KIP-516, the message definitions",
        range(13, 100),
    ),
    Entries(
        "DescribeShareGroupOffsets",
        (
            Level("groups", "groups", ("groupId",)),
            Level("topics", "topics", ("topicName",)),
            Level("partitions", "partitions", (ITSELF,), ("partitionIndex",)),
        ),
        "KIP-932",
    ),
    Entries("DeleteShareGroupOffsets", (Level("topics", "responses", ("topicName",)),), "KIP-932"),
)
"""Each API whose answer has a result for each entry of the request."""

_FILTERS = "its entries are a filter, and the answer has what they find"
_SESSIONS = "a session leaves out what has not changed"
_BROKERS = "brokers and coordinators ask it of each other"
_QUORUM = "it is about the one partition of the metadata quorum"

OTHERWISE: Mapping[str, str] = {
    "Metadata": "metadata.asked-topics-alone and metadata.asked-topic-once judge its topics",
    "ShareFetch": _SESSIONS,
    "ShareAcknowledge": _SESSIONS,
    "DescribeAcls": _FILTERS,
    "DescribeClientQuotas": _FILTERS,
    "DescribeDelegationToken": _FILTERS,
    "ListGroups": _FILTERS,
    "ListTransactions": _FILTERS,
    "ListConfigResources": _FILTERS,
    "ListPartitionReassignments": "only reassignments in progress are listed",
    "DescribeLogDirs": "its results are directories, and its entries the partitions in them",
    "AlterReplicaLogDirs": "its entries are directories, and its results the topics in them",
    "UpdateFeatures": "its results went with version 2, and are none where a feature fails",
    "AlterShareGroupOffsets": "a group that does not exist may come to be by it",
    "DescribeQuorum": _QUORUM,
    "FetchSnapshot": _QUORUM,
    "InitializeShareGroupState": _BROKERS,
    "ReadShareGroupState": _BROKERS,
    "ReadShareGroupStateSummary": _BROKERS,
    "WriteShareGroupState": _BROKERS,
    "DeleteShareGroupState": _BROKERS,
    "WriteTxnMarkers": _BROKERS,
    "JoinGroup": "its members are those of the group, and its entries the caller's protocols",
    "ConsumerGroupHeartbeat": "its entries are what a member has, and not what it asks for",
    "ShareGroupHeartbeat": "its entries are what a member has, and not what it asks for",
    "StreamsGroupHeartbeat": "its entries are what a member has, and not what it asks for",
}
"""APIs with lists in request and response that do not owe a result for each entry, and why."""


def apis() -> Iterator[str]:
    """Each API of `ENTRIES` once."""
    return iter(dict.fromkeys(each.api for each in ENTRIES))
