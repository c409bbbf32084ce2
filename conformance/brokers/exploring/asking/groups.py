"""Groups of one member, which joins, takes its share, and leaves; descriptions of groups."""

from __future__ import annotations

from base64 import b64encode

from conformance.brokers.exploring.asking import Hand, asking
from conformance.brokers.exploring.asking.offsets import GROUPS, a_group
from conformance.brokers.exploring.conversation import Value
from conformance.brokers.exploring.identities import PLACE

SESSION_MS = 30_000
CONSUMER = "consumer"
NO_MEMBER = "no-such-member"
GIVEN = b64encode(b"share").decode()


def a_member(hand: Hand, group: str) -> tuple[str, int]:
    """Return the member of a group and its generation; seldom another one."""
    found = hand.model.groups.get(group)
    members = list(found.members) if found else []
    known = [each for each in members if each in hand.identities.pairs["member"].targets]
    generation = found.generation if found else 0
    return (
        str(hand.near(*known or [""], edge=(NO_MEMBER, ""))),
        int(hand.near(generation, edge=(generation + 1, -1))),
    )


@asking("JoinGroup", weight=3)
def join(hand: Hand) -> Value:
    """The first member, or the only one again: a second one would have to be waited for.

    So would one that was promised an id, and has not come with it.
    """
    group = a_group(hand)
    found = hand.model.groups.get(group)
    member, _ = a_member(hand, group)
    if found and not found.members:
        member = str(hand.pick("", *known_of(hand, found.promised)))
    if found and found.members and (member not in found.members or found.promised):
        member = NO_MEMBER
    protocols = [{"name": hand.pick("range", "roundrobin"), "metadata": GIVEN}]
    return {
        "groupId": hand.near(group, edge=("",)),
        "sessionTimeoutMs": hand.near(SESSION_MS, edge=(1, 3_600_000)),
        "rebalanceTimeoutMs": SESSION_MS,
        "memberId": member,
        "groupInstanceId": None,
        "protocolType": hand.near(CONSUMER, edge=("",)),
        "protocols": hand.near(protocols, edge=([],)),
        "reason": None,
    }


def known_of(hand: Hand, ids: set[str]) -> list[str]:
    """Return those of the model's ids that an answer gave, in a fixed order."""
    return sorted(each for each in ids if each in hand.identities.pairs["member"].targets)


@asking("SyncGroup", weight=2)
def take_share(hand: Hand) -> Value:
    """The share of a member that is its own leader."""
    group = a_group(hand)
    found = hand.model.groups.get(group)
    member, generation = a_member(hand, group)
    return {
        "groupId": group,
        "generationId": generation,
        "memberId": member,
        "groupInstanceId": None,
        "protocolType": hand.near(CONSUMER, edge=("other", None)),
        "protocolName": hand.near(found.protocol if found else "range", edge=("other", None)),
        "assignments": [{"memberId": member, "assignment": GIVEN}],
    }


@asking("Heartbeat", weight=1)
def beat(hand: Hand) -> Value:
    """A heartbeat of a member."""
    group = a_group(hand)
    member, generation = a_member(hand, group)
    return {
        "groupId": group,
        "generationId": generation,
        "memberId": member,
        "groupInstanceId": None,
    }


@asking("LeaveGroup", weight=1)
def leave(hand: Hand) -> Value:
    """A member that leaves."""
    group = a_group(hand)
    member, _ = a_member(hand, group)
    others = [NO_MEMBER] if hand.rarely(4) else []
    return {
        "groupId": group,
        "memberId": member,
        "members": [
            {"memberId": each, "groupInstanceId": None, "reason": None}
            for each in (member, *others)
        ],
    }


@asking("DescribeGroups", weight=1)
def describe_groups(hand: Hand) -> Value:
    """Several groups."""
    names = dict.fromkeys(hand.some(3, lambda: a_group(hand)))
    return {"groups": list(names), "includeAuthorizedOperations": False}


@asking("ListGroups", weight=1)
def list_groups(hand: Hand) -> Value:
    """All groups, or those in a state."""
    return {
        "statesFilter": hand.near([], ["Empty"], ["Stable"], edge=(["Dead"], ["no state"])),
        "typesFilter": hand.near([], ["classic"], edge=(["consumer"],)),
    }


@asking("FindCoordinator", weight=1)
def find_coordinators(hand: Hand) -> Value:
    """The coordinators of groups or transactions, seldom of what has none."""
    keys = [*GROUPS, f"{PLACE}c"]
    return {
        "key": hand.pick(*keys),
        "keyType": hand.near(0, 1, edge=(99, -1)),  # not all serve share groups
        "coordinatorKeys": list(dict.fromkeys(hand.some(3, lambda: hand.pick(*keys)))),
    }
