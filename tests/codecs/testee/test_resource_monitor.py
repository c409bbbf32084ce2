"""What an answer cost its process is found out, whoever kept silent about it."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from conformance.codecs.testee import resource_monitor
from conformance.codecs.testee.testee import Testee
from conformance.testee_protocol import Outcome, Request
from tests.codecs.testee.conftest import BAD, good

Start = Callable[..., Testee]
MIB = 1024 * 1024
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nothing tells it elsewhere")


def kinds(outcomes: list[Outcome]) -> list[str]:
    return [outcome.outcome for outcome in outcomes]


def told(outcomes: list[Outcome]) -> list[int | None]:
    """The MiB that each answer is said to have cost."""
    return [outcome.allocated and outcome.allocated // MIB for outcome in outcomes]


def goods(count: int) -> list[Request]:
    return [good(bytes([number % 256])) for number in range(count)]


@pytest.mark.parametrize(
    ("way", "least", "most"),
    [("untouched", 512, 520), ("touched", 250, 264), ("small-pieces", 280, 350)],
)
def test_the_request_that_took_the_memory_is_told_what_it_took(
    wrong: Start, way: str, least: int, most: int
) -> None:
    outcomes = list(wrong("asks_for_much", way).ask([*goods(20), BAD, *goods(20)]))
    assert [o.bytes for o in outcomes] == [r.bytes for r in (*goods(20), BAD, *goods(20))]
    taken = told(outcomes)
    assert least <= (taken[20] or 0) <= most
    assert [each for each in taken if each] == [taken[20]]


@pytest.mark.parametrize("way", ["little", "reserves"])
def test_a_little_and_address_space_are_no_cost(wrong: Start, way: str) -> None:
    outcomes = list(wrong("asks_for_much", way).ask([*goods(20), BAD, BAD, *goods(20)]))
    assert set(told(outcomes)) == {None}


def test_each_that_takes_much_is_found(wrong: Start) -> None:
    outcomes = list(wrong("asks_for_much", "untouched").ask([*goods(3), BAD, BAD, good(), BAD]))
    assert told(outcomes) == [None, None, None, 512, 512, None, 512]


def test_the_first_request_of_a_run_is_found_as_well(wrong: Start) -> None:
    assert told(list(wrong("asks_for_much", "untouched").ask([BAD, *goods(9)])))[0] == 512


def test_a_hundred_mib_for_a_thousand_bytes_are_found(wrong: Start) -> None:
    asked = Request(op="roundtrip", message="BadRequest", bytes=bytes(1000))
    outcomes = list(wrong("asks_for_much", "hundred-mib").ask([*goods(50), asked, *goods(50)]))
    assert told(outcomes) == [None] * 50 + [100] + [None] * 50


def test_much_for_a_large_input_is_no_cost(wrong: Start) -> None:
    large = Request(op="roundtrip", message="BadRequest", bytes=bytes(MIB))
    outcomes = list(wrong("asks_for_much", "untouched").ask([*goods(3), large]))
    assert told(outcomes) == [None] * 4


def test_what_a_runtime_takes_by_itself_is_held_against_no_request(wrong: Start) -> None:
    outcomes = list(wrong("grows_once").ask(goods(60)))
    assert set(told(outcomes)) == {None}
    assert kinds(outcomes) == ["value"] * 60


def test_one_that_says_itself_what_it_takes_is_believed(wrong: Start) -> None:
    outcomes = list(wrong("asks_for_much", "untouched", "says").ask([*goods(9), BAD, *goods(9)]))
    assert [outcome.allocated for outcome in outcomes] == [64] * 19


def test_after_enough_finds_no_more_are_looked_for(
    wrong: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource_monitor, "MOST_FOUND", 3)
    testee = wrong("asks_for_much", "untouched")
    outcomes = list(testee.ask([*goods(2), *[BAD] * 6]))
    assert told(outcomes) == [None, None, 512, 512, 512, None, None, None]
    [note] = testee.notes
    assert note.startswith("3 requests made its memory rise; no more were looked for ")


@pytest.mark.parametrize(("how", "kind"), [("abort", "crashed"), ("hang", "hung")])
def test_answers_held_back_do_not_shift_the_blame(wrong: Start, how: str, kind: str) -> None:
    testee = wrong("late_flush", how, timeout_s=0.5)
    outcomes = list(testee.ask([*goods(12), BAD, *goods(5)]))
    assert kinds(outcomes) == ["value"] * 12 + [kind] + ["value"] * 5


def test_files_that_each_call_leaves_open_cost_no_answer(wrong: Start) -> None:
    testee = wrong("leaks", "files", 1)
    assert kinds(list(testee.ask(goods(1000)))) == ["value"] * 1000
    testee.close()
    [note] = testee.notes
    assert note.startswith("it leaks file handles: ")


def test_files_that_run_out_between_two_looks_cost_no_answer(wrong: Start) -> None:
    testee = wrong("leaks", "files", 20)
    assert kinds(list(testee.ask(goods(300)))) == ["value"] * 300
    testee.close()
    exhausted, files = testee.notes
    assert exhausted.startswith("it ran out of memory or file handles where a fresh process did")
    assert "Too many open files" in exhausted
    assert files.startswith("it leaks file handles: ")


def test_memory_that_runs_out_over_many_calls_costs_no_answer(wrong: Start) -> None:
    testee = wrong("leaks", "memory", 1024, memory_mib=400)
    assert kinds(list(testee.ask(goods(900)))) == ["value"] * 900
    testee.close()
    assert any("where a fresh process did not: MemoryError" in note for note in testee.notes)


def test_a_process_that_grows_without_end_is_noted(wrong: Start) -> None:
    testee = wrong("leaks", "memory", 16)
    assert kinds(list(testee.ask(goods(12_000)))) == ["value"] * 12_000
    testee.close()
    [note] = testee.notes
    assert note.startswith("it grows without end: ")
    assert "about 16." in note


def test_one_that_leaks_nothing_has_no_note(wrong: Start) -> None:
    testee = wrong("leaks", "files", 0)
    assert kinds(list(testee.ask(goods(3000)))) == ["value"] * 3000
    testee.close()
    assert testee.notes == []
