"""Each MUST that a release breaks is shown by its own calls, and Apache Kafka does otherwise."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.targets import registry
from conformance.testee_protocol import Target
from tests.proof.evidence import answers, evidence_of, opened_oracles, rules_to_be_shown

ADAPTERS = {each.name: each for each in registry.adapters()}
FAILING = [name for name, adapter in ADAPTERS.items() if rules_to_be_shown(adapter)]


@pytest.fixture(scope="module")
def kafka() -> Iterator[list[Target]]:
    with opened_oracles() as oracles:
        yield oracles


@pytest.mark.parametrize("name", FAILING)
def test_every_must_that_fails_is_shown_by_the_library_alone(name: str) -> None:
    shown = {each.rule for each in evidence_of(ADAPTERS[name])}
    assert shown == rules_to_be_shown(ADAPTERS[name])


@pytest.mark.parametrize("name", FAILING)
def test_apache_kafka_answers_otherwise(name: str, kafka: list[Target]) -> None:
    shown = evidence_of(ADAPTERS[name])
    for each, answer in zip(shown, answers(kafka, shown), strict=True):
        assert not answer.startswith(("unsupported", "error", "crashed", "hung")), each
        assert answer != each.got, each
