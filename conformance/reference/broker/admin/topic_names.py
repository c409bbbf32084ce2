"""The rule for names of topics: 1 to 249 ASCII letters, digits, '.', '_', '-', not only dots.

Two names that differ only in '.' and '_' collide, since names of metrics hold no dots.
"""

from __future__ import annotations

import re

from conformance.error_codes import INVALID_TOPIC_EXCEPTION
from conformance.reference.broker.errors import Refused

MAX_NAME = 249
INTERNAL = frozenset({"__consumer_offsets", "__transaction_state", "__share_group_state"})
_LEGAL = re.compile(r"[a-zA-Z0-9._-]+")


def check_name(name: str) -> None:
    """Raise Refused for a name that no topic can have."""
    wrong = what_is_wrong(name)
    if wrong:
        raise Refused(INVALID_TOPIC_EXCEPTION, f"No topic can have this name: {wrong}.")


def what_is_wrong(name: str) -> str:
    """Return the reason that no topic can have this name; empty if one can."""
    if not name:
        return "it is empty"
    if name in (".", ".."):
        return "it is dots alone"
    if len(name) > MAX_NAME:
        return f"it has more than {MAX_NAME} characters"
    if not _LEGAL.fullmatch(name):
        return "a character is none of ASCII letters, digits, '.', '_' and '-'"
    return ""


def metric_name(name: str) -> str:
    """Return the name in metrics, which have no dots: topics that share one collide."""
    return name.replace(".", "_")
