"""What a client did in a scenario makes a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import PlayedAnswer, Sent, Visit
from conformance.dialogue import Broken, NotApplicable
from conformance.results.lines import VISIT, Verdict, VerdictName
from conformance.results.text import counted
from conformance.rules import Rule

MOST_SHOWN = 24
MOST_SHOWN_BYTES = 256


@dataclass(frozen=True, slots=True)
class First:
    """What failed before a rule could be shown broken: a control case, or another `rule`."""

    what: str
    broken: Broken | NotApplicable
    rule: str = ""


def verdict_on_visit(
    scenario: type[Scenario],
    rule: Rule,
    profile: str,
    visit: Visit,
    broken: Broken | NotApplicable | None,
    first: First | None,
) -> Verdict:
    """The verdict by one rule; nothing counts behind what failed `first`."""
    name, detail = _judgement(rule, profile, visit, broken, first)
    shown: dict[str, Any] = {}
    if isinstance(broken, Broken):
        shown = {
            "input": scenario.says(),
            "expected": broken.expected,
            "actual": _timeline(visit),
        }
    return Verdict(
        rule=rule.id,
        class_=rule.class_,
        case=scenario.case(),
        message=scenario.about,
        version=-1,
        op=VISIT,
        outcome=visit.ended.outcome,
        verdict=name,
        detail=detail,
        **shown,
    )


def _judgement(
    rule: Rule,
    profile: str,
    visit: Visit,
    broken: Broken | NotApplicable | None,
    first: First | None,
) -> tuple[VerdictName, str]:
    if first is not None and isinstance(first.broken, NotApplicable):
        return "unsupported", str(first.broken)
    if first is not None:
        return "not-proven", f"{first.what} failed first: {first.broken}"
    if isinstance(broken, NotApplicable):
        return "unsupported", str(broken)
    if broken is None:
        return "pass", ""
    if broken.actual == "crashed":
        return "crash", broken.detail
    if broken.actual == "hung" or visit.is_full:
        return "hang", broken.detail
    if broken.actual == "unlimited":
        return "not-proven", broken.detail
    return rule.verdict_on_breach(profile), broken.detail


def _timeline(visit: Visit) -> list[str]:
    """What was asked (`>`, with its bytes) and answered (`<`), a line each.

    How many requests there is no room for comes last.
    """
    both: list[Sent | PlayedAnswer] = [*visit.sent, *visit.answered]
    events = sorted(both, key=lambda each: each.at_s)[:MOST_SHOWN]
    lines = [f"{each.at_s:.3f} s, connection {each.connection} {_event(each)}" for each in events]
    more = len(visit.sent) - sum(isinstance(each, Sent) for each in events)
    return [*lines, f"and {counted(more, 'more request')}"] if more > 0 else lines


def _event(each: Sent | PlayedAnswer) -> str:
    if isinstance(each, Sent):
        return f"> {_name(each)} {each.frame[:MOST_SHOWN_BYTES].hex()}"
    if not each.size:
        return "< is closed"
    to = f" to {_name(each.to)}" if each.to else ""
    return f"< answer{to}, {each.size} bytes"


def _name(request: Sent) -> str:
    return f"{request.api or 'unknown'} v{request.version}"
