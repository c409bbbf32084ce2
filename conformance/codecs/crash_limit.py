"""A limit on crashes: a target that hangs on case after case would cost a timeout each for ever.

Where it crashed or hung often enough under one rule, the other cases of that rule are not asked any
more; nor is anything at all where it ended too often. The cases that are skipped say so, and count
as not proven.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from conformance.codecs.cases.case import Case, Family
from conformance.results.lines import NOT_ASKED, Verdict

MOST_CRASHES = 10
"""Crashes and hangs of a kind after which nothing of that kind is asked any more."""
_COST = {"crashed": 1, "hung": 10}
"""The cost of starting a target again, by how it ended: too much memory alone ends none."""
Kind = tuple[str, str]
"""Message, rule; a message of "" stands for all of them."""


class CrashLimit:
    """Counts crashes and hangs, by rule or `by_message` as well.

    `skipped` is what is not asked from the start, `most` what all ends of the target may cost.
    """

    def __init__(
        self, *, by_message: bool = False, skipped: Iterable[Kind] = (), most: int | None = None
    ) -> None:
        self.seen: Counter[Kind] = Counter()
        self._by_message = by_message
        self._skipped = set(skipped)
        self._most = most
        self._cost = 0

    def count(self, verdict: Verdict) -> None:
        """Count one verdict."""
        if not is_crash(verdict):
            return
        self.add(self._kind(verdict.message, verdict.rule), 1)
        self._cost += _COST.get(verdict.outcome, 0)

    def add(self, kind: Kind, times: int) -> None:
        """Add crashes that were counted elsewhere."""
        self.seen[kind] += times
        if self.seen[kind] >= MOST_CRASHES:
            self._skipped.add(kind)

    def limit(self, family: Family) -> Family:
        """The family, with the cases marked that would only end the target once more."""
        if not self._skipped and not self.seen:
            return family
        cases = tuple(replace(case, skipped=self._why(case)) for case in family.cases)
        return replace(family, cases=cases)

    def _why(self, case: Case) -> str:
        if self._most is not None and self._cost >= self._most:
            return f"{NOT_ASKED}{self.seen.total()} cases of this chunk have ended the target"
        if self.skips(case.request.message, case.rules):
            of = "rule and message" if self._by_message else "rule"
            return f"{NOT_ASKED}{MOST_CRASHES} cases of this {of} have crashed or hung"
        return ""

    def skips(self, message: str, rules: Sequence[str]) -> bool:
        """True if cases that decide these rules are no longer put to the target."""
        return bool(rules) and all(self._kind(message, rule) in self._skipped for rule in rules)

    def _kind(self, message: str, rule: str) -> Kind:
        return (message if self._by_message else ""), rule


def is_crash(verdict: Verdict) -> bool:
    """True if a target crashed or hung, or took so much memory that it counts as a crash."""
    return verdict.verdict in ("crash", "hang")


def is_skipped(verdict: Verdict) -> bool:
    """True if a case was not put to the target, to spare it."""
    return verdict.verdict == "not-proven" and verdict.detail.startswith(NOT_ASKED)
