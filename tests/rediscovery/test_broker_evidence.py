"""Each MUST that a bundled broker breaks is shown by frames, and Apache Kafka does otherwise."""

from __future__ import annotations

import pytest

from conformance.targets import registry
from tests.proof.broker_evidence import (
    answers,
    frame,
    is_as_told,
    kafkas_answers,
    shown_of,
)
from tests.proof.evidence import rules_to_be_shown

ADAPTERS = {each.name: each for each in registry.adapters(registry.BROKERS)}
FAILING = [name for name, adapter in ADAPTERS.items() if rules_to_be_shown(adapter)]


def test_a_frame_is_hex_and_text() -> None:
    assert frame("0012 0003 'ab' 00") == b"\0\x12\0\3ab\0"
    with pytest.raises(ValueError, match="neither hex nor 'text'"):
        frame("0012 'ab")


@pytest.mark.parametrize(
    ("got", "heard", "same"),
    [
        ("closed", "closed", True),
        ("closed", "00", False),
        ("00 * 'a'", "00010261", True),
        ("00 .. 'a'", "000161", True),
        ("00 .. 'a'", "0061", False),
    ],
)
def test_an_answer_is_described_by_what_stays_the_same(got: str, heard: str, same: bool) -> None:
    assert is_as_told(got, heard) is same


@pytest.mark.parametrize("name", FAILING)
def test_every_must_that_fails_is_shown(name: str) -> None:
    assert {each.rule for each in shown_of(ADAPTERS[name])} == rules_to_be_shown(ADAPTERS[name])


@pytest.mark.parametrize("name", FAILING)
def test_a_broker_answers_plain_frames_as_is_told(name: str) -> None:
    shown = shown_of(ADAPTERS[name])
    for each, heard in zip(shown, answers(name, shown), strict=True):
        assert is_as_told(each.got, heard), (each.rule, each.what, heard)


@pytest.mark.java
@pytest.mark.parametrize("name", FAILING)
def test_apache_kafka_answers_the_same_frames_otherwise(name: str) -> None:
    shown = shown_of(ADAPTERS[name])
    for each, heard in zip(shown, kafkas_answers(shown), strict=True):
        assert heard not in ("closed", "nothing"), (each.rule, each.what)
        assert not is_as_told(each.got, heard), (each.rule, each.what, heard)
