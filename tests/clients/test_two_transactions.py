"""Two transactions are told apart whatever a driver writes in the second."""

from __future__ import annotations

import pytest

from conformance.clients.scenarios import scenarios
from conformance.clients.scenarios.control_cases import control_case_of
from conformance.clients.scenarios.records.two_transactions import commits_whole
from conformance.clients.scenarios.visit import Visit
from conformance.clients.score import meet
from conformance.dialogue import Broken
from conformance.reference.client import Client
from conformance.reference.client.actions import transacting


def visit_of(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> Visit:
    """A visit of a driver that writes this value in the second transaction."""
    monkeypatch.setattr(transacting, "SECOND", (value,))
    scenario = scenarios()[name]
    visit = meet(Client(), scenario)
    visit.control_case = meet(Client(), control_case_of(scenario))
    return visit


@pytest.mark.parametrize("value", ["w", "v0", "v7", "anything"])
@pytest.mark.parametrize("name", ["TakesTwoTransactions", "RefusesOneOfTransaction"])
def test_the_second_transaction_is_not_taken_for_the_first(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    commits_whole(visit_of(name, value, monkeypatch))


def test_a_first_one_that_lost_a_record_is_still_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    visit = visit_of("TakesTwoTransactions", "v0", monkeypatch)
    begins = [each for each in visit.sent if each.api == "Produce"]
    visit.sent.remove(begins[3])
    with pytest.raises(Broken, match="commits a transaction without v3"):
        commits_whole(visit)
