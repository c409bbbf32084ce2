"""Fields of a request that a broker does not read: the cause, whatever rule a case was made for."""

from __future__ import annotations

import re

from conformance.reporting.observed import Observed
from conformance.results.lines import EXCHANGE, UNREAD, Verdict

_UNREAD = re.compile(rf"(?P<api>\w+) v\d+: (?P<field>[\w.\[\]]+) {UNREAD}")


def unread_field(verdict: Verdict) -> tuple[str, str]:
    """Return the API and the field that a case shows to be unread, "" twice for none."""
    found = _UNREAD.match(verdict.detail) if verdict.op == EXCHANGE else None
    return (found["api"], found["field"]) if found else ("", "")


def field_unread(verdict: Verdict) -> Observed | None:
    """Return the cause that a case shows by itself, None if it shows no field to be unread."""
    api, field = unread_field(verdict)
    if not field:
        return None
    return Observed(
        f"does not read {field} of {api}",
        verdict.rule,
        remedy=f"Read {field} at its place in each version of {api} that has it, and act on it.",
    )
