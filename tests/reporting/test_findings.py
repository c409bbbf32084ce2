"""Many verdicts make few findings: one for each cause."""

from __future__ import annotations

from typing import Any

from conformance.reporting.findings import Causes
from conformance.results.lines import Finding, Verdict

from ..results.making import verdict


def refused(text: str, **fields: Any) -> Verdict:
    return verdict(outcome="rejected", detail=f"refused: ValueError: {text}", **fields)


def findings(*verdicts: Verdict) -> list[Finding]:
    causes = Causes()
    for one in verdicts:
        causes.take(one)
    return causes.findings("small")


def test_a_case_broken_under_several_rules_is_one_finding() -> None:
    [found] = findings(verdict(rule="a.one"), verdict(rule="b.two"))
    assert (found.count, found.rules) == (1, ["a.one", "b.two"])


def test_the_same_words_on_many_messages_and_rules_are_one_cause() -> None:
    [found] = findings(
        refused("tag 10000 in 'topics' of A", message="A", rule="a.one"),
        refused("tag 16384 in 'brokers' of B", message="B", rule="b.two"),
        refused("tag 5 in 'x' of B", message="B", rule="b.two", shape="other"),
    )
    assert found.count == 3
    assert found.cause == "decode of 2 messages: refused: ValueError: tag … in … of …"
    assert found.rules == ["b.two", "a.one"]


def test_words_that_never_vary_are_shown_as_they_are() -> None:
    [found] = findings(refused("tag 10000", message="A"), refused("tag 10000", message="B"))
    assert found.cause == "decode of 2 messages: refused: ValueError: tag 10000"


def test_other_words_are_another_cause() -> None:
    assert len(findings(refused("tag 1"), refused("no such tag", shape="two"))) == 2


def test_a_sentence_in_quotes_is_told_apart_from_another() -> None:
    one, other = refused("'no such tag'"), refused("'not enough bytes'", shape="two")
    assert len(findings(one, other)) == 2


def test_another_operation_is_another_cause() -> None:
    assert len(findings(refused("x"), refused("x", op="roundtrip"))) == 2


def test_wrong_values_have_one_cause_where_they_break_the_same_rules() -> None:
    wrong: dict[str, Any] = {"detail": "another value was read"}
    found = findings(
        verdict(rule="a.one", message="A", first_difference="x: missing", **wrong),
        verdict(rule="a.one", message="B", first_difference="y: missing", **wrong),
        verdict(rule="b.two", message="B", shape="other", first_difference="y: missing", **wrong),
    )
    assert [(one.count, one.rules) for one in found] == [(2, ["a.one"]), (1, ["b.two"])]
    assert found[0].cause == "decode of 2 messages: another value was read"
    assert found[1].cause == "decode of B: another value was read: y: missing"


def test_a_finding_shows_its_smallest_case() -> None:
    [found] = findings(
        verdict(shape="large", input="00" * 50),
        verdict(shape="small", input="00" * 3),
        verdict(shape="value", input={"a": 1, "name": "some text"}),
    )
    assert found.case == "MetadataRequest-v9-small/decode"
    assert found.reproduce == f"kafka-conformance codec small --case {found.case}"


def test_findings_with_most_cases_come_first() -> None:
    found = findings(refused("a"), refused("b", shape="two"), refused("b", shape="three"))
    assert [one.count for one in found] == [2, 1]


def test_a_crash_is_said_to_be_one() -> None:
    [found] = findings(verdict("crash", outcome="crashed", detail="killed by SIGSEGV;\nits stderr"))
    assert found.cause == "decode of MetadataRequest: crash: killed by SIGSEGV; its stderr"


def test_a_crash_and_a_failure_are_two_causes() -> None:
    assert len(findings(verdict("crash", detail="x"), verdict(detail="x", shape="two"))) == 2


def test_there_is_an_example_for_every_finding() -> None:
    causes = Causes()
    for one in (refused("a"), refused("b", shape="two")):
        causes.take(one)
    assert causes.examples().keys() == {one.case for one in causes.findings("small")}


def test_nothing_broken_makes_no_finding() -> None:
    assert findings() == []
