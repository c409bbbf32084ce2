"""The time limit for a client's program, and the cause if it takes longer.

A program may have to be ended for four reasons: the client hangs, the driver around it sets no time
limit, the machine is too slow, or our own limit is too short. So the limit follows from the time
that the program needs with a broker that does nothing wrong, and, once a visit had to be ended,
from the time that it waits for a broker that never answers.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from conformance.clients.program import VisitEnded
from conformance.clients.scenarios.actions import Action

FACTOR = 3
"""The factor by which a program may take longer than its usual time, and than its own limit."""


@dataclass(slots=True)
class Patience:
    """The limits for one client's program, in seconds. `least_s` is what it may take in any case.

    `usual_s` is what it took where nothing is wrong, `unanswered` how it ended where no answer
    came. `late`, `hung`, `unlimited` and `slow` are the cases of visits that had to be ended.
    """

    least_s: float
    usual_s: dict[Action, float] = field(default_factory=dict)
    unanswered: dict[Action, VisitEnded] = field(default_factory=dict)
    late: list[str] = field(default_factory=list)
    hung: list[str] = field(default_factory=list)
    unlimited: list[str] = field(default_factory=list)
    slow: list[str] = field(default_factory=list)

    @property
    def of_control_s(self) -> float:
        """Return the limit in seconds for a control case, by which the others are measured."""
        return FACTOR * self.least_s

    @property
    def of_silence_s(self) -> float:
        """Return the limit in seconds with a broker that never answers: far above a driver's."""
        return FACTOR * self.of_control_s

    def took(self, action: Action, ended: VisitEnded) -> None:
        """Keep the seconds that a control case took."""
        if ended.outcome != "hung":
            self.usual_s[action] = max(ended.seconds, self.usual_s.get(action, 0.0))

    def gives_up_s(self, action: Action) -> float | None:
        """Return the seconds after which it gives up if no answer comes; None if unknown."""
        ended = self.unanswered.get(action)
        return None if ended is None or ended.outcome == "hung" else ended.seconds

    def limit_s(self, action: Action) -> float:
        """Return the limit in seconds for a visit, which is made again if that was too short."""
        own_s = self.gives_up_s(action) or 0.0
        by_own = FACTOR * own_s if own_s > self.least_s else 0.0
        return max(self.least_s, FACTOR * self.usual_s.get(action, 0.0), by_own)

    def alone_s(self, action: Action) -> float:
        """Return the limit in seconds for a visit that is made again, alone."""
        return FACTOR * max(self.limit_s(action), self.gives_up_s(action) or 0.0)

    def measured(self, action: Action) -> str:
        """Return the measured times of an action, in words."""
        own_s = self.gives_up_s(action)
        usual = f"it takes {self.usual_s.get(action, 0.0):.1f} s where nothing is wrong"
        if own_s is None:
            return f"{usual}, and did not end within {self.of_silence_s:g} s where no answer came"
        return f"{usual}, and gives up after {own_s:.1f} s where no answer comes"

    def notes(self) -> list[str]:
        """Return a line for each cause for which visits had to be ended."""
        lines = self._of_limit(), self._of_driver(), self._of_machine(), self._of_client()
        return [line for line in lines if line]

    def _of_limit(self) -> str:
        waits = [f"{each} {self._waits_s(each)}" for each in sorted(self.unanswered)]
        why = f"the limit was too short, and the client is not to blame: {'; '.join(waits)}"
        why += " where no answer comes, and several such waits add up"
        remedy = "what came of the second try counts, and a longer --timeout saves that try"
        return f"{why}; {remedy}: {_named(self.late)}" if self.late else ""

    def _of_driver(self) -> str:
        least = f"within {self.of_silence_s:g} s where no answer comes"
        why = f"the driver sets no time limit that ends it {least}"
        remedy = "until it does or --timeout is longer, visits that had to be ended prove nothing"
        return f"{why}; {remedy}: {_named(self.unlimited)}" if self.unlimited else ""

    def _of_machine(self) -> str:
        why = "the machine was too slow to tell a client that hangs from one that waits"
        remedy = "a longer --timeout or a machine that has less to do lets them be judged"
        return f"{why}; {remedy}: {_named(self.slow)}" if self.slow else ""

    def _of_client(self) -> str:
        why = "the client hangs, and neither the limit nor the driver is to blame"
        asked = "did not come to an end when asked again alone"
        return f"{why}: {asked}: {_named(self.hung)}" if self.hung else ""

    def _waits_s(self, action: Action) -> str:
        own_s = self.gives_up_s(action)
        return "does not give up" if own_s is None else f"gives up after {own_s:.1f} s"


def _named(cases: list[str]) -> str:
    return ", ".join(sorted(cases))
