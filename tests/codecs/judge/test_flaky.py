"""Two answers to one question are a failure that shows both, whichever of them is right."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from conformance.codecs.judge.judge import flaky, judge_case, steady
from conformance.testee_protocol import Outcome
from tests.codecs.judge.making import VALUE, case, changed, reads, rejected, value, wrote


def both(first: Outcome, second: Outcome) -> Outcome:
    return msgspec.structs.replace(first, then=second)


RIGHT = value(VALUE, remaining=0)


@pytest.mark.parametrize(
    "fields",
    [
        {"outcome": "rejected"},
        {"value": changed(count=8)},
        {"remaining": 1},
        {"remaining": None},
        {"header": {"correlationId": 1}},
        {"version": 0},
        {"error": "KeyError"},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_another_message_is_another_answer(fields: dict[str, Any]) -> None:
    assert not steady(RIGHT, msgspec.structs.replace(RIGHT, **fields))


@pytest.mark.parametrize("fields", [{"text": "at 0x7f31"}, {"allocated": 4096}])
def test_words_and_memory_may_be_others(fields: dict[str, Any]) -> None:
    assert steady(rejected(), msgspec.structs.replace(rejected(), **fields))


def test_other_bytes_are_another_answer() -> None:
    assert not steady(wrote("00"), wrote("01"))


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (wrote("0a"), wrote("0b"), "answered '0a', then '0b'"),
        (wrote(""), rejected(), "answered '', then rejected ShortRead"),
        (value({"a": 1}), value({"a": 2}), """answered '{"a":1}', then '{"a":2}'"""),
        (
            value({}, remaining=0, header={"b": 1}, version=3),
            Outcome(outcome="crashed", text="MemoryError"),
            """answered '3 {"b":1} {} 0', then crashed MemoryError""",
        ),
    ],
)
def test_both_answers_are_shown(first: Outcome, second: Outcome, said: str) -> None:
    assert flaky(both(first, second)) == f"flaky: {said}"


def test_a_long_answer_is_shown_in_part() -> None:
    assert len(flaky(both(wrote("00" * 1000), wrote("01" * 1000)))) < 220


def test_one_answer_is_not_flaky() -> None:
    assert flaky(RIGHT) == ""


def test_a_right_answer_is_none_if_another_follows() -> None:
    judgement = judge_case(case(reads()), both(RIGHT, rejected()))
    assert judgement.verdict == "fail"
    assert judgement.detail.startswith("flaky: answered ")


def test_a_wrong_answer_is_flaky_before_it_is_wrong() -> None:
    judgement = judge_case(case(reads()), both(rejected(), RIGHT))
    assert judgement.detail.startswith("flaky: answered rejected ShortRead, then '{")
