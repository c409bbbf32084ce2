"""The gate of a client: an item for each request and rule group, with all its scenarios inside."""

from __future__ import annotations

from conformance.gate.codec import judge_item
from conformance.gate.kinds.codec import Gate


def test_client(message: str, group: str, conformance_gate: Gate) -> None:
    """Check that every verdict of this request and rule group is acceptable."""
    judge_item(message, group, conformance_gate)
