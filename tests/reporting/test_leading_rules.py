"""A finding is led by the rule that tells most of it, and those that hurt most come first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from conformance.reporting.breaches import in_a_clause
from conformance.reporting.explained import Explained
from conformance.reporting.findings import Causes
from conformance.results.lines import NOT_LED, Annotated, Finding, Verdict
from conformance.rules import HARMS, catalogue
from tests.results.making import verdict

WORDS = ("alpha", "beta", "gamma", "delta")


def findings(verdicts: Iterable[Verdict], judged: Mapping[str, int] | None = None) -> list[Finding]:
    causes = Causes()
    for one in verdicts:
        causes.take(one)
    return causes.findings(["codec", "small"], Explained(judged=judged or {}))


def refused(number: int, *rules: str) -> list[Verdict]:
    words, shape = f"refused: {WORDS[number]}", str(number)
    return [verdict(rule=rule, outcome="rejected", detail=words, shape=shape) for rule in rules]


def test_the_rule_that_fails_always_and_nowhere_else_leads() -> None:
    cases = [*refused(0, "a.often-right", "b.broken"), *refused(1, "a.often-right", "b.broken")]
    found = findings(cases, {"a.often-right": 100, "b.broken": 2})
    assert [each.rules for each in found] == [["b.broken", "a.often-right"]]


def test_what_fails_under_a_rule_that_is_broken_throughout_is_one_finding() -> None:
    cases = [*refused(0, "b.broken", "c.one"), *refused(1, "b.broken"), *refused(2, "d.two")]
    found = findings(cases, {"b.broken": 2, "c.one": 50, "d.two": 50})
    assert [(each.count, each.rules[0]) for each in found] == [(2, "b.broken"), (1, "d.two")]


def test_a_rule_that_is_kept_elsewhere_joins_nothing() -> None:
    cases = [*refused(0, "a.kept"), *refused(1, "a.kept")]
    assert len(findings(cases, {"a.kept": 50})) == 2


def test_what_ends_comes_before_what_texts_demand_what_hardens_and_what_kafka_does() -> None:
    named: list[tuple[str, dict[str, Any]]] = [
        ("kafka", {}),
        ("harden", {}),
        ("harden", {"name": "crash", "outcome": "crashed"}),
        ("must", {}),
    ]
    cases = [
        verdict(class_=class_, rule=f"a.{n}", shape=str(n), detail=WORDS[n], **more)
        for n, (class_, more) in enumerate(named)
        for _ in range(4 - n)
    ]
    assert [each.rules[0] for each in findings(cases)] == ["a.2", "a.3", "a.1", "a.0"]


def test_a_crash_that_the_caller_alone_brings_about_comes_after_what_texts_demand() -> None:
    crash = verdict(class_="harden", rule="a.0", name="crash", op="encode", outcome="crashed")
    wrong = verdict(class_="must", rule="a.1", shape="1", detail=WORDS[1])
    assert [each.rules[0] for each in findings([crash, wrong])] == ["a.1", "a.0"]


def test_of_one_class_the_worse_harm_comes_first_whatever_the_count() -> None:
    wrong, grows = "tags.non-default-written", "tags.section-required"
    order = [catalogue()[rule].harm_level for rule in (wrong, grows)]
    assert HARMS.index(order[0]) < HARMS.index(order[1])
    cases = [verdict(rule=grows, shape=str(n), detail="x") for n in range(5)]
    found = findings([*cases, verdict(rule=wrong, detail="y", shape="one")])
    assert [each.rules[0] for each in found] == [wrong, grows]
    assert found[0].harm == catalogue()[wrong].harm


def test_of_one_class_what_ends_the_process_comes_before_what_ends_a_connection() -> None:
    wrong, fatal = "framing.split-anywhere", "request-header.null-client-id"
    cases = [verdict(rule=wrong, op="exchange", case=f"a/{number}") for number in range(3)]
    found = findings([*cases, verdict("crash", rule=fatal, op="exchange", case="b")])
    assert catalogue()[wrong].harm_level == catalogue()[fatal].harm_level == "connection-lost"
    assert [each.rules for each in found] == [[fatal], [wrong]]


def test_what_keeps_clients_from_connecting_comes_first():
    causes = Causes()
    for rule in ("metadata.unknown-topic-id-error", "api-versions.unsupported-answered-in-v0"):
        causes.take(
            Verdict(
                rule=rule,
                class_="must",
                case=f"MetadataRequest-v0/{rule}",
                message="MetadataRequest",
                version=0,
                op="exchange",
                outcome="reply",
                verdict="fail",
                input="00",
                detail="wrong",
            )
        )
    first, _ = causes.findings()
    assert first.rules == ["api-versions.unsupported-answered-in-v0"]


@pytest.mark.parametrize(
    ("op", "newest", "first"),
    [
        ("exchange", 4, "a.new"),
        ("exchange", 2, "a.old"),
        ("forward", 4, "a.new"),
        ("decode", 4, "a.old"),
    ],
)
def test_what_only_versions_before_the_newest_show_comes_after_what_reaches_all_clients(
    op: str, newest: int, first: str
) -> None:
    old = [
        verdict(rule="a.old", op=op, version=version, case=f"old/{version}", detail="x", shape="1")
        for version in (1, 2)
    ]
    new = verdict(rule="a.new", op=op, message="ListGroupsRequest", version=5, detail="y")
    causes = Causes()
    for each in [*old, new]:
        causes.take(each)
    versions = {"MetadataRequest": newest, "ListGroupsRequest": 5}
    assert causes.findings(explained=Explained(newest=versions))[0].rules == [first]


def test_a_rule_about_headers_says_nothing_of_a_field_that_is_missing() -> None:
    missing = verdict(
        rule="response-header.v0-fields",
        op="decode-response",
        detail="another value was read",
        first_difference="groups[0].assignorName: missing",
    )
    [found] = findings([missing], {"response-header.v0-fields": 1})
    assert in_a_clause(found) == "does not give groups[0].assignorName, in MetadataRequest"
    assert found.led == NOT_LED


@pytest.mark.parametrize(
    ("path", "type_", "rule", "said"),
    [
        ("name(length)", "int16", "request-header.v1-fields", "miswrites int16 name(length)"),
        ("header.clientId(length)", "int16", "request-header.null-client-id", "gets a client id"),
        ("name", "int64", "primitives.string-length-int16", "miswrites int64 name"),
        ("ids", "int32", "compact.null-is-zero", "miswrites int32 ids"),
    ],
)
def test_a_headline_is_about_the_bytes_that_its_example_differs_in(
    path: str, type_: str, rule: str, said: str
) -> None:
    row = Annotated(offset=3, bytes="00", actual="01", path=path, type=type_, differs=True)
    wrong = verdict(
        rule=rule,
        op="encode",
        detail="other bytes were written",
        first_difference=f"offset 3 ({path}, {type_}): expected 00, got 01",
        annotated=[row],
    )
    [found] = findings([wrong], {rule: 1})
    assert in_a_clause(found).startswith(said)


def test_a_refusal_is_not_put_down_to_a_rule_that_others_of_its_cases_keep() -> None:
    cases = [
        each
        for number in range(3)
        for each in refused_as(f"shape-{number}", "compact.null-is-zero", "versions.field-types")
    ]
    [found] = findings(cases, {"compact.null-is-zero": 90, "versions.field-types": 90})
    assert in_a_clause(found) == "refuses to read MetadataRequest"


def refused_as(shape: str, *rules: str) -> list[Verdict]:
    """A refusal in the same words, of a case of this shape."""
    words = "refused: alpha"
    return [verdict(rule=rule, outcome="rejected", detail=words, shape=shape) for rule in rules]


def test_what_is_known_no_better_than_by_its_place_comes_last_of_its_class() -> None:
    vague = [
        verdict(rule="a.vague", shape=f"v{n}", detail="x", first_difference="a: missing")
        for n in range(9)
    ]
    sure = verdict(rule="versions.field-order", shape="s", detail="y")
    judged = {"versions.field-order": 1, "versions.field-types": 9}
    found = findings([*vague, sure, verdict(rule="versions.field-types", shape="t")], judged)
    assert found[-1].led == NOT_LED
