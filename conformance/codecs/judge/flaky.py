"""One request, two different answers: whichever is right, the target is not reliable.

Two answers are the same if they say the same about the message. The text of an error may hold an
address or a time, and the number of allocated bytes differs from call to call.
"""

from __future__ import annotations

import msgspec

from conformance.testee_protocol import Outcome

_LONGEST = 80


def steady(first: Outcome, second: Outcome) -> bool:
    """True if both outcomes are the same answer."""
    return _said(first) == _said(second)


def flaky(outcome: Outcome) -> str:
    """Return the flaw of a target that gave two different answers, "" for any other."""
    if outcome.then is None:
        return ""
    return f"flaky: answered {_shown(outcome)}, then {_shown(outcome.then)}"


def _said(outcome: Outcome) -> tuple[object, ...]:
    return (
        outcome.outcome,
        outcome.value,
        outcome.bytes,
        outcome.header,
        outcome.remaining,
        outcome.version,
        outcome.error,
    )


def _shown(outcome: Outcome) -> str:
    if outcome.outcome != "value":
        return f"{outcome.outcome} {outcome.error or outcome.text}".strip()
    parts = (outcome.bytes, outcome.version, outcome.header, outcome.value, outcome.remaining)
    said = [part for part in parts if part is not None]
    text = b" ".join(
        part.hex().encode() if isinstance(part, bytes) else msgspec.json.encode(part)
        for part in said
    ).decode()
    return f"'{text if len(text) <= _LONGEST else text[:_LONGEST] + '…'}'"
