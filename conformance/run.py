"""The engine: families of cases in, verdicts out, as they come.

There is one, and everything that judges goes through it: the gate under pytest, a campaign on
Spark, a fuzzer's oracle. It keeps the target busy (requests are handed over as far ahead as the
target allows) and remembers nothing but the families that are under way.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping

from conformance.cases.case import Family
from conformance.judge.judge import judge_family
from conformance.protocol import Outcome, Request, Target
from conformance.results.lines import Verdict
from conformance.rules import Rule

NOT_ASKED = Outcome(outcome="unsupported")


def run(
    families: Iterable[Family], target: Target, rules: Mapping[str, Rule], profile: str = "spec"
) -> Iterator[Verdict]:
    """Judge a target by these families. Raises TargetLost where it can't be kept alive."""
    under_way: deque[Family] = deque()

    def requests() -> Iterator[Request]:
        for family in families:
            under_way.append(family)
            for case in family.cases:
                if not case.unsupported:
                    yield case.request

    outcomes = iter(target.ask(requests()))
    while True:
        first = next(outcomes, None)
        # A family all of whose cases are unsupported was never asked: no outcome will come.
        while under_way and not _asked(under_way[0]):
            family = under_way.popleft()
            yield from judge_family(family, [NOT_ASKED] * len(family.cases), rules, profile)
        if first is None:
            return
        family = under_way.popleft()
        answers = _gather(family, first, outcomes)
        yield from judge_family(family, answers, rules, profile)


def _asked(family: Family) -> bool:
    return any(not case.unsupported for case in family.cases)


def _gather(family: Family, first: Outcome, outcomes: Iterator[Outcome]) -> list[Outcome]:
    """The outcomes of a family, of which the first asked case's is already there."""
    pending = [first]
    return [
        NOT_ASKED if case.unsupported else pending.pop() if pending else next(outcomes)
        for case in family.cases
    ]
