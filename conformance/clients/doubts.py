"""What a run on a client is not sure of: what failed once alone, and what its driver may have done.

A machine that has other work lets pauses grow and answers come late, so nothing is charged that was
seen once: what failed is asked again, alone. And a client is started by a driver. Where it does not
do well with a broker that does nothing wrong, the driver is looked at first, since each client that
was released can do that.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from conformance.clients.scenarios.actions import Action
from conformance.results.text import counted

PAGE = "docs/judge-a-client.md"
_MOST_NAMED = 3


@dataclass(slots=True)
class Doubts:
    """`once` are the cases that failed once, `not_again` those that failed and were not asked again
    since the run was interrupted, `out_of_time` those that a time limit ended before
    anything was shown, `drivers` says by action what a visit showed that was not as the page asks
    for it."""

    once: set[str] = field(default_factory=set)
    not_again: set[str] = field(default_factory=set)
    out_of_time: set[str] = field(default_factory=set)
    drivers: dict[Action, str] = field(default_factory=dict)

    def notes(self) -> list[str]:
        """The driver first: what a client is charged with may rest on it."""
        return [*self._of_drivers(), *self._of_limits(), *self._of_repeats()]

    def _of_drivers(self) -> list[str]:
        return [
            f"the driver is to be looked at before the client: with a broker that does nothing "
            f"wrong, `{action}` {what}; {PAGE} says what it has to do"
            for action, what in self.drivers.items()
        ]

    def _of_limits(self) -> list[str]:
        if not self.out_of_time:
            return []
        number = counted(len(self.out_of_time), "case")
        what = f"time was up in {number}, and no request shows what the client did wrong"
        remedy = "longer limits in the driver, or a machine that has less to do, let them be judged"
        return [f"{what}; {remedy}: {_named(self.out_of_time)}"]

    def _of_repeats(self) -> list[str]:
        again = "and not when asked again alone, and so counts for nothing"
        left = "and the run was interrupted before the second time, so that nothing is said of them"
        return [
            f"{counted(len(cases), 'case')} failed once, {what}: {_named(cases)}"
            for cases, what in ((self.once, again), (self.not_again, left))
            if cases
        ]


def _named(cases: set[str]) -> str:
    """The first few of them, and how many more they are."""
    more = len(cases) - _MOST_NAMED
    return ", ".join(sorted(cases)[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
