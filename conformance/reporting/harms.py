"""The harm of a finding, by what was seen: a rule may be broken in several ways.

An unchecked length ends one reader, makes another take all memory, and a third return bytes that
never arrived. The printed harm has to be the one that was seen here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from conformance.results.lines import EXCHANGE, PANICKED, Verdict
from conformance.rules import Seen, catalogue

ENDED = frozenset({"crash", "hang"})
_USED_UP = re.compile(
    r"allocated \d+ bytes for|out ?of ?memory|memory ?error|bad_alloc|allocation .*failed", re.I
)


def used_up_memory(verdict: Verdict) -> bool:
    """True if the target crashed as memory ran out, or took more than its input justifies."""
    return verdict.verdict == "crash" and _USED_UP.search(verdict.detail) is not None


def panicked(verdict: Verdict) -> bool:
    """True if a writer panicked over what its caller gave it, where an error is expected."""
    return verdict.verdict == "fail" and verdict.detail.startswith(PANICKED)


def was_silent(verdict: Verdict) -> bool:
    """True if a broker left a request without any word, and the connection open."""
    silent = verdict.outcome == "silent" and not verdict.actual  # an answer may come before silence
    return verdict.verdict == "fail" and verdict.op == EXCHANGE and silent


class Endings:
    """The ways in which the cases of one cause ended for the target."""

    def __init__(self) -> None:
        self._ended: set[str] = set()
        self._memory = False
        self._panic = True
        self._silent = True

    def take(self, case: Iterable[Verdict]) -> None:
        """Count one case by its verdicts."""
        case = list(case)
        self._ended |= ENDED & {verdict.verdict for verdict in case}
        self._memory |= any(map(used_up_memory, case))
        self._panic &= any(map(panicked, case))
        self._silent &= any(map(was_silent, case))

    def add(self, other: Endings) -> None:
        """Add the counts of another cause."""
        self._ended |= other._ended
        self._memory |= other._memory
        self._panic &= other._panic
        self._silent &= other._silent

    @property
    def ends(self) -> str:
        """Return `crash` if any case crashed, else `hang` if any hung, else ""."""
        return min(self._ended, default="")

    @property
    def seen(self) -> Seen:
        """Return what the breach did to the target: a panic or silence only if each case is."""
        if self._panic:
            return "panic"
        if self.ends == "crash":
            return "memory" if self._memory else "crash"
        if self.ends == "hang":
            return "hang"
        return "silent" if self._silent else "lived"


def harm_of(rule_id: str, seen: Seen) -> str:
    """Return whom a breach of a rule hurts where this was seen, "" where the rule does not say."""
    rule = catalogue().get(rule_id)
    return rule.harm_if(seen) if rule else ""
