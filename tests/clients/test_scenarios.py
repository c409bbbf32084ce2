"""What is played is what a scenario says, and is judged by what came of it."""

import pytest

from conformance.checks.client_score import meet
from conformance.dialogue import Broken, NotHere
from conformance.judge.visit import judged
from conformance.peers.client import Client
from conformance.rules import catalogue
from conformance.scenarios import ACTIONS, WELL, Scenario, scenarios, twin_of
from conformance.scenarios.api_versions import backs_off, begins_again_with
from conformance.scenarios.judging import MOST_MIB, bears, where_asked
from conformance.scenarios.visit import MOST_A_SECOND, Sent, Visit, does_well, succeeds, survives
from conformance.schema.releases import definitions
from conformance.targets.client import Ended

SCENARIOS = scenarios()


def sent(api, version, at_s=0.0, connection=0):
    return Sent(at_s, connection, 1, b"", api, version, {"correlationId": 0}, {})


def visit(*requests, outcome="ok", opened=(0.0,), **more):
    return Visit(sent=list(requests), opened=list(opened), ended=Ended(outcome, **more))


def is_broken(judgement, a_visit):
    try:
        judgement(a_visit)
    except Broken:
        return True
    return False


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_says_what_it_plays_in_one_sentence(name):
    says = SCENARIOS[name].says()
    assert says.endswith(".")
    assert says.count(". ") == 0


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_is_about_a_request_and_decides_rules_of_clients(name):
    scenario = SCENARIOS[name]
    assert scenario.about in definitions()
    assert all("client" in catalogue()[rule].applies for rule in scenario.decides)


def test_no_two_scenarios_have_one_name_or_say_the_same():
    named = [each for each in Scenario.known if each.decides]
    assert len({each.__name__ for each in named}) == len(named)
    assert len({each.says() for each in named}) == len(named)
    assert len({each.case() for each in named}) == len(named)


@pytest.mark.parametrize("action", ACTIONS)
def test_each_action_has_a_twin_that_the_reference_does_well_with(action):
    does_well(meet(Client(), WELL[action]))


def test_a_scenario_and_its_twin_ask_for_the_same():
    by_default = [each for each in SCENARIOS.values() if each.twin is None]
    assert all(twin_of(each).action == each.action for each in by_default)


def test_two_brokers_of_one_visit_tell_of_each_other():
    played = SCENARIOS["NewBesideOld"].played()
    told = [[node["nodeId"] for node in each.brokers()] for each in played]
    assert told == [[1, 2], [1, 2]]


def test_two_brokers_of_one_visit_have_the_same_topics():
    one, other = SCENARIOS["NewBesideOld"].played()
    assert one.topics == other.topics


def test_the_reference_meets_both_brokers():
    met = meet(Client(), SCENARIOS["OldBesideNew"])
    assert {each.node for each in met.sent} == {1, 2}


def test_a_client_that_asks_thousands_of_times_is_hung_up_on():
    class AsksOn(Client):
        again = 100_000
        backoff_s = 0.0

    met = meet(AsksOn(), SCENARIOS["ClosedInPlaceOfAnswer"])
    assert met.is_full
    assert len(met.sent) == MOST_A_SECOND


def test_one_that_waits_in_between_is_not():
    patient = visit()
    for index in range(10 * MOST_A_SECOND):
        patient.asked(sent("Metadata", 1, index * 1.01 / MOST_A_SECOND))
    assert not patient.is_full


def test_one_that_only_connects_is_hung_up_on_too():
    hasty = visit()
    for _ in range(MOST_A_SECOND):
        hasty.connected(0.0)
    assert hasty.is_full


def test_a_loop_is_a_hang_however_it_ended():
    looped = visit(outcome="error")
    for _ in range(MOST_A_SECOND):
        looped.asked(sent("Metadata", 1))
    rule = catalogue()["client-answers.end-survived"]
    with pytest.raises(Broken) as broken:
        survives(looped)
    verdict = judged(SCENARIOS["NoAnswer"], rule, "kafka", looped, broken.value, None)
    assert verdict.verdict == "hang"


def test_much_more_memory_than_usual_is_broken():
    usual = visit(peak_mib=40.0)
    within, above = visit(peak_mib=40.0 + MOST_MIB), visit(peak_mib=41.0 + MOST_MIB)
    within.twin = above.twin = usual
    assert not is_broken(bears, within)
    assert is_broken(bears, above)


def test_thirty_one_connections_in_a_second_are_no_back_off():
    assert is_broken(backs_off, visit(opened=[index / 100 for index in range(31)]))
    assert not is_broken(backs_off, visit(opened=[index / 10 for index in range(31)]))


def test_what_the_client_does_not_ask_is_not_judged():
    with pytest.raises(NotHere):
        where_asked("Produce", succeeds)(visit(sent("Metadata", 1), outcome="error"))


def test_a_refusal_may_be_followed_on_another_connection():
    judge = begins_again_with(0, 2)
    on_another = visit(
        sent("ApiVersions", 3, 0.1, 0), sent("ApiVersions", 0, 0.3, 1), opened=(0.0, 0.2)
    )
    assert not is_broken(judge, on_another)


def test_a_connection_opened_beside_the_refused_one_is_no_answer_to_it():
    judge = begins_again_with(0, 2)
    beside = visit(
        sent("ApiVersions", 3, 0.1, 0),
        sent("ApiVersions", 3, 0.1, 1),
        sent("ApiVersions", 0, 0.2, 0),
        sent("ApiVersions", 0, 0.2, 1),
        opened=(0.0, 0.05),
    )
    assert not is_broken(judge, beside)


def test_a_client_that_asks_what_every_broker_serves_has_no_refusal_to_follow():
    with pytest.raises(NotHere):
        begins_again_with(0, 2)(visit(sent("ApiVersions", 0)))
