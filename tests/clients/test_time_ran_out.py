"""A visit whose time was up is charged to a client where a request of it shows a defect, only then.

The reference meets each scenario, and its driver, or the suite, ends the visit after each of its
requests in turn: what a slow machine, or a driver that sleeps, makes of a client without a defect.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from conformance.clients.doubts import Doubts
from conformance.clients.judge import TIME_IS_UP
from conformance.clients.mutants import client_mutants
from conformance.clients.program import DRIVER_TIMEOUT, VisitEnded
from conformance.clients.scenarios import scenarios
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit
from conformance.clients.score import meet
from conformance.clients.visits import play
from conformance.reference.client import Client
from conformance.results.lines import BROKEN, Verdict
from conformance.rules import catalogue

LONG = {"many"}
"""Actions of thousands of requests, which ask nothing that others do not."""
GAVE_UP = VisitEnded("error", f"{DRIVER_TIMEOUT} it took too long", 60.0)
"""At the driver's own limit."""
ENDED = VisitEnded("unlimited", "it was ended after 30 s", 60.0)
"""At the suite's limit."""


_MET: dict[type[Scenario], Visit] = {}


def met(scenario: type[Scenario]) -> Visit:
    if scenario not in _MET:
        _MET[scenario] = meet(Client(), scenario)
    return _MET[scenario]


def cuts(visit: Visit) -> Iterator[Visit]:
    """The visit as it stood after each number of requests."""
    for number in range(len(visit.sent) + 1):
        later = visit.sent[number:]
        answered = visit.answered[: later[0].behind] if later else visit.answered
        yield replace(visit, sent=visit.sent[:number], answered=answered)


def charged(scenario: type[Scenario], ended: VisitEnded) -> Iterator[Verdict]:
    """What a client is charged with whose visit to the scenario was cut short, at any place."""
    well: dict[type[Scenario], Visit] = {}
    list(play([scenario], met, catalogue(), "kafka", at_once=1, well=well))
    del well[scenario]
    for cut in cuts(met(scenario)):

        def receive(_: type[Scenario], cut: Visit = cut) -> Visit:
            return replace(cut, ended=ended)

        verdicts = play([scenario], receive, catalogue(), "kafka", at_once=1, well={**well})
        yield from (each for each in verdicts if each.verdict in BROKEN)


def test_a_reference_that_is_cut_short_is_charged_with_nothing() -> None:
    every = [each for each in scenarios().values() if each.action not in LONG]
    found = [verdict for each in every for verdict in charged(each, GAVE_UP)]
    assert {(each.rule, each.case, each.detail) for each in found} == set()


def judged(client: type[Client], ended: VisitEnded, rule: str) -> list[Verdict]:
    """The verdicts by one rule on a client whose time is always up where something is played."""

    def receive(scenario: type[Scenario]) -> Visit:
        visit = meet(client(), scenario)
        return replace(visit, ended=ended) if scenario.decides else visit

    every = [each for each in scenarios().values() if rule in each.decides]
    verdicts = play(every, receive, {rule: catalogue()[rule]}, "kafka", at_once=1)
    return [each for each in verdicts if each.rule == rule]


OF_THE_CLIENT = [
    "TimeoutException Topic events not present in metadata after 5000 ms.",
    "KafkaError _TIMED_OUT Failed to get metadata",
    "context deadline exceeded",
]
"""Errors of clients whose driver set them a limit."""


@pytest.mark.parametrize(
    "ended", [GAVE_UP, ENDED, *(VisitEnded("error", each, 60.0) for each in OF_THE_CLIENT)]
)
def test_what_no_request_shows_is_not_proven_where_time_was_up(ended: VisitEnded) -> None:
    verdicts = judged(Client, ended, "client-answers.nulls-read")
    assert {each.verdict for each in verdicts} == {"not-proven"}
    assert {TIME_IS_UP in each.detail for each in verdicts} == {True}


def test_a_defect_that_a_request_shows_is_charged_though_time_was_up() -> None:
    mutant = client_mutants()["HandshakesAsEver"]
    [verdict] = judged(mutant, GAVE_UP, mutant.breaks)
    assert verdict.verdict == "fail"


def test_a_run_says_how_many_cases_had_no_time() -> None:
    [scenario] = [each for each in scenarios().values() if each.__name__ == "NullsInJoinGroup"]
    doubts = Doubts()

    def receive(played: type[Scenario]) -> Visit:
        visit = met(played)
        return replace(visit, ended=GAVE_UP) if played is scenario else visit

    list(play([scenario], receive, catalogue(), "kafka", at_once=1, doubts=doubts))
    [note] = doubts.notes()
    assert note.startswith("time was up in 1 case, and no request shows")
    assert note.endswith(scenario.case())


@pytest.mark.parametrize(
    ("ended", "name"),
    [
        (VisitEnded("error", "RequestTimeout Request timeout", 3.0), "fail"),
        (VisitEnded("error", f"{DRIVER_TIMEOUT} it took too long", 3.0), "not-proven"),
        (VisitEnded("error", "RequestTimeout Request timeout", 0.0), "not-proven"),
    ],
    ids=["the-clients-own-limit", "the-drivers", "no-time-since"],
)
def test_a_wait_for_no_answer_is_shown_by_the_limit_that_ends_it(
    ended: VisitEnded, name: str
) -> None:
    rule, scenario = "client-produce.no-answer-awaited", scenarios()["NobodyAnswers"]

    def receive(played: type[Scenario]) -> Visit:
        visit = meet(client_mutants()["AwaitsEveryAnswer"](), played)
        return replace(visit, ended=ended) if played is scenario else visit

    [verdict] = play([scenario], receive, {rule: catalogue()[rule]}, "kafka", at_once=1)
    assert verdict.verdict == name
