"""ACLs of principals that do not exist: made, found, and deleted."""

from __future__ import annotations

from conformance.brokers.exploring.asking import Hand, asking
from conformance.brokers.exploring.asking.topics import NAMES
from conformance.brokers.exploring.conversation import Value

TOPIC, LITERAL, PREFIXED, ANY, MATCH, ALLOW, DENY = 2, 3, 4, 1, 2, 3, 2
READ, WRITE, DESCRIBE = 3, 4, 8
PRINCIPALS = ("User:explored-a", "User:explored-b")


def _pattern(hand: Hand) -> int:
    return LITERAL if hand.version == 0 else hand.pick(LITERAL, PREFIXED)


@asking("CreateAcls", weight=1)
def create_acls(hand: Hand) -> Value:
    """ACLs of topics, seldom ones that can't be."""
    return {"creations": hand.some(2, lambda: _new(hand))}


def _new(hand: Hand) -> Value:
    return {
        "resourceType": hand.near(TOPIC, edge=(1, 0)),
        "resourceName": hand.near(*NAMES, edge=("",)),
        "resourcePatternType": _pattern(hand),
        "principal": hand.near(*PRINCIPALS, edge=("nobody",)),
        "host": "*",
        "operation": hand.near(READ, WRITE, DESCRIBE, edge=(0, 1)),
        "permissionType": hand.near(ALLOW, DENY, edge=(0, 1)),
    }


def _filter(hand: Hand, suffix: str) -> Value:
    pattern = LITERAL if hand.version == 0 else hand.pick(LITERAL, PREFIXED, ANY, MATCH)
    return {
        f"resourceType{suffix}": TOPIC,
        f"resourceName{suffix}": hand.pick(*NAMES),
        f"patternType{suffix}": pattern,
        f"principal{suffix}": hand.pick(None, *PRINCIPALS),
        f"host{suffix}": None,
        "operation": hand.pick(1, READ, WRITE),
        "permissionType": hand.pick(1, ALLOW),
    }


@asking("DescribeAcls", weight=1)
def describe_acls(hand: Hand) -> Value:
    """The ACLs that a filter finds."""
    return _filter(hand, "Filter")


@asking("DeleteAcls", weight=1)
def delete_acls(hand: Hand) -> Value:
    """The ACLs that filters find."""
    return {"filters": hand.some(2, lambda: _filter(hand, "Filter"))}
