"""Causes of brokers that break several rules, and that the words of none of these describe.

One stub for several versions fails in as many ways as it can be read: where a version has the form
of its bytes, they lack results, and in another version they are no answer. And a size that no frame
can have is refused in one place, whether it is negative or too large.
"""

from __future__ import annotations

from collections.abc import Collection

from conformance.reporting.observed import Observed
from conformance.reporting.sorts import BODY_VERSION, IN_EACH_API, SIZES
from conformance.results.text import spans

SERVED = "api-versions.advertised-is-served"
NEGATIVE = "framing.negative-size-closes"
_WAYS = {*IN_EACH_API, BODY_VERSION}
_NO_SIZE = Observed(
    "does not just hang up on a size that no frame can have",
    NEGATIVE,
    remedy="Close the connection if a frame announces a negative size or more than your limit, "
    "before you allocate.",
)


def of_several_rules(
    messages: Collection[str], rules: Collection[str], versions: Collection[int]
) -> Observed | None:
    """Return the cause of cases that break these rules, None if any rule's words describe it."""
    if len(rules) < 2:
        return None
    if SIZES.issuperset(rules):
        return _NO_SIZE
    if SERVED in rules and len(messages) == 1 and _WAYS.issuperset(rules):
        return _unserved(next(iter(messages)), versions)
    return None


def _unserved(message: str, versions: Collection[int]) -> Observed:
    *others, last = spans(versions)
    named = f"{', '.join(others)} and {last}" if others else last
    return Observed(f"does not serve {message.removesuffix('Request')} {named}", SERVED)
