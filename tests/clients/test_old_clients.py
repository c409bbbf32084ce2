"""Clients of before KIP-35: their versions are fixed, and Kafka 4 has removed some of them.

A broker that serves those versions is played to them, so that they are judged by what they do.
"""

from collections import defaultdict
from functools import cache

import pytest

from conformance.clients.doubts import Doubts
from conformance.clients.mutants import client_mutants
from conformance.clients.mutants.versions.old import OF_THEIR_AGE, Old, Oldest
from conformance.clients.scenarios import scenarios
from conformance.clients.scenarios.actions import PLAYED, REMOVED, with_removed
from conformance.clients.scenarios.control_cases import WELL, control_case_of, ground_of, old
from conformance.clients.score import meet, verdicts_of
from conformance.clients.visits import play
from conformance.results.lines import BROKEN
from conformance.rules import catalogue
from conformance.schema.releases import definitions

SPOKEN = "client-versions.kafka-4-spoken"
JUDGED = {
    "client-answers.asked-again",
    "client-answers.passing-errors-pass",
    "client-answers.unknown-errors-told",
    "client-groups.begins-at-committed",
    "client-groups.next-offset-committed",
    "client-produce.records-as-given",
    "client-records.compressed-read",
    "client-records.control-passed",
    "client-records.cut-batch-dropped",
    "client-records.given-as-held",
    "client-records.messages-read",
    "client-requests.records-valid",
}


@cache
def verdicts(client):
    by_rule = defaultdict(set)
    for each in verdicts_of(client):
        by_rule[each.rule].add(each.verdict)
    return by_rule


@pytest.mark.parametrize("client", [Oldest, Old])
def test_an_old_client_is_charged_with_nothing_but_its_age(client):
    broken = {rule for rule, found in verdicts(client).items() if found & BROKEN}
    assert broken == set(OF_THEIR_AGE)


@pytest.mark.parametrize("client", [Oldest, Old])
def test_reading_writing_and_groups_of_an_old_client_are_judged(client):
    passed = {rule for rule, found in verdicts(client).items() if "pass" in found}
    assert passed >= JUDGED
    assert len(passed) > 100


def test_what_an_old_client_asks_of_kafka_4_is_told():
    told = {each.detail for each in verdicts_of(Oldest, [SPOKEN]) if each.verdict in BROKEN}
    assert "Produce v1 was asked, which no Apache Kafka 4 serves" in told


@pytest.mark.parametrize("name", [n for n, m in client_mutants().items() if issubclass(m, Oldest)])
def test_a_mutant_of_an_old_client_is_charged_with_what_it_breaks_and_its_age(name):
    mutant = client_mutants()[name]
    broken = {each.rule for each in verdicts_of(mutant) if each.verdict in BROKEN}
    assert broken == {mutant.breaks, *mutant.implies}


def test_the_played_broker_serves_what_kafka_3_9_lists():
    before = definitions("3.9.2")
    assert REMOVED
    for key, (low, _) in with_removed(PLAYED).items():
        request = before[definitions().requests[key]]
        assert low == min(PLAYED[key][0], request.valid.low)


def test_a_client_of_today_is_played_no_removed_version():
    for each in scenarios().values():
        assert not each.is_old
        assert old(each).case() == each.case()
        assert control_case_of(old(each)).is_old
        assert ground_of(old(each)).is_old
    assert old(WELL["topics"]) is control_case_of(old(WELL["topics"]))


def test_what_kafka_4_has_removed_is_noted_once():
    doubts = Doubts()
    chosen = [each for each in scenarios().values() if each.action in ("produce", "consume")]
    made = play(
        chosen, lambda each: meet(Oldest(), each), catalogue(), "kafka", at_once=1, doubts=doubts
    )
    assert list(made)
    [note] = [each for each in doubts.notes() if "no Apache Kafka 4 serves" in each]
    assert "Fetch v1" in note
    assert "Produce v1" in note
