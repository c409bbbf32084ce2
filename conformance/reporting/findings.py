"""Many verdicts, few causes: what went wrong, told once each with its smallest case.

A codec that trips over one thing fails hundreds of cases under dozens of rules, on every message
that has the thing. So the verdicts of one case and operation are taken together first, and cases
have one cause where the same operation went wrong in the same way, whatever the message: with the
same words of the target where it refused or crashed, else with the same rules broken. Numbers,
names and bytes in those words may vary.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import msgspec

from conformance.results.lines import Finding, Verdict
from conformance.results.text import reproduce

_VARYING = re.compile(r"0x[0-9a-fA-F]+|\d+|'[^' ]*'|\"[^\" ]*\"")
_SAYS_WHY = frozenset({"rejected", "crashed", "hung"})

Key = tuple[str, ...]


class Causes:
    """Gathers broken verdicts into findings. Keeps one case for each cause, not all of them."""

    def __init__(self) -> None:
        self._causes: dict[Key, _Cause] = {}
        self._case: list[Verdict] = []

    def take(self, verdict: Verdict) -> None:
        """Count one broken verdict. Those of one case come one after another."""
        if self._case and (verdict.case, verdict.op) != (self._case[0].case, self._case[0].op):
            self._close_case()
        self._case.append(verdict)

    def findings(self, target: str, options: Sequence[str] = ()) -> list[Finding]:
        """The findings so far, those with most cases first, to be reproduced with these options."""
        self._close_case()
        found = [cause.finding(target, options) for cause in self._causes.values()]
        return sorted(found, key=lambda finding: (-finding.count, finding.case))

    def examples(self) -> dict[str, Verdict]:
        """A verdict of the smallest case of each finding, by the case's id."""
        self._close_case()
        return {cause.smallest.case: cause.smallest for cause in self._causes.values()}

    def _close_case(self) -> None:
        if self._case:
            self._causes.setdefault(_key(self._case), _Cause(self._case[0])).take(self._case)
            self._case = []


class _Cause:
    """The cases of one cause, as far as a finding tells of them."""

    def __init__(self, first: Verdict) -> None:
        self.smallest = first
        self._size = _size(first)
        self._text = _what(first)
        self._count = 0
        self._rules: Counter[str] = Counter()
        self._messages: set[str] = set()

    def take(self, case: list[Verdict]) -> None:
        self._count += 1
        self._rules.update(verdict.rule for verdict in case)
        self._messages.add(case[0].message)
        size = _size(case[0])
        if size < self._size:
            self.smallest, self._size = case[0], size
        if self._text != _what(case[0]):
            self._text = _alike(case[0])

    def finding(self, target: str, options: Sequence[str]) -> Finding:
        """The finding that tells of this cause."""
        [name, *more] = self._messages
        where = f"{len(more) + 1} messages" if more else name
        verdict = self.smallest.verdict
        how = "" if verdict == "fail" else f"{verdict}: "
        return Finding(
            cause=f"{self.smallest.op} of {where}: {how}{self._text}",
            rules=[rule for rule, _ in self._rules.most_common()],
            case=self.smallest.case,
            count=self._count,
            reproduce=reproduce(target, self.smallest.case, options),
        )


def _key(case: list[Verdict]) -> Key:
    first = case[0]
    key = (first.op, first.verdict, _alike(first))
    if first.outcome in _SAYS_WHY:
        return key
    return (*key, *sorted(verdict.rule for verdict in case))


def _alike(verdict: Verdict) -> str:
    """What cases of one cause have in common of what is said of them."""
    text = verdict.detail.replace(verdict.message, "…")
    return " ".join(_VARYING.sub("…", text).split())


def _what(verdict: Verdict) -> str:
    text = ": ".join(filter(None, (verdict.detail, verdict.first_difference)))
    return " ".join(text.split())


def _size(verdict: Verdict) -> tuple[int, str]:
    asked = verdict.input
    return len(asked if isinstance(asked, str) else msgspec.json.encode(asked)), verdict.case
