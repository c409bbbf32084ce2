"""The engine for proxies: dialogues with two ends in, verdicts out.

Each dialogue has a connection of its own to the proxy, and sees at the broker behind it what comes
of that. One that fails counts only where it passes without the proxy, and where its control case,
the same without the one thing that it asks, passes through it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Protocol, Self

from conformance.brokers.converse import Exchange, Line, Peer, Table, hold
from conformance.brokers.judge import verdict_on_exchange
from conformance.dialogue import (
    Answer,
    Arrive,
    Broken,
    Dialogue,
    Follow,
    HangUp,
    OpenConnections,
    Pour,
    Received,
    Reconnect,
    Send,
    Step,
)
from conformance.proxies.dialogues import ProxyCase
from conformance.proxies.dialogues.talk import ANSWERS_PASS, REQUESTS_PASS
from conformance.proxies.playing import Sorting
from conformance.results.lines import FORWARD, Verdict
from conformance.rules import Rule
from conformance.targets.errors import TargetError


class Upstream(Protocol):
    """The broker behind a proxy, played by the suite."""

    sorting: Sorting

    def begin(self) -> None:
        """Forget what came for the dialogues before."""
        ...

    def arrive(self, patience_s: float | None = None) -> Received:
        """The next request that the proxy forwards, or the end of its connection."""
        ...

    def answer(self, data: bytes, pieces: int = 0, gap_s: float = 0.0) -> None:
        """Write to the connection that the last request came by."""
        ...

    def pour(self, data: bytes, patience_s: float) -> int:
        """Write there as long as it is taken; how many bytes were."""
        ...

    def hang_up(self, *, reset: bool) -> None:
        """End that connection."""
        ...


class ProxyPeer(Peer, Protocol):
    """A proxy with both its ends."""

    @property
    def upstream(self) -> Upstream:
        """What it forwards to."""
        ...

    def follow(self, host: str, port: int) -> Line:
        """A connection to an address that an answer told. Raises TargetError."""
        ...


class Control(Protocol):
    """The hand that started the proxy."""

    def alive(self) -> bool:
        """Whether it runs."""
        ...

    def restart(self) -> None:
        """Start it again. Raises TargetError."""
        ...


class ProxyTable(Table):
    """Where a dialogue is held: before the proxy, and behind it."""

    endpoint: ProxyPeer

    def __enter__(self) -> Self:
        self.endpoint.upstream.begin()
        return super().__enter__()

    def take(self, step: Step) -> Received | None:
        """Do one step of a dialogue, on the side that it is for."""
        upstream = self.endpoint.upstream
        if isinstance(step, Send):
            upstream.sorting.sends(step.data)
        match step:
            case Arrive(patience_s):
                self.found.last = upstream.arrive(patience_s)
                return self.found.last
            case Answer(data, pieces, gap_s):
                upstream.answer(data, pieces, gap_s)
            case Pour(data, patience_s):
                return Received("reply", text=str(upstream.pour(data, patience_s)))
            case HangUp(reset):
                upstream.hang_up(reset=reset)
            case OpenConnections(number, sent):
                for _ in range(number):
                    upstream.sorting.sends(sent)
                    self.kept.enter_context(self.endpoint.connect()).send(sent)
            case Reconnect():
                super().take(step)
                upstream.begin()
            case Follow(host, port):
                self.talking.close()
                upstream.begin()
                self.line = self.talking.enter_context(self.endpoint.follow(host, port))
            case _:
                return super().take(step)
        return None


def exchange(dialogue: Dialogue, peer: ProxyPeer) -> Exchange:
    """Hold one dialogue. Raises TargetError where there is no connection."""
    found = Exchange()
    with ProxyTable(peer, None, found) as table:
        hold(dialogue, table, found)
    return found


def converse(
    asked: Iterable[ProxyCase],
    peer: ProxyPeer,
    rules: Mapping[str, Rule],
    profile: str,
    control: Control | None = None,
    without: Callable[[], ProxyPeer] | None = None,
) -> Iterator[Verdict]:
    """Hold each dialogue, and judge all rules that it decides.

    `without` gives the same ends with nothing in between. Raises TargetError where the proxy can't
    be reached any more.
    """
    broken: dict[str, Broken] = {}
    waking = _Waking(peer, control)
    for item in asked:
        known = next((broken[each.id] for each in item.basics if each.id in broken), None)
        if known is not None and _is_known(item, known):
            yield from _not_proven(item, known, rules, profile)
            continue
        before, found = _held(item, peer)
        if (found.broken or (before and before.broken)) and waking.woke(item):
            before, found = _held(item, peer)
        after, died = None, ""
        if item.malformed or (control is not None and not control.alive()):
            after, died = _afterwards(item, peer, control)
        first = "" if died else _broken_first(item, found, peer, without, broken)
        for rule in item.rules:
            if rule in rules:
                seen, ahead = _as_seen_by(rule, item, found, first)
                yield verdict_on_exchange(
                    item, rules[rule], profile, seen, [before, after], died, ahead, FORWARD
                )
        if died and control is not None:
            control.restart()


def _held(item: ProxyCase, peer: ProxyPeer) -> tuple[Exchange | None, Exchange]:
    """A dialogue, and its control case before it, if it sends what no client would."""
    before = exchange(item.control_case(), peer) if item.malformed else None
    return before, exchange(item.begin(), peer)


class _Waking:
    """Starts a proxy again that serves nobody any more, so that no later dialogue is charged."""

    def __init__(self, peer: ProxyPeer, control: Control | None) -> None:
        self._peer, self._control = peer, control

    def woke(self, item: ProxyCase) -> bool:
        """Whether it did not serve a plain request, and does now that it was started again."""
        control = self._control
        if control is None or not control.alive() or self._serves(item):
            return False
        control.restart()
        if self._serves(item):
            return True
        self._control = None  # it never does
        return False

    def _serves(self, item: ProxyCase) -> bool:
        return exchange(item.control_case(), self._peer).broken is None


def _as_seen_by(rule: str, item: ProxyCase, found: Exchange, first: str) -> tuple[Exchange, str]:
    """An exchange for one of its rules, and which other rule is broken before this one."""
    if found.broken is None:
        return found, ""
    guilty = found.broken.judged_by or item.rules[0]
    if first == rule:  # in all that there is of this API and version
        return found, ""
    if first or guilty not in item.rules:
        return found, first or guilty
    order = item.rules.index(rule) - item.rules.index(guilty)
    if order < 0:
        return replace(found, broken=None), ""
    return found, guilty if order else ""


def _broken_first(
    item: ProxyCase,
    found: Exchange,
    peer: ProxyPeer,
    without: Callable[[], ProxyPeer] | None,
    known: dict[str, Broken],
) -> str:
    """What is broken where a dialogue failed and the proxy, or this defect of it, can't be.

    What does not go through at all is kept in `known`.
    """
    if found.broken is None:
        return ""
    if without is not None and not item.rewrites and exchange(item.begin(), without()).broken:
        return "the dialogue without the proxy"
    for basic in item.basics:
        held = exchange(basic.begin(), peer).broken
        if held is not None:
            known[basic.id] = held
            return held.judged_by or basic.rules[0]
    return ""


def _is_known(item: ProxyCase, broken: Broken) -> bool:
    """Whether a case would wait in vain for what does not go through at all."""
    return broken.judged_by not in item.rules or broken.judged_by in (REQUESTS_PASS, ANSWERS_PASS)


def _not_proven(
    item: ProxyCase, broken: Broken, rules: Mapping[str, Rule], profile: str
) -> Iterator[Verdict]:
    """What is said of a case whose control case is known not to pass."""
    found = Exchange(broken=broken)
    for rule in item.rules:
        if rule in rules:
            yield verdict_on_exchange(
                item, rules[rule], profile, found, [], "", broken.judged_by, FORWARD
            )


def _afterwards(
    item: ProxyCase, peer: ProxyPeer, control: Control | None
) -> tuple[Exchange | None, str]:
    """The control case once more, or how the proxy was found dead."""
    if control is not None and not control.alive():
        return None, "the proxy has ended"
    if not item.malformed:
        return None, ""
    try:
        return exchange(item.control_case(), peer), ""
    except TargetError as error:
        return None, error.message
