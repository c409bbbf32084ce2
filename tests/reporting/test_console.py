"""What is printed fits 100 columns, and holds no escape code where nobody would see it."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from conformance.reporting.console import (
    MOST_RULES,
    Tally,
    show_counts,
    show_findings,
    show_groups,
    show_outcomes,
    show_rules,
)
from conformance.reporting.explained import Explained
from conformance.reporting.findings import Causes
from conformance.results.lines import VERDICTS, Verdict
from tests.results.making import verdict


def printed(show: object, *arguments: object, terminal: bool = False) -> str:
    file = io.StringIO()
    show(  # type: ignore[operator]
        Console(file=file, width=100, force_terminal=terminal, highlight=False), *arguments
    )
    return file.getvalue()


def tally(*verdicts: Verdict) -> Tally:
    found = Tally("small (small 1.0)")
    for one in verdicts:
        found.take(one)
    return found


def test_a_tally_counts_cases_once_and_verdicts_each() -> None:
    found = tally(
        verdict(rule="a.one"),
        verdict(rule="b.two"),
        verdict("pass", rule="a.one", shape="two"),
        verdict("unsupported", rule="a.one", shape="three"),
    )
    assert (found.cases, found.broken_cases) == (3, 1)
    assert found.verdicts == {"fail": 2, "pass": 1, "unsupported": 1}
    assert found.groups["a"] == {"fail": 1, "pass": 1, "unsupported": 1}


def test_a_value_that_the_types_of_a_library_exclude_is_not_put_down_to_its_adapter() -> None:
    cannot = "answered as unsupported: Vec can't be null"
    found = tally(
        verdict("unsupported", op="encode", detail=cannot),
        verdict("unsupported", op="encode-request", shape="two", detail=cannot),
        verdict("unsupported", op="decode", shape="three", detail=cannot),
    )
    assert +found.unasked == {"excluded": 2, "answered as unsupported": 1}


def test_a_case_of_which_one_rule_could_be_asked_was_asked() -> None:
    found = tally(
        verdict("unsupported", rule="a.one", detail="answered as unsupported: no such field"),
        verdict("pass", rule="b.two"),
        verdict("unsupported", rule="a.one", shape="two", detail="answered as unsupported"),
        verdict("unsupported", rule="b.two", shape="two", detail="answered as unsupported"),
        verdict("unsupported", shape="three", detail="does not declare encode of this version"),
    )
    assert found.cases == 3
    assert +found.unasked == {"answered as unsupported": 1, "": 1}


def test_a_rule_is_counted_by_the_cases_that_were_judged() -> None:
    found = tally(
        verdict(rule="a.one"),
        verdict("pass", rule="a.one", shape="two"),
        verdict("unsupported", rule="a.one", shape="three"),
        verdict("pass", rule="b.two", shape="four"),
    )
    [(name, rule)] = found.broken_rules
    assert (name, rule.class_, rule.broken, rule.judged) == ("a.one", "must", 1, 2)


def test_an_error_is_no_broken_rule_and_is_remembered() -> None:
    found = tally(verdict("error", detail="no JSON"), verdict("error", shape="two"))
    assert found.broken_rules == []
    assert "error" in found.first
    assert found.first["error"].detail == "no JSON"


def test_broken_rules_are_shown_with_class_and_counts() -> None:
    [line] = [line for line in printed(show_rules, tally(verdict())).splitlines() if "must" in line]
    assert line.split() == ["│", "tags.ascending", "│", "must", "│", "1", "│", "1", "│"]


def test_no_broken_rule_makes_no_table() -> None:
    assert printed(show_rules, tally(verdict("pass"))) == ""


def test_a_long_list_of_broken_rules_is_cut() -> None:
    many = tally(*(verdict(rule=f"a.rule-{n}", shape=str(n)) for n in range(MOST_RULES + 5)))
    text = printed(show_rules, many)
    assert text.count("must") == MOST_RULES
    assert text.endswith("and 5 more rules\n")


def test_tables_of_every_verdict_fit_100_columns() -> None:
    full = tally(*(verdict(name, shape=name) for name in VERDICTS))
    rows = [("kafka-clients@3.9.2", full, "1 case failed"), ("other", None, "not judged: no java")]
    for text in (printed(show_groups, full), printed(show_counts, rows)):
        assert max(map(len, text.splitlines())) <= 100
        for name in VERDICTS:
            assert name in text


def test_only_verdicts_that_occur_have_a_column() -> None:
    text = printed(show_groups, tally(verdict("pass")))
    assert "pass" in text
    assert "crash" not in text


def test_each_of_several_targets_has_its_line() -> None:
    rows = [("small", tally(verdict("pass")), "no failure"), ("b", None, "not judged: gone")]
    assert printed(show_outcomes, rows) == "small  no failure\nb      not judged: gone\n"


def causes(count: int) -> Causes:
    found = Causes()
    for number in range(count):
        word = chr(ord("a") + number)
        found.take(verdict(outcome="rejected", detail=f"refused: {word}", shape=word))
    return found


def shown(count: int, *numbers: int) -> str:
    found = causes(count)
    return printed(show_findings, found.findings(["codec", "small"]), found.examples(), numbers)


def test_a_finding_shows_cause_case_bytes_and_command() -> None:
    text = shown(1)
    assert "1. decode of MetadataRequest: refused: a (1 case)" in text
    for word in ("rules:    tags.ascending", "input:    0102", "again:    kafka-conformance codec"):
        assert f"   {word}" in text


def test_a_finding_with_a_diagnosis_says_what_it_looks_like() -> None:
    found = Causes()
    found.take(verdict(rule="a.one"))
    looks = Explained(dict.fromkeys(found.sorts(), "a codec that takes [five] for four"))
    with_it = printed(show_findings, found.findings(["codec", "small"], looks), found.examples())
    assert "   looks like: a codec that takes [five] for four\n" in with_it
    assert "looks like" not in shown(1)


def test_a_finding_without_a_diagnosis_says_how_it_breaks_its_rule() -> None:
    assert "   what:     does not write tagged fields in ascending order\n" in shown(1)


def test_a_finding_says_whom_it_hurts() -> None:
    assert "   hurts:    A reader that makes one pass over its tags refuses" in shown(1)


def test_findings_are_shown_by_their_numbers() -> None:
    assert [line[:2] for line in shown(3, 1, 3).splitlines() if line[:1].isdigit()] == ["1.", "3."]


def test_a_narrow_terminal_wraps_at_blanks_and_cuts_no_rule() -> None:
    found = Causes()
    for number in range(5):
        found.take(verdict(rule=f"a-group-of-rules.with-a-long-name-{number}"))
    findings = found.findings(["codec", "small"])
    file = io.StringIO()
    show_findings(Console(file=file, width=60, force_terminal=True), findings, found.examples())
    rules = [line for line in file.getvalue().splitlines() if "a-group-of-rules." in line]
    assert len(rules) > 1
    assert all(len(line) <= 60 for line in rules)
    for number in range(5):
        assert f"a-group-of-rules.with-a-long-name-{number}" in file.getvalue()


def test_a_finding_of_many_rules_names_a_few() -> None:
    found = Causes()
    for number in range(9):
        found.take(verdict(rule=f"a.rule-{number}"))
    text = printed(show_findings, found.findings(["codec", "small"]), found.examples())
    assert "a.rule-4 and 4 more" in text


def test_what_a_target_says_is_no_markup() -> None:
    found = Causes()
    found.take(verdict(outcome="rejected", detail="refused: [bold]x[/] [/nothing]", actual="[red]"))
    text = printed(show_findings, found.findings(["codec", "[a]"]), found.examples())
    assert "refused: [bold]x[/] [/nothing]" in text
    assert "actual:   [red]" in text


def test_no_escape_codes_where_nobody_looks() -> None:
    everything = shown(3) + printed(show_groups, tally(verdict())) + printed(show_rules, tally())
    assert "tags" in everything
    assert "\x1b" not in everything


def test_no_colours_where_none_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    text = printed(show_groups, tally(verdict()), terminal=True)
    assert "tags" in text
    assert not [code for code in ("\x1b[3", "\x1b[9", ";3") if f"{code}1m" in text]


def test_a_finding_of_several_dialogues_says_how_to_ask_them_all() -> None:
    found = Causes()
    for case in ("a", "b"):
        found.take(verdict(op="exchange", case=case, rule="framing.zero-size-closes"))
    text = printed(show_findings, found.findings(["broker", "b:1"]), found.examples())
    assert "all 2:    --rule framing.zero-size-closes for --case" in text
