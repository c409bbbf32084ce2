"""The engine for clients: it takes scenarios, visits each on its own, and yields verdicts.

A rule fails only if its control case passes: the same conversation without what the rule asks. A
control case is a scenario as well, with one of its own below it, and is visited once for all
scenarios that rest on it. Within a visit the first rule that is broken is charged: what follows a
request that no broker can read, or an answer that was not understood, proves nothing more.

Some rules hold whatever is played; they are judged on every visit.

A client is not charged with a failure that was seen once. A scenario whose rule was broken is
played again, alone, and only a breach that is seen there as well counts; the same goes for control
cases. If the rule is kept then, the scenario is played up to three times more, since a client may
break a rule at random: a breach in two of these counts as well, as it then happens alone at least
as often as not. A request that no broker can read was sent, however often: rules that hold on every
visit are not asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

from conformance.clients.doubts import SAYS_OK, Doubts
from conformance.clients.judge import (
    First,
    is_undecided,
    seen_once,
    verdict_on_visit,
    without_proof,
)
from conformance.clients.scenarios.actions import REMOVED, Action
from conformance.clients.scenarios.control_cases import (
    WELL,
    control_case_of,
    control_of,
    ground_of,
    old,
    whole,
)
from conformance.clients.scenarios.every_request import ABOUT_VERSIONS, ALWAYS, FIRST_OF_ALL
from conformance.clients.scenarios.plain_brokers import ServesTopics
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.versions.each_version import EACH_VERSION_READ
from conformance.clients.scenarios.visit import (
    Judgement,
    Sent,
    Visit,
    does_well,
    is_shown,
    lacking,
)
from conformance.clients.stuck_positions import as_requests_show
from conformance.dialogue import Broken, NotApplicable
from conformance.results.lines import BROKEN, Verdict
from conformance.rules import Rule

AT_ONCE = 8
"""Visits side by side. Most of one is waiting: for a program to start, or for its time to be up."""

MORE_TIMES, OFTEN = 3, 2
"""The number of further visits after a failure that a visit alone did not repeat, and the number
of them that have to fail for a charge.
"""

KEY_BYTES = 2
"""The length of the api key, with which each request begins."""
Receive = Callable[[type[Scenario]], Visit]
"""Plays a scenario to the client, and returns the client's visit."""


class Visits:
    """The visits of one client: `made` holds those that took place, and outlives a run.

    `again` plays a scenario alone. It is None if a failure that is seen once counts: nothing but
    the client moves the clock there, or the client connects by itself.
    """

    def __init__(
        self,
        receive: Receive,
        made: dict[type[Scenario], Visit],
        pool: ThreadPoolExecutor,
        again: Receive | None = None,
        says_ok_always: Callable[[Action], bool] | None = None,
    ) -> None:
        self._receive = receive
        self._pool = pool
        self._again = again
        self._says_ok_always = says_ok_always
        self._alone: dict[type[Scenario], list[Visit]] = {}
        self.made = made

    def fails_again(self, scenario: type[Scenario], rule: str) -> bool:
        """True if a rule is broken on a visit alone as well: on the first, or on two of three more.

        These visits are made once for all rules of a scenario.
        """
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

    def rests_on_ok(self, visit: Visit, broken: Broken, action: Action) -> bool:
        """True if a breach rests on the `ok` of a driver that says it in any case."""
        is_said = visit.ended.outcome == "ok" and not is_shown(visit, broken)
        return is_said and self._says_ok_always is not None and self._says_ok_always(action)

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
        """Return the visit that is made alone.

        It is the first visit if that was made alone already, or if the client asked without
        waiting.
        """
        visit = self.made[scenario]
        if self._again is None or visit.is_full or visit.ended.outcome in ("hung", "unlimited"):
            return visit
        return self._asked_alone(scenario, 0)

    def _asked_alone(self, scenario: type[Scenario], number: int) -> Visit:
        """Return the visit alone of this number, counted from 0, which is made once."""
        visits = self._alone.setdefault(scenario, [])
        while len(visits) <= number:
            assert self._again is not None
            visit = self._again(scenario)
            visit.control_case = self.made[scenario].control_case
            visits.append(visit)
        return visits[number]

    def make(self, scenarios: Iterable[type[Scenario]]) -> list[type[Scenario]]:
        """Visit the scenarios that were not visited yet, several side by side, and return them."""
        new = [each for each in dict.fromkeys(scenarios) if each not in self.made]
        self.made.update(zip(new, self._pool.map(self._receive, new), strict=True))
        for each in new:
            self.made[each].control_case = self.made.get(control_case_of(each))
        return new

    def make_grounds(self, grounds: Iterable[type[Scenario]]) -> list[type[Scenario]]:
        """Visit the brokers without a defect that are new, confirm a failure, and return them.

        A request of a removed version shows by itself why a client failed.
        """
        new = self.make(grounds)
        for each in new:
            if not self.needs_removed(each):
                self.confirm(each)
        return new

    def make_controls(self, controls: Iterable[type[Scenario]]) -> Iterator[type[Scenario]]:
        """Visit control cases and those they rest on; yield each that is new.

        A control case that rests on one that failed is not visited.
        """
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
        """Visit a failed control case again, alone, and keep that visit if it holds."""
        if isinstance(self._fails(control), Broken):
            second = self._asked_again(control)
            if not isinstance(broken_by(control.holds, second), Broken):
                self.made[control] = second

    def failed(self, control: type[Scenario]) -> First | None:
        """Return the first failure among a control case and those it rests on; None if all hold."""
        for each in below(control):
            played = each if each in self.made else ground_of(each)
            broken = self._fails(played)
            if broken is not None:
                return First(f"its control case {played.case()}", broken)
        return None

    def shows_fault(self, control: type[Scenario]) -> bool:
        """True if a control case failed by itself, so that its own rules have to say why."""
        return isinstance(self._fails(control), Broken)

    def _fails(self, control: type[Scenario]) -> Broken | NotApplicable | None:
        """Return why a control case does not hold, None if it does."""
        visit = self.made[control]
        if visit.ended.outcome == "unsupported":
            return lacking(visit)
        return broken_by(control.holds, visit)

    def of(self, scenario: type[Scenario]) -> Visit:
        """Return the visit to a scenario; an empty one if its control case failed."""
        ground = self.made[ground_of(scenario)]
        return self.made.get(scenario, Visit(ended=ground.ended))

    def speaks(self, ground: type[Scenario]) -> bool:
        """True if the client sent a readable request on this visit, and came to an end."""
        visit = self.made[ground]
        has_asked = any(each.value is not None for each in visit.sent)
        return has_asked and visit.ended.outcome != "hung"

    def needs_removed(self, ground: type[Scenario]) -> bool:
        """True if the client sent a version there that Kafka 4 has removed."""
        return ground in self.made and any(map(_is_removed, self.made[ground].sent))

    def does_well(self, scenario: type[Scenario]) -> bool:
        """True if the client did well there, or lacks the action."""
        return not isinstance(broken_by(does_well, self.made[scenario]), Broken)


def below(control: type[Scenario]) -> Iterator[type[Scenario]]:
    """Yield the control cases that a control case rests on, the lowest first, then itself.

    It rests on none if all it asks is that a client does well.
    """
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
    says_ok_always: Callable[[Action], bool] | None = None,
) -> Iterator[Verdict]:
    """Play each scenario, several side by side, and yield the verdicts on it by these rules.

    `well` are the visits that were made before; new ones are added to it. `again` plays a scenario
    alone, and `doubts` receives the failures that it did not confirm. `stop` ends the open visits
    if the run is interrupted. `says_ok_always` is True for an action to which the driver says `ok`
    in any case: then its `ok` charges no client. Raises any error that `receive` raises.
    """
    chosen = list(chosen)
    pool = ThreadPoolExecutor(at_once)
    visits = Visits(receive, {} if well is None else well, pool, again, says_ok_always)
    doubts = doubts or Doubts()
    decided: set[type[Scenario]] = set()
    try:
        new = visits.make_grounds([ServesTopics, *map(ground_of, chosen)])
        chosen = [_that_fits(each, visits) for each in chosen]
        new += visits.make_grounds(chain.from_iterable(map(_plain_for, chosen)))
        chosen = [_of_its_age(each, visits) for each in chosen]
        controls = list(chain.from_iterable(map(_controls, chosen)))
        rested_on = chain.from_iterable(map(below, controls))
        grounds: list[type[Scenario]] = [ServesTopics]
        grounds += map(ground_of, chain(chosen, rested_on))
        new += visits.make_grounds(grounds)
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
    """Yield the verdicts of the chosen scenarios, and of failed control cases that are not chosen.

    Scenarios that are finished are added to `decided`.
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
    """Yield the verdict on a client that fails at a broker without a defect, if no rule says why.

    All scenarios rest on that visit, so that without it nothing would be reported of the client.
    """
    visit = visits.made[ServesTopics]
    broken = broken_by(does_well, visit)
    if isinstance(broken, Broken) and EACH_VERSION_READ in rules:
        rule = rules[EACH_VERSION_READ]
        yield verdict_on_visit(ServesTopics, rule, profile, visit, broken, None)


def _doubt_drivers(visits: Visits, doubts: Doubts) -> None:
    """Record by action the faults of visits where nothing is wrong."""
    for action, plain in WELL.items():
        if plain in visits.made:
            asked = filter(_is_removed, visits.made[plain].sent)
            doubts.removed |= {f"{each.api} v{each.version}" for each in asked}
        if visit := visits.made.get(old(plain)) or visits.made.get(plain):
            doubts.take(action, visit)


def _controls(scenario: type[Scenario]) -> list[type[Scenario]]:
    """Return the control cases of a scenario's rules."""
    return [control_case_of(scenario), *(control_of(scenario, rule) for rule in scenario.decides)]


def _counts(scenario: type[Scenario], visits: Visits) -> bool:
    """True if a scenario may show anything: some control case of its rules holds."""
    return any(visits.failed(control_of(scenario, rule)) is None for rule in scenario.decides)


def _decided(
    scenario: type[Scenario],
    visits: Visits,
    rules: Mapping[str, Rule],
    profile: str,
    doubts: Doubts,
) -> Iterator[Verdict]:
    """Yield the verdicts of a scenario, rule by rule.

    A rule that is broken after another one is not proven: the first breach may be the cause.
    """
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
            if (
                verdict.verdict in BROKEN
                and isinstance(broken, Broken)
                and visits.rests_on_ok(visit, broken, scenario.action)
            ):
                doubts.drivers[scenario.action] = SAYS_OK
                yield without_proof(verdict, f"the driver {SAYS_OK}")
                continue
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
    """True if another rule was broken first, unless both are about versions.

    Of several rules about versions, the last one describes the fault best.
    """
    if first is None or first.rule == rule:
        return False
    return not {rule, first.rule} <= ABOUT_VERSIONS


def _first_of_all(visit: Visit) -> First | None:
    """Return the rule that a request of the visit breaks so that the played broker can't go on."""
    for rule, judgement in FIRST_OF_ALL.items():
        broken = broken_by(judgement, visit)
        if isinstance(broken, Broken):
            return First(rule, broken, rule)
    return None


def _always(
    scenario: type[Scenario], visits: Visits, rules: Mapping[str, Rule], profile: str
) -> Iterator[Verdict]:
    """Yield the verdicts of the rules that hold whatever is played.

    A visit that does not show whether such a rule is kept gives no verdict on it. Where a scenario
    charges a wrong version by a rule of its own, it is charged by that rule alone.
    """
    visit = visits.made[scenario]
    left = {*scenario.decides, *scenario.leaves_open}
    if any(
        _is_charged(scenario, each, visits) for each in ABOUT_VERSIONS & scenario.decides.keys()
    ):
        left |= ABOUT_VERSIONS
    for rule, judgement in ALWAYS.items():
        if rule in rules and rule not in left:
            broken = broken_by(judgement, visit)
            if not isinstance(broken, NotApplicable):
                yield verdict_on_visit(scenario, rules[rule], profile, visit, broken, None)


def _is_charged(scenario: type[Scenario], rule: str, visits: Visits) -> bool:
    """True if a visit breaks a rule that the scenario decides, and its control case holds."""
    broken = broken_by(scenario.decides[rule], visits.made[scenario])
    return isinstance(broken, Broken) and visits.failed(control_of(scenario, rule)) is None


def _that_fits(scenario: type[Scenario], visits: Visits) -> type[Scenario]:
    """Return the scenario, or its `whole` form for a client that did not do well in the plain
    one.
    """
    return scenario if visits.does_well(ground_of(scenario)) else whole(scenario)


def _of_its_age(scenario: type[Scenario], visits: Visits) -> type[Scenario]:
    """Return the scenario, or its `old` form for a client that needs versions which are removed.

    Otherwise nothing but the refusal of those versions would be seen.
    """
    is_old = any(map(visits.needs_removed, _plain_for(scenario)))
    return old(scenario) if is_old else scenario


def _plain_for(scenario: type[Scenario]) -> list[type[Scenario]]:
    """Return the brokers without a defect that show which versions a client needs here.

    They are those of the scenario's action, and of the control cases that it rests on.
    """
    rested_on = chain.from_iterable(map(below, _controls(scenario)))
    every = (scenario, *rested_on)
    return [*map(ground_of, every), *(WELL[each.action] for each in every)]


def _is_removed(sent: Sent) -> bool:
    """True if Kafka 4 has removed the version of a request, and no longer serves it."""
    if sent.is_served or len(sent.frame) < KEY_BYTES:
        return False
    low, high = REMOVED.get(int.from_bytes(sent.frame[:KEY_BYTES]), (0, -1))
    return low <= sent.version <= high


def _lacks(scenario: type[Scenario], visit: Visit) -> NotApplicable | None:
    """Return why a client shows nothing in this scenario, None if it shows something.

    It has no such action, or it does not send the request whose answer is judged. A client that did
    the action in the control case has it.
    """
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
