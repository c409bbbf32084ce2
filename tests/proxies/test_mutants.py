"""Each mutant of a proxy is caught by its rule, in dialogues that the reference passes."""

from collections import Counter
from itertools import product
from pathlib import Path

import pytest

from conformance.mutants import known
from conformance.proxies.in_process import OWN
from conformance.proxies.mutants import ProxyMutant, proxy_mutants
from conformance.proxies.mutants.baselines import BASELINES, AnswersMetadata, Forwarder, OneAtATime
from conformance.proxies.place import EVERY
from conformance.proxies.played_cluster import BROKERS
from conformance.proxies.score import (
    every_case,
    rules_of_proxies,
    score,
    verdicts_of,
    wrongly_charged,
)
from conformance.reference.proxy.proxy import Proxy
from conformance.reference.proxy.translation import (
    NODE_IDS,
    NOTHING,
    REWRITES,
    USUAL,
    VERSIONS,
)
from conformance.results.lines import BROKEN
from conformance.rules import catalogue
from tests.proof.figures import PAGE, marked_lines, peer_mutants_line

PROOF = (Path(__file__).parents[2] / PAGE).read_text("utf-8")
SOME = [
    "BatchedCoordinatorsLeft",
    "LatestRequestFirst",
    "UnreadableAnswerEndsAll",
    "AnswerHeadersWithoutTags",
    "RefusalWrittenAsAsked",
    "NewestVersionsCut",
    "ClientIdsLostInSomeApis",
    "ClientIdsUndeclared",
    "UnacknowledgedSentLast",
]
"""Mutants whose defect was once charged to rules of other groups."""


def test_each_mutant_is_caught_by_its_rule_as_the_proof_tells():
    table = score()
    assert sorted(line.mutant for line in table) == sorted(proxy_mutants())
    assert [line for line in table if not line.caught or not line.wrong] == []
    assert peer_mutants_line("proxy", table) in marked_lines(PROOF)


def test_each_rule_has_a_mutant_and_a_dialogue():
    broken = {mutant.breaks for mutant in proxy_mutants().values()}
    asked = {
        rule
        for rewrites, logs_in in [*product(EVERY, [False]), (USUAL, True)]
        for case in every_case(rewrites, logs_in=logs_in)[1]
        for rule in case.rules
    }
    assert broken == asked == set(rules_of_proxies())


def test_no_two_mutants_say_the_same():
    every = known(ProxyMutant)
    assert len({mutant.__name__ for mutant in every}) == len(every)
    assert len({mutant.says() for mutant in every}) == len(every)
    assert [each for each in every if not each.says().endswith(".") or ". " in each.says()] == []


def test_what_a_mutant_breaks_and_implies_are_rules_of_proxies():
    for name, mutant in proxy_mutants().items():
        for rule in (mutant.breaks, *mutant.implies):
            assert "proxy" in catalogue()[rule].applies, name
        assert mutant.breaks not in mutant.implies, name


@pytest.mark.parametrize("name", SOME)
def test_a_defect_is_charged_to_its_own_rule_alone(name):
    assert wrongly_charged(name) == {}


@pytest.mark.charges
@pytest.mark.parametrize("name", proxy_mutants())
def test_no_defect_is_charged_to_another_rule(name):
    assert wrongly_charged(name) == {}


@pytest.mark.parametrize(
    ("proxy", "rewrites"),
    [
        (Proxy(OWN), USUAL),
        (Proxy(OWN, rewrites=[NOTHING]), (NOTHING,)),
        (Forwarder(BROKERS), (NOTHING,)),
    ],
    ids=["the reference", "the reference that changes nothing", "a forwarder"],
)
def test_a_good_proxy_passes_all(proxy, rewrites):
    verdicts = verdicts_of(proxy, rules_of_proxies(), rewrites)
    assert {verdict.verdict for verdict in verdicts} == {"pass"}
    assert len(verdicts) > 20_000


@pytest.mark.parametrize("rewrites", [(NODE_IDS, VERSIONS), REWRITES], ids="-".join)
def test_the_reference_changes_what_it_says_and_nothing_else(rewrites):
    verdicts = verdicts_of(Proxy(OWN, rewrites=rewrites), rules_of_proxies(), rewrites, quick=True)
    assert {verdict.verdict for verdict in verdicts} == {"pass"}


def test_a_forwarder_fails_what_is_about_addresses_alone():
    verdicts = verdicts_of(Forwarder(BROKERS), rules_of_proxies(), quick=True)
    broken = {verdict.rule.partition(".")[0] for verdict in verdicts if verdict.verdict in BROKEN}
    assert broken == {"proxy-addresses"}


def test_who_forwards_one_request_at_a_time_breaks_nothing():
    verdicts = verdicts_of(OneAtATime(OWN), rules_of_proxies(), quick=True)
    assert {verdict.verdict for verdict in verdicts} == {"pass", "unsupported"}
    held_back = {verdict.case for verdict in verdicts if verdict.verdict == "unsupported"}
    assert held_back == {
        "MetadataRequest/answers-that-nobody-reads",
        "MetadataRequest/two-answers-cut-within-the-second-size",
    }


def test_who_answers_metadata_by_itself_breaks_nothing():
    verdicts = verdicts_of(AnswersMetadata(OWN), rules_of_proxies(), quick=True)
    names = Counter(verdict.verdict for verdict in verdicts)
    assert set(names) == {"pass", "unsupported"}
    assert names["unsupported"] < 0.1 * names.total()


@pytest.mark.parametrize("baseline", BASELINES, ids=lambda baseline: baseline.__name__)
def test_a_baseline_breaks_a_run_and_passes_next_to_nothing(baseline):
    names = Counter(
        verdict.verdict for verdict in verdicts_of(baseline(OWN), rules_of_proxies(), quick=True)
    )
    assert sum(names[name] for name in BROKEN) > 0
    assert names["pass"] < 0.02 * names.total()
