"""A client under test at a played broker: a port, a program, and what came of it.

A listening socket of its own for each visit, on 127.0.0.1 alone, so that several go on side by side
and no visit sees what an earlier one left on its way.
"""

from __future__ import annotations

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
        with serving(Watched(scenario(), visit)) as port:
            visit.ended = self._program.visit(f"127.0.0.1:{port}", scenario.action)
        return visit
