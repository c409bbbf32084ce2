"""Verdicts from the findings about definitions: one for each rule and definition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from conformance.results.lines import Verdict, VerdictName
from conformance.rules import Rule
from conformance.schema.finding import BrokenRule, Examined


def verdicts_of(
    examined: Iterable[Examined], rules: Mapping[str, Rule], profile: str, op: str
) -> Iterator[Verdict]:
    """Yield a verdict for each definition and rule; `op` is the command: lint, diff or compare."""
    for each in examined:
        for rule in rules.values():
            broken = [finding for finding in each.findings if finding.rule == rule.id]
            yield _verdict(each, rule, broken or [*each.misunderstood], profile, op)


def _verdict(
    each: Examined, rule: Rule, broken: list[BrokenRule], profile: str, op: str
) -> Verdict:
    return Verdict(
        rule=rule.id,
        class_=rule.class_,
        case=each.file,
        message=each.name,
        version=each.version,
        op=op,
        outcome="value" if each.whole else "rejected",
        verdict=_name(each, rule, broken, profile),
        detail="; ".join(describe(finding) for finding in broken),
        **_proof(broken),
    )


def _name(each: Examined, rule: Rule, broken: list[BrokenRule], profile: str) -> VerdictName:
    if each.misunderstood:
        return "error"
    if broken:
        return rule.verdict_on_breach(profile)
    return "pass" if each.whole else "not-proven"


def describe(finding: BrokenRule) -> str:
    """Return a finding in one line, with the line of its file if it has one."""
    line = f"line {finding.line}" if finding.line else ""
    return ": ".join(filter(None, (line, finding.place, finding.reason)))


def _proof(broken: list[BrokenRule]) -> dict[str, Any]:
    """Return the bytes of the first finding that has some."""
    proof = next((finding.proof for finding in broken if finding.proof), None)
    if proof is None:
        return {}
    return {"input": proof.bytes.hex(), "expected": proof.value, "actual": proof.read}
