"""A client under test at played brokers: a port each, a program, and what came of it.

Listening sockets of its own for each visit, on 127.0.0.1 alone, so that several go on side by side
and no visit sees what an earlier one left on its way.
"""

from __future__ import annotations

from contextlib import ExitStack

from conformance.peers.server import serving
from conformance.scenarios import Scenario
from conformance.scenarios.visit import Visit
from conformance.scenarios.watching import Watched
from conformance.targets.client import ClientProgram


class Reception:
    """Plays scenarios to a program, each to a fresh process of it."""

    def __init__(self, program: ClientProgram) -> None:
        self._program = program

    def receive(self, scenario: type[Scenario]) -> Visit:
        """What the program did with a scenario. Raises CommandNotFound and OSError."""
        visit = Visit()
        with ExitStack() as stack:
            ports = [
                stack.enter_context(serving(Watched(each, visit))) for each in scenario.played()
            ]
            bootstrap = f"127.0.0.1:{ports[0]}"
            visit.ended = self._program.visit(
                bootstrap, scenario.action, lambda: bool(visit.opened)
            )
        return visit
