"""Whom a finding hurts follows from what was seen, and not from the worst that could be."""

from __future__ import annotations

import re

import pytest

from conformance.reporting.breaches import harm_of, in_a_clause, remedy_of
from conformance.results.lines import NOT_LED, Finding, VerdictName
from conformance.rules import catalogue
from tests.reporting.test_findings import findings, taken
from tests.results.making import verdict

LENGTH = "primitives.length-beyond-input-refused"
CORRELATION = "response-header.v0-fields"
END = "client-answers.end-survived"


def test_a_reader_that_takes_what_never_came_does_not_exhaust_memory() -> None:
    [found] = findings(taken("1 byte is missing", rule=LENGTH))
    assert found.harm == catalogue()[LENGTH].harm_seen["lived"]
    assert "memory" not in found.harm


@pytest.mark.parametrize(
    ("ended", "detail", "seen"),
    [
        ("crash", "exited with status 101", "crash"),
        ("crash", "MemoryError: ", "memory"),
        ("crash", "allocated 2147483648 bytes for 12 bytes of input", "memory"),
        ("crash", "fatal error: runtime: out of memory", "memory"),
        ("crash", "memory allocation of 2147483648 bytes failed", "memory"),
        ("crash", "java.lang.OutOfMemoryError: Java heap space", "memory"),
        ("hang", "no answer within 30 s, asked alone", "hang"),
    ],
)
def test_how_a_target_ended_is_told(ended: VerdictName, detail: str, seen: str) -> None:
    [found] = findings(verdict(rule=LENGTH, name=ended, outcome="crashed", detail=detail))
    assert found.harm == catalogue()[LENGTH].harm_seen[seen]  # type: ignore[index]


def test_a_crash_is_not_told_as_the_wrong_answer_that_its_rule_is_about() -> None:
    crashed = verdict(rule=CORRELATION, name="crash", outcome="crashed", detail="exited with 1")
    [found] = findings(crashed)
    assert found.harm == ""
    assert harm_of(found).startswith("Its process ends")


def test_each_guard_of_a_reader_says_what_each_way_to_break_it_costs() -> None:
    guards = [
        rule
        for rule in catalogue().values()
        if rule.class_ == "harden" and "codec-decode" in rule.applies
    ]
    assert guards
    for rule in guards:
        texts = {seen: rule.harm_if(seen) for seen in ("crash", "hang", "memory", "lived")}
        assert len(set(texts.values())) == 4, rule.id
        assert ["memory" in text for text in texts.values()] == [False, False, True, False], rule.id


def test_nothing_but_memory_is_told_to_take_memory() -> None:
    for rule in catalogue().values():
        for seen, text in rule.harm_seen.items():
            assert seen == "memory" or "memory" not in text, rule.id


@pytest.mark.parametrize(
    "rule",
    [
        "primitives.empty-string-not-null",
        "primitives.empty-array-not-null",
        "compact.empty-is-one",
    ],
)
def test_the_harm_of_a_rule_on_any_field_is_not_that_of_one_field(rule: str) -> None:
    [found] = findings(
        verdict(rule=rule, message="OffsetCommitRequest", op="encode", detail="other bytes")
    )
    said, _, of_some = harm_of(found).partition(": where null asks for ")
    assert said.startswith("The peer takes an empty ")
    assert of_some
    assert "topic" not in said
    assert "name" not in said


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        ("decode of FetchResponse: refused: AssertionError:", "can't be read"),
        ("decode and roundtrip of 2 messages: refused: no", "can't be read"),
        ("roundtrip of FetchRequest: refused while it encoded: no", "can't be sent"),
        ("roundtrip of FetchRequest: refused while it decoded: no", "can't be read"),
        ("encode of FetchRequest: refused: no", "can't be sent"),
        ("decode of FetchRequest: another value was read: a: expected 1, got 2", "something else"),
    ],
)
def test_a_refusal_hurts_otherwise_than_a_wrong_answer(cause: str, words: str) -> None:
    found = Finding(cause=cause, rules=[LENGTH], case="y", count=1, reproduce="z", kind="must")
    assert words in harm_of(found)


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        ("decode and roundtrip of FetchRequest: refused: no", "refuses to read FetchRequest"),
        (
            "decode and encode of FetchRequest: refused: no",
            "refuses to read and write FetchRequest",
        ),
        ("roundtrip of FetchRequest: refused while it decoded: no", "refuses to read FetchRequest"),
        (
            "roundtrip of FetchRequest: refused while it encoded: no",
            "refuses to write FetchRequest",
        ),
    ],
)
def test_a_refused_round_trip_is_named_after_the_half_that_refused(cause: str, words: str) -> None:
    found = Finding(cause=cause, rules=[LENGTH], case="y", count=1, reproduce="z", led=NOT_LED)
    assert in_a_clause(found) == words


def test_a_client_that_crashed_is_not_told_to_hang_nor_the_other_way_around() -> None:
    for rule in catalogue().values():
        if "client" in rule.applies and rule.harm_level == "process-lost":
            assert not re.search(r"\bhangs?\b|for ever|\bloop\b", rule.harm_if("crash")), rule.id
            assert not re.search(r"\bcrash", rule.harm_if("hang")), rule.id


def test_a_client_that_crashes_where_nothing_came_is_not_told_to_check_what_came() -> None:
    for ended in ("crash", "hang"):
        seen = verdict(rule=END, name=ended, outcome="crashed", detail="assertion")
        [found] = findings(seen)
        assert found.harm == catalogue()[END].harm_seen[ended]
        assert remedy_of(found) == catalogue()[END].remedy


def test_the_remedy_of_a_wrong_answer_is_not_given_for_a_crash() -> None:
    crashed = verdict(rule=CORRELATION, name="crash", outcome="crashed", detail="exited with 1")
    [found] = findings(crashed)
    assert remedy_of(found).startswith("Check what came, and that it came, before it is used")
