"""A driver that does otherwise than its page says is named before its client is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.clients.doubts import Doubts
from conformance.clients.program import DRIVER_TIMEOUT, VisitEnded
from conformance.clients.scenarios import scenarios
from conformance.clients.scenarios.actions import ACTIONS
from conformance.clients.scenarios.control_cases import WELL
from conformance.clients.scenarios.driver_deviations import deviation, is_as_asked
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit
from conformance.clients.score import meet
from conformance.clients.visits import play
from conformance.reference.client import Client
from conformance.reference.client.actions import transacting
from conformance.rules import catalogue


@pytest.mark.parametrize("action", ACTIONS)
def test_the_reference_does_as_the_page_says(action) -> None:
    assert deviation(action, meet(Client(), WELL[action])) == ""


def noted(name: str, receive) -> list[str]:
    doubts = Doubts()
    scenario = scenarios()[name]
    rules = {rule: catalogue()[rule] for rule in scenario.decides}
    list(play([scenario], receive, rules, "kafka", doubts=doubts))
    return doubts.notes()


def usual(scenario: type[Scenario]) -> Visit:
    return meet(Client(), scenario)


def test_another_value_in_the_second_transaction_is_the_drivers(monkeypatch) -> None:
    monkeypatch.setattr(transacting, "SECOND", ("v0",))
    [note] = noted("TakesTwoTransactions", usual)
    assert note.startswith("the driver is to be looked at before the client")
    assert "`twice` writes 'v0', 'v1'" in note
    assert "docs/judge-a-client.md" in note


def test_an_action_that_fails_though_it_was_asked_for_is_the_clients() -> None:
    def fails(scenario: type[Scenario]) -> Visit:
        visit = usual(scenario)
        if scenario.action == "produce":
            visit.ended = VisitEnded("error", "NoBrokers")
        return visit

    [note] = noted("NoIdsToWrite", fails)
    assert "`produce` fails (the client failed (NoBrokers))" in note
    assert note.startswith("the client is to be looked at, and not what the driver asks for")


def test_it_is_the_driver_that_is_named_where_no_request_shows_what_it_asked_for() -> None:
    def fails(scenario: type[Scenario]) -> Visit:
        visit = usual(scenario)
        if scenario.action == "produce":
            visit.ended = VisitEnded("error", "NoBrokers")
            visit.sent = [each for each in visit.sent if each.api != "Produce"]
        return visit

    [note] = noted("NoIdsToWrite", fails)
    assert note.startswith("the driver is to be looked at before the client: `produce` fails")


@pytest.mark.parametrize("action", ["produce", "unacknowledged", "brokers", "groups", "offsets"])
def test_requests_show_what_the_reference_was_asked_for(action) -> None:
    assert is_as_asked(action, meet(Client(), WELL[action]))


def test_nothing_is_shown_of_what_no_request_tells() -> None:
    assert not is_as_asked("topics", meet(Client(), WELL["topics"]))
    assert not is_as_asked("produce", Visit())


def test_nothing_is_said_of_a_driver_that_does_as_it_is_asked() -> None:
    assert noted("TakesTwoTransactions", usual) == []


def test_a_driver_that_has_its_client_do_nothing_of_it_is_named() -> None:
    asked = meet(Client(), WELL["topics"])
    assert deviation("groups", asked) == (
        "says `ok` without any DescribeGroups or ConsumerGroupDescribe"
    )
    asked.ended = VisitEnded("error", "NoBrokers")
    assert deviation("groups", asked) == ""


def test_another_compression_or_acks_than_asked_for_is_the_drivers() -> None:
    assert deviation("gzip", meet(Client(), WELL["batch"])) == ""  # none is no other codec
    assert deviation("gzip", meet(Client(), WELL["lz4"])) == "writes a batch compressed with 'lz4'"
    unacknowledged = meet(Client(), WELL["unacknowledged"])
    assert deviation("produce", unacknowledged) == "has 0 as acks of Produce, and not -1"


def test_actions_that_fail_alike_have_one_note() -> None:
    doubts = Doubts(clients={"login": "fails (closed)", "scram": "fails (closed)"})
    [note] = doubts.notes()
    assert "`login`, `scram`: fails (closed)" in note


def test_a_request_in_a_version_that_is_not_served_is_the_clients_fault() -> None:
    def fails(scenario: type[Scenario]) -> Visit:
        visit = usual(scenario)
        if scenario.action == "produce":
            visit.sent = [replace(visit.sent[0], api="Metadata", version=99, is_served=False)]
            visit.ended = VisitEnded("error", "Closed")
        return visit

    [note] = noted("NoIdsToWrite", fails)
    assert note.startswith("the client is to be looked at")
    assert "`produce` fails at Metadata v99, which is not served, (the client failed" in note


def test_it_is_the_driver_that_is_named_where_it_gave_up_by_itself() -> None:
    visit = meet(Client(), WELL["scram"])
    visit.ended = VisitEnded("error", DRIVER_TIMEOUT)
    doubts = Doubts()
    doubts.take("scram", visit)
    assert list(doubts.drivers) == ["scram"]
