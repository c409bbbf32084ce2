"""What is counted of diagnoses, on codecs whose defects are known."""

from __future__ import annotations

import random

import pytest

from conformance.codecs.mutants import mutants
from conformance.codecs.mutants.habits.together import together
from conformance.reference.codec import PlainCodec
from tests.proof.diagnosis import (
    ADAPTERS,
    Diagnosed,
    MeasuredAdapter,
    diagnosed,
    drawn_pairs,
    figures,
    measured,
    table,
)

HEARTBEAT = MeasuredAdapter("one message", ("HeartbeatRequest",))


def test_a_mutant_is_told_right_in_one_finding() -> None:
    found = diagnosed(HEARTBEAT, ("TagSizePlusOne",))
    assert found is not None
    assert found.right
    assert len(found.hints) == 1
    assert not found.false


def test_each_of_a_pair_is_named() -> None:
    found = diagnosed(HEARTBEAT, ("TagSizePlusOne", "NumbersWithoutSign"))
    assert found is not None
    assert found.right


def test_what_no_case_sees_is_left_out() -> None:
    assert diagnosed(HEARTBEAT, ("MagicOne",)) is None


def test_the_first_finding_must_name_a_defect_and_the_findings_all() -> None:
    both = frozenset({"A", "B"})
    assert Diagnosed(("A", "B"), ("a", "b"), both, True, ()).right
    assert not Diagnosed(("A", "B"), ("", "b"), both, False, ()).right
    assert not Diagnosed(("A", "B"), ("a", ""), frozenset({"A"}), True, ()).right


def test_pairs_are_the_same_at_each_run_and_of_two_defects() -> None:
    names = list("abcdef")
    pairs = drawn_pairs(names, 10)
    random.random()
    assert pairs == drawn_pairs(names, 10)
    assert len(set(pairs)) == 10
    assert all(one != other for one, other in pairs)


def test_the_table_has_shares_and_findings_of_a_defect() -> None:
    found = [
        Diagnosed(("A", "B"), ("a", "b", ""), frozenset({"A", "B"}), True, ()),
        Diagnosed(("A", "C"), ("", "x", "c"), frozenset({"C"}), False, ("x",)),
    ]
    row = list(table([figures("all messages", 2, found)]))[-1]
    assert row == "| all messages | 2 | 2 | 1 (50%) | 1.50 | 1 of 4 |"


def test_an_adapter_declares_no_more_than_it_has() -> None:
    target = ADAPTERS["three messages"].around(PlainCodec())
    assert len(target.hello.messages) == 3
    assert ADAPTERS["round trips alone"].around(PlainCodec()).hello.ops == frozenset({"roundtrip"})
    assert len(ADAPTERS["all messages"].around(PlainCodec()).hello.messages) > 100


@pytest.mark.parametrize(
    "kinds", [("TagSizePlusOne", "SizeBeforeTag"), ("MagicOne", "MaxVersionFirst")]
)
def test_defects_together_are_those_of_each(kinds: tuple[str, str]) -> None:
    whole = together(*(mutants()[name] for name in kinds))
    assert not whole.is_listed
    assert whole().encode("HeartbeatRequest", 0, HEARTBEAT_VALUE)


HEARTBEAT_VALUE = {"groupId": "g", "generationId": 1, "memberId": "m"}


def test_one_defect_does_not_reach_the_messages_of_another() -> None:
    whole = together(mutants()["OffsetsCounted"], mutants()["TagSizePlusOne"])()
    data = PlainCodec().encode("HeartbeatRequest", 0, HEARTBEAT_VALUE)
    assert whole.decode("HeartbeatRequest", 0, data)[0] == HEARTBEAT_VALUE


def test_figures_come_of_a_pool_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ADAPTERS, HEARTBEAT.name, HEARTBEAT)
    rows = list(measured(HEARTBEAT.name, ["TagSizePlusOne", "MagicOne"], pairs=3, jobs=1))
    assert [(row.defects, row.codecs) for row in rows] == [(1, 1), (2, 0)]
