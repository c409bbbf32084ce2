"""Offsets that are lost, changed, invented or taken from anybody."""

from __future__ import annotations

from types import MappingProxyType

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.cluster import Committed, Request, Value
from conformance.reference.broker.errors import Refused
from conformance.reference.broker.releases import FOR_CLIENTS, IMPLEMENTED, stored_versions

_OF_OFFSETS = ("OffsetCommit", "OffsetFetch")
_LISTED = {key: name for key, name in FOR_CLIENTS.items() if name in _OF_OFFSETS}
WITH_OFFSETS = MappingProxyType(
    {"versions": stored_versions(names=IMPLEMENTED | _LISTED), "keeps_offsets": True}
)


class OfOffsets(BrokerMutant):
    """A broker that lists the APIs of offsets."""

    made_with = WITH_OFFSETS


class CommitsDropped(OfOffsets, breaks="offsets.commit-taken"):
    """Takes commits, and keeps none."""

    def commit(self, request: Request, topic: Value, wanted: Value) -> int:
        super().commit(request, topic, wanted)
        self.committed.clear()
        return error_codes.NONE


class HighestCommitStays(OfOffsets, breaks="offsets.commit-taken"):
    """Keeps the highest offset that was committed, and not the last."""

    def commit(self, request: Request, topic: Value, wanted: Value) -> int:
        group, name = request.value["groupId"], self.committed_name(request, topic)
        last = self.last_commit(group, name, wanted["partitionIndex"])
        if wanted["committedOffset"] < last.offset:
            return error_codes.NONE
        return super().commit(request, topic, wanted)


class CommitsNeedAMember(OfOffsets, breaks="offsets.commit-taken"):
    """Refuses commits without a generation."""

    def check_stranger(self, request: Request) -> None:
        if request.value["generationIdOrMemberEpoch"] < 0:
            raise Refused(error_codes.UNKNOWN_MEMBER_ID)
        super().check_stranger(request)


class MetadataLost(OfOffsets, breaks="offsets.come-back"):
    """Returns no metadata."""

    def offset_told(self, index: int, found: Committed) -> Value:
        return {**super().offset_told(index, found), "metadata": ""}


class EpochLost(OfOffsets, breaks="offsets.come-back"):
    """Returns no leader's epoch."""

    def offset_told(self, index: int, found: Committed) -> Value:
        return {**super().offset_told(index, found), "committedLeaderEpoch": -1}


class OffsetsOf32Bits(OfOffsets, breaks="offsets.come-back"):
    """Keeps the lower 32 bits of an offset."""

    def offset_told(self, index: int, found: Committed) -> Value:
        answer = super().offset_told(index, found)
        kept = found.offset & 0xFFFFFFFF if found.offset > 0 else found.offset
        return {**answer, "committedOffset": kept}


class NoneIsZero(OfOffsets, breaks="offsets.none-is-minus-one"):
    """Returns 0 for a partition of which nothing was committed."""

    def offset_told(self, index: int, found: Committed) -> Value:
        answer = super().offset_told(index, found)
        return {**answer, "committedOffset": max(found.offset, 0)}


class GroupsShareOffsets(OfOffsets, breaks="offsets.none-is-minus-one"):
    """Returns what any group committed of a partition."""

    def last_commit(self, group: str, name: str, index: int) -> Committed:
        found = super().last_commit(group, name, index)
        others = (each[name, index] for each in self.committed.values() if (name, index) in each)
        return found if found.offset >= 0 else next(others, found)


class NullAsksForNoOffsets(OfOffsets, breaks="offsets.null-asks-for-all"):
    """Returns no offsets for null topics."""

    def topics_of(self, group: str) -> list[Value]:
        del group
        return []


class FirstTopicOfNull(OfOffsets, breaks="offsets.null-asks-for-all"):
    """Returns one partition of each topic for null topics."""

    def topics_of(self, group: str) -> list[Value]:
        found = super().topics_of(group)
        return [{**each, "partitionIndexes": each["partitionIndexes"][:1]} for each in found]


class UnknownPartitionCommitted(OfOffsets, breaks="offsets.unknown-partition-refused"):
    """Takes commits of partitions that do not exist."""

    def check_commit(self, request: Request, topic: Value, wanted: Value) -> None:
        super().check_commit(request, topic, {**wanted, "partitionIndex": 0})


class UnknownPartitionFailsAll(OfOffsets, breaks="offsets.unknown-partition-refused"):
    """Refuses all partitions of a topic where one does not exist."""

    def check_commit(self, request: Request, topic: Value, wanted: Value) -> None:
        for each in topic["partitions"]:
            super().check_commit(request, topic, {**each, "committedMetadata": ""})
        super().check_commit(request, topic, wanted)


class AnyMetadataTaken(OfOffsets, breaks="offsets.long-metadata-refused"):
    """Takes metadata of any length."""

    def check_commit(self, request: Request, topic: Value, wanted: Value) -> None:
        super().check_commit(request, topic, {**wanted, "committedMetadata": ""})


class StrangersCommit(OfOffsets, breaks="offsets.stranger-refused"):
    """Takes commits of members that a group does not have."""

    def check_stranger(self, request: Request) -> None:
        """Refuse nobody."""
