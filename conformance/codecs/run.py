"""The engine: families of cases in, verdicts out, as they come.

There is one, and everything that judges goes through it: the gate under pytest, a campaign on
Spark, a fuzzer's oracle. It keeps the target busy (requests are handed over as far ahead as the
target allows) and remembers nothing but the families that are under way.

A failure that does not come back is the worst to find. So the first family that fails a rule is
kept, and its failed cases are asked once more when all others are done; and so is a small sample of
the families that passed, as a wrong answer may just not have come up. Crashes and hangs have been
asked again already, by the target that asks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from zlib import crc32

import msgspec

from conformance.codecs.cases.case import Family
from conformance.codecs.judge.judge import judge_family, steady
from conformance.results.lines import Verdict
from conformance.rules import Rule
from conformance.testee_protocol import Outcome, Request, Target

NOT_ASKED = Outcome(outcome="unsupported")
_SAMPLE = 128
"""The number of passed families of which one is asked once more."""
ANSWERS = frozenset({"value", "rejected", "unsupported"})


def run(
    families: Iterable[Family], target: Target, rules: Mapping[str, Rule], profile: str = "spec"
) -> Iterator[Verdict]:
    """Judge a target by these families. Raises TargetLost where it can't be kept alive."""
    kept_back: list[_KeptBack] = []
    failed_before: set[str] = set()
    for family, outcomes in _answered(families, target):
        verdicts = list(judge_family(family, outcomes, rules, profile))
        failed = {(each.case, each.rule) for each in verdicts if each.verdict == "fail"}
        if {rule for _, rule in failed} <= failed_before:
            cases = frozenset(range(len(family.cases))) if _is_sampled(family) else frozenset()
        else:
            failed_before |= {rule for _, rule in failed}
            ids = {case for case, _ in failed}
            cases = frozenset(i for i, case in enumerate(family.cases) if case.id in ids)
        if cases:
            kept_back.append(_KeptBack(family, outcomes, cases))
        else:
            yield from verdicts
    again = target.ask(request for each in kept_back for request in each.requests())
    for each in kept_back:
        yield from judge_family(each.family, each.compared(again), rules, profile)


@dataclass(frozen=True, slots=True)
class _KeptBack:
    """A family with its outcomes, and the positions of the cases that are asked a second time."""

    family: Family
    outcomes: list[Outcome]
    cases: frozenset[int]

    def requests(self) -> Iterator[Request]:
        """Yield the requests to repeat. An outcome that was no answer at all stays as it is."""
        for index, case in enumerate(self.family.cases):
            if self._is_asked(index):
                yield case.request

    def compared(self, again: Iterator[Outcome]) -> list[Outcome]:
        """The outcomes; one that is another the second time knows both."""
        return [
            self._both(before, next(again)) if self._is_asked(index) else before
            for index, before in enumerate(self.outcomes)
        ]

    def _is_asked(self, index: int) -> bool:
        answered = self.outcomes[index].outcome in ANSWERS
        return index in self.cases and answered and self.family.cases[index].is_asked

    def _both(self, before: Outcome, after: Outcome) -> Outcome:
        return before if steady(before, after) else msgspec.structs.replace(before, then=after)


def _is_sampled(family: Family) -> bool:
    return crc32(family.vector.encode()) % _SAMPLE == 0


def _answered(families: Iterable[Family], target: Target) -> Iterator[tuple[Family, list[Outcome]]]:
    """Each family with the outcomes of its cases, those that are not asked included."""
    under_way: deque[Family] = deque()

    def requests() -> Iterator[Request]:
        for family in families:
            under_way.append(family)
            for case in family.cases:
                if case.is_asked:
                    yield case.request

    outcomes = iter(target.ask(requests()))
    while True:
        first = next(outcomes, None)
        # A family all of whose cases are unsupported was never asked: no outcome will come.
        while under_way and not _any_asked(under_way[0]):
            family = under_way.popleft()
            yield family, [NOT_ASKED] * len(family.cases)
        if first is None:
            return
        family = under_way.popleft()
        yield family, _gather(family, first, outcomes)


def _any_asked(family: Family) -> bool:
    return any(case.is_asked for case in family.cases)


def _gather(family: Family, first: Outcome, outcomes: Iterator[Outcome]) -> list[Outcome]:
    """The outcomes of a family, of which the first asked case's is already there."""
    pending = [first]
    return [
        NOT_ASKED if not case.is_asked else pending.pop() if pending else next(outcomes)
        for case in family.cases
    ]
