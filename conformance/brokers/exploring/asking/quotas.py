"""Quotas of clients: set, removed, and described."""

from __future__ import annotations

from conformance.brokers.exploring.asking import Hand, asking
from conformance.brokers.exploring.conversation import Value
from conformance.brokers.exploring.identities import PLACE

CLIENTS = (f"{PLACE}client-a", f"{PLACE}client-b")
KEYS = ("producer_byte_rate", "consumer_byte_rate")


@asking("AlterClientQuotas", weight=1)
def alter_quotas(hand: Hand) -> Value:
    """Quotas of client ids."""
    names = dict.fromkeys(hand.some(2, lambda: hand.pick(*CLIENTS)))
    return {
        "entries": [
            {
                "entity": [{"entityType": "client-id", "entityName": name}],
                "ops": [_change(hand)],
            }
            for name in names
        ],
        "validateOnly": hand.rarely(),
    }


def _change(hand: Hand) -> Value:
    if hand.rarely(4):
        return {"key": hand.pick(*KEYS), "value": 0.0, "remove": True}
    return {
        "key": hand.near(*KEYS, edge=("no_such_quota",)),
        "value": hand.near(1e9, 2e9, edge=(-1.0,)),
        "remove": False,
    }


@asking("DescribeClientQuotas", weight=1)
def describe_quotas(hand: Hand) -> Value:
    """The quotas of one client id."""
    name = hand.pick(*CLIENTS)
    component = {"entityType": "client-id", "matchType": 0, "match": name}
    return {"components": [component], "strict": hand.pick(True, False)}
