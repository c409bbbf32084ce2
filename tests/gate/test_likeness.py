"""A failing broker, client or proxy is told by name where it looks like one of ours."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from conformance.brokers.kind import line_up as brokers
from conformance.brokers.mutants import broker_mutants, stocked
from conformance.brokers.mutants.frames.unknown_tags import _Judging
from conformance.brokers.mutants.topics.requests import (
    FactorZeroDefaulted,
    NegativePartitionsDefaulted,
)
from conformance.brokers.score import verdicts_of as broker_judged
from conformance.clients.kind import line_up as clients
from conformance.clients.mutants import ClientMutant, client_mutants
from conformance.clients.score import verdicts_of as client_judged
from conformance.gate.likeness import MutantLineUp, Pictures, explained
from conformance.proxies.kind import line_up as proxies
from conformance.proxies.mutants import proxy_mutants
from conformance.reference.broker.broker import Broker, play
from conformance.reference.broker.cluster import Value
from conformance.reference.client import Failed
from conformance.reference.proxy.translation import NOTHING, USUAL
from conformance.reporting.findings import Causes
from conformance.results.lines import BROKEN, Finding, Verdict
from tests.cli.conftest import run
from tests.proof.likeness import Likened, likened, row, table

ID = "metadata.unknown-topic-id-error"
TAGS = "tags.unknown-skipped"
CREATION = ("topics.impossible-factor-refused", "topics.no-partitions-refused")


def findings(line_up: MutantLineUp, verdicts: Iterable[Verdict]) -> list[Finding]:
    """What is told of these verdicts, as a run tells it."""
    causes, pictures = Causes(), Pictures()
    for verdict in verdicts:
        pictures.take(verdict)
        if verdict.verdict in BROKEN:
            causes.take(verdict)
    return causes.findings((), explained(line_up, pictures.seen, causes.sorts()))


def hints(line_up: MutantLineUp, verdicts: Iterable[Verdict]) -> list[str]:
    return [each.diagnosis for each in findings(line_up, verdicts)]


@pytest.mark.parametrize("name", list(broker_mutants())[::70])
def test_no_broker_mutant_is_taken_for_another(name):
    found = likened(brokers(), broker_mutants()[name])
    assert found is None or not found.false


@pytest.mark.parametrize("name", list(client_mutants())[::40])
def test_no_client_mutant_is_taken_for_another(name):
    found = likened(clients(), client_mutants()[name])
    assert found is None or not found.false


@pytest.mark.parametrize("mutant", proxies(USUAL).mutants[::30], ids=lambda each: each.__name__)
def test_no_proxy_mutant_is_taken_for_another(mutant):
    found = likened(proxies(USUAL), mutant)
    assert found is None or not found.false


def test_a_proxy_is_held_against_those_that_say_the_same():
    assert proxy_mutants()["DefaultsLeftOut"] in proxies((NOTHING,)).mutants
    assert proxy_mutants()["DefaultsLeftOut"] not in proxies(USUAL).mutants
    assert proxy_mutants()["HalfCloseIsTheEnd"] in proxies((NOTHING,)).mutants


@pytest.mark.parametrize(
    "name",
    [
        "UnknownIdIsUnknownName",
        "MatchWithoutWildcards",
        "NullClientIdIsAnError",
        "FirstKeyOnly",
        "ShareKeysBeforeTheirTime",
        "DeadReplicaNotOffline",
    ],
)
def test_a_broker_mutant_is_told_by_its_name(name):
    found = likened(brokers(), broker_mutants()[name])
    assert found is not None
    assert found.hints == {brokers().describe(broker_mutants()[name])}


def test_one_defect_that_breaks_several_rules_is_one_finding():
    mutant = client_mutants()["SendsItsOwnHighest"]
    [finding] = findings(clients(), client_judged(mutant))
    assert finding.diagnosis == clients().describe(mutant)
    assert set(finding.rules) == {mutant.breaks, *mutant.implies}


def test_what_a_hint_says_is_the_sentence_of_the_mutant():
    [hint] = hints(
        brokers(), broker_judged(stocked(broker_mutants()["UnknownIdIsUnknownName"]()), ID)
    )
    assert hint == (
        "a broker that answers an id that no topic has with UNKNOWN_TOPIC_OR_PARTITION "
        "(mutant UnknownIdIsUnknownName)"
    )


def test_versions_that_a_mutant_has_not_are_no_reason_to_say_nothing():
    older = stocked(play("2.4", FactorZeroDefaulted))
    found = hints(brokers(), broker_judged(older, CREATION[0]))
    assert found == [brokers().describe(FactorZeroDefaulted)]


def test_each_of_two_defects_is_told():
    class Both(FactorZeroDefaulted, NegativePartitionsDefaulted):
        """Takes both."""

        breaks = ""

    found = hints(brokers(), broker_judged(stocked(Both()), *CREATION))
    both = FactorZeroDefaulted, NegativePartitionsDefaulted
    assert sorted(found) == sorted(map(brokers().describe, both))


class ShortTagsAlone(Broker):
    """Hangs up on a tagged field of more than 128 bytes."""

    class sessions(_Judging):  # noqa: N801
        """A connection that takes a limit of tags for one of bytes."""

        def is_too_much(self, section: list[Value]) -> bool:
            """Whether one of them is longer."""
            return any(len(each["bytes"]) > 176 for each in section)


def test_whoever_ends_earlier_in_a_dialogue_is_somebody_else():
    verdicts = broker_judged(stocked(ShortTagsAlone()), TAGS)
    other = broker_judged(stocked(broker_mutants()["LargeTagsRefused"]()), TAGS)
    failed = [each.case for each in verdicts if each.verdict in BROKEN]
    assert failed == [each.case for each in other if each.verdict in BROKEN]
    assert hints(brokers(), verdicts) == [""]
    seen, seen_of_other = (Pictures(each).seen[TAGS] for each in (verdicts, other))
    assert {each.asked for each in seen.values()} == {2}
    assert {each.asked for each in seen_of_other.values()} == {3}


class FailsOnMarkers(ClientMutant):
    """Can read no batch of which the attributes are not 0."""

    def given(self, batch: Value, offset: int) -> list[Value]:
        """They are an error. Raises Failed."""
        if batch["attributes"] & 0x20:
            raise Failed("a version of control records that there is not")
        return super().given(batch, offset)


def test_a_client_that_fails_does_not_say_why():
    verdicts = client_judged(FailsOnMarkers, ["client-records.control-passed"])
    assert {each.verdict for each in verdicts} == {"fail"}
    assert set(hints(clients(), verdicts)) == {""}


def test_a_mutant_without_a_rival_is_not_told():
    mutant = broker_mutants()["DescribedWhereCreated"]
    assert hints(brokers(), broker_judged(stocked(mutant()), mutant.breaks)) == [""]


def test_names_ids_and_reasons_of_a_run_are_no_difference():
    said = [
        "errors of kafka-conformance-1b2c3d4e-17-gone: expected 0, got 'AaIEPOyAd5SJNfTQo74vFw'",
        "errors of kafka-conformance-3-gone: expected 0, got 'q0wub6qGSquaUCatA2btIg'",
    ]
    one, other = (Pictures([failure(each)]).seen for each in said)
    assert one == other
    zeros = failure(said[0].replace("AaIEPOyAd5SJNfTQo74vFw", "A" * 22))
    assert Pictures([zeros]).seen != one


def failure(detail: str) -> Verdict:
    return Verdict(
        rule=ID,
        class_="must",
        case="MetadataRequest-v12/topic-id",
        message="MetadataRequest",
        version=12,
        op="exchange",
        outcome="reply",
        verdict="fail",
        detail=detail,
        input="",
    )


def test_the_reference_looks_like_nobody():
    assert hints(brokers(), broker_judged(stocked(Broker()), ID, TAGS, *CREATION)) == []


def test_a_row_counts_who_is_told_right_nothing_and_wrong():
    a, b, none = frozenset("a"), frozenset("b"), frozenset[str]()
    found = [Likened(a, none, none), Likened(none, none, b), Likened(a, a, none), None]
    assert row("brokers", found) == "| brokers | 3 | 1 | 1 | 1 | 1 |"


@pytest.mark.parametrize(
    ("command", "mutant", "rule"),
    [
        (("broker", "--start"), "UnknownIdIsUnknownName", ID),
        (("client",), "TakesTheLowestOfTheHint", "client-fallback.highest-of-hint"),
        (("proxy", "--start"), "RefusalWrittenAsAsked", "proxy-versions.refusal-reaches-client"),
    ],
)
def test_a_run_over_tcp_tells_what_its_target_looks_like(command, mutant, rule):
    ended = run(*command, f"mutant:{mutant}", "--rule", rule, "--profile", "kafka")
    assert ended.code == 1
    assert ended.out.count("   looks like: ") == 1
    assert f"(mutant {mutant})" in ended.out


def test_the_table_measures_all_of_a_line_up(monkeypatch: pytest.MonkeyPatch) -> None:
    few = [
        client_mutants()[name] for name in ("TakesTheLowestOfTheHint", "StepsDown", "NullIsAList")
    ]
    line_up = replace(clients(), mutants=few)
    monkeypatch.setattr("tests.proof.likeness.LINE_UPS", {"clients": lambda: line_up})
    assert list(table())[-1] == "| clients | 3 | 2 | 1 | 0 | 0 |"
