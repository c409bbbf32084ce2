"""What failed is asked again alone: what does not fail again is a note, and no accusation."""

from __future__ import annotations

from collections.abc import Callable

from conformance.clients.doubts import Doubts
from conformance.clients.mutants import client_mutants
from conformance.clients.program import VisitEnded
from conformance.clients.scenarios import scenarios
from conformance.clients.scenarios.plain_brokers import ServesTopics
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit
from conformance.clients.score import meet
from conformance.clients.visits import play
from conformance.gate.likeness import Pictures
from conformance.reference.client import Client
from conformance.results.lines import Verdict
from conformance.rules import catalogue

SCENARIO = scenarios()["NullBrokers"]
MUTANT = client_mutants()["RoomForTheAnswer"]
Play = Callable[[type[Scenario]], Visit]


def ends(outcome: str) -> Play:
    """The reference, whose program says that it went like that where the scenario is played."""

    def receive(scenario: type[Scenario]) -> Visit:
        visit = meet(Client(), scenario)
        if scenario is SCENARIO:
            visit.ended = VisitEnded(outcome, "late")  # type: ignore[arg-type]
        return visit

    return receive


def judged(first: Play, again: Play | None, doubts: Doubts | None = None) -> list[Verdict]:
    rules = {rule: catalogue()[rule] for rule in SCENARIO.decides}
    return list(play([SCENARIO], first, rules, "kafka", again=again, doubts=doubts))


def test_what_fails_once_is_a_note_that_says_so() -> None:
    doubts = Doubts()
    [verdict] = judged(ends("crashed"), ends("error"), doubts)
    assert verdict.verdict == "note"
    assert verdict.detail.startswith(
        "failed once, and passed when it was asked again alone: the client crashed"
    )
    [note] = doubts.notes()
    assert note.startswith("1 case failed once, and not when asked again alone, and so counts")
    assert SCENARIO.case() in note


def test_what_fails_twice_is_a_failure() -> None:
    doubts = Doubts()
    [verdict] = judged(ends("crashed"), ends("crashed"), doubts)
    assert verdict.verdict == "crash"
    assert doubts.notes() == []


def one_after_another(*outcomes: str) -> Play:
    """The reference, whose program says each time something else, and in the end no more."""
    left = list(outcomes)

    def receive(scenario: type[Scenario]) -> Visit:
        return ends(left.pop(0))(scenario)

    return receive


def test_what_fails_at_random_is_charged_where_it_fails_alone_as_often_as_not() -> None:
    at_random = one_after_another("error", "crashed", "error", "crashed")
    assert [each.verdict for each in judged(ends("crashed"), at_random)] == ["crash"]


def test_what_fails_alone_once_in_four_times_is_charged_with_nothing() -> None:
    rarely = one_after_another("error", "error", "crashed", "error")
    doubts = Doubts()
    assert [each.verdict for each in judged(ends("crashed"), rarely, doubts)] == ["note"]
    assert doubts.once == {SCENARIO.case()}


def test_no_more_is_asked_once_it_is_decided() -> None:
    decided = one_after_another("error", "error", "error")
    assert [each.verdict for each in judged(ends("crashed"), decided)] == ["note"]


def test_what_passes_is_not_asked_again() -> None:
    asked = []

    def again(scenario: type[Scenario]) -> Visit:
        asked.append(scenario)
        return meet(Client(), scenario)

    assert [each.verdict for each in judged(ends("error"), again)] == ["pass"]
    assert asked == []


def test_a_control_case_that_failed_once_holds_where_it_holds_alone() -> None:
    def slow(scenario: type[Scenario]) -> Visit:
        visit = meet(Client(), scenario)
        if scenario is ServesTopics:
            visit.ended = VisitEnded("error", "late")
        return visit

    assert [each.verdict for each in judged(slow, None)] == ["not-proven"]
    assert [each.verdict for each in judged(slow, ends("error"))] == ["pass"]


def test_what_was_seen_once_is_no_picture_of_a_mutant() -> None:
    assert not Pictures(judged(ends("crashed"), ends("error"))).seen
    assert Pictures(judged(ends("crashed"), ends("crashed"))).seen
