"""One question, two answers: whichever is right, nobody can rely on it.

Two answers are the same where they say the same of the message. The words of an error may hold an
address or a time, and what a call allocated is never the same twice.
"""

from __future__ import annotations

import msgspec

from conformance.testee_protocol import Outcome

_LONGEST = 80


def steady(first: Outcome, second: Outcome) -> bool:
    """Whether both outcomes are the same answer."""
    return _said(first) == _said(second)


def flaky(outcome: Outcome) -> str:
    """What is wrong with a target that did not say the same twice, "" for any other."""
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
