"""Errors reported to an application while its member looks for its coordinator, or waits for it."""

from __future__ import annotations

from conformance.clients.scenarios.visit import Visit
from conformance.dialogue import Broken, NotApplicable

TOLD = "told"
"""The word after `ok` of a driver whose application received errors on the way."""


def nothing_told(visit: Visit) -> None:
    """Judge that the application does not receive an error that passed."""
    if visit.ended.outcome != "ok" or not visit.ended.text:
        raise NotApplicable("it did not say what it was told on the way")
    first, *errors = visit.ended.text.split()
    if first == TOLD:
        raise Broken(f"the application was told {' '.join(errors)}", "quiet", visit.ended.text)


NOT_TOLD = {"client-coordinators.passing-not-told": nothing_told}
