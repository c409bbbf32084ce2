"""Verdicts on dialogues: the exchange gives the verdict, its control cases say if it counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from conformance.dialogue import Broken
from conformance.results.lines import EXCHANGE, ONCE, Verdict, VerdictName
from conformance.rules import Rule


class _Asked(Protocol):
    @property
    def id(self) -> str: ...

    @property
    def message(self) -> str: ...

    @property
    def version(self) -> int: ...


class _Exchange(Protocol):
    sent: bytearray
    broken: Broken | None
    absent: str
    told: str

    @property
    def outcome(self) -> str: ...

    @property
    def step(self) -> tuple[bytes, bytes]: ...


def verdict_on_exchange(
    asked: _Asked,
    rule: Rule,
    profile: str,
    found: _Exchange,
    control_cases: Sequence[_Exchange | None],
    died: str,
    first: str = "",
    op: str = EXCHANGE,
    once: bool = False,
    several: str = "",
) -> Verdict:
    """Return the verdict on one exchange; `op` is FORWARD if it went through a proxy.

    `died` says how the endpoint was found gone after the exchange, and `several` begins that text
    if other dialogues may have ended it as well. `first` is the more basic rule that is broken,
    which leaves this one not proven. `once` says that the dialogue did not fail again.
    """
    name, detail = _judgement(rule, profile, found, control_cases, died, first)
    if name == "crash":
        detail = f"{several}{detail}"
    if once and found.broken is not None:
        name, detail = "note", f"{ONCE}{found.broken.detail}"
    shown: dict[str, Any] = {}
    if name in ("fail", "crash") or (name == "note" and found.broken):
        shown = {"input": found.sent.hex()}
        request, answer = found.step
        if len(found.sent) > len(request):
            shown["step"] = [request.hex(), answer.hex()]
        if found.broken is not None:
            shown |= {"expected": found.broken.expected, "actual": found.broken.actual}
    return Verdict(
        rule=rule.id,
        class_=rule.class_,
        case=asked.id,
        message=asked.message,
        version=asked.version,
        op=op,
        outcome=found.outcome,
        verdict=name,
        detail=detail,
        **shown,
    )


def _judgement(
    rule: Rule,
    profile: str,
    found: _Exchange,
    control_cases: Sequence[_Exchange | None],
    died: str,
    first: str,
) -> tuple[VerdictName, str]:
    if died:
        return "crash", f"nobody answers any more: {died}"
    if found.absent:
        return "unsupported", found.absent
    if found.broken is not None and first:
        return "not-proven", f"{first} is broken first: {found.broken.detail}"
    if found.broken is not None:
        return rule.verdict_on_breach(profile), found.broken.detail
    wrong = next(
        (
            control_case.broken
            for control_case in control_cases
            if control_case and control_case.broken
        ),
        None,
    )
    if wrong is not None:
        return "not-proven", f"its well-formed control case did not pass: {wrong.detail}"
    return "pass", found.told
