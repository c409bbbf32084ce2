"""Requests about absent things, and about the broker itself."""

from __future__ import annotations

from conformance.brokers.dialogues.talk import SOFTWARE
from conformance.brokers.exploring.asking import Hand, asking
from conformance.brokers.exploring.asking.producers import TRANSACTIONAL_IDS
from conformance.brokers.exploring.conversation import Value
from conformance.brokers.exploring.identities import PLACE

MISSING = (f"{PLACE}missing-a", f"{PLACE}missing-b", f"{PLACE}missing-c")
NAMES_SINCE = 3


def some_missing(hand: Hand) -> list[str]:
    """Return names of what does not exist."""
    return list(dict.fromkeys(hand.some(3, lambda: hand.pick(*MISSING))))


@asking("ApiVersions", weight=2)
def greet(hand: Hand) -> Value:
    """The versions, seldom with a name that no software may have."""
    odd = ("", "-odd", "o d d")
    return {
        "clientSoftwareName": hand.near(SOFTWARE["clientSoftwareName"], edge=odd),
        "clientSoftwareVersion": hand.near(SOFTWARE["clientSoftwareVersion"], edge=odd),
        "clusterId": None,
        "nodeId": -1,
    }


@asking("DescribeTransactions", weight=1)
def describe_transactions(hand: Hand) -> Value:
    """The states of transactional ids."""
    names = (*TRANSACTIONAL_IDS, *MISSING[:1])
    return {"transactionalIds": list(dict.fromkeys(hand.some(3, lambda: hand.pick(*names))))}


@asking("ListTransactions", weight=1)
def list_transactions(hand: Hand) -> Value:
    """All transactional ids, or those in a state."""
    states = ("Ongoing", "Empty", "CompleteCommit", "CompleteAbort")
    return {
        "stateFilters": hand.near([], *([each] for each in states), edge=(["no state"],)),
        "producerIdFilters": [],
        "durationFilter": -1,
        "transactionalIdPattern": None,
    }


@asking("DescribeUserScramCredentials", weight=1)
def describe_users(hand: Hand) -> Value:
    """Users that do not exist."""
    return {"users": [{"name": name} for name in some_missing(hand)]}


@asking("DescribeTopicPartitions", weight=1)
def describe_partitions(hand: Hand) -> Value:
    """Topics that do not exist: the model describes no others in this form."""
    return {
        "topics": [{"name": name} for name in some_missing(hand)],
        "responsePartitionLimit": 2000,
        "cursor": None,
    }
