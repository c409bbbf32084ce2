"""Waiting for a client that is started elsewhere: one port, and one scenario on it after another.

The client has to come again and again, as a service does that loses its broker. A visit begins with
its first connection and is over when it asked nothing more for a while. The client does not report
how it fared, so only its requests are judged.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack

from conformance.brokers.connection.address import Address
from conformance.clients.program import VisitEnded
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit
from conformance.clients.scenarios.watching import Watched
from conformance.errors import UNREACHABLE
from conformance.reference.broker.connections.server import serving
from conformance.targets.errors import TargetError

QUIET_S = 3.0
_POLL_S = 0.05


class NobodyCame(TargetError):
    """No client connected in time."""

    exit_code = UNREACHABLE


class PortInUse(TargetError):
    """Another process listens there."""

    exit_code = UNREACHABLE


class Listener:
    """Plays scenarios to any client that connects to an address, for `timeout_s` at most each.

    `say` is called with the scenario that is being played.
    """

    def __init__(self, address: Address, timeout_s: float, say: Callable[[str], None]) -> None:
        self._address = address
        self._timeout_s = timeout_s
        self._say = say

    def receive(self, scenario: type[Scenario]) -> Visit:
        """Return the visit of a client to a scenario. Raises NobodyCame and PortInUse."""
        visit = Visit()
        try:
            with ExitStack() as stack:
                for number, broker in enumerate(scenario.played()):
                    port = 0 if number else self._address.port
                    watched, is_narrow = Watched(broker, visit), broker.is_narrow
                    stack.enter_context(
                        serving(watched, self._address.host, port, is_narrow=is_narrow)
                    )
                self._say(f"waiting at {self._address}: {scenario.says()}")
                seconds = self._wait(visit)
        except OSError as error:
            raise PortInUse(f"{self._address}: {error.strerror}", "name a free one") from None
        visit.ended = VisitEnded("untold", seconds=seconds)
        return visit

    def _wait(self, visit: Visit) -> float:
        began = time.monotonic()
        received, last = 0, began
        while (now := time.monotonic()) - began < self._timeout_s:
            if (so_far := len(visit.sent) + len(visit.opened)) != received:
                received, last = so_far, now
            if received and now - last > QUIET_S:
                return now - began
            time.sleep(_POLL_S)
        if not visit.opened:
            raise NobodyCame(
                f"no client came to {self._address} within {self._timeout_s:g} s",
                "start one there, and have it come again after each scenario",
            )
        return self._timeout_s
