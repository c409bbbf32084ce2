"""Each mutant of a broker is caught by its rule, in dialogues that the reference passes."""

import struct
from pathlib import Path

import pytest

from conformance.brokers.mutants import BrokerMutant, broker_mutants, stocked
from conformance.brokers.mutants.baselines import BASELINES
from conformance.brokers.score import (
    SessionLine,
    made_with,
    rules_with_questions,
    score,
    verdicts_of,
)
from conformance.mutants import known
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.connections.server import serving
from conformance.results.files import read_lines
from conformance.results.lines import BROKEN, Verdict
from conformance.rules import catalogue
from tests.cli.conftest import run
from tests.proof.figures import PAGE, marked_lines, peer_mutants_line

PROOF = (Path(__file__).parents[2] / PAGE).read_text("utf-8")
API_VERSIONS = struct.pack(">ihhih", 10, 18, 0, 0x6B636F6E, -1)
OVER_TCP = ["FallbackWithTags", "PipelinedRequestLost", "KeysSorted", "SharesSwapped"]


def test_each_mutant_is_caught_by_its_rule_as_the_proof_tells():
    table = score()
    assert sorted(line.mutant for line in table) == sorted(broker_mutants())
    assert [line for line in table if line.rule != broker_mutants()[line.mutant].breaks] == []
    assert [line for line in table if not line.caught or not line.wrong] == []
    assert peer_mutants_line("broker", table) in marked_lines(PROOF)


@pytest.mark.parametrize("rule", rules_with_questions())
def test_the_reference_passes_what_a_mutant_fails(rule):
    verdicts = verdicts_of(stocked(Broker(**made_with(rule))), rule)
    assert {verdict.verdict for verdict in verdicts} == {"pass"}


def test_each_rule_of_brokers_is_decided_by_a_dialogue():
    of_brokers = {rule.id for rule in catalogue().values() if "broker" in rule.applies}
    assert of_brokers == set(rules_with_questions())


def test_each_rule_with_a_question_has_a_mutant():
    broken = {mutant.breaks for mutant in broker_mutants().values()}
    assert [rule for rule in rules_with_questions() if rule not in broken] == []


def test_each_mutant_names_a_rule_of_brokers_and_says_what_it_does():
    every = broker_mutants().items()
    assert [n for n, mutant in every if "broker" not in catalogue()[mutant.breaks].applies] == []
    assert [n for n, mutant in every if not mutant.says().endswith(".")] == []
    assert [n for n, mutant in every if ". " in mutant.says()] == []


def introduces_itself(mutant):
    with SessionLine(stocked(mutant())) as line:
        line.send(API_VERSIONS)
        return line.hear().frame[:6] == API_VERSIONS[8:12] + bytes(2)


def test_each_mutant_introduces_itself_as_a_broker():
    """But those that fail the first request, which asks for versions with a null client id."""
    silent = [name for name, mutant in broker_mutants().items() if not introduces_itself(mutant)]
    breaks = {broker_mutants()[name].breaks for name in silent}
    of_the_first_request = {
        "request-header.null-client-id",
        "framing.correlation-id-echoed",
        "api-versions.version-0-answered",
    }
    assert breaks <= of_the_first_request, silent


def test_no_two_mutants_have_one_name_or_say_the_same():
    every = known(BrokerMutant)
    assert len({mutant.__name__ for mutant in every}) == len(every)
    assert len({mutant.says() for mutant in every}) == len(every)


def test_a_mutant_without_a_defect_is_the_reference():
    assert broker_mutants().keys().isdisjoint({"BrokerMutant", "Broker"})
    verdicts = [
        verdict
        for rule in rules_with_questions()
        for verdict in verdicts_of(stocked(BrokerMutant(**made_with(rule))), rule)
    ]
    assert {verdict.verdict for verdict in verdicts} == {"pass"}


@pytest.mark.parametrize("baseline", BASELINES, ids=lambda baseline: baseline.__name__)
def test_a_baseline_passes_nothing(baseline):
    verdicts = verdicts_of(baseline(), *rules_with_questions())
    names = {verdict.verdict for verdict in verdicts}
    assert BROKEN & names
    assert "pass" not in names


def test_a_broker_without_topics_is_not_said_to_tell_them_all():
    rules = ("metadata.null-asks-for-all", "metadata.leaders-are-listed")
    assert {verdict.verdict for verdict in verdicts_of(Broker(), *rules)} == {"unsupported"}


@pytest.mark.parametrize("name", OVER_TCP)
def test_a_mutant_is_caught_over_tcp(name, tmp_path):
    mutant = broker_mutants()[name]
    results = tmp_path / "results.ndjson"
    with serving(stocked(mutant())) as port:
        ended = run(
            "broker",
            f"127.0.0.1:{port}",
            *("--timeout", "0.5", "--profile", "kafka", "--allow-writes"),
            *("--rule", mutant.breaks, "--results", str(results)),
        )
    assert ended.code == 1
    found = {
        line.rule
        for line in read_lines(results)
        if isinstance(line, Verdict) and line.verdict == "fail"
    }
    assert found == {mutant.breaks}


def test_a_mutant_is_started_by_its_name():
    ended = run(
        "broker", "--start", "mutant:CorrelationIdCounted", "--rule", "framing.correlation*"
    )
    assert ended.code == 1
    assert "framing.correlation-id-echoed" in ended.out


def test_a_mutant_that_is_not_there_is_not_started():
    ended = run("broker", "--start", "mutant:Nobody")
    assert "no broker 'mutant:Nobody' can be started" in ended.error
