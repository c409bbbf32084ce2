"""The codec gate: an item for each message and rule group, with all its cases inside.

Cases are far too many for an item each. An item judges its cases through the engine and opens a
subtest only for what went wrong: one for each rule and operation, showing the first case and
telling how many more there are.
"""

from __future__ import annotations

from itertools import groupby

import pytest

from conformance.gate.kinds.codec import Gate
from conformance.results.lines import BROKEN, Verdict
from conformance.results.text import failure_text

WRONG = BROKEN | {"error"}


def test_codec(message: str, group: str, conformance_gate: Gate, subtests: pytest.Subtests) -> None:
    """Every verdict of this message and rule group is one that may stand."""
    judge_item(message, group, conformance_gate, subtests)


def judge_item(message: str, group: str, gate: Gate, subtests: pytest.Subtests) -> None:
    """Have an item judged, and open a subtest for each cause of what went wrong."""
    verdicts = gate.verdicts(message, group)
    if all(verdict.verdict == "unsupported" for verdict in verdicts):
        pytest.skip(f"the target declares nothing of {group} on {message}")
    wrong = [v for v in verdicts if v.verdict in WRONG and gate.is_news(v)]
    wrong.sort(key=_cause)
    for (rule, op), same in groupby(wrong, key=_cause):
        cases = list(same)
        with subtests.test(msg=f"{rule} {op}", cases=len(cases)):
            pytest.fail(failure_text(cases[0], len(cases) - 1), pytrace=False)


def _cause(verdict: Verdict) -> tuple[str, str]:
    return verdict.rule, verdict.op
