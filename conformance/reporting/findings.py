"""Many verdicts, few causes: what went wrong, told once each with its smallest case.

Two verdicts have one cause where the same operation on the same message went wrong in the same way;
the same case broken under several rules is one cause with several rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from conformance.results.lines import BROKEN, Finding, Verdict
from conformance.results.text import reproduce, shown

_VARYING = re.compile(r"0x[0-9a-f]+|\d+|'[^']*'|\"[^\"]*\"|\b[0-9a-f]{2}\b")


def find_causes(verdicts: Iterable[Verdict], target: str) -> list[Finding]:
    """The findings among these verdicts, those with most cases first."""
    causes: dict[tuple[str, ...], list[Verdict]] = {}
    for verdict in verdicts:
        if verdict.verdict in BROKEN:
            causes.setdefault(_cause(verdict), []).append(verdict)
    found = [_finding(same, target) for same in causes.values()]
    return sorted(found, key=lambda finding: (-finding.count, finding.case))


def _cause(verdict: Verdict) -> tuple[str, ...]:
    what = verdict.first_difference or verdict.detail
    return verdict.message, verdict.op, verdict.verdict, _VARYING.sub("…", what)


def _finding(same: list[Verdict], target: str) -> Finding:
    smallest = min(same, key=lambda verdict: (len(shown(verdict.input)), verdict.case))
    what = smallest.first_difference or smallest.detail
    return Finding(
        cause=f"{smallest.op} of {smallest.message}: {what}",
        rules=sorted({verdict.rule for verdict in same}),
        case=smallest.case,
        count=len({verdict.case for verdict in same}),
        reproduce=reproduce(target, smallest.case),
    )
