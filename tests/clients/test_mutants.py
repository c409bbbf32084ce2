"""Each mutant of a client is caught by its rule, in scenarios that the reference passes."""

from functools import cache
from pathlib import Path

import pytest

from conformance.clients.mutants import ClientMutant, client_mutants
from conformance.clients.mutants.mutant import DoesNothing
from conformance.clients.scenarios import scenarios
from conformance.clients.scenarios.every_request import ALWAYS
from conformance.clients.score import rules_with_scenarios, score, verdicts_of
from conformance.mutants import known
from conformance.reference.client import Client
from conformance.results.files import read_lines
from conformance.results.lines import BROKEN, Verdict
from conformance.rules import catalogue
from tests.cli.conftest import run
from tests.proof.figures import PAGE, marked_lines, peer_mutants_line

PROOF = (Path(__file__).parents[2] / PAGE).read_text("utf-8")
OVER_TCP = {
    "SizeInOnePiece": "crash",
    "RefusalTakenForTheList": "fail",
    "GivesControlRecords": "fail",
    "FirstListForAll": "fail",
    "RoomForTheAnswer": "fail",
    "RoomForTheRecords": "fail",
}


@cache
def verdicts_on_the_reference():
    return verdicts_of(Client)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if number % 24 == 0 else pytest.mark.charges)
        for number, name in enumerate(client_mutants())
    ],
)
def test_a_mutant_is_charged_with_what_it_breaks_and_with_nothing_else(name):
    mutant = client_mutants()[name]
    broken = {each.rule for each in verdicts_of(mutant) if each.verdict in BROKEN}
    assert broken == {mutant.breaks, *mutant.implies} - lenient()


def lenient():
    return {name for name, rule in catalogue().items() if rule.class_ == "lenient"}


def test_the_reference_passes_what_mutants_fail():
    verdicts = verdicts_on_the_reference()
    assert [each for each in verdicts if each.verdict != "pass"] == []
    assert {each.rule for each in verdicts} == set(rules_with_scenarios())


def test_each_rule_with_a_scenario_has_a_mutant():
    broken = {mutant.breaks for mutant in client_mutants().values()}
    assert [rule for rule in rules_with_scenarios() if rule not in broken] == []


def test_every_rule_that_is_for_clients_is_asked_of_them_and_no_other():
    for_clients = {name for name, rule in catalogue().items() if "client" in rule.applies}
    assert for_clients == set(rules_with_scenarios())


def test_each_mutant_names_a_rule_of_clients_and_says_what_it_does():
    every = client_mutants().items()
    assert [n for n, mutant in every if "client" not in catalogue()[mutant.breaks].applies] == []
    assert [n for n, mutant in every if not mutant.says().endswith(".")] == []
    assert [n for n, mutant in every if ". " in mutant.says()] == []


def test_no_two_mutants_have_one_name_or_say_the_same():
    every = known(ClientMutant)
    assert len({mutant.__name__ for mutant in every}) == len(every)
    assert len({mutant.says() for mutant in every}) == len(every)


def test_a_mutant_without_a_defect_is_the_reference():
    assert client_mutants().keys().isdisjoint({"ClientMutant", "Client"})
    verdicts = verdicts_of(ClientMutant, ["client-versions.each-version-read"])
    assert {verdict.verdict for verdict in verdicts} == {"pass"}


def test_a_client_that_does_nothing_passes_nothing():
    verdicts = verdicts_of(DoesNothing)
    assert len(verdicts) >= len(scenarios())
    assert {verdict.verdict for verdict in verdicts} == {"not-proven"}


def test_rules_that_always_hold_are_decided_on_every_visit():
    by_rule = {
        rule: [each for each in verdicts_on_the_reference() if each.rule == rule] for rule in ALWAYS
    }
    assert len(by_rule["client-requests.readable"]) > len(scenarios())


@pytest.mark.parametrize("name", OVER_TCP)
def test_a_mutant_is_caught_over_tcp(name, tmp_path):
    mutant = client_mutants()[name]
    results = tmp_path / "results.ndjson"
    ended = run(
        *("client", f"mutant:{name}", "--profile", "kafka"),
        *("--rule", mutant.breaks, "--results", str(results)),
    )
    assert ended.code == 1
    verdicts = [line for line in read_lines(results) if isinstance(line, Verdict)]
    broken = {line.verdict for line in verdicts if line.verdict in BROKEN}
    assert broken == {OVER_TCP[name]}


def test_each_mutant_is_caught_by_its_rule_as_the_proof_tells():
    table = score()
    assert sorted(line.mutant for line in table) == sorted(client_mutants())
    assert [line for line in table if not line.caught] == []
    assert peer_mutants_line("client", table) in marked_lines(PROOF)
