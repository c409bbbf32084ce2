"""Conversations that were found, kept in the user's cache folder under the ids of their cases.

So the command that a finding names plays one again, without the search.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import msgspec

from conformance.brokers.exploring.conversation import Conversation, as_json, digest, from_json
from conformance.data import cache_dir

EXPLORED = "explored-"
"""The beginning of the names of cases that are conversations."""


def folder() -> Path:
    """Return the folder of conversations, which may not exist."""
    return cache_dir() / "explored"


def database() -> Path:
    """Return the folder of Hypothesis' database of examples."""
    return cache_dir() / "explored" / "hypothesis"


def case_of(conversation: Conversation) -> str:
    """Return the id of the case that a conversation is, after its last request."""
    last = conversation[-1]
    return f"{last.api}Request-v{last.version}/{EXPLORED}{digest(conversation)}"


def store(conversation: Conversation) -> Path:
    """Write a conversation to its file, and return that. Raises OSError."""
    path = folder() / f"{digest(conversation)}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(as_json(conversation))
    return path


def stored(case: str) -> Conversation | None:
    """Return the conversation that a case is, None if none of this id is kept here."""
    _, _, name = case.partition(f"/{EXPLORED}")
    if not name.isalnum():
        return None
    with suppress(OSError, msgspec.MsgspecError):
        found = from_json((folder() / f"{name}.json").read_bytes())
        if found and case_of(found) == case:
            return found
    return None
