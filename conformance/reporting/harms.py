"""The harm of a finding, by what was seen: a rule may be broken in several ways.

An unchecked length ends one reader, makes another take all memory, and a third return bytes that
never arrived. The printed harm has to be the one that was seen here, and so has the remedy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Self

from conformance.reporting.observed import Observed
from conformance.results.lines import EXCHANGE, PANICKED, Verdict
from conformance.rules import Seen, catalogue

ENDED = frozenset({"crash", "hang"})
_USED_UP = re.compile(
    r"allocated \d+ bytes for|out ?of ?memory|memory ?error|bad_alloc|allocation .*failed", re.I
)
_NO_ANSWER = "no answer to "
"""The beginning of the words about a request that has to be answered, and was not."""
_OF_ANY_REQUEST = frozenset(
    {
        "api-versions",
        "compact",
        "framing",
        "primitives",
        "request-header",
        "response-header",
        "sasl",
        "tags",
    }
)
"""The groups of rules whose harm covers a connection that ends."""
_UNANSWERED_HARMS: dict[Seen, str] = {
    "silent": "A client that asks so waits for an answer until its time is up.",
    "closed": "A client that asks so loses its connection, and gets no answer.",
}
"""The harm of a request without an answer, where the rule is about what an answer says."""


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


def was_unreadable(verdict: Verdict) -> bool:
    """True if a broker left a request in silence that its rule has it refuse to read."""
    rule = catalogue().get(verdict.rule)
    return was_silent(verdict) and rule is not None and "silent" in rule.remedy_seen


def was_hung_up_on(verdict: Verdict) -> bool:
    """True if a broker ended the connection where an answer is due."""
    is_unanswered = verdict.detail.startswith(_NO_ANSWER) and verdict.op == EXCHANGE
    return verdict.verdict == "fail" and is_unanswered and verdict.outcome in ("closed", "reset")


class Endings:
    """The ways in which the cases of one cause ended for the target."""

    def __init__(self) -> None:
        self._ended: set[str] = set()
        self._memory = False
        self._panic = True
        self._silent = True
        self._closed = True

    @classmethod
    def of(cls, case: Iterable[Verdict]) -> Self:
        """Return the endings of one case."""
        endings = cls()
        endings.take(case)
        return endings

    def take(self, case: Iterable[Verdict]) -> None:
        """Count one case by its verdicts."""
        case = list(case)
        self._ended |= ENDED & {verdict.verdict for verdict in case}
        self._memory |= any(map(used_up_memory, case))
        self._panic &= any(map(panicked, case))
        self._silent &= any(map(was_silent, case))
        self._closed &= any(map(was_hung_up_on, case))

    def add(self, other: Endings) -> None:
        """Add the counts of another cause."""
        self._ended |= other._ended
        self._memory |= other._memory
        self._panic &= other._panic
        self._silent &= other._silent
        self._closed &= other._closed

    @property
    def ends(self) -> str:
        """Return `crash` if any case crashed, else `hang` if any hung, else ""."""
        return min(self._ended, default="")

    @property
    def seen(self) -> Seen:
        """Return what the breach did to the target; what is no end is said only of each case."""
        if self._panic:
            return "panic"
        if self.ends == "crash":
            return "memory" if self._memory else "crash"
        if self.ends == "hang":
            return "hang"
        if self._silent:
            return "silent"
        return "closed" if self._closed else "lived"


def harm_of(rule_id: str, seen: Seen) -> str:
    """Return whom a breach of a rule hurts where this was seen, "" where the rule does not say."""
    rule = catalogue().get(rule_id)
    if rule is None:
        return ""
    if seen not in rule.harm_seen and rule.group not in _OF_ANY_REQUEST:
        return _UNANSWERED_HARMS.get(seen) or rule.harm_if(seen)
    return rule.harm_if(seen)


def remedy_of(rule_id: str, seen: Seen) -> str:
    """Return what to do about a breach where this was seen, "" where the rule's remedy fits."""
    rule = catalogue().get(rule_id)
    return rule.remedy_seen.get(seen, "") if rule else ""


def unheard(lead: str) -> Observed:
    """Return the cause that unreadable requests have which were all left in silence."""
    return Observed(
        "leaves requests that it cannot read in silence",
        lead,
        harm=harm_of(lead, "silent"),
        remedy=remedy_of(lead, "silent"),
    )
