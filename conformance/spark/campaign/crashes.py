"""A limit on deaths: a target that hangs on case after case would cost a timeout each for ever.

What ended the target often enough under one rule on one message is not asked any more, in this
stretch or in the rounds that follow; nor is anything in a stretch that ended it too often at all.
The cases that are spared say so, and count as not proven.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from conformance.codecs.cases.case import Case, Family
from conformance.results.lines import Verdict

MOST_DEATHS = 10
"""Cases of a rule and a message that may end the target."""
MOST_AT_ONCE = 250
"""Cases of a stretch that may end it, whatever they are; a hang counts for ten."""
_WEIGHT = {"crashed": 1, "hung": 10}
SPARED = "not asked: "
Kind = tuple[str, str]
"""Message, rule."""


class Deaths:
    """Counts how often a stretch ended its target; `weary` is what did before this stretch."""

    def __init__(self, skipped: Iterable[Kind] = ()) -> None:
        self.seen: Counter[Kind] = Counter()
        self._weary = set(skipped)
        self._cost = 0

    def count(self, verdict: Verdict) -> None:
        """Count one verdict."""
        if kind := died_of(verdict):
            self.seen[kind] += 1
            self._cost += _WEIGHT[verdict.outcome]
            if self.seen[kind] >= MOST_DEATHS:
                self._weary.add(kind)

    def spare(self, family: Family) -> Family:
        """The family, without the cases that would only end the target once more."""
        if not self._weary and not self.seen:
            return family
        cases = tuple(replace(case, spared=self._why(case)) for case in family.cases)
        return replace(family, cases=cases)

    def _why(self, case: Case) -> str:
        if self._cost >= MOST_AT_ONCE:
            return f"{SPARED}{self.seen.total()} cases of this stretch have ended the target"
        message = case.request.message
        if all((message, rule) in self._weary for rule in case.rules):
            return f"{SPARED}{MOST_DEATHS} cases of this rule and message have ended the target"
        return ""


def died_of(verdict: Verdict) -> Kind | None:
    """What ended the target, if anything did: too much memory alone did not."""
    return (verdict.message, verdict.rule) if verdict.outcome in _WEIGHT else None


def is_spared(verdict: Verdict) -> bool:
    """Whether a case was not asked for the sake of the target."""
    return verdict.verdict == "not-proven" and verdict.detail.startswith(SPARED)
