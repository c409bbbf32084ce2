"""The verdict on what a client did in a scenario.

A visit that a time limit ended, the driver's or the suite's, may have stopped anywhere. Steps that
are missing at that point, and the end of the driver, prove nothing about the client: only a request
that it sent can show a defect there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import HUNG_UP_ON, Visit, has_run_out, is_shown
from conformance.clients.timeline import timeline
from conformance.dialogue import Broken, NotApplicable
from conformance.results.lines import ONCE, VISIT, Verdict, VerdictName
from conformance.rules import Rule

TIME_IS_UP = "its time was up, and no request shows what the client did wrong"
"""Why a visit that a time limit ended is charged to no client."""


@dataclass(frozen=True, slots=True)
class First:
    """The first failure before a rule could be shown broken: a control case, or another `rule`."""

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
    """Return the verdict by one rule; after the failure of `first` nothing counts."""
    name, detail = _judgement(rule, profile, visit, broken, first)
    shown: dict[str, Any] = {}
    if isinstance(broken, Broken):
        shown = {
            "input": scenario.says(),
            "expected": broken.expected,
            "actual": timeline(visit, broken, _played(scenario)),
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


def is_undecided(visit: Visit, broken: Broken) -> bool:
    """True if time ran out in a visit, and no request of it breaks the rule."""
    return has_run_out(visit.ended) and not is_shown(visit, broken)


def seen_once(verdict: Verdict) -> Verdict:
    """Return the verdict as a note, whatever the profile: it was not seen again alone."""
    return msgspec.structs.replace(verdict, verdict="note", detail=ONCE + verdict.detail)


def _played(scenario: type[Scenario]) -> str:
    """Return the API whose answer is played; "" if that is the list of versions, or none."""
    api = scenario.answered_api()
    return "" if api == "ApiVersions" else api


def without_proof(verdict: Verdict, why: str) -> Verdict:
    """Return the verdict as not proven, for a reason that lies in the driver."""
    return msgspec.structs.replace(
        verdict, verdict="not-proven", detail=f"{verdict.detail}, and {why}"
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
    if is_undecided(visit, broken):
        return "not-proven", f"{broken.detail}: {TIME_IS_UP}"
    if broken.actual == "crashed":
        return "crash", broken.detail
    if broken.actual == "hung" or broken.detail.endswith(HUNG_UP_ON):
        return "hang", broken.detail  # what else such a visit shows was wrong before
    return rule.verdict_on_breach(profile), broken.detail
