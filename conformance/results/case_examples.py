"""The verdict that a finding shows, among kept verdicts of broken cases.

A case of a codec is one request, whose verdicts all have the same bytes. A dialogue may decide
several rules in cases of one name, each with bytes of its own: such a verdict is kept by its rule
as well, so that a finding never shows the bytes of another rule.
"""

from __future__ import annotations

from collections.abc import Mapping

from conformance.results.lines import EXCHANGE, FORWARD, VISIT, Finding, Verdict

_DIALOGUES = frozenset({EXCHANGE, FORWARD, VISIT})


def key_of(verdict: Verdict) -> str:
    """Return the key of a verdict among the kept ones: its case, in a dialogue also its rule."""
    return _key(verdict.rule, verdict.case) if verdict.op in _DIALOGUES else verdict.case


def example_of(examples: Mapping[str, Verdict], finding: Finding) -> Verdict | None:
    """Return the kept verdict that a finding shows, None if there is none."""
    keys = (*(_key(rule, finding.case) for rule in finding.rules), finding.case)
    return next((examples[key] for key in keys if key in examples), None)


def _key(rule: str, case: str) -> str:
    return f"{rule} {case}"
