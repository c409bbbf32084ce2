"""Verdicts on captured frames as results show them, without the bytes that must not be shown.

Captured traffic belongs to its users: its passwords and keys never reach a result or a screen, and
only the size of a frame of megabytes is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from conformance.explain import Explanation
from conformance.results.lines import Annotated, Verdict, VerdictName
from conformance.rules import Rule

MOST_SHOWN_BYTES = 64 * 1024
ROWS_AROUND = 3
_BYTES = 12
_LETTERS = 60
SECRET = frozenset(
    {
        "AlterConfigs",
        "AlterUserScramCredentials",
        "CreateDelegationToken",
        "DescribeDelegationToken",
        "Envelope",
        "ExpireDelegationToken",
        "IncrementalAlterConfigs",
        "RenewDelegationToken",
        "SaslAuthenticate",
    }
)
"""APIs whose frames hold passwords and keys: their bytes are never shown."""


def verdict_on(
    case: str,
    message: str,
    version: int,
    rule: Rule,
    profile: str,
    why: str,
    frame: bytes = b"",
    op: str = "encode-response",
    annotated: Sequence[Annotated] = (),
) -> Verdict:
    """Return a verdict without expected bytes: a failure if `why` gives a reason."""
    name: VerdictName = "pass"
    shown: dict[str, Any] = {}
    if why:
        name = rule.verdict_on_breach(profile)
        shown = {"actual": frame.hex(), "detail": why, "annotated": list(annotated)}
    return Verdict(
        rule=rule.id,
        class_=rule.class_,
        case=case,
        message=message,
        version=version,
        op=op,
        outcome="value",
        verdict=name,
        **shown,
    )


def around(explanation: Explanation) -> list[Annotated]:
    """Return the rows around the first one that is wrong or left over, few enough to read."""
    rows = explanation.rows
    states = ("wrong", "left over", "forgiven")
    index = next((i for i, row in enumerate(rows) if row.state in states), None)
    if index is None:
        return []
    first = max(index - ROWS_AROUND, 0)
    return [
        Annotated(
            offset=row.offset,
            bytes=_piece(row.data),
            path=row.path or f"({row.state})",
            type=row.type,
            value=_cut(row.says or row.text),
            differs=row is rows[index],
        )
        for row in rows[first : index + ROWS_AROUND + 1]
    ]


def discreet(verdict: Verdict, *, hidden: bool) -> Verdict:
    """Return a verdict without its bytes if they are `hidden` as secret, or too many."""
    if verdict.verdict == "pass":
        return verdict
    if hidden:
        return _without(verdict, "(not shown: it may hold secrets)", annotated=[])
    actual = verdict.actual
    if isinstance(actual, str) and len(actual) > 2 * MOST_SHOWN_BYTES:
        return _without(verdict, f"({len(actual) // 2} bytes)")
    return verdict


def is_secret(message: str) -> bool:
    """True if the frames of a message may hold passwords or keys."""
    return message.removesuffix("Request").removesuffix("Response") in SECRET


def _without(verdict: Verdict, told: str, **fields: Any) -> Verdict:
    difference = None if "annotated" in fields else verdict.first_difference
    return msgspec.structs.replace(
        verdict, input=None, expected=None, actual=told, first_difference=difference, **fields
    )


def _piece(data: bytes) -> str:
    return data[:_BYTES].hex(" ") + (" …" if len(data) > _BYTES else "")


def _cut(text: str) -> str:
    return text if len(text) <= _LETTERS else f"{text[: _LETTERS - 1]}…"
