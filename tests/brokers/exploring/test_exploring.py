"""Exploring finds defects without rules, and says how to see each of them again."""

import pytest

from conformance.brokers.exchange import exchange
from conformance.brokers.exploring.asking import askings
from conformance.brokers.exploring.cases import RULE, as_case, held
from conformance.brokers.exploring.conversation import as_json, digest, from_json
from conformance.brokers.exploring.machine import Exploration, Found
from conformance.brokers.exploring.storing import store, stored
from conformance.brokers.in_process import SessionEndpoint
from conformance.brokers.mutants import broker_mutants
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.releases import NAMES, stored_versions
from conformance.rules import catalogue
from tests.proof.exploring import KEEPING, exploration_of, first_found, made

SAMPLE = (
    "BaseOffsetIsTheEnd",
    "BatchesTakeOneOffset",
    "FirstBatchLost",
    "EndListedForBoth",
    "DeletionForgotten",
    "ChecksumsUnchecked",
    "CreateTopicsLastLeftOut",
    "DeleteTopicsStrangerAdded",
    "OffsetFetchLastLeftOut",
    "AnyEpochOfATransaction",
    "EpochOfAnOffsetUnknown",
)
"""Mutants of topics, logs, offsets, and producers, each found by few conversations."""


def kept() -> Broker:
    return Broker(stored_versions(names=NAMES), "", **KEEPING)


def found_of(mutant: str, number: int = 1) -> tuple[Exploration, Found]:
    exploration = exploration_of(made(broker_mutants()[mutant]))
    exploration.shortens = True
    [found] = exploration.run(number, 40)
    return exploration, found


def test_the_reference_answers_as_itself():
    exploration = exploration_of(kept())
    assert list(exploration.run(1, 20)) == []
    assert exploration.explored.requests > 100
    assert not exploration.explored.flaky


@pytest.mark.parametrize("mutant", SAMPLE)
def test_a_defect_is_found_without_its_rule(mutant):
    assert first_found(broker_mutants()[mutant]) is not None


def test_a_conversation_is_as_short_as_it_can_be():
    exploration, found = found_of("BaseOffsetIsTheEnd")
    assert found.conversation[-1].api == "Produce"
    assert len(found.conversation) <= 2
    assert found.kind.startswith("Produce.responses.partitionResponses.baseOffset")
    for at in range(len(found.conversation) - 1):
        shorter = (*found.conversation[:at], *found.conversation[at + 1 :])
        assert exchange(held(exploration.facts, shorter), exploration.endpoint).broken is None


def test_a_finding_names_message_field_and_both_values():
    _, found = found_of("BaseOffsetIsTheEnd")
    last = found.conversation[-1]
    told = f"Produce v{last.version} is answered otherwise than by the reference broker"
    assert found.broken.detail.startswith(told)
    assert "baseOffset" in found.broken.expected
    assert found.broken.expected != found.broken.actual


def test_the_same_seed_finds_the_same_conversation():
    one, other = (found_of("BaseOffsetIsTheEnd", 3)[1] for _ in range(2))
    assert one.conversation == other.conversation


def test_a_difference_that_is_known_ends_no_other_conversation():
    exploration, found = found_of("BaseOffsetIsTheEnd")
    assert found.kind in exploration.known
    assert found.kind not in {each.kind for each in exploration.run(1, 20)}


def test_a_conversation_is_played_again_by_its_case(monkeypatch, tmp_path):
    monkeypatch.setenv("KAFKA_CONFORMANCE_CACHE", str(tmp_path))
    exploration, found = found_of("BaseOffsetIsTheEnd")
    path = store(found.conversation)
    item = as_case(exploration.facts, found.conversation)
    assert digest(found.conversation) in item.id
    assert from_json(path.read_bytes()) == found.conversation == stored(item.id)
    assert stored("ProduceRequest-v9/explored-0000000000") is None
    assert item.rule == RULE
    assert exchange(item.begin(), exploration.endpoint).broken is not None
    assert exchange(item.begin(), SessionEndpoint(kept())).broken is None


def test_a_conversation_that_is_held_again_has_names_of_its_own():
    exploration, found = found_of("BaseOffsetIsTheEnd")
    sent = [
        bytes(exchange(held(exploration.facts, found.conversation), exploration.endpoint).sent)
        for _ in range(2)
    ]
    assert sent[0] != sent[1]
    assert b"explored-" not in sent[0]


def test_a_conversation_depends_on_all_that_is_asked_in_it():
    _, found = found_of("BaseOffsetIsTheEnd")
    assert digest(found.conversation) != digest(found.conversation[:-1])
    assert as_json(found.conversation) == as_json(found.conversation)


def test_each_api_of_the_table_is_one_of_the_model():
    assert {each.api for each in askings()} <= set(NAMES.values())


def test_the_rule_is_of_class_kafka():
    assert catalogue()[RULE].class_ == "kafka"
