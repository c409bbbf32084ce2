"""Offsets that groups commit: kept, read, and deleted, as by a client that assigns by itself."""

from __future__ import annotations

from conformance.brokers.exploring.asking import Hand, asking
from conformance.brokers.exploring.asking.topics import a_name, a_topic_id, some_indexes
from conformance.brokers.exploring.conversation import Value
from conformance.brokers.exploring.identities import PLACE

GROUPS = (f"{PLACE}group-a", f"{PLACE}group-b")
UNKNOWN = (f"{PLACE}no-group", f"{PLACE}none-at-all")
KEPT_BY_BROKERS = range(2, 100)
"""The versions of OffsetCommit that any broker of today keeps in its own log."""
READ_FROM_BROKERS = range(1, 100)
LONGEST = 4096
NOT_FOUND_SINCE = 9
"""The first version of OffsetCommit with an error of its own for a group that is not there."""


def a_group(hand: Hand) -> str:
    """Return the name of a group."""
    return str(hand.near(*GROUPS, edge=(f"{PLACE}no-group",)))


@asking("OffsetCommit", KEPT_BY_BROKERS, weight=3)
def commit(hand: Hand) -> Value:
    """Offsets of partitions, with a text, seldom one that is too long, or as a stranger."""
    names = dict.fromkeys(hand.some(2, lambda: a_name(hand)))
    group = a_group(hand)
    member, generation = "", -1
    # of a group that is not there, releases before 4.0 answer the newest versions otherwise
    odd = (0, 1) if hand.version < NOT_FOUND_SINCE or hand.model.is_group(group) else (-1,)
    found = hand.model.groups.get(group)
    if found and found.members and not hand.rarely(4):
        [member, *_] = found.members
        generation = found.generation
    return {
        "groupId": group,
        "generationIdOrMemberEpoch": hand.near(generation, edge=odd),
        "memberId": hand.near(member, edge=("no-member",)),
        "groupInstanceId": None,
        "retentionTimeMs": -1,
        "topics": [_committed(hand, name, hand.model.is_group(group)) for name in names],
    }


def _committed(hand: Hand, name: str, is_group: bool) -> Value:
    """Return offsets for a topic; a text that is refused is none for a group to come.

    Whether a group is there after a commit that was refused, Apache Kafka itself answers both ways.
    """
    long = ("x" * (LONGEST + 1),) if is_group else ()
    return {
        "name": name,
        "topicId": a_topic_id(hand, name),
        "partitions": [
            {
                "partitionIndex": index,
                "committedOffset": hand.pick(0, 1, 5, 7),
                "committedLeaderEpoch": hand.near(-1, 0, edge=()),
                "committedMetadata": hand.near("", "text", edge=("x" * LONGEST, *long, None)),
            }
            for index in some_indexes(hand, name)
        ],
    }


@asking("OffsetFetch", READ_FROM_BROKERS, weight=3)
def read_offsets(hand: Hand) -> Value:
    """Offsets of some partitions, or all of a group; of one group, or of several."""
    group = a_group(hand)
    groups = dict.fromkeys([group, *(hand.some(1, lambda: a_group(hand)) if hand.rarely() else [])])
    topics = _read(hand)
    if hand.version == 1 and topics is None:
        topics = []
    return {
        "groupId": group,
        "topics": topics,
        "groups": [
            {"groupId": each, "memberId": None, "memberEpoch": -1, "topics": topics}
            for each in groups
        ],
        "requireStable": hand.rarely(),
    }


def _read(hand: Hand) -> list[Value] | None:
    if hand.rarely(4):
        return None
    return [
        {
            "name": name,
            "topicId": a_topic_id(hand, name),
            "partitionIndexes": some_indexes(hand, name),
        }
        for name in dict.fromkeys(hand.some(2, lambda: a_name(hand)))
    ]


@asking("OffsetDelete", weight=1)
def delete_offsets(hand: Hand) -> Value:
    """Offsets of some partitions, of a group without members: what those read is not modelled.

    Some of its offsets are left: a group that loses its last one ends before Kafka 4.0 only.
    """
    name = a_name(hand)
    kept = hand.model.committed
    groups = [
        each
        for each in GROUPS
        if not members_of(hand, each) and any(topic != name for topic, _ in kept.get(each, ()))
    ]
    partitions = [{"partitionIndex": index} for index in some_indexes(hand, name)]
    unknown = next(each for each in UNKNOWN if not hand.model.is_group(each))
    group = hand.pick(*groups, unknown)
    return {"groupId": group, "topics": [{"name": name, "partitions": partitions}]}


def members_of(hand: Hand, name: str) -> list[str]:
    """Return the ids of a group's members, as the model has them."""
    group = hand.model.groups.get(name)
    return list(group.members) if group else []


@asking("DeleteGroups", weight=1)
def delete_groups(hand: Hand) -> Value:
    """Groups, with all of their offsets."""
    return {"groupsNames": list(dict.fromkeys(hand.some(2, lambda: a_group(hand))))}
