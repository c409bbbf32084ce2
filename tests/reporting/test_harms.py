"""Whom a finding hurts follows from what was seen, and not from the worst that could be."""

from __future__ import annotations

import re

import pytest

from conformance.reporting.breaches import harm_of, remedy_of
from conformance.results.lines import VerdictName
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


def test_a_client_that_crashed_is_not_told_to_hang_nor_the_other_way_around() -> None:
    for rule in catalogue().values():
        if "client" in rule.applies and rule.harm_level == "process-lost":
            assert not re.search(r"\bhangs?\b|for ever|\bloop\b", rule.harm_if("crash")), rule.id
            assert not re.search(r"\bcrash", rule.harm_if("hang")), rule.id


def test_a_client_that_crashes_where_nothing_came_is_not_told_to_check_what_came() -> None:
    for ended in ("crash", "hang"):
        seen = verdict(rule=END, name=ended, outcome="crashed", detail="assertion")  # type: ignore[arg-type]
        [found] = findings(seen)
        assert found.harm == catalogue()[END].harm_seen[ended]  # type: ignore[index]
        assert remedy_of(found) == catalogue()[END].remedy


def test_the_remedy_of_a_wrong_answer_is_not_given_for_a_crash() -> None:
    crashed = verdict(rule=CORRELATION, name="crash", outcome="crashed", detail="exited with 1")
    [found] = findings(crashed)
    assert remedy_of(found).startswith("Check what came, and that it came, before it is used")
