"""The engine for clients: scenarios in, verdicts out, each with a visit of its own.

What a client does in a scenario counts only where it did well with the scenario's twin, which is
visited once for all scenarios that share it. Some rules hold whatever is played; they are judged on
every visit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor

from conformance.dialogue import Broken, NotHere
from conformance.judge.visit import judged
from conformance.results.lines import Verdict
from conformance.rules import Rule
from conformance.scenarios import Scenario, twin_of
from conformance.scenarios.always import ALWAYS
from conformance.scenarios.visit import Judgement, Visit, does_well

AT_ONCE = 6
"""Visits side by side. Most of one is waiting: for a program to start, or for its time to be up."""

Receive = Callable[[type[Scenario]], Visit]
"""Plays a scenario to the client, and tells what the client did."""


def play(
    chosen: Iterable[type[Scenario]],
    receive: Receive,
    rules: Mapping[str, Rule],
    profile: str,
    at_once: int = AT_ONCE,
    well: dict[type[Scenario], Visit] | None = None,
) -> Iterator[Verdict]:
    """Play each scenario, several side by side, and judge what came of it by these rules.

    `well` are the twins that were visited before, and is given those that are now. Raises whatever
    `receive` raises.
    """
    chosen = list(chosen)
    well = {} if well is None else well
    pool = ThreadPoolExecutor(at_once)
    try:
        twins = [twin for twin in dict.fromkeys(map(twin_of, chosen)) if twin not in well]
        well.update(zip(twins, pool.map(receive, twins), strict=True))
        for twin in twins:
            yield from _always(twin, well[twin], rules, profile)
        wrong = {twin: _broken(does_well, visit) for twin, visit in well.items()}
        visits = {
            each: pool.submit(receive, each) for each in chosen if wrong[twin_of(each)] is None
        }
        for each in chosen:
            failed = wrong[twin_of(each)]
            visit = Visit() if failed else visits[each].result()
            visit.twin = well[twin_of(each)]
            for rule, judgement in each.decides.items():
                if rule in rules:
                    broken = _broken(judgement, visit) if failed is None else None
                    yield judged(each, rules[rule], profile, visit, broken, failed)
            if failed is None:
                yield from _always(each, visit, rules, profile)
    finally:
        pool.shutdown(cancel_futures=True)


def _always(
    scenario: type[Scenario], visit: Visit, rules: Mapping[str, Rule], profile: str
) -> Iterator[Verdict]:
    """What holds whatever is played. A visit that does not show it says nothing of it."""
    for rule, judgement in ALWAYS.items():
        if rule in rules and rule not in scenario.decides:
            broken = _broken(judgement, visit)
            if not isinstance(broken, NotHere):
                yield judged(scenario, rules[rule], profile, visit, broken, None)


def _broken(judgement: Judgement, visit: Visit) -> Broken | NotHere | None:
    try:
        judgement(visit)
    except (Broken, NotHere) as broken:
        return broken
    return None
