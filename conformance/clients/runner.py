"""A client under test at played brokers: a port for each, a program, and the resulting visit.

Each visit has listening sockets of its own, on 127.0.0.1 alone, so that several run side by side
and no visit sees late requests of an earlier one. A visit that had to be ended is made again alone,
with more time, before it is judged. It counts as a hang only if a visit to a broker that does
nothing wrong, made right after it, comes to an end: else the machine is too slow.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from threading import Condition, Lock

from conformance.clients.driver_errors import Telling
from conformance.clients.program import (
    DRIVER_TIMEOUT,
    PASSWORD,
    RELEASE,
    TOPIC,
    USER,
    ClientProgram,
    Outcome,
    VisitEnded,
)
from conformance.clients.scenarios.actions import FILLED, Action
from conformance.clients.scenarios.control_cases import ground_of
from conformance.clients.scenarios.playing import UNANSWERED
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit, has_run_out
from conformance.clients.scenarios.watching import Watched
from conformance.clients.time_limit import Patience
from conformance.reference.broker.connections.server import serving


class ClientRunner:
    """Plays scenarios to a program, each to a fresh process of it."""

    def __init__(
        self, program: ClientProgram, patience: Patience, telling: Telling | None = None
    ) -> None:
        self._program = program
        self._patience = patience
        self._telling = telling or Telling()
        self._room = _Room()
        self._measuring = Lock()

    def stop(self) -> None:
        """End the program in every visit that goes on, and let no other begin."""
        self._program.stop()

    def receive(self, scenario: type[Scenario]) -> Visit:
        """Return the program's visit to a scenario. Raises CommandNotFound and OSError."""
        return self._told(scenario, self._in_time(scenario))

    def receive_alone(self, scenario: type[Scenario]) -> Visit:
        """Return the program's visit to a scenario, made with no other visit beside it."""
        with self._room.alone():
            limit_s = self._patience.alone_s(scenario.action)
            visit = self._visit(scenario, limit_s)
        if _had_to_be_ended(visit):
            visit = _ended_by_us(visit, "unlimited", "when it was asked again")
        return self._told(scenario, visit)

    def _told(self, scenario: type[Scenario], visit: Visit) -> Visit:
        """Return the visit, its end corrected for a driver that never says `error`."""
        action = scenario.action
        at = partial(self._at, action)
        visit.ended = self._telling.judged(visit.ended, action, scenario.case(), at)
        return visit

    def says_ok_always(self, action: Action) -> bool:
        """True if the driver says `ok` to an action where no broker listens."""
        return self._telling.says_ok_always(action, partial(self._at, action))

    def _at(self, action: Action, address: str) -> VisitEnded:
        """Return the end of the program at an address."""
        with self._room.shared():
            return self._program.visit(address, action, self._patience.of_silence_s)

    def _in_time(self, scenario: type[Scenario]) -> Visit:
        """Return the visit; make a long one again, alone, if the driver gave up in it."""
        visit = self._received(scenario)
        if not scenario.is_long or not visit.ended.text.startswith(DRIVER_TIMEOUT):
            return visit
        with self._room.alone():
            return self._visit(scenario, self._patience.limit_s(scenario.action))

    def _received(self, scenario: type[Scenario]) -> Visit:
        """Return the visit made beside others; make it again if it had to be ended."""
        if not scenario.decides:
            visit = self._beside_others(scenario, self._patience.of_control_s)
            self._patience.took(scenario.action, visit.ended)
            return visit
        limit_s = self._patience.limit_s(scenario.action)
        visit = self._beside_others(scenario, limit_s)
        return self._again(scenario, visit, limit_s) if _had_to_be_ended(visit) else visit

    def _again(self, scenario: type[Scenario], first: Visit, limit_s: float) -> Visit:
        """Make the visit once more, with a limit derived from the driver's own."""
        patience, action, case = self._patience, scenario.action, scenario.case()
        self._measure(action)
        known = patience.measured(action)
        if patience.gives_up_s(action) is None:
            patience.unlimited.append(case)
            why = f"which proves nothing, as the driver sets no time limit: {known}"
            return _ended_by_us(first, "unlimited", why)
        wider_s = patience.limit_s(action)
        visit = self._beside_others(scenario, wider_s) if wider_s > limit_s else first
        is_fast = True
        if _had_to_be_ended(visit):
            with self._room.alone():
                visit = self._visit(scenario, patience.alone_s(action))
                is_fast = not _had_to_be_ended(visit) or self._is_fast(scenario)
        if not is_fast:
            patience.slow.append(case)
            why = "which proves nothing, as a broker that does nothing wrong took as long then"
            return _ended_by_us(visit, "unlimited", why)
        if not _had_to_be_ended(visit):
            patience.late.append(case)
            return visit
        patience.hung.append(case)
        return _ended_by_us(visit, "hung", f"asked again alone; the client hangs: {known}")

    def _is_fast(self, scenario: type[Scenario]) -> bool:
        """True if a visit to a broker that does nothing wrong comes to an end in time, now."""
        limit_s = self._patience.limit_s(scenario.action)
        plain = self._visit(ground_of(scenario), limit_s)
        return not _had_to_be_ended(plain) and not has_run_out(plain.ended)

    def _measure(self, action: Action) -> None:
        """See how long the program waits for a broker that never answers."""
        with self._measuring:
            if action not in self._patience.unanswered:
                visit = self._beside_others(UNANSWERED[action], self._patience.of_silence_s)
                self._patience.unanswered[action] = visit.ended

    def _beside_others(self, scenario: type[Scenario], limit_s: float) -> Visit:
        with self._room.shared():
            return self._visit(scenario, limit_s)

    def _visit(self, scenario: type[Scenario], limit_s: float) -> Visit:
        visit = Visit()
        with ExitStack() as stack:
            ports = [
                stack.enter_context(serving(Watched(each, visit), is_narrow=each.is_narrow))
                for each in scenario.played()
            ]
            visit.ended = self._program.visit(
                f"127.0.0.1:{ports[0]}",
                scenario.action,
                limit_s,
                lambda: bool(visit.opened),
                _settings(scenario),
            )
        return visit


def _settings(scenario: type[Scenario]) -> dict[str, str]:
    """Return the environment variables of a scenario for the program."""
    release = {RELEASE: scenario.release} if scenario.release else {}
    topic = {TOPIC: scenario.topic} if scenario.topic != FILLED else {}
    login = dict(zip((USER, PASSWORD), scenario.login, strict=True)) if scenario.login else {}
    return {**release, **topic, **login}


class _Room:
    """A lock under which visits run side by side, or one of them alone."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._turn = Lock()
        self._inside = 0
        self._is_wanted_alone = False

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Run beside others."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_wanted_alone)
            self._inside += 1
        try:
            yield
        finally:
            self._change(inside=-1)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Run after all others have left, and before any other begins."""
        with self._turn:
            with self._changed:
                self._is_wanted_alone = True
                self._changed.wait_for(lambda: not self._inside)
            try:
                yield
            finally:
                self._is_wanted_alone = False
                self._change(inside=0)

    def _change(self, inside: int) -> None:
        with self._changed:
            self._inside += inside
            self._changed.notify_all()


def _had_to_be_ended(visit: Visit) -> bool:
    """True if only time ran out: a client that asks without waiting is hung up on in any case."""
    return visit.ended.outcome == "hung" and not visit.is_full


def _ended_by_us(visit: Visit, outcome: Outcome, why: str) -> Visit:
    """Return the visit with the outcome and the reason why it had to be ended."""
    visit.ended = replace(visit.ended, outcome=outcome, text=f"{visit.ended.text}, {why}")
    return visit
