"""The engine for endpoints: dialogues in, verdicts out, each on a connection of its own.

A dialogue that hurts counts only where its control case, the same without the fault, passes on a
fresh connection right before and right after. What comes after tells whether the endpoint still
lives; one that does not has crashed, and the dialogue that did it is named. One that fails counts
only where its control cases pass, so that a defect is charged to the rule that it breaks alone.

A step that another rule judges is reported by that rule if its own dialogues passed, so that each
fault is reported, and reported once. What does not fail again is noted, and accuses no broker.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from itertools import groupby, islice
from operator import attrgetter

from conformance.brokers.attempts import (
    Attempt,
    Guilty,
    afterwards,
    asked_again,
    attempted,
    held_again,
    tried_again,
    wait_until_well,
    was_cut_short,
)
from conformance.brokers.callers import Callers
from conformance.brokers.dialogues import DialogueCase
from conformance.brokers.dialogues.controls import Controls, judging
from conformance.brokers.dialogues.plainness import rests_on_any
from conformance.brokers.dialogues.talk import ANY_SERVED, GREETED, SERVED
from conformance.brokers.exchange import Control, Exchange, Peer, exchange
from conformance.brokers.judge import verdict_on_exchange
from conformance.brokers.losing import Losing, TimedExchange, not_asked
from conformance.brokers.silence import Silence
from conformance.dialogue import Broken
from conformance.results.lines import Verdict
from conformance.rules import Rule
from conformance.targets.errors import TargetError

MOST_RECENT = 3
"""The number of malformed dialogues that are held again where the endpoint is found dead."""
LATER = "a little later "
UNHARMED = "framing.others-unharmed"


def converse(
    asked: Iterable[DialogueCase],
    endpoint: Peer,
    rules: Mapping[str, Rule],
    profile: str,
    control: Control | None = None,
    controls: Controls | None = None,
    jobs: int = 1,
    losing: Losing | None = None,
    silence: Silence | None = None,
) -> Iterator[Verdict]:
    """Hold each dialogue; an endpoint that died is started again where `control` is given.

    One that fails counts only where its control cases pass. Those that do not disturb each other
    are held `jobs` at once. Raises TargetError where the endpoint can't be reached any more;
    `losing` then knows the dialogues that were held last. Those that `silence` says are left out
    are not held.
    """
    losing, silence = losing or Losing(), silence or Silence()
    recent: list[DialogueCase] = []
    if controls is not None:
        controls.why_unproven = Callers(endpoint, control, controls).why_unproven
    with closing(_held(asked, endpoint, control, controls, jobs, losing, silence)) as dialogues:
        for item, before, held in dialogues:
            if held is None:
                yield not_asked(item, rules[item.rule], silence.why_left_out(item))
                continue
            failed = attempted(item, before, held, endpoint, control)
            attempt, guilty = _settled(item, failed, recent, endpoint, control)
            if guilty is not None:
                yield _of_the_guilty(guilty, rules, profile, failed.died)
            keeps = item.malformed and not failed.died
            recent = [*recent, item][-MOST_RECENT:] if keeps else []
            silence.take(item, attempt.found, again=not (attempt.had_no_chance or attempt.died))
            was_heard = failed.found.last is not None  # else it was another dialogue's doing
            once = failed.is_broken and was_heard and not attempt.is_broken
            shown = failed.found if once else attempt.found
            if controls is not None and (why := controls.why_unproven(item, shown)):
                shown.absent, shown.broken, once = why, None, True
                controls.barred.add(item.rule)
            first, step = (
                ("", "") if once else _first_of(item, attempt, endpoint, control, controls)
            )
            yield verdict_on_exchange(
                item,
                rules[item.rule],
                profile,
                shown,
                [attempt.before, attempt.after],
                "" if first else attempt.died,
                first,
                once=once,
            )
            if step in rules:
                yield verdict_on_exchange(
                    _of_step(item, step, shown), rules[step], profile, shown, [], ""
                )
            yield from _untold(endpoint, rules, profile, control, controls)
            if attempt.died:
                if control is not None:
                    control.restart()
                exchange(item.control_case(), endpoint, control)  # raises where it stays away
            elif attempt.does_harm:
                wait_until_well(item, endpoint, control)


def _settled(
    item: DialogueCase,
    failed: Attempt,
    recent: Sequence[DialogueCase],
    endpoint: Peer,
    control: Control | None,
) -> tuple[Attempt, Guilty | None]:
    """Return the attempt that counts, the second one of a dialogue that failed.

    The other value is a dialogue before it that has ended the endpoint, None without any.
    """
    if failed.died and control is not None and recent:
        return tried_again(item, failed, recent, endpoint, control)
    is_to_be_repeated = failed.is_to_be_repeated or item.rule == UNHARMED
    if failed.is_broken and not failed.died and is_to_be_repeated:
        return asked_again(item, failed, endpoint, control), None
    return failed, None


def _of_the_guilty(guilty: Guilty, rules: Mapping[str, Rule], profile: str, died: str) -> Verdict:
    """Return the verdict on a dialogue held before, which ended the endpoint a little later."""
    item, found = guilty
    return verdict_on_exchange(item, rules[item.rule], profile, found, [], f"{LATER}{died}")


def _untold(
    endpoint: Peer,
    rules: Mapping[str, Rule],
    profile: str,
    control: Control | None,
    controls: Controls | None,
) -> Iterator[Verdict]:
    """Yield the verdicts on failed control cases that this run does not hold as dialogues of its
    own.
    """
    while controls is not None and controls.untold:
        basic = controls.untold.pop()
        if basic.rule in rules:
            found = exchange(basic.begin(), endpoint, control)
            first, _ = _broken_before(basic, found, endpoint, control, controls)
            yield verdict_on_exchange(basic, rules[basic.rule], profile, found, [], "", first)


def _first_of(
    item: DialogueCase,
    attempt: Attempt,
    endpoint: Peer,
    control: Control | None,
    controls: Controls | None,
) -> tuple[str, str]:
    """Return the more basic rule that a failed attempt breaks, or "" if it breaks none.

    The second value is the rule that judges the step in which the attempt failed, if this answer is
    to be reported under that rule; "" otherwise.
    """
    if attempt.had_no_chance:
        first = _unserved(item, attempt, endpoint, control, controls)
        if item.rule != UNHARMED or first != SERVED:  # that may be its own doing
            return first, ""
    if attempt.died or (attempt.after is not None and attempt.after.broken):
        return _broken_by_itself(item, endpoint, control, controls, attempt.died), ""
    return _broken_before(item, attempt.found, endpoint, control, controls)


def _unserved(
    item: DialogueCase,
    attempt: Attempt,
    endpoint: Peer,
    control: Control | None,
    controls: Controls | None,
) -> str:
    """Return the rule that is broken if the control case in front of an attempt was not
    answered.
    """
    if controls is not None:
        for basic in controls.cases(GREETED):
            if item.rule == UNHARMED and not controls.is_known(basic):
                continue  # held now, it would suffer from the same harm
            if _fails(basic, endpoint, control, controls):
                return GREETED
    before = attempt.before.broken if attempt.before else None
    return (before.judged_by if before else "") or SERVED


Held = tuple[DialogueCase, Exchange | None, Exchange | None]
"""A dialogue, the exchange of its control case in front of it (malformed dialogues only), and
its own exchange, None if it was left out.
"""


def _held(
    asked: Iterable[DialogueCase],
    endpoint: Peer,
    control: Control | None,
    controls: Controls | None,
    jobs: int,
    losing: Losing,
    silence: Silence,
) -> Generator[Held]:
    """Yield each dialogue in order with its exchanges, up to `jobs` at once.

    Dialogues that only read are held side by side, and so are those that only write.
    """

    def hold(item: DialogueCase) -> Held:
        is_named = controls is not None and controls.failed.get((item.rule, item.id), False)
        if silence.why_left_out(item) and not is_named:  # what a verdict names has a finding
            return item, None, None
        before = exchange(item.control_case(), endpoint, control) if item.malformed else None
        began = time.monotonic()
        try:
            found = exchange(item.begin(), endpoint, control)
        except TargetError as error:  # it may be another dialogue's doing: this one is held again
            if item.malformed:
                raise
            return item, None, Exchange(broken=Broken(error.message))
        losing.late.append(TimedExchange(item, found, began, time.monotonic()))
        return item, before, found

    for beside, items in groupby(asked, attrgetter("beside")):
        losing.forget(jobs)
        if beside == "nothing" or jobs == 1:
            yield from map(hold, items)
        else:
            with ThreadPoolExecutor(jobs) as pool:
                while some := list(islice(items, jobs)):  # `silence` learns of each before the next
                    yield from pool.map(hold, some)


def _broken_before(
    item: DialogueCase,
    found: Exchange,
    endpoint: Peer,
    control: Control | None,
    controls: Controls | None,
) -> tuple[str, str]:
    """Return the more basic rule that a failed dialogue breaks, or "" if it breaks none.

    The second value is the same rule if this answer shows the breach although the dialogues of that
    rule pass; "" otherwise.
    """
    if controls is None:
        return "", ""
    controls.failed[item.rule, item.id] = _is_its_own(item, found)
    if found.broken is None:
        return "", ""
    for basic in _basics(item, found, controls):
        if (basic.rule, basic.message) != (item.rule, item.message) and _fails(
            basic, endpoint, control, controls
        ):
            return basic.rule, ""
    step = judging(item, found.broken)
    if step == item.rule:
        return "", ""
    for basic in _basics_of_step(step, item, found, controls):
        if basic.rule != item.rule and _fails(basic, endpoint, control, controls):
            return basic.rule, ""
    step = ANY_SERVED if step == SERVED else step  # the plain requests passed
    return step, step if found.broken.about is not None else ""


def _basics(item: DialogueCase, found: Exchange, controls: Controls) -> Iterator[DialogueCase]:
    """Yield the control cases of a failed dialogue, the most basic first."""
    assert found.broken is not None
    for basic in controls.of(item, found.broken, found.api_keys):
        if basic.rule == ANY_SERVED:
            if not rests_on_any(basic, found, controls.facts):
                continue
            yield from controls.plain_of(basic)
        yield basic


def _basics_of_step(
    step: str, item: DialogueCase, found: Exchange, controls: Controls
) -> Iterator[DialogueCase]:
    """Yield the control cases of a step that failed, the plain requests of its version first."""
    if step == SERVED:
        assert found.broken is not None
        asked = _of_step(item, step, found) if found.broken.about is not None else item
        yield from controls.plain_of(asked)
        step = ANY_SERVED
    yield from controls.of_step(step, item, found.api_keys)


def _broken_by_itself(
    item: DialogueCase,
    endpoint: Peer,
    control: Control | None,
    controls: Controls | None,
    died: str,
) -> str:
    """Return the rule that judges the bytes of a dialogue by themselves, if it is broken as well.

    It is tried on an endpoint that is well again. Return "" if no such rule is broken.
    """
    if controls is None or not item.sends or (died and control is None):
        return ""
    if died and control is not None:
        control.restart()
    wait_until_well(item, endpoint, control)
    for basic in controls.judging_bytes(item):
        key = basic.rule, basic.id
        if key not in controls.failed:
            if exchange(item.control_case(), endpoint, control).broken:
                return ""
            held = exchange(basic.begin(), endpoint, control)
            _, ended = afterwards(basic, endpoint, control, well_before=True)
            controls.failed[key] = bool(ended) or held.broken is not None
            if ended and control is not None:
                control.restart()
        if controls.failed[key]:
            return basic.rule
    return ""


def _of_step(item: DialogueCase, rule: str, found: Exchange) -> DialogueCase:
    """Return a dialogue as the case of a rule that judges one of its steps.

    The case has the message and the version of the request that this step asked about.
    """
    assert found.broken is not None
    assert found.broken.about is not None
    api, version = found.broken.about
    return replace(item, rule=rule, message=f"{api}Request", version=version)


def _fails(
    basic: DialogueCase, endpoint: Peer, control: Control | None, controls: Controls
) -> bool:
    """True if a control case fails in a step that its own rule judges, twice if it is held now."""
    key = basic.rule, basic.id
    if not controls.is_known(basic):
        held, died = exchange(basic.begin(), endpoint, control), ""
        if was_cut_short(held):
            held, died = held_again(basic, endpoint, control)
        elif held.broken:
            held = exchange(basic.begin(), endpoint, control)
        if died and control is not None:
            control.restart()
        controls.failed[key] = False
        if _is_its_own(basic, held) and not controls.why_unproven(basic, held):
            controls.fail(basic)
    return controls.failed[key]


def _is_its_own(item: DialogueCase, found: Exchange) -> bool:
    """True if a dialogue failed in a step that its own rule judges."""
    return found.broken is not None and judging(item, found.broken) == item.rule
