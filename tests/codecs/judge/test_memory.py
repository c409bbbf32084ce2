"""What a call allocated is held against the size of what it was given."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.codecs.cases.case import Case, Reads, RefusesOrReads, Survives
from conformance.codecs.judge.judge import ALLOWED, ALLOWED_A_BYTE, excess, judge_case
from conformance.testee_protocol import Outcome, Request
from tests.codecs.judge.making import LAYOUT, VALUE, case, reads, value

MIB = 1024 * 1024


def of(size: int) -> Request:
    return Request(op="decode", message="M", bytes=bytes(size))


def took(allocated: int | None) -> Outcome:
    return value(VALUE, remaining=0, allocated=allocated)


def test_a_thousand_bytes_never_justify_100_mib() -> None:
    assert excess(of(1000), took(100 * MIB)) == (
        "allocated 104857600 bytes for 1000 bytes of input"
    )


@pytest.mark.parametrize("size", [1, 1000, MIB])
def test_the_more_is_given_the_more_may_be_taken(size: int) -> None:
    allowed = ALLOWED + size * ALLOWED_A_BYTE
    assert excess(of(size), took(allowed)) == ""
    assert excess(of(size), took(allowed + 1)) != ""


def test_what_nobody_measured_is_no_excess() -> None:
    assert excess(of(1), took(None)) == ""


def test_a_writer_is_given_its_value_as_json() -> None:
    asked = Request(op="encode", message="M", value={"text": "a" * MIB})
    small = Request(op="encode", message="M", value={"text": "a"})
    assert excess(asked, took(512 * MIB)) == ""
    assert excess(small, took(512 * MIB)) == "allocated 536870912 bytes for 12 bytes of input"


@pytest.mark.parametrize(
    "outcome",
    [
        took(100 * MIB),
        Outcome(outcome="rejected", text="too long", allocated=100 * MIB),
        Outcome(outcome="unsupported", allocated=100 * MIB),
    ],
    ids=["taken", "rejected", "unsupported"],
)
@pytest.mark.parametrize(
    "expects",
    [reads(), RefusesOrReads("it is odd", reads()), Survives("anything goes")],
    ids=["reads", "refuses-or-reads", "survives"],
)
def test_whatever_the_answer_an_excess_is_a_crash(outcome: Outcome, expects: Any) -> None:
    judgement = judge_case(case(expects), outcome)
    assert judgement.verdict == "crash"
    assert judgement.detail == "allocated 104857600 bytes for 2 bytes of input"


def test_an_answer_that_cost_little_is_judged_by_itself() -> None:
    asked: Case = case(Reads(VALUE, LAYOUT))
    assert judge_case(asked, took(8 * MIB)).verdict == "pass"
