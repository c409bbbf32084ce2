"""A conversation: requests in order, in the model's names and ids."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec

Value = dict[str, Any]


class Asked(msgspec.Struct, frozen=True):
    """One request: its API without "Request", its version and body, and the connection's number.

    `header` are the fields of its header that are not as usual.
    """

    api: str
    version: int
    value: Value
    connection: int = 0
    header: Value = {}


Conversation = tuple[Asked, ...]


def as_json(conversation: Sequence[Asked]) -> bytes:
    """Return a conversation as JSON."""
    return msgspec.json.format(msgspec.json.encode(list(conversation)))


def from_json(data: bytes) -> Conversation:
    """Return the conversation that `as_json` wrote. Raises MsgspecError."""
    return tuple(msgspec.json.decode(data, type=list[Asked]))


def digest(conversation: Sequence[Asked]) -> str:
    """Return a short name of a conversation, which depends on all that is asked in it."""
    return hashlib.sha256(as_json(conversation)).hexdigest()[:10]
