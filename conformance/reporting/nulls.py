"""Writers of null where the field is not nullable: one cause, whatever the type of the field.

There is a rule for plain lengths, one for compact lengths, and one for structs. A writer does not
check for null in any of them, so that cases of all three have one cause.
"""

from __future__ import annotations

from collections.abc import Iterable

from conformance.reporting.observed import Observed
from conformance.results.lines import Verdict
from conformance.rules import catalogue

NULL_NOT_WRITTEN = frozenset(
    f"{area}.null-not-written" for area in ("primitives", "compact", "nullable-structs")
)
"""The rules that a writer breaks with null in a field that is not nullable."""


def writes_null(case: Iterable[Verdict]) -> bool:
    """True if a case breaks nothing but such a rule, and the writer did not end over it."""
    return all(each.rule in NULL_NOT_WRITTEN and each.verdict == "fail" for each in case)


def null_written() -> Observed:
    """Return the cause that cases of more than one of these rules share."""
    lead = "primitives.null-not-written"
    remedy = catalogue()[lead].remedy
    return Observed(
        "writes null where the field is not nullable",
        lead,
        remedy=f"{remedy[0].upper()}{remedy[1:].rstrip('.')}.",
    )
