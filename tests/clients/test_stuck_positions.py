"""A client whose position stays has one defect, whatever rules ask about it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.clients.mutants import client_mutants
from conformance.clients.program import DRIVER_TIMEOUT, VisitEnded
from conformance.clients.scenarios import scenarios
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit
from conformance.clients.score import meet, verdicts_of
from conformance.clients.stuck_positions import ABOUT_POSITIONS, STAYS, stays
from conformance.clients.visits import play
from conformance.reference.client import Client
from conformance.reporting.breaches import in_a_clause
from conformance.reporting.findings import Causes
from conformance.results.lines import BROKEN
from conformance.rules import catalogue

RULE = "client-records.empty-batch-passed"
STAYING = ["StaysAtEmptyBatches", "StaysAtControlBatches"]


@pytest.mark.parametrize("name", STAYING)
def test_it_is_one_finding_that_requests_show(name: str) -> None:
    mutant = client_mutants()[name]
    causes = Causes()
    for verdict in verdicts_of(mutant, [mutant.breaks, *mutant.implies]):
        if verdict.verdict in BROKEN:
            causes.take(verdict)
    [found] = causes.findings()
    assert set(found.rules) == {mutant.breaks, *mutant.implies}
    assert STAYS in found.cause
    assert not in_a_clause(found).startswith("(or its driver)")


def test_it_is_charged_though_the_time_of_the_driver_was_up() -> None:
    scenario = scenarios()["EmptyBatchAlone"]

    def receive(played: type[Scenario]) -> Visit:
        visit = meet(client_mutants()["StaysAtEmptyBatches"](), played)
        gave_up = VisitEnded("error", f"{DRIVER_TIMEOUT} no record came", 8.0)
        return replace(visit, ended=gave_up) if played is scenario else visit

    verdicts = play(
        [scenario], receive, {RULE: catalogue()[RULE]}, "kafka", at_once=1, again=receive
    )
    assert [each.verdict for each in verdicts] == ["fail"]


def test_it_is_told_so_where_the_client_asks_without_waiting_as_well() -> None:
    scenario = scenarios()["EmptyBatchAlone"]

    def receive(played: type[Scenario]) -> Visit:
        visit = meet(client_mutants()["StaysAtEmptyBatches"](), played)
        return replace(visit, is_full=True) if played is scenario else visit

    [verdict] = play([scenario], receive, {RULE: catalogue()[RULE]}, "kafka", at_once=1)
    assert verdict.detail.startswith(STAYS)
    assert verdict.verdict == "fail"


def test_the_reference_stays_nowhere() -> None:
    asked = [each for each in scenarios().values() if ABOUT_POSITIONS & each.decides.keys()]
    found = [each.case() for each in asked if stays(meet(Client(), each))]
    assert found == []
