"""Doubts of a run on a client: cases that failed only once, and faults that may be the driver's.

On a machine that has other work, pauses grow and answers come late, so a client is not charged with
a failure that was seen once: the case is asked again, alone. And a client is started by a driver.
If it does not do well with a broker that does nothing wrong, the driver is looked at first, since
most released clients can do that; unless requests show that the driver asked for the right thing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from conformance.clients.scenarios.actions import Action
from conformance.clients.scenarios.driver_deviations import deviation, is_as_asked
from conformance.clients.scenarios.visit import Visit, does_well, is_of_driver
from conformance.dialogue import Broken
from conformance.results.text import counted

SAYS_OK = "says `ok` in any case, also where no broker listens"
PAGE = "docs/judge-a-client.md"
_MOST_NAMED = 3


@dataclass(slots=True)
class Doubts:
    """`once` are the cases that failed once, `not_again` those that failed and were not asked again
    since the run was interrupted, `out_of_time` those that a time limit ended before
    anything was shown, `drivers` says by action what a visit showed that was not as the page asks
    for it, `clients` how the client failed where it was asked for what the page has, and `removed`
    the requests that no Apache Kafka 4 serves."""

    once: set[str] = field(default_factory=set)
    not_again: set[str] = field(default_factory=set)
    out_of_time: set[str] = field(default_factory=set)
    drivers: dict[Action, str] = field(default_factory=dict)
    clients: dict[Action, str] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)

    def take(self, action: Action, visit: Visit) -> None:
        """Record the faults that a visit to a broker without a defect shows of driver or client."""
        if visit.ended.outcome in ("unsupported", "untold"):
            return
        if what := deviation(action, visit):
            self.drivers[action] = what
        elif (failed := _failed(visit)) and (by_itself := _unanswerable(visit)):
            self.clients[action] = f"fails at {by_itself} ({failed})"
        elif failed:
            is_clients = is_as_asked(action, visit) and not is_of_driver(visit.ended)
            where = self.clients if is_clients else self.drivers
            where[action] = f"fails ({failed})"

    def notes(self) -> list[str]:
        """Return the notes, those on the driver first: charges on a client may rest on it."""
        return [
            *self._of_drivers(),
            *self._of_clients(),
            *self._of_age(),
            *self._of_limits(),
            *self._of_repeats(),
        ]

    def _of_drivers(self) -> list[str]:
        return [
            f"the driver is to be looked at before the client: {actions} {what}{_where(what)}; "
            f"{PAGE} says what it has to do"
            for actions, what in _alike(self.drivers)
        ]

    def _of_clients(self) -> list[str]:
        return [
            f"the client is to be looked at, and not what the driver asks for, which its requests "
            f"show to be right: {actions} {what} with a broker that does nothing wrong, so that "
            f"little can be judged by it"
            for actions, what in _alike(self.clients)
        ]

    def _of_age(self) -> list[str]:
        if not self.removed:
            return []
        asked = ", ".join(sorted(self.removed))
        what = f"the client asks for versions that no Apache Kafka 4 serves (KIP-896): {asked}"
        return [f"{what}; the rest is judged by a broker that serves what Apache Kafka 3.9 does"]

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


def _alike(found: Mapping[Action, str]) -> Iterator[tuple[str, str]]:
    """Yield each fault with the actions that show it, so that one cause has one note."""
    actions: dict[str, list[str]] = {}
    for action, what in found.items():
        actions.setdefault(what, []).append(f"`{action}`")
    for what, named in actions.items():
        yield f"{', '.join(named)}{':' if len(named) > 1 else ''}", what


def _where(what: str) -> str:
    return "" if what == SAYS_OK else " with a broker that does nothing wrong"


def _unanswerable(visit: Visit) -> str:
    """Return a request that no broker could answer, whatever the driver asked for; "" if none."""
    for each in visit.sent:
        if each.api and each.api != "ApiVersions" and not each.is_served:
            return f"{each.api} v{each.version}, which is not served,"
        if each.wrong:
            return f"{each.api or 'a request'} v{each.version}, which can't be read,"
    return ""


def _failed(visit: Visit) -> str:
    """Return how a client failed where nothing is wrong; "" if it did well."""
    try:
        does_well(visit)
    except Broken as broken:
        return broken.detail
    return ""


def _named(cases: set[str]) -> str:
    """Return the names of the first few cases, and the number of the others."""
    more = len(cases) - _MOST_NAMED
    return ", ".join(sorted(cases)[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
