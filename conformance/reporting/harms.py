"""Whom a finding hurts, by what was seen: a rule may be broken in several ways.

A length that nobody checks ends one reader, has another take all memory, and a third hand out bytes
that never came. What is printed has to be what happened here.
"""

from __future__ import annotations

import re

from conformance.results.lines import Verdict
from conformance.rules import Seen, catalogue

_USED_UP = re.compile(
    r"allocated \d+ bytes for|out ?of ?memory|memory ?error|bad_alloc|allocation .*failed", re.I
)


def used_up_memory(verdict: Verdict) -> bool:
    """True if a crash is one of memory that ran out, or of more than its input justifies."""
    return verdict.verdict == "crash" and _USED_UP.search(verdict.detail) is not None


def seen_as(ends: str, memory: bool) -> Seen:
    """Return what was seen of cases that ended the target so, "" if none did."""
    if ends == "crash":
        return "memory" if memory else "crash"
    return "hang" if ends == "hang" else "lived"


def harm_of(rule_id: str, seen: Seen) -> str:
    """Return whom a breach of a rule hurts where this was seen, "" where the rule does not say."""
    rule = catalogue().get(rule_id)
    return rule.harm_if(seen) if rule else ""
