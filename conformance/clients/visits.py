"""The engine for clients: scenarios in, verdicts out, each with a visit of its own.

A rule fails only where its control case passes: the same conversation without what the rule asks.
A control case is a scenario as well, with one of its own below it, and is visited once for all that
rest on it. Within a visit the first rule that is broken is charged with it: what comes behind a
request that nobody can read, or behind an answer that was not understood, proves nothing more.

Some rules hold whatever is played; they are judged on every visit.

Nothing is charged that was seen once. A scenario whose rule was broken is played again, alone, and
only what is broken there as well counts; the same goes for control cases. Where it is kept then, it
is played up to three times more, since a client may break a rule at random: what is broken in two
of these, and so alone as often as not, counts as well. A request that no broker can read was sent,
however often: what holds on every visit is not asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

from conformance.clients.doubts import Doubts
from conformance.clients.judge import First, is_undecided, seen_once, verdict_on_visit
from conformance.clients.scenarios.control_cases import (
    WELL,
    control_case_of,
    control_of,
    ground_of,
    whole,
)
from conformance.clients.scenarios.every_request import ABOUT_VERSIONS, ALWAYS, FIRST_OF_ALL
from conformance.clients.scenarios.plain_brokers import ServesTopics
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.versions.each_version import EACH_VERSION_READ
from conformance.clients.scenarios.visit import Judgement, Visit, does_well, lacking
from conformance.clients.staying import as_requests_show
from conformance.dialogue import Broken, NotApplicable
from conformance.results.lines import BROKEN, Verdict
from conformance.rules import Rule

AT_ONCE = 8
"""Visits side by side. Most of one is waiting: for a program to start, or for its time to be up."""

MORE_TIMES, OFTEN = 3, 2
"""So often what failed once and not again is played more, and has to fail then to be charged."""

Receive = Callable[[type[Scenario]], Visit]
"""Plays a scenario to the client, and tells what the client did."""


class Visits:
    """The visits of one client: `made` are those that were, which outlives a run.

    `again` plays a scenario alone, None where what is seen once is as good: nothing but the client
    moves the clock there, or the client comes by itself.
    """

    def __init__(
        self,
        receive: Receive,
        made: dict[type[Scenario], Visit],
        pool: ThreadPoolExecutor,
        again: Receive | None = None,
    ) -> None:
        self._receive = receive
        self._pool = pool
        self._again = again
        self._alone: dict[type[Scenario], list[Visit]] = {}
        self.made = made

    def fails_again(self, scenario: type[Scenario], rule: str) -> bool:
        """True if a rule is broken alone as well, on visits that are made for all of a scenario's
        rules: on the first, or on two of three more."""
        if _is_shown_broken(scenario, rule, self._asked_again(scenario)):
            return True
        if scenario not in self._alone:  # there is no other visit that could be made
            return False
        failed = 0
        for number in range(1, MORE_TIMES + 1):
            failed += _is_shown_broken(scenario, rule, self._asked_alone(scenario, number))
            if failed == OFTEN or failed + MORE_TIMES - number < OFTEN:
                break
        return failed == OFTEN

    def fails_once(self, scenario: type[Scenario]) -> bool:
        """True if a visit that was made breaks a rule, and the control case of that rule holds."""
        if scenario not in self.made or _lacks(scenario, self.made[scenario]):
            return False
        return any(
            self.failed(control_of(scenario, rule)) is None
            and _is_shown_broken(scenario, rule, self.made[scenario])
            for rule in scenario.decides
        )

    def _asked_again(self, scenario: type[Scenario]) -> Visit:
        """The visit that is made alone; the first, where that was such a one already, or the client
        asked without waiting."""
        visit = self.made[scenario]
        if self._again is None or visit.is_full or visit.ended.outcome in ("hung", "unlimited"):
            return visit
        return self._asked_alone(scenario, 0)

    def _asked_alone(self, scenario: type[Scenario], number: int) -> Visit:
        """The visit alone of this number, counted from 0, which is made once."""
        visits = self._alone.setdefault(scenario, [])
        while len(visits) <= number:
            assert self._again is not None
            visit = self._again(scenario)
            visit.control_case = self.made[scenario].control_case
            visits.append(visit)
        return visits[number]

    def make(self, scenarios: Iterable[type[Scenario]]) -> list[type[Scenario]]:
        """Visit those that were not visited yet, several side by side, and say which."""
        new = [each for each in dict.fromkeys(scenarios) if each not in self.made]
        self.made.update(zip(new, self._pool.map(self._receive, new), strict=True))
        for each in new:
            self.made[each].control_case = self.made.get(control_case_of(each))
        return new

    def make_controls(self, controls: Iterable[type[Scenario]]) -> Iterator[type[Scenario]]:
        """Visit these and what they rest on, nothing that rests on one that failed."""
        towers = [list(below(each)) for each in dict.fromkeys(controls)]
        for height in range(max(map(len, towers), default=0)):
            level = [tower for tower in towers if len(tower) > height]
            made = self.make(
                tower[height] for tower in level if not any(map(self._fails, tower[:height]))
            )
            for each in made:
                self.confirm(each)
            yield from made

    def confirm(self, control: type[Scenario]) -> None:
        """Visit a control case that failed again, alone: what holds then holds."""
        if isinstance(self._fails(control), Broken):
            second = self._asked_again(control)
            if not isinstance(broken_by(control.holds, second), Broken):
                self.made[control] = second

    def failed(self, control: type[Scenario]) -> First | None:
        """What failed first of a control case and those that it rests on, None where all hold."""
        for each in below(control):
            played = each if each in self.made else ground_of(each)
            broken = self._fails(played)
            if broken is not None:
                return First(f"its control case {played.case()}", broken)
        return None

    def shows_fault(self, control: type[Scenario]) -> bool:
        """True if a control case failed by itself, so that its own rules are to say why."""
        return isinstance(self._fails(control), Broken)

    def _fails(self, control: type[Scenario]) -> Broken | NotApplicable | None:
        """Why a visit can't be held against others, None where it can."""
        visit = self.made[control]
        if visit.ended.outcome == "unsupported":
            return lacking(visit)
        return broken_by(control.holds, visit)

    def of(self, scenario: type[Scenario]) -> Visit:
        """The visit to a scenario; one where nothing was sent if its control case failed."""
        ground = self.made[ground_of(scenario)]
        return self.made.get(scenario, Visit(ended=ground.ended))

    def speaks(self, ground: type[Scenario]) -> bool:
        """Whether the client asked something there, and came to an end."""
        visit = self.made[ground]
        has_asked = any(each.value is not None for each in visit.sent)
        return has_asked and visit.ended.outcome != "hung"

    def does_well(self, scenario: type[Scenario]) -> bool:
        """Whether the client did well there, or does not do that at all."""
        return not isinstance(broken_by(does_well, self.made[scenario]), Broken)


def below(control: type[Scenario]) -> Iterator[type[Scenario]]:
    """A control case and what it rests on: nothing, where it asks that a client does well."""
    control_case = control_case_of(control)
    if control.holds is not does_well and control_case is not control:
        yield from below(control_case)
    yield control


def play(
    chosen: Iterable[type[Scenario]],
    receive: Receive,
    rules: Mapping[str, Rule],
    profile: str,
    at_once: int = AT_ONCE,
    well: dict[type[Scenario], Visit] | None = None,
    again: Receive | None = None,
    doubts: Doubts | None = None,
    stop: Callable[[], None] = lambda: None,
) -> Iterator[Verdict]:
    """Play each scenario, several side by side, and judge what came of it by these rules.

    `well` are the visits that were made before, and is given those that are now. `again` plays one
    alone, and `doubts` is given what it did not confirm. `stop` ends the visits that go on where
    this is broken off. Raises whatever `receive` raises.
    """
    chosen = list(chosen)
    pool = ThreadPoolExecutor(at_once)
    visits = Visits(receive, {} if well is None else well, pool, again)
    doubts = doubts or Doubts()
    decided: set[type[Scenario]] = set()
    try:
        new = visits.make([ServesTopics, *map(ground_of, chosen)])
        for each in new:
            visits.confirm(each)
        chosen = [_that_fits(each, visits) for each in chosen]
        controls = list(chain.from_iterable(map(_controls, chosen)))
        rested_on = chain.from_iterable(map(below, controls))
        grounds: list[type[Scenario]] = [ServesTopics]
        grounds += map(ground_of, chain(chosen, rested_on))
        new += (whole_grounds := visits.make(grounds))
        for each in whole_grounds:
            visits.confirm(each)
        if any(map(visits.speaks, grounds)):
            new += visits.make_controls(controls)
            new += visits.make(each for each in chosen if _counts(each, visits))
        _doubt_drivers(visits, doubts)
        is_told = False
        for verdict in _all_decided(chosen, new, visits, rules, profile, doubts, decided):
            is_told |= verdict.verdict in BROKEN
            yield verdict
        if ServesTopics in new and not is_told and visits.speaks(ServesTopics):
            yield from _unserved(visits, rules, profile)
    except KeyboardInterrupt:
        stop()
        doubts.not_again |= {
            each.case() for each in chosen if each not in decided and visits.fails_once(each)
        }
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _all_decided(
    chosen: Sequence[type[Scenario]],
    new: Sequence[type[Scenario]],
    visits: Visits,
    rules: Mapping[str, Rule],
    profile: str,
    doubts: Doubts,
    decided: set[type[Scenario]],
) -> Iterator[Verdict]:
    """What the chosen scenarios decide, and what control cases do that fail beside them.

    Those that are through are added to the `decided`.
    """
    for each in new:
        if each not in chosen:
            yield from _always(each, visits, rules, profile)
            if visits.shows_fault(each):  # or what rests on it would be not-proven in silence
                yield from _decided(each, visits, rules, profile, doubts)
    for each in chosen:
        if each in new:
            yield from _always(each, visits, rules, profile)
        yield from _decided(each, visits, rules, profile, doubts)
        decided.add(each)


def _unserved(visits: Visits, rules: Mapping[str, Rule], profile: str) -> Iterator[Verdict]:
    """The verdict on a client that fails at a broker without a defect, where no rule says why.

    All scenarios rest on that one, so that without it nothing would be reported of the client.
    """
    visit = visits.made[ServesTopics]
    broken = broken_by(does_well, visit)
    if isinstance(broken, Broken) and EACH_VERSION_READ in rules:
        rule = rules[EACH_VERSION_READ]
        yield verdict_on_visit(ServesTopics, rule, profile, visit, broken, None)


def _doubt_drivers(visits: Visits, doubts: Doubts) -> None:
    """Keep by action what did not go as it was to, where nothing is wrong."""
    for action, plain in WELL.items():
        if visit := visits.made.get(plain):
            doubts.take(action, visit)


def _controls(scenario: type[Scenario]) -> list[type[Scenario]]:
    """The control cases of a scenario's rules."""
    return [control_case_of(scenario), *(control_of(scenario, rule) for rule in scenario.decides)]


def _counts(scenario: type[Scenario], visits: Visits) -> bool:
    """Whether a scenario may show anything: some control case of its rules holds."""
    return any(visits.failed(control_of(scenario, rule)) is None for rule in scenario.decides)


def _decided(
    scenario: type[Scenario],
    visits: Visits,
    rules: Mapping[str, Rule],
    profile: str,
    doubts: Doubts,
) -> Iterator[Verdict]:
    """What a scenario decides, rule by rule; the first that is broken stands before the others."""
    visit = visits.of(scenario)
    first = _first_of_all(visit)
    lacks = _lacks(scenario, visit)
    for rule, judgement in scenario.decides.items():
        failed = visits.failed(control_of(scenario, rule))
        broken = None if failed else lacks or broken_by(judgement, visit)
        if isinstance(broken, Broken):
            broken = as_requests_show(rule, visit, broken)
        behind = first if isinstance(broken, Broken) and _is_behind(rule, first) else None
        if rule in rules:
            verdict = verdict_on_visit(
                scenario, rules[rule], profile, visit, broken, failed or behind
            )
            if verdict.verdict in BROKEN and not visits.fails_again(scenario, rule):
                doubts.once.add(scenario.case())
                yield seen_once(verdict)
                continue
            yield verdict
        if isinstance(broken, Broken) and is_undecided(visit, broken):
            doubts.out_of_time.add(scenario.case())
        elif isinstance(broken, Broken) and not behind:
            first = First(rule, broken, rule)


def _is_behind(rule: str, first: First | None) -> bool:
    """Whether another rule was broken first; of those on versions the last one tells it best."""
    if first is None or first.rule == rule:
        return False
    return not {rule, first.rule} <= ABOUT_VERSIONS


def _first_of_all(visit: Visit) -> First | None:
    """The rule that a request of the visit breaks, so that the played broker can't go on."""
    for rule, judgement in FIRST_OF_ALL.items():
        broken = broken_by(judgement, visit)
        if isinstance(broken, Broken):
            return First(rule, broken, rule)
    return None


def _always(
    scenario: type[Scenario], visits: Visits, rules: Mapping[str, Rule], profile: str
) -> Iterator[Verdict]:
    """What holds whatever is played. A visit that does not show it says nothing of it."""
    visit = visits.made[scenario]
    for rule, judgement in ALWAYS.items():
        if rule in rules and rule not in {*scenario.decides, *scenario.leaves_open}:
            broken = broken_by(judgement, visit)
            if not isinstance(broken, NotApplicable):
                yield verdict_on_visit(scenario, rules[rule], profile, visit, broken, None)


def _that_fits(scenario: type[Scenario], visits: Visits) -> type[Scenario]:
    """The scenario, or the whole of it for a client that did not do well without."""
    return scenario if visits.does_well(ground_of(scenario)) else whole(scenario)


def _lacks(scenario: type[Scenario], visit: Visit) -> NotApplicable | None:
    """What is to be said of a client that shows nothing here: it has no such action, or does not
    ask what is answered here. One that did it with the control case has the action."""
    is_shown = control_case_of(scenario).action == scenario.action
    if visit.ended.outcome == "unsupported" and not is_shown:
        return lacking(visit)
    answered = scenario.answered_api()
    if answered and not visit.of(answered):
        return NotApplicable(f"it did not ask {answered}, whose answer is what was played")
    return None


def _is_shown_broken(scenario: type[Scenario], rule: str, visit: Visit) -> bool:
    """True if a visit breaks a rule of the scenario, and not for want of time."""
    broken = broken_by(scenario.decides[rule], visit)
    if isinstance(broken, Broken):
        broken = as_requests_show(rule, visit, broken)
    return isinstance(broken, Broken) and not is_undecided(visit, broken)


def broken_by(judgement: Judgement, visit: Visit) -> Broken | NotApplicable | None:
    """Return how a visit breaks a judgement, or why it does not show it; None where it keeps it."""
    try:
        judgement(visit)
    except (Broken, NotApplicable) as broken:
        return broken
    return None
