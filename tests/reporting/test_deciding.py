"""A run says how many of its rules it decided, and in one line what the others wait for."""

from __future__ import annotations

import pytest

from conformance.reporting.deciding import WIDTH, Deciding, in_words
from conformance.results.lines import NOT_ASKED, Decided, Finding, Verdict, VerdictName
from tests.results.making import verdict

OF_BROKER = ["a.passes", "a.fails", "a.unlisted", "a.writes", "a.behind", "a.absent", "a.ends"]


def deciding(*verdicts: Verdict) -> Deciding:
    found = Deciding()
    for each in verdicts:
        found.take(each)
    return found


def said(name: VerdictName, rule: str, detail: str = "") -> Verdict:
    return verdict(name, rule=rule, detail=detail)


def finding(*rules: str) -> Finding:
    return Finding(cause="x", rules=[*rules], case="y", count=1, reproduce="z", kind="must")


BROKER = deciding(
    said("pass", "a.passes"),
    said("fail", "a.fails"),
    said("not-proven", "a.behind", "a.fails is broken first: no answer"),
    said("unsupported", "a.absent", "the broker has no authorizer"),
    said("error", "a.ends"),
).of(OF_BROKER, {"a.writes": "--allow-writes"})


def test_each_rule_that_is_not_decided_has_its_reason() -> None:
    expected = Decided(
        rules=7,
        decided=2,
        missing=1,
        unsupported=1,
        needs={"--allow-writes": 1},
        behind={"a.fails": 1},
        errors=1,
    )
    assert expected == BROKER


def test_the_reasons_stand_in_one_line_and_name_the_defect_by_its_number() -> None:
    few = Decided(
        rules=223, decided=52, missing=140, needs={"--allow-writes": 20}, behind={"x": 11}
    )
    assert in_words(few, [finding("b.other"), finding("x")], lists_apis=True) == (
        "52 of 223 rules decided; 140 need an API, 20 --allow-writes, 11 defect 2 mended"
    )
    assert in_words(BROKER, [finding("a.fails")], lists_apis=True) == (
        "2 of 7 rules decided; "
        "2 need what it lacks, 1 --allow-writes, 1 defect 1 mended, 1 had errors"
    )


def test_a_run_that_ended_early_did_not_come_to_the_others() -> None:
    found = deciding(said("pass", "a.passes")).of(["a.passes", "a.b", "a.c"], {}, is_whole=False)
    assert found == Decided(rules=3, decided=1, unreached=2)
    assert in_words(found, lists_apis=True) == "1 of 3 rules decided; 2 were not reached"


def test_what_was_not_asked_of_a_target_that_is_gone_was_not_reached() -> None:
    found = deciding(said("pass", "a.b"), said("not-proven", "a.c", f"{NOT_ASKED}it is gone"))
    decided = found.of(["a.b", "a.c"], {})
    assert in_words(decided, lists_apis=True) == "1 of 2 rules decided; 1 was not reached"


@pytest.mark.parametrize(
    ("decided", "kind", "line"),
    [
        (Decided(rules=8, decided=8), "clients", "8 of 8 rules decided"),
        (
            Decided(rules=191, decided=190, missing=1),
            "codecs",
            "190 of 191 rules decided; 1 needs what it lacks",
        ),
        (
            Decided(rules=46, decided=40, missing=6),
            "proxies",
            "40 of 46 rules decided; 6 need what it lacks",
        ),
        (
            Decided(rules=9, decided=5, missing=2, behind={"": 2}),
            "codecs",
            "5 of 9 rules decided; 4 not: 2 need what it lacks, 2 a mended defect",
        ),
        (
            Decided(rules=9, decided=5, needs={"--allow-writes": 3, "--config": 1}),
            "brokers",
            "5 of 9 rules decided; 4 need --allow-writes or others",
        ),
    ],
)
def test_every_kind_of_target_has_its_words(decided: Decided, kind: str, line: str) -> None:
    assert in_words(decided, lists_apis=kind == "brokers") == line
    assert len(line) <= WIDTH


def test_a_rule_is_decided_by_one_verdict_whatever_the_others_are() -> None:
    found = deciding(
        said("unsupported", "a.one"), said("pass", "a.one"), said("not-proven", "a.one")
    )
    assert found.of(None, {}) == Decided(rules=1, decided=1)


def test_a_run_that_was_limited_counts_the_rules_that_it_asked() -> None:
    assert deciding(said("pass", "a.one"), said("unsupported", "a.two")).of(None, {}) == Decided(
        rules=2, decided=1, unsupported=1
    )
