"""The engine for endpoints: dialogues in, verdicts out, each on a connection of its own.

A dialogue that hurts counts only where its control case, the same without the fault, passes on a
fresh connection right before and right after. What comes after tells whether the endpoint still
lives; one that does not has crashed, and the dialogue that did it is named. One that fails counts
only where its control cases pass, so that a defect is charged to the rule that it breaks alone.

A step that another rule judges is reported by that rule if its own dialogues passed, so that each
fault is reported, and reported once.

What one dialogue does to an endpoint is not charged to the next. One that failed is held again,
alone and with an endpoint that lives: what does not fail again is noted, and accuses no broker.
An endpoint that was stalled is waited for.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import attrgetter
from typing import Protocol, Self

from conformance.brokers.dialogues import DialogueCase
from conformance.brokers.dialogues.controls import Controls, judging
from conformance.brokers.dialogues.talk import GREETED, SERVED
from conformance.brokers.judge import verdict_on_exchange
from conformance.dialogue import (
    Broken,
    Dialogue,
    Finish,
    NotApplicable,
    OpenConnections,
    Receive,
    Received,
    Reconnect,
    Reset,
    Send,
    Step,
    Stop,
    Tell,
    Who,
)
from conformance.results.lines import Verdict
from conformance.rules import Rule
from conformance.targets.errors import TargetError

UNHARMED = "framing.others-unharmed"
MOST_SHOWN_BYTES = 4096
DYING_S = (0.1, 0.3, 1.0)
"""The pauses before an endpoint that cuts connections off is asked whether it still lives."""
RECOVERIES = 6
"""How often a stalled endpoint is asked whether it is well again."""


class Line(Protocol):
    """A connection, whatever it is made of."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def send(self, data: bytes, pieces: int = 0, gap_s: float = 0.0) -> None:
        """Write, whole or in pieces."""
        ...

    def hear(self, patience_s: float | None = None) -> Received:
        """Wait for a frame."""
        ...

    def finish(self) -> None:
        """Say that nothing more will be sent."""
        ...

    def reset(self) -> None:
        """Tear it down."""
        ...


class Peer(Protocol):
    """Whoever is at the other end of the dialogues."""

    def connect(self, who: Who = "self", node: int | None = None) -> Line:
        """A fresh connection, to another broker of the cluster where `node` names it."""
        ...


class Control(Protocol):
    """The hand that started the endpoint."""

    def alive(self) -> bool:
        """Whether it runs."""
        ...

    def restart(self) -> None:
        """Start again what has ended. Raises TargetError."""
        ...

    def stop(self, node: int) -> None:
        """End one broker of it."""
        ...

    def start(self, node: int) -> None:
        """Start that one again. Raises TargetError."""
        ...


@dataclass(slots=True)
class Exchange:
    """What was sent and heard in one dialogue, and how it came out. `broken` None is well.

    `asked` is what was sent last, `answer` the first frame that came behind it, and `api_keys` are
    those of the requests, each of them the first of what was sent at once.
    """

    sent: bytearray = field(default_factory=bytearray)
    asked: bytes = b""
    answer: bytes = b""
    api_keys: set[int] = field(default_factory=set)
    last: Received | None = None
    broken: Broken | None = None
    absent: str = ""
    told: str = ""


def converse(
    asked: Iterable[DialogueCase],
    endpoint: Peer,
    rules: Mapping[str, Rule],
    profile: str,
    control: Control | None = None,
    controls: Controls | None = None,
    jobs: int = 1,
) -> Iterator[Verdict]:
    """Hold each dialogue; an endpoint that died is started again where `control` is given.

    One that fails counts only where its control cases pass. Those that do not disturb each other
    are held `jobs` at once. Raises TargetError where the endpoint can't be reached any more.
    """
    for item, before, held in _held(asked, endpoint, control, jobs):
        attempt = failed = _attempt(item, before, held, endpoint, control)
        is_to_be_repeated = failed.is_to_be_repeated or item.rule == UNHARMED
        if failed.is_broken and not failed.died and is_to_be_repeated:
            attempt = _asked_again(item, failed, endpoint, control)
        was_heard = failed.found.last is not None  # else it was another dialogue's doing
        once = failed.is_broken and was_heard and not attempt.is_broken
        shown = failed.found if once else attempt.found
        first, step = ("", "") if once else _first_of(item, attempt, endpoint, control, controls)
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
            _wait_until_well(item, endpoint, control)


def _untold(
    endpoint: Peer,
    rules: Mapping[str, Rule],
    profile: str,
    control: Control | None,
    controls: Controls | None,
) -> Iterator[Verdict]:
    """The verdicts on control cases that failed and that the run does not hold by themselves."""
    while controls is not None and controls.untold:
        basic = controls.untold.pop()
        if basic.rule in rules:
            found = exchange(basic.begin(), endpoint, control)
            first, _ = _broken_before(basic, found, endpoint, control, controls)
            yield verdict_on_exchange(basic, rules[basic.rule], profile, found, [], "", first)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A dialogue that was held, and its control cases before and after it, if it hurts.

    `died` says how the endpoint was found dead after it, "" if it lives.
    """

    found: Exchange
    before: Exchange | None = None
    after: Exchange | None = None
    died: str = ""

    @property
    def is_broken(self) -> bool:
        """True if the dialogue failed."""
        return self.found.broken is not None

    @property
    def had_no_chance(self) -> bool:
        """True if its control case had failed before it."""
        return self.before is not None and self.before.broken is not None

    @property
    def does_harm(self) -> bool:
        """True if its control case passed before it, and failed after it."""
        after = self.after is not None and self.after.broken is not None
        return self.before is not None and after and not self.had_no_chance

    @property
    def is_to_be_repeated(self) -> bool:
        """True if it failed, and that a second attempt fails as well is worth knowing."""
        return self.is_broken and not self.died and not self.had_no_chance


def _attempt(
    item: DialogueCase,
    before: Exchange | None,
    found: Exchange,
    endpoint: Peer,
    control: Control | None,
) -> Attempt:
    """What was held, with what became of the endpoint, if the dialogue hurts."""
    if before is None:
        return Attempt(found)
    after, died = _afterwards(item, endpoint, control, well_before=not before.broken)
    return Attempt(found, before, after, died)


def _asked_again(
    item: DialogueCase, failed: Attempt, endpoint: Peer, control: Control | None
) -> Attempt:
    """A second attempt, alone, with an endpoint that lives and is well."""
    if failed.does_harm:
        _wait_until_well(item, endpoint, control)
    if item.malformed:
        before = exchange(item.control_case(), endpoint, control)
        if before.broken:  # the first attempt did lasting harm
            return failed
        return _attempt(item, before, exchange(item.begin(), endpoint, control), endpoint, control)
    if _was_cut_short(failed.found):
        found, died = _held_again(item, endpoint, control)
        return Attempt(found, died=died)
    return Attempt(exchange(item.begin(), endpoint, control))


def _first_of(
    item: DialogueCase,
    attempt: Attempt,
    endpoint: Peer,
    control: Control | None,
    controls: Controls | None,
) -> tuple[str, str]:
    """The more basic rule that is broken where an attempt failed, "" where there is none.

    And the rule that judges the step in which it failed, if this answer is to be told by it.
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
    """The rule that is broken where the control case before an attempt was not answered."""
    if controls is not None:
        for basic in controls.cases(GREETED):
            if item.rule == UNHARMED and not controls.is_known(basic):
                continue  # held now, it would suffer from the same harm
            if _fails(basic, endpoint, control, controls):
                return GREETED
    before = attempt.before.broken if attempt.before else None
    return (before.judged_by if before else "") or SERVED


Held = tuple[DialogueCase, Exchange | None, Exchange]
"""A dialogue, what came of its control case before it, if it hurts, and what came of itself."""


def _held(
    asked: Iterable[DialogueCase], endpoint: Peer, control: Control | None, jobs: int
) -> Iterator[Held]:
    """Every dialogue in its turn; those that only read side by side, and those that only write."""

    def hold(item: DialogueCase) -> Held:
        if item.malformed:
            before = exchange(item.control_case(), endpoint, control)
            return item, before, exchange(item.begin(), endpoint, control)
        try:
            return item, None, exchange(item.begin(), endpoint, control)
        except TargetError as error:  # it may be another dialogue's doing: this one is held again
            return item, None, Exchange(broken=Broken(error.message))

    for beside, items in groupby(asked, attrgetter("beside")):
        if beside == "nothing" or jobs == 1:
            yield from map(hold, items)
        else:
            with ThreadPoolExecutor(jobs) as pool:
                yield from pool.map(hold, items)


def _broken_before(
    item: DialogueCase,
    found: Exchange,
    endpoint: Peer,
    control: Control | None,
    controls: Controls | None,
) -> tuple[str, str]:
    """The more basic rule that is broken where a dialogue failed, "" where there is none.

    And the same again where this answer shows it, and the rule's own dialogues go well.
    """
    if controls is None:
        return "", ""
    controls.failed[item.rule, item.id] = _is_its_own(item, found)
    if found.broken is None:
        return "", ""
    for basic in controls.of(item, found.broken, found.api_keys):
        if basic.rule != item.rule and _fails(basic, endpoint, control, controls):
            return basic.rule, ""
    step = judging(item, found.broken)
    if step == item.rule:
        return "", ""
    for basic in controls.of_step(step, item, found.api_keys):
        if basic.rule != item.rule and _fails(basic, endpoint, control, controls):
            return basic.rule, ""
    return step, step if found.broken.about is not None else ""


def _broken_by_itself(
    item: DialogueCase,
    endpoint: Peer,
    control: Control | None,
    controls: Controls | None,
    died: str,
) -> str:
    """The rule that judges the bytes of a dialogue by themselves, if it is broken as well.

    It is tried on an endpoint that is well again; "" where there is none.
    """
    if controls is None or not item.sends or (died and control is None):
        return ""
    if died and control is not None:
        control.restart()
    _wait_until_well(item, endpoint, control)
    for basic in controls.judging_bytes(item):
        key = basic.rule, basic.id
        if key not in controls.failed:
            if exchange(item.control_case(), endpoint, control).broken:
                return ""
            held = exchange(basic.begin(), endpoint, control)
            _, ended = _afterwards(basic, endpoint, control, well_before=True)
            controls.failed[key] = bool(ended) or held.broken is not None
            if ended and control is not None:
                control.restart()
        if controls.failed[key]:
            return basic.rule
    return ""


def _of_step(item: DialogueCase, rule: str, found: Exchange) -> DialogueCase:
    """A dialogue as the case of a rule that judges one of its steps, about what was asked there."""
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
        if _was_cut_short(held):
            held, died = _held_again(basic, endpoint, control)
        elif held.broken:
            held = exchange(basic.begin(), endpoint, control)
        if died and control is not None:
            control.restart()
        controls.failed[key] = False
        if _is_its_own(basic, held):
            controls.fail(basic)
    return controls.failed[key]


def _is_its_own(item: DialogueCase, found: Exchange) -> bool:
    """Whether a dialogue failed in a step that its own rule judges."""
    return found.broken is not None and judging(item, found.broken) == item.rule


def _was_cut_short(found: Exchange) -> bool:
    """Whether a dialogue failed without a whole answer: of a broker that is gone, or elsewhere."""
    return found.broken is not None and (found.last is None or found.last.kind != "reply")


def _held_again(
    item: DialogueCase, endpoint: Peer, control: Control | None
) -> tuple[Exchange, str]:
    """What comes of a dialogue alone, with an endpoint that lives, and how it then was found dead.

    Raises TargetError where there is none any more.
    """
    if control is None:
        return exchange(item.begin(), endpoint), ""
    if _afterwards(item, endpoint, control, well_before=True)[1]:
        control.restart()
    found, died = exchange(item.begin(), endpoint, control), ""
    if _was_cut_short(found):
        _, died = _afterwards(item, endpoint, control, well_before=True)
    return found, died


def _wait_until_well(item: DialogueCase, endpoint: Peer, control: Control | None) -> None:
    """Wait for a stalled endpoint, so that what it does to others is not charged to them."""
    for _ in range(RECOVERIES):
        if not exchange(item.control_case(), endpoint, control).broken:
            return


def _afterwards(
    item: DialogueCase, endpoint: Peer, control: Control | None, *, well_before: bool
) -> tuple[Exchange | None, str]:
    """The control case once more, or how the endpoint was found dead.

    One that is about to end may still take a connection, so one that cuts the control case off, and
    did not before, is asked again a little later.
    """
    after: Exchange | None = None
    for pause_s in (0.0, *DYING_S):
        if pause_s:
            time.sleep(pause_s)
        try:
            after = exchange(item.control_case(), endpoint, control)
        except TargetError as error:
            return None, error.message
        if not well_before or after.broken is None or after.last is None:
            break
        if after.last.kind not in ("closed", "reset"):
            break
    return after, ""


def exchange(dialogue: Dialogue, endpoint: Peer, control: Control | None = None) -> Exchange:
    """Hold one dialogue. Raises TargetError where there is no connection."""
    found = Exchange()
    with Table(endpoint, control, found) as table:
        hold(dialogue, table, found)
    return found


def hold(dialogue: Dialogue, table: Table, found: Exchange) -> None:
    """Take every step of a dialogue, and keep how it came out."""
    received: Received | None = None
    try:
        while True:
            received = table.take(_next_step(dialogue, received))
    except StopIteration:
        pass
    except Broken as broken:
        found.broken = broken
    except TargetError as error:
        found.broken = Broken(f"no further connection: {error.message}")
    except NotApplicable as absent:
        found.absent = str(absent)


def _next_step(dialogue: Dialogue, received: Received | None) -> Step:
    """What a dialogue does next. Raises Broken where what it looks for is not in the answer."""
    try:
        return dialogue.send(received)
    except (LookupError, ValueError) as error:
        raise Broken(f"something is missing in the answer: {error!r}") from error


class Table:
    """Where a dialogue is held: its connection, those beside it, and the brokers it has ended."""

    def __init__(self, endpoint: Peer, control: Control | None, found: Exchange) -> None:
        self.endpoint = endpoint
        self.control = control
        self.found = found

    def __enter__(self) -> Self:
        self.kept = ExitStack()
        self.talking = self.kept.enter_context(ExitStack())
        self.line = self.talking.enter_context(self.endpoint.connect())
        return self

    def __exit__(self, *error: object) -> None:
        self.kept.close()

    def take(self, step: Step) -> Received | None:
        """Do one step of a dialogue."""
        match step:
            case Send(data, pieces, gap_s):
                self.found.api_keys.add(int.from_bytes(data[4:6], "big"))
                self.found.sent += data[: MOST_SHOWN_BYTES - len(self.found.sent)]
                self.found.asked, self.found.answer = data[:MOST_SHOWN_BYTES], b""
                self.line.send(data, pieces, gap_s)
            case Receive(patience_s):
                self.found.last = self.line.hear(patience_s)
                self.found.answer = self.found.answer or self.found.last.frame[:MOST_SHOWN_BYTES]
                return self.found.last
            case Reconnect(who, node):
                self.talking.close()
                self.line = self.talking.enter_context(self.endpoint.connect(who, node))
            case Finish():
                self.line.finish()
            case Reset():
                self.line.reset()
            case OpenConnections(number, sent):
                self.found.sent += sent[: MOST_SHOWN_BYTES - len(self.found.sent)]
                for _ in range(number):
                    self.kept.enter_context(self.endpoint.connect("nobody")).send(sent)
            case Stop(node):
                assert self.control is not None
                self.control.stop(node)
                self.kept.callback(self.control.start, node)
            case Tell(text):
                self.found.told = text
        return None
