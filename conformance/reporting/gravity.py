"""The order of findings: the gravest first, by its class, its harm and how sure it is."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.reporting.harms import ENDED
from conformance.results.lines import NOT_LED, Finding, Verdict
from conformance.rules import CLASSES, HARMS, HarmLevel, catalogue

RANKS = {"must": 0, "ended": 1, "harden": 2, "kafka": 3}
Gravity = tuple[int, int, bool, bool, bool, bool, int]


def rank_of(verdict: Verdict) -> int:
    """Return the rank of a verdict, 0 for the gravest."""
    if verdict.verdict in ENDED and verdict.class_ != "must":
        return RANKS["ended"]
    return RANKS.get(verdict.class_, len(RANKS))


def gravest(rules: Mapping[str, int]) -> Mapping[str, int]:
    """Return the rules of the gravest class that any of them has, with their counts.

    A breach of what the texts demand says more than one of Apache Kafka's habits.
    """
    known = catalogue()
    order = {rule: CLASSES.index(known[rule].class_) if rule in known else 0 for rule in rules}
    first = min(order.values(), default=0)
    return {rule: count for rule, count in rules.items() if order[rule] == first}


def gravity(
    finding: Finding, rank: int, is_doubted: bool, ends_by_a_peer: bool, is_of_old_versions: bool
) -> Gravity:
    """Return a sort key of a finding, with the gravest first.

    What keeps clients from connecting comes first, then what lets a peer end the target. A finding
    `is_doubted` if a client's driver may bring it about. Those `is_of_old_versions` reach
    none of today's clients, which use the newest version that a broker lists.
    """
    is_late, is_vague, harm = _urgency(finding)
    keeps_out = rank == RANKS["must"] and not is_late and not is_doubted
    first = 0 if keeps_out else 1 if ends_by_a_peer else 2
    return first, rank, is_doubted, is_of_old_versions, is_late, is_vague, harm


def _urgency(finding: Finding) -> tuple[bool, bool, int]:
    """Return a sort key of a finding: those that keep clients from connecting first, then by harm.

    Findings of which no more than a place is known come last: a finding that is to be fixed first
    has to be right.
    """
    leading, is_vague = catalogue().get(finding.rules[0]), finding.led == NOT_LED
    is_late = leading is None or leading.stage != "connecting"
    return is_late or is_vague, is_vague, _harm(finding)


def _harm(finding: Finding) -> int:
    """Return how much the worst breach of a finding's gravest class hurts, 0 for the worst.

    The breach of a rule that no longer exists counts as one that ends a connection, as most wrong
    bytes do. A crash ends the process at least.
    """
    known = [catalogue().get(rule) for rule in gravest(dict.fromkeys(finding.rules, 0))]
    levels: set[HarmLevel] = {rule.harm_level if rule else "connection-lost" for rule in known}
    if finding.ends == "crash":
        levels.add("process-lost")
    return min(map(HARMS.index, levels))
