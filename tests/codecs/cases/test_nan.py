"""A NaN given by its name may be written in any of its bits, and the bits of bytes are kept."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.codecs.cases.case import Case, Family
from conformance.codecs.cases.golden import families
from conformance.codecs.cases.values.nan import holds_nan
from conformance.codecs.cases.vectors import read_vectors
from conformance.codecs.judge.judge import Judgement, judge_case
from conformance.codecs.testee.in_process import ObjectTarget
from conformance.reference.codec import PlainCodec
from conformance.rules import catalogue
from conformance.rules.selection import Selection
from conformance.schema.layout import Layout, WireField, WireType
from conformance.testee_protocol import Outcome

MESSAGE = "AlterClientQuotasRequest"
JAVA = bytes.fromhex("7ff8000000000000")
GO = bytes.fromhex("7ff8000000000001")
NEGATIVE = bytes.fromhex("fff8000000000000")
INFINITY = bytes.fromhex("7ff0000000000000")
FLOAT = WireType("float64")
ENTRY = Layout(fields=(WireField("value", FLOAT, 0.0), WireField("name", WireType("string"), "")))
ENTRIES = WireType("array", nullable=True, element=WireType("struct", struct=ENTRY))
LAYOUT = Layout(
    fields=(WireField("entries", ENTRIES, []),), tagged=(WireField("rate", FLOAT, 0.0, tag=0),)
)


def case_of(shape: str, op: str) -> Case:
    selection = Selection(rules=catalogue())
    hello = ObjectTarget(PlainCodec()).hello
    vector = f"{MESSAGE}-v1-{shape}-entries.ops.value"
    made = families(read_vectors(MESSAGE), hello, selection)
    family: Family = next(each for each in made if each.vector == vector)
    return next(each for each in family.cases if each.id == f"{vector}/{op}")


def judged(case: Case, old: bytes, new: bytes) -> Judgement:
    """What is said of the bytes that are due, with other bits of the float."""
    due: Any = case.expects
    assert due.options[0].count(old) == 1
    return judge_case(case, Outcome(outcome="value", bytes=due.options[0].replace(old, new)))


@pytest.mark.parametrize("bits", [JAVA, GO, NEGATIVE])
def test_any_nan_is_right_where_it_was_given_by_its_name(bits: bytes) -> None:
    assert judged(case_of("nan", "encode"), JAVA, bits).verdict == "pass"


@pytest.mark.parametrize("bits", [INFINITY, bytes(8)])
def test_what_is_no_nan_is_wrong(bits: bytes) -> None:
    found = judged(case_of("nan", "encode"), JAVA, bits)
    assert found.verdict == "fail"
    assert found.first_difference is not None
    assert found.first_difference.startswith('entries[0].ops[0].value: expected "NaN"')


def test_the_bits_of_a_round_trip_are_kept() -> None:
    case = case_of("nan", "roundtrip")
    assert judged(case, JAVA, JAVA).verdict == "pass"
    assert judged(case, JAVA, GO).verdict == "fail"


def test_the_bits_of_every_other_float_are_due() -> None:
    assert judged(case_of("infinity", "encode"), INFINITY, GO).verdict == "fail"


def test_a_nan_is_found_wherever_it_is() -> None:
    entry = {"value": 1.5, "name": "NaN"}
    assert not holds_nan(LAYOUT, {"entries": [entry]})
    assert not holds_nan(LAYOUT, {"entries": None, "rate": "Infinity"})
    assert holds_nan(LAYOUT, {"entries": [entry, {**entry, "value": "NaN"}]})
    assert holds_nan(LAYOUT, {"entries": [], "rate": "NaN"})
