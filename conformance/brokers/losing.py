"""Find the dialogues that may have ended an endpoint that stays away, and hold the others.

Something else may start it again, so it is waited for. Where it stays away, the dialogues that were
held last are charged with its end: those whose connection was cut off, else those that had their
answers. If several were held at the same time, the one that ended it is unknown; the verdict on
each of them then says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from conformance.brokers.attempts import was_cut_short
from conformance.brokers.connection.address import Unreachable
from conformance.brokers.dialogues import DialogueCase
from conformance.brokers.exchange import Control, Exchange, Peer
from conformance.brokers.judge import verdict_on_exchange
from conformance.results.lines import ENDED_BY_ONE, EXCHANGE, NOT_ASKED, Verdict
from conformance.rules import Rule
from conformance.targets.errors import TargetError, TargetLost, TargetNotStarted
from conformance.waiting import waiting

RETURNS = 3
"""Factor on the wait for an answer: how long to wait for an endpoint that the suite can't start."""
_POLL_S = 0.2
_AT_ONCE_S = 0.02
"""The time within which a forwarder without a broker closes a connection that it has taken."""
_MOST_NAMED = 4
"""The most dialogues that are listed by name; the rest are counted."""
_GONE = ("closed", "reset")


class Awaited:
    """Control over an endpoint that the suite did not start: it can only be waited for."""

    def __init__(self, endpoint: Peer, wait_s: float) -> None:
        self._endpoint = endpoint
        self._wait_s = wait_s

    def alive(self) -> bool:
        """True if it takes a connection, and does not cut it off at once."""
        try:
            with self._endpoint.connect() as line:
                return line.hear(_AT_ONCE_S).kind not in _GONE
        except TargetError:
            return False

    def restart(self) -> None:
        """Wait until something has started it again. Raise TargetLost where nothing does."""
        if self.alive():
            return
        deadline = time.monotonic() + self._wait_s
        with waiting(f"waiting for the broker to come back, {self._wait_s:g} s at most"):
            while time.monotonic() < deadline:
                time.sleep(_POLL_S)
                if self.alive():
                    return
        raise TargetLost(f"it did not come back within {self._wait_s:g} s")

    def stop(self, node: int) -> None:
        """Refuse: it belongs to another. Raise TargetLost."""
        raise TargetLost(f"broker {node} was not started by this run")

    def start(self, node: int) -> None:
        """Refuse, as `stop` does. Raise TargetLost."""
        raise TargetLost(f"broker {node} was not started by this run")


@dataclass(frozen=True, slots=True)
class TimedExchange:
    """A dialogue, its exchange, and when it began and ended, by the monotonic clock."""

    item: DialogueCase
    found: Exchange
    began: float
    ended: float

    @property
    def was_connected(self) -> bool:
        """True if anything was sent or heard."""
        return bool(self.found.sent) or self.found.last is not None

    @property
    def was_cut_off(self) -> bool:
        """True if it failed, and the connection ended without a whole answer."""
        return was_cut_short(self.found)


@dataclass(slots=True)
class Losing:
    """The record of late dialogues that is needed if an endpoint is lost, and why it is gone.

    `gone` says since when the endpoint refuses connections, and what to do; "" while it lives.
    """

    gone: str = ""
    late: list[TimedExchange] = field(default_factory=list)

    def forget(self, most: int) -> None:
        """Keep the last dialogues only, so many as can be held at the same time."""
        del self.late[:-most]

    def suspects(self) -> list[TimedExchange]:
        """Return the dialogues of which one has ended the endpoint.

        They were held, or began, after it was last seen to serve a new connection.
        """
        connected = [each for each in self.late if each.was_connected]
        alive = max((each.began for each in connected if not each.was_cut_off), default=0.0)
        last = [each for each in connected if each.ended >= alive]
        return [each for each in last if each.was_cut_off] or last


def judged_to_the_end(
    asked: Iterable[DialogueCase],
    hold: Callable[[Iterable[DialogueCase]], Iterator[Verdict]],
    rules: Mapping[str, Rule],
    profile: str,
    control: Control,
    losing: Losing,
) -> Iterator[Verdict]:
    """Yield the verdicts that `hold` gives on each dialogue, also if the endpoint is lost.

    In that case the dialogues that may have ended it are charged. The others are held if it comes
    back, and reported as not asked otherwise. Raises TargetError if no dialogue can have ended it.
    """
    left = {(item.rule, item.id): item for item in asked}
    crashed: list[str] = []
    while left and not losing.gone:
        lost: TargetError | None = None
        dialogues = hold(list(left.values()))
        try:
            for verdict in dialogues:
                left.pop((verdict.rule, verdict.case), None)
                crashed += [verdict.case] * (verdict.verdict == "crash")
                yield verdict
        except (Unreachable, TargetLost, TargetNotStarted) as error:
            lost = error
        if lost is None:
            return
        suspects = losing.suspects()
        new = [each for each in suspects if each.item.id not in crashed]
        if not suspects:
            raise lost
        yield from _charged(new, rules, profile, lost.message)
        for each in new:
            left.pop((each.item.rule, each.item.id), None)
            crashed.append(each.item.id)
        losing.late.clear()
        if not _came_back(control, lost):
            losing.gone = _since(each.item.id for each in suspects)
    for item in left.values():
        yield not_asked(item, rules[item.rule], losing.gone)


def _came_back(control: Control, lost: TargetError) -> bool:
    """True if the endpoint lives again, which a TargetLost says that it does not."""
    if isinstance(lost, TargetLost):
        return False
    try:
        control.restart()
    except TargetError:
        return False
    return True


def _charged(
    suspects: Sequence[TimedExchange], rules: Mapping[str, Rule], profile: str, why: str
) -> Iterator[Verdict]:
    """Charge each of these dialogues with the end of the endpoint, which one of them has caused."""
    several = ""
    if len(suspects) > 1:
        named = [each.item.id for each in suspects]
        several = f"{ENDED_BY_ONE}{len(named)} dialogues at the same time, {_listed(named)}: "
    for each in suspects:
        rule = rules[each.item.rule]
        yield verdict_on_exchange(each.item, rule, profile, each.found, [], why, several=several)


def _since(cases: Iterable[str]) -> str:
    """Say since when an endpoint refuses connections, and what to do."""
    named = list(dict.fromkeys(cases))
    excluded = " ".join(f"--exclude {case}" for case in named[:_MOST_NAMED])
    one_of = "one of " if len(named) > 1 else ""
    return (
        f"the broker refuses connections since {one_of}{_listed(named)}; "
        f"start it again, or leave that out: {excluded}"
    )


def not_asked(item: DialogueCase, rule: Rule, why: str) -> Verdict:
    """Return the verdict on a dialogue that was not held, with the reason."""
    return Verdict(
        rule=rule.id,
        class_=rule.class_,
        case=item.id,
        message=item.message,
        version=item.version,
        op=EXCHANGE,
        outcome="unsupported",
        verdict="not-proven",
        detail=f"{NOT_ASKED}{why}",
    )


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    shown = ", ".join(islice(names, _MOST_NAMED))
    return f"{shown} and {more} more" if more > 0 else shown
