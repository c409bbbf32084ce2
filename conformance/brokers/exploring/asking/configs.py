"""Configs of topics: described, set, and deleted."""

from __future__ import annotations

from conformance.brokers.exploring.asking import Hand, asking
from conformance.brokers.exploring.asking.topics import BAD_CONFIGS, CONFIGS, a_name
from conformance.brokers.exploring.conversation import Value

TOPIC = 2
SET, DELETE, APPEND, SUBTRACT = range(4)
KEYS = tuple(dict.fromkeys(name for name, _ in CONFIGS))


@asking("DescribeConfigs", weight=2)
def describe_configs(hand: Hand) -> Value:
    """All configs of a topic, or some."""
    return {
        "resources": hand.some(2, lambda: _described(hand)),
        "includeSynonyms": hand.rarely(),
        "includeDocumentation": False,
    }


def _described(hand: Hand) -> Value:
    keys = hand.near(None, list(KEYS), edge=([KEYS[0]], ["no.such.config"], []))
    return {
        "resourceType": TOPIC,
        "resourceName": a_name(hand),
        "configurationKeys": keys,
    }


@asking("IncrementalAlterConfigs", weight=2)
def alter_configs(hand: Hand) -> Value:
    """Configs set and deleted, added to and taken from."""
    return {
        "resources": hand.some(2, lambda: _altered(hand)),
        "validateOnly": hand.rarely(),
    }


def _altered(hand: Hand) -> Value:
    return {
        "resourceType": TOPIC,
        "resourceName": a_name(hand),
        "configs": hand.some(2, lambda: _change(hand)),
    }


def _change(hand: Hand) -> Value:
    name, value = hand.near(*CONFIGS, edge=BAD_CONFIGS)
    operation = hand.near(SET, SET, DELETE, APPEND, edge=(SUBTRACT,))
    return {"name": name, "configOperation": operation, "value": value}
