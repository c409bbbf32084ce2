"""A check whether a driver says `error` if its client fails, or leaves that to its exit status.

An exception in a callback of JavaScript ends the program, and no `catch` takes it: that is the
client's crash. An exception that the driver forgot to catch looks alike from outside. So a driver
that ended without a word is started at an address where no broker listens, which is an error to
every client: if it has no `error` for that either, it has shown nothing but an error of its client.
A driver that says `ok` there says it whatever its client does, so that its `ok` charges no client.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import Lock

from conformance.clients.program import VisitEnded
from conformance.clients.scenarios.actions import Action

_MOST_NAMED = 3


@dataclass(slots=True)
class Telling:
    """The facts known of one driver. `silent` are the cases that it ended without a word."""

    silent: list[str] = field(default_factory=list)
    _nowhere: dict[Action, VisitEnded] = field(default_factory=dict)
    _asking: Lock = field(default_factory=Lock)

    def judged(
        self, ended: VisitEnded, action: Action, case: str, visit: Callable[[str], VisitEnded]
    ) -> VisitEnded:
        """The end of a case: a crash is an error where the driver has no word for errors.

        `visit` has the client do the same at an address.
        """
        if not ended.is_silent:
            return ended
        if ended.outcome == "crashed" and self._tells(action, visit):
            return ended
        self.silent.append(case)
        return replace(ended, outcome="error")

    def notes(self) -> list[str]:
        """Return a note on what the driver should do, if it ended without a word."""
        if not self.silent:
            return []
        cases = sorted({*self.silent})
        more = len(cases) - _MOST_NAMED
        named = ", ".join(cases[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
        what = "the driver ended without a word, which counts as an error that the client reported"
        return [f"{what}; have it catch every exception and print `error` and why: {named}"]

    def says_ok_always(self, action: Action, visit: Callable[[str], VisitEnded]) -> bool:
        """True if the driver says `ok` where no broker listens. `visit` is as in `judged`."""
        return self._ended_nowhere(action, visit).outcome == "ok"

    def _tells(self, action: Action, visit: Callable[[str], VisitEnded]) -> bool:
        ended = self._ended_nowhere(action, visit)
        return ended.outcome == "error" and not ended.is_silent

    def _ended_nowhere(self, action: Action, visit: Callable[[str], VisitEnded]) -> VisitEnded:
        """Return how the driver ended at an address where no broker listens."""
        with self._asking:
            if action not in self._nowhere:
                with socket.socket() as nobody:
                    nobody.bind(("127.0.0.1", 0))
                    self._nowhere[action] = visit(f"127.0.0.1:{nobody.getsockname()[1]}")
            return self._nowhere[action]
