"""The gate of a proxy: an item for each message and rule group, with all its dialogues inside."""

from __future__ import annotations

from conformance.gate.codec import judge_item
from conformance.gate.kinds.codec import Gate


def test_proxy(message: str, group: str, conformance_gate: Gate) -> None:
    """Check that every verdict of this message and rule group is acceptable."""
    judge_item(message, group, conformance_gate)
