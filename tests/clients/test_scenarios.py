"""What is played is what a scenario says, and is judged by what came of it."""

import base64
import re
import sys
from fnmatch import fnmatch
from typing import ClassVar

import pytest

from conformance.clients.judge import verdict_on_visit
from conformance.clients.mutants import client_mutants
from conformance.clients.program import ClientProgram, VisitEnded
from conformance.clients.scenarios import scenarios
from conformance.clients.scenarios.actions import ACTIONS
from conformance.clients.scenarios.batches import message
from conformance.clients.scenarios.control_cases import WELL, control_case_of
from conformance.clients.scenarios.judging import MOST_MIB, bears, where_asked
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.versions.highest_common import no_higher_than_usual, not_below
from conformance.clients.scenarios.versions.refusals import backs_off, begins_again_with
from conformance.clients.scenarios.visit import (
    MOST_A_SECOND,
    Sent,
    Visit,
    does_well,
    succeeds,
    survives,
)
from conformance.clients.score import meet
from conformance.clients.visits import play
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.client import Client
from conformance.rules import catalogue
from conformance.schema.releases import definitions
from tests.rediscovery.public import defects

SCENARIOS = scenarios()


def sent(api, version, at_s=0.0, connection=0):
    return Sent(at_s, connection, 1, b"", api, version, {"correlationId": 0}, {})


def visit(*requests, outcome="ok", opened=(0.0,), **more):
    return Visit(sent=list(requests), opened=list(opened), ended=VisitEnded(outcome, **more))


def is_broken(judgement, a_visit):
    try:
        judgement(a_visit)
    except Broken:
        return True
    return False


def test_each_scenario_says_what_it_plays_in_one_sentence():
    assert [name for name, each in SCENARIOS.items() if not each.says().endswith(".")] == []
    assert [name for name, each in SCENARIOS.items() if ". " in each.says()] == []


def test_each_scenario_is_about_a_request_and_decides_rules_of_clients():
    for_clients = {name for name, rule in catalogue().items() if "client" in rule.applies}
    every = SCENARIOS.items()
    assert [name for name, each in every if each.about not in definitions()] == []
    assert [name for name, each in every if not for_clients.issuperset(each.decides)] == []


def test_no_two_scenarios_have_one_name_or_say_the_same():
    named = [each for each in Scenario.known if each.decides]
    assert len({each.__name__ for each in named}) == len(named)
    assert len({each.says() for each in named}) == len(named)
    assert len({each.case() for each in named}) == len(named)


@pytest.mark.parametrize("action", ACTIONS)
def test_each_action_has_a_control_case_that_the_reference_does_well_with(action):
    does_well(meet(Client(), WELL[action]))


def test_a_scenario_and_its_control_case_ask_for_the_same():
    by_default = [each for each in SCENARIOS.values() if each.control_case is None]
    assert all(control_case_of(each).action == each.action for each in by_default)


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
        patient.receive(sent("Metadata", 1, index * 1.01 / MOST_A_SECOND))
    assert not patient.is_full


def test_one_that_only_connects_is_hung_up_on_too():
    hasty = visit()
    for _ in range(MOST_A_SECOND):
        hasty.connected(0.0)
    assert hasty.is_full


def test_a_loop_is_a_hang_however_it_ended():
    looped = visit(outcome="error")
    for _ in range(MOST_A_SECOND):
        looped.receive(sent("Metadata", 1))
    rule = catalogue()["client-answers.end-survived"]
    with pytest.raises(Broken) as broken:
        survives(looped)
    verdict = verdict_on_visit(SCENARIOS["NoAnswer"], rule, "kafka", looped, broken.value, None)
    assert verdict.verdict == "hang"


def test_a_verdict_tells_what_was_asked_and_answered_line_by_line():
    scenario = SCENARIOS["ClosedInPlaceOfAnswer"]
    met = meet(Client(), scenario)
    rule = catalogue()["client-answers.end-survived"]
    verdict = verdict_on_visit(
        scenario, rule, "kafka", met, Broken("it ended", "ok", "error"), None
    )
    said = [re.sub(r"^\d+\.\d{3} s, | [0-9a-f]{16,}$", "", line) for line in verdict.actual]
    assert said[:4] == [
        "connection 0 > ApiVersions v5",
        "connection 0 > Metadata v13",
        "connection 0 < answer to ApiVersions v5, 261 bytes",
        "connection 0 < is closed",
    ]


def test_much_more_memory_than_usual_is_broken():
    usual = visit(peak_mib=40.0)
    within, above = visit(peak_mib=40.0 + MOST_MIB), visit(peak_mib=41.0 + MOST_MIB)
    within.control_case = above.control_case = usual
    assert not is_broken(bears, within)
    assert is_broken(bears, above)


def test_thirty_one_connections_in_a_second_are_no_back_off():
    assert is_broken(backs_off, visit(opened=[index / 100 for index in range(31)]))
    assert not is_broken(backs_off, visit(opened=[index / 10 for index in range(31)]))


def test_what_the_client_does_not_ask_is_not_judged():
    with pytest.raises(NotApplicable):
        where_asked("Produce", succeeds)(visit(sent("Metadata", 1), outcome="error"))


def test_a_refusal_may_be_followed_on_another_connection():
    judge = begins_again_with(range(1), 2)
    on_another = visit(
        sent("ApiVersions", 3, 0.1, 0), sent("ApiVersions", 0, 0.3, 1), opened=(0.0, 0.2)
    )
    assert not is_broken(judge, on_another)


def test_a_connection_opened_beside_the_refused_one_is_no_answer_to_it():
    judge = begins_again_with(range(1), 2)
    beside = visit(
        sent("ApiVersions", 3, 0.1, 0),
        sent("ApiVersions", 3, 0.1, 1),
        sent("ApiVersions", 0, 0.2, 0),
        sent("ApiVersions", 0, 0.2, 1),
        opened=(0.0, 0.05),
    )
    assert not is_broken(judge, beside)


def test_a_client_that_asks_what_every_broker_serves_has_no_refusal_to_follow():
    with pytest.raises(NotApplicable):
        begins_again_with(range(1), 2)(visit(sent("ApiVersions", 0)))


def test_looking_up_coordinators_is_judged_without_the_versions_that_describing_them_is_about():
    about_lookups = [each for each in SCENARIOS.values() if "FindCoordinator" in each.about]
    assert about_lookups
    for each in about_lookups:
        assert all(broker.versions[15][1] <= 2 for broker in each.played())


class KnowsNoOldGroups(Client):
    versions: ClassVar = {**Client.versions, 15: (5, 6)}


class StumblesOverNewGroups(Client):
    def read(self, api_key, version, frame):
        return super().read(api_key, min(version, 2) if api_key == 15 else version, frame)


@pytest.mark.parametrize("client", [KnowsNoOldGroups, StumblesOverNewGroups])
@pytest.mark.parametrize("name", ["ManyKeysAtOnce", "FindCoordinatorInV5", "CoordinatorMoved"])
def test_looking_up_is_judged_whatever_the_client_makes_of_the_groups(client, name):
    verdicts = played(name, lambda scenario: meet(client(), scenario))
    assert set(verdicts.values()) == {"pass"}


def test_an_action_that_the_client_does_not_have_is_unsupported():
    verdicts = played("TopTagsInFindCoordinator", lambda _: visit(outcome="unsupported"))
    assert verdicts == {"tags.unknown-skipped": "unsupported"}


def test_it_is_also_where_the_control_case_asks_for_something_else():
    def without_groups(scenario):
        asked = sent("Metadata", 1)
        return visit(asked, outcome="unsupported" if scenario.action == "groups" else "ok")

    verdicts = played("FindCoordinatorInV3", without_groups)
    assert verdicts == {"client-versions.each-version-read": "unsupported"}


def test_a_client_that_had_the_action_a_moment_ago_is_not_believed():
    scenario = SCENARIOS["NullsInFindCoordinator"]

    def forgets(asked):
        outcome = "unsupported" if asked is scenario else "ok"
        return visit(sent("FindCoordinator", 6), outcome=outcome)

    assert played("NullsInFindCoordinator", forgets) == {"client-answers.nulls-read": "fail"}


def played(name, receive):
    """The verdicts on a scenario, but those that hold whatever is played."""
    scenario = SCENARIOS[name]
    rules = {rule: catalogue()[rule] for rule in scenario.decides}
    return {each.rule: each.verdict for each in play([scenario], receive, rules, "kafka")}


@pytest.mark.parametrize(
    ("code", "ended"),
    [
        ("print('unsupported it has no groups')", ("unsupported", "it has no groups")),
        ("print('unsupported'); sys.exit(1)", ("unsupported", "")),
        ("print('unsupported'); print('error 3 no'); sys.exit(1)", ("error", "3 no")),
    ],
    ids=["with-why", "alone", "not-the-last-line"],
)
def test_the_last_line_says_that_there_is_no_such_action(code, ended):
    program = ClientProgram(
        [sys.executable, "-c", f"import sys; {code}", "{action}", "{bootstrap}"]
    )
    told = program.visit("127.0.0.1:1", "groups", 10)
    assert (told.outcome, told.text) == ended


def test_memory_that_a_mutant_takes_counts_without_a_process():
    met = meet(client_mutants()["RoomForTheAnswer"](), SCENARIOS["HugeAnswer"])
    assert met.ended.peak_mib > MOST_MIB


class TellsNothing(Client):
    def report(self):
        yield from ()


@pytest.mark.parametrize("name", ["EverythingSubscribed", "OthersSubscribed", "NobodysSubscribed"])
def test_a_record_waits_for_metrics_that_are_pushed_and_not_for_ever(name):
    told, silent = (meet(each(), SCENARIOS[name]) for each in (Client, TellsNothing))
    assert (len(told.of("PushTelemetry")), len(told.of("Fetch"))) == (1, 1)
    assert len(silent.of("Fetch")) > 1
    assert (told.ended.outcome, silent.ended.outcome) == ("ok", "ok")


@pytest.mark.parametrize("magic", [0, 1])
def test_a_message_of_before_there_were_batches_is_read_by_the_reference(magic):
    raw = base64.b64encode(message(7, None, "v", magic).data).decode()
    (record,), behind = Client().records_in(raw, 0)
    assert (record["key"], record["value"]) == (None, "dg==")
    assert behind == 8


@pytest.mark.parametrize("name", ["FetchUpTo1", "FetchUpTo3"])
def test_old_versions_of_fetch_are_asked_where_there_are_no_others(name):
    met = meet(Client(), SCENARIOS[name])
    assert set(met.versions("Fetch")) == {SCENARIOS[name]().versions[1][1]}
    assert not [each.wrong for each in met.sent if each.wrong]


def after(usual, here):
    """A visit with these versions of Metadata, behind a control case with those."""
    found = visit(*(sent("Metadata", version) for version in here))
    found.control_case = visit(*(sent("Metadata", version) for version in usual))
    return found


UP_TO_6 = not_below({3: (0, 6)})


@pytest.mark.parametrize(("usual", "here"), [([12], [6]), ([13, 12], [6, 6]), ([8], [7])])
def test_the_highest_version_of_both_is_none_too_low(usual, here):
    assert not is_broken(UP_TO_6, after(usual, here))


@pytest.mark.parametrize(("usual", "here"), [([12], [5]), ([13], [6, 0]), ([7], [0])])
def test_a_version_below_what_both_have_is_too_low(usual, here):
    assert is_broken(UP_TO_6, after(usual, here))


def test_a_version_that_was_asked_with_the_control_case_as_well_is_none_too_low():
    assert not is_broken(UP_TO_6, after([0, 12], [0, 6]))


def test_a_client_that_asks_no_more_than_is_served_here_shows_nothing():
    with pytest.raises(NotApplicable):
        UP_TO_6(after([5], [5]))


def test_what_is_known_here_was_to_be_asked_with_the_control_case():
    assert is_broken(no_higher_than_usual, after([0], [7]))
    assert not is_broken(no_higher_than_usual, after([12], [12]))


@pytest.mark.parametrize("highest", [0, 1, 3, 8])
def test_no_broker_says_what_an_older_client_s_versions_lack(highest):
    class Older(Client):
        versions: ClassVar = {
            key: (low, min(high, max(low, highest))) for key, (low, high) in Client.versions.items()
        }

    ended = {name: meet(Older(), each).ended for name, each in SCENARIOS.items()}
    assert {name: each.text for name, each in ended.items() if each.outcome == "crashed"} == {}


def test_what_shows_a_public_defect_can_fail_and_is_there() -> None:
    """The releases themselves are judged by `tox run -e rediscovery` alone."""
    found = [defect for defect in defects() if defect.rule]
    assert [
        each for each in found if catalogue()[each.rule].verdict_on_breach(each.profile) != "fail"
    ] == []
    cases = {each.case() for each in SCENARIOS.values()}
    clients = [each for each in found if each.kind == "client"]
    assert [each for each in clients if not any(fnmatch(case, each.cases) for case in cases)] == []
