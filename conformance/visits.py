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
from conformance.scenarios import Scenario, gauge_of, twin_of, whole
from conformance.scenarios.always import ALWAYS
from conformance.scenarios.visit import LACKING, Judgement, Visit, does_well

AT_ONCE = 8
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
        twins = _visit(map(gauge_of, chosen), receive, well, pool)
        chosen = [_that_fits(each, well) for each in chosen]
        twins += _visit(map(twin_of, chosen), receive, well, pool)
        for twin in twins:
            yield from _always(twin, well[twin], rules, profile)
        wrong = {twin: _broken(does_well, visit) for twin, visit in well.items()}
        visits = {
            each: pool.submit(receive, each) for each in chosen if wrong[twin_of(each)] is None
        }
        for each in chosen:
            failed = wrong[twin_of(each)]
            usual = well[twin_of(each)]
            visit = Visit(ended=usual.ended) if failed else visits[each].result()
            visit.twin = usual
            lacks = _lacks_action(each, visit)
            for rule, judgement in each.decides.items():
                if rule in rules:
                    broken = None if failed else lacks or _broken(judgement, visit)
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


def _visit(
    twins: Iterable[type[Scenario]],
    receive: Receive,
    well: dict[type[Scenario], Visit],
    pool: ThreadPoolExecutor,
) -> list[type[Scenario]]:
    """Visit the twins that were not visited yet, and say which."""
    new = [twin for twin in dict.fromkeys(twins) if twin not in well]
    well.update(zip(new, pool.map(receive, new), strict=True))
    return new


def _that_fits(scenario: type[Scenario], well: Mapping[type[Scenario], Visit]) -> type[Scenario]:
    """The scenario, or the whole of it for a client that did not do well without."""
    is_wrong = isinstance(_broken(does_well, well[gauge_of(scenario)]), Broken)
    return whole(scenario) if is_wrong else scenario


def _lacks_action(scenario: type[Scenario], visit: Visit) -> NotHere | None:
    """What is to be said of a client without the action; one that did it with the twin has it."""
    is_shown = twin_of(scenario).action == scenario.action
    return NotHere(LACKING) if visit.ended.outcome == "unsupported" and not is_shown else None


def _broken(judgement: Judgement, visit: Visit) -> Broken | NotHere | None:
    try:
        judgement(visit)
    except (Broken, NotHere) as broken:
        return broken
    return None
