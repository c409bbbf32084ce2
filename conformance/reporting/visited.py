"""The basis of a verdict on a client's visit: a request that it sent, or its driver's words.

A request shows a client's fault, whatever program started it. The end of a driver, and its words on
the way, depend on the driver as well, and are no cause: two drivers that failed alike may have
failed for two reasons, and one client may fail in many ways for one.
"""

from __future__ import annotations

import re

from conformance.reporting.harms import used_up_memory
from conformance.reporting.observed import Observed
from conformance.results.lines import VISIT, Verdict
from conformance.results.visits import MARK

_OF_THE_END = re.compile(r"the client (failed|did not|came to no|says)\b")
"""The begin of a detail that only says how a driver ended."""
_SAID = re.compile(
    r"the (client|application|second transaction) |it (gives|tells|says) |of \d+ records "
    r"|what became of "
)
"""The begin of a detail that rests on a driver's words, or on how that ended."""
_PANIC_IN_LIBRARY = re.compile(r"panicked at (?:\S*[/\\])?registry[/\\]")
"""A panic in a crate that Cargo fetched, and so not in the driver's own code."""
_NO_END = re.compile(r"the client (did not come to an end|failed \(DriverTimeout|came to no end)")
"""The begin if the driver gave up, or was ended: which of both is a matter of limits."""
_RUSH = "without waiting, and it was hung up on"
"""Part of the detail for a client that asked again at once, more often than a client needs."""
_MALFORMED = re.compile(r"([A-Z]\w+) v\d+(?:: | (?=has |was sent))(.*)", re.DOTALL)
"""A detail that states the fault of a request."""
NOT_NEGOTIATED = frozenset(
    f"client-versions.{what}"
    for what in (
        "within-both-ranges",
        "nothing-in-common-is-not-sent",
        "unlisted-is-not-asked",
        "list-of-this-broker",
    )
)
"""Rules that a client breaks with each API whose version it does not choose by the broker's list.

The choice is one piece of code in nearly all clients.
"""


def rests_on_driver(verdict: Verdict) -> bool:
    """True if what the driver said is all that shows it.

    A request shows the client's fault, and so does a panic of a library. A driver never sees the
    sizes in an answer, for which all memory was taken.
    """
    shows_request = MARK in (verdict.actual or ())
    is_panic = _PANIC_IN_LIBRARY.search(verdict.detail) is not None
    is_clients = shows_request or is_panic or used_up_memory(verdict)
    return verdict.op == VISIT and not is_clients and bool(_SAID.match(verdict.detail))


def words_of_end(verdict: Verdict) -> str | None:
    """Return the words of a driver that ended wrongly, if nothing else is known, else None.

    Drivers that came to no end have equal words. A crash says more, and gives None.
    """
    is_crash = verdict.verdict == "crash"
    if verdict.op != VISIT or is_crash or not _OF_THE_END.match(verdict.detail):
        return None
    return "no end" if _NO_END.match(verdict.detail) else verdict.detail


def malformed(verdict: Verdict) -> tuple[str, str] | None:
    """Return the name of a request that is wrong by itself, and why; None if there is none."""
    found = _MALFORMED.match(verdict.detail) if verdict.op == VISIT else None
    return (found[1], found[2]) if found else None


def is_rush(verdict: Verdict) -> bool:
    """True if a client asked again at once, over and over, until the broker hung up on it."""
    return verdict.op == VISIT and _RUSH in verdict.detail


def rush(rules: int) -> Observed:
    """Return the cause that visits share in which a client asks again without waiting.

    `rules` is how many rules were broken in their cases. None of these rules describes the fault:
    the client goes round in circles, whatever it met.
    """
    return Observed(
        f"asks again and again without waiting, in the cases of {rules} rules",
        "",
        "Its application waits for ever, while each such client keeps its broker busy.",
        "Wait before asking again, longer each time, and let the application know why.",
    )
