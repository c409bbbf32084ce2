"""The block that ends a run says what to mend first, and fits ten lines of 80 columns."""

from __future__ import annotations

import msgspec
import pytest

from conformance.reporting.breaches import breach_of, in_a_clause
from conformance.reporting.closing_block import (
    MOST,
    WIDTH,
    ClosingBlock,
    Defect,
    defects_of,
    duration,
    list_command,
    measured,
    outcome_of,
)
from conformance.reporting.findings import Causes
from conformance.results.lines import Finding, VerdictName
from conformance.results.publish import WITHHELD
from conformance.rules import catalogue
from tests.results.making import verdict

CRASHED = "decode of FetchRequest: crash: nobody answers any more"


def finding(
    kind: str = "must", diagnosis: str = "", reproduce: str = "again", ends: str = ""
) -> Finding:
    return Finding(
        cause="decode of FetchRequest: refused",
        rules=["tags.ascending"],
        case="FetchRequest-v17-filled/decode",
        count=3338,
        reproduce=reproduce,
        diagnosis=diagnosis,
        kind=kind,
        ends=ends,
    )


def block(count: int, kind: str = "must") -> list[str]:
    defects = defects_of([finding(kind)] * count, "last")
    return ClosingBlock("kio 0.6.5: broken", "9 cases", defects, "", list_command("last")).lines()


def test_it_has_no_more_than_ten_lines_of_80_columns() -> None:
    every_rule = [
        Finding(cause="x", rules=[rule], case="y", count=171_256, reproduce="z" * 90, kind="harden")
        for rule in catalogue()
    ]
    for at in range(len(every_rule)):
        defects = defects_of(every_rule[at : at + MOST + 1], "last")
        lines = ClosingBlock("kio", "9 cases", defects, "", list_command("last")).lines()
        assert len(lines) <= 10
        assert max(map(len, lines)) <= WIDTH


def test_a_defect_is_its_class_what_is_wrong_how_often_and_one_command() -> None:
    looks = "a codec that refuses a message with an unknown tag (mutant RefusesUnknown)"
    [defect] = defects_of([finding(diagnosis=looks)])
    lines = ClosingBlock("kio 0.6.5: broken", "9 cases", [defect]).lines()
    assert lines[2:] == [
        "mend first",
        " 1 must   refuses a message with an unknown tag (3,338 cases)",
        "          again",
    ]


@pytest.mark.parametrize(
    ("diagnosis", "clause"),
    [
        ("a codec that takes null for empty (habit Lenient)", "takes null for empty"),
        ("a broker that answers twice (mutant Twice)", "answers twice"),
    ],
)
def test_what_it_looks_like_is_told_without_the_mutants_name(diagnosis: str, clause: str) -> None:
    assert in_a_clause(finding(diagnosis=diagnosis)) == clause


def test_a_defect_that_looks_like_nothing_known_is_told_by_its_rule() -> None:
    assert in_a_clause(finding()) == catalogue()["tags.ascending"].breach


@pytest.mark.parametrize(
    ("rule", "clause"),
    [
        ("tags.unknown-high-tag", "can crash on an unknown tag with a high number"),
        ("tags.section-required", "can crash on a message without its last tag section"),
        ("framing.zero-size-closes", "can crash on a frame of no bytes"),
        (
            "compact.null-given-refused",
            "can crash where it has to refuse to write a compact null where illegal",
        ),
        ("tags.ascending", "can crash where it has to write tagged fields in ascending order"),
        ("tags.of-a-later-suite", "can crash on decode of FetchRequest"),
    ],
)
def test_who_crashes_is_said_to_do_that_and_nothing_else(rule: str, clause: str) -> None:
    crashed = msgspec.structs.replace(finding(ends="crash"), cause=CRASHED, rules=[rule])
    assert in_a_clause(crashed) == clause
    assert breach_of(crashed) == ""


def test_a_case_that_was_withheld_for_its_silence_is_not_said_to_crash() -> None:
    rule = "sasl.malformed-before-login-closes"
    silent = msgspec.structs.replace(finding("harden"), case=WITHHELD, rules=[rule])
    assert in_a_clause(silent) == catalogue()[rule].breach


def test_a_defect_that_mostly_fails_is_told_by_its_breach_and_what_it_can_do_besides() -> None:
    mixed = finding(ends="crash")
    assert in_a_clause(mixed) == f"{catalogue()['tags.ascending'].breach}, and can crash"


def test_a_rule_that_nobody_knows_leaves_the_cause() -> None:
    of_later = msgspec.structs.replace(finding(), rules=["tags.of-a-later-suite"])
    assert in_a_clause(of_later) == "refuses to read FetchRequest"


@pytest.mark.parametrize(
    ("kinds", "unit", "count"),
    [
        (("codec", "broker", "client"), "case", 99_999),
        (("codec",), "frame", 99_999),
        (("schema",), "place", 9_999),
    ],
)
def test_no_breach_is_cut(kinds: tuple[str, ...], unit: str, count: int) -> None:
    for rule in catalogue().values():
        found = msgspec.structs.replace(finding(), rules=[rule.id], count=count)
        if rule.applies[0].startswith(kinds):
            said = ClosingBlock("kio", "9", defects_of([found], unit=unit)).lines()[3]
            assert rule.breach in said
            assert len(said) <= WIDTH


def test_a_command_that_is_too_long_for_a_line_is_that_of_the_list() -> None:
    long = finding(reproduce="kafka-conformance codec kio --case " + "x" * 80)
    assert [each.command for each in defects_of([finding(), long], "run.ndjson")] == [
        "again",
        "kafka-conformance findings run.ndjson 2",
    ]
    assert defects_of([long])[0].command == long.reproduce


def test_what_is_not_shown_is_counted_and_said_to_bind_less() -> None:
    assert block(MOST)[-1] == "all of it: kafka-conformance findings last"
    assert block(MOST + 8)[-1] == "and 8 more: kafka-conformance findings last"
    assert block(MOST + 8, "harden")[-1].startswith("and 8 more, 8 of them harden: ")


def test_the_outcome_counts_defects_of_each_kind_gravest_first() -> None:
    kinds = ["kafka", "must", "must", "harden"]
    found = [*map(finding, kinds), finding("must", ends="crash")]
    assert outcome_of(defects_of(found)) == (
        "3 defects break the protocol and 1 of them can end its process, "
        "1 lacks a guard against bad input, 1 differs from Apache Kafka"
    )
    assert outcome_of(defects_of(found[:2]), new=True).startswith("1 new defect breaks")
    assert outcome_of([]) == ""


def test_a_defect_that_ends_the_target_as_well_is_counted_once() -> None:
    both, hangs = finding("must", ends="hang"), finding("hang", ends="hang")
    assert outcome_of(defects_of([both])) == "1 defect breaks the protocol and can hang it"
    assert outcome_of(defects_of([both, finding("must"), hangs])) == (
        "2 defects break the protocol and 1 of them can hang it, 1 can hang it"
    )
    assert outcome_of(defects_of([hangs])) == "1 defect can hang it"


@pytest.mark.parametrize(
    ("class_", "name", "kind", "ends"),
    [
        ("must", "fail", "must", ""),
        ("must", "crash", "must", "crash"),
        ("harden", "hang", "hang", "hang"),
        ("kafka", "crash", "crash", "crash"),
        ("harden", "fail", "harden", ""),
        ("kafka", "fail", "kafka", ""),
    ],
)
def test_a_findings_kind_is_its_gravest(
    class_: str, name: VerdictName, kind: str, ends: str
) -> None:
    found = Causes()
    found.take(verdict(name, class_=class_))
    [only] = found.findings()
    assert (only.kind, only.ends) == (kind, ends)


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.41, "0.4 s"), (33.6, "34 s"), (119, "119 s"), (192, "3 min 12 s")]
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_a_command_is_never_cut() -> None:
    command = "kafka-conformance findings " + "a/long/folder/" * 10
    [*_, last] = ClosingBlock("a", "b", [], "", command).lines()
    assert last.endswith(command)
    assert Defect("must", "x", "1 case", command).command == command


SHARE = "52 of 223 rules decided; 140 need an API, 20 --allow-writes, 11 defect 2 mended"


def test_how_many_rules_were_decided_stands_in_a_line_below_what_it_took() -> None:
    defects = defects_of([finding()] * MOST, "last")
    block = ClosingBlock("kio", "9 cases in 3 s", defects, "", list_command("last"), SHARE)
    assert block.lines()[1:3] == ["9 cases in 3 s", SHARE]
    short = ClosingBlock("kio", "9 cases in 3 s", decided="8 of 8 rules decided")
    assert short.lines()[1:] == ["9 cases in 3 s; 8 of 8 rules decided"]


def test_lines_that_go_on_take_the_room_of_the_last_commands() -> None:
    long = "does " + "what no broker of any release has ever done to a client " * 2
    defects = defects_of([finding(diagnosis=f"a broker that {long.strip()}")] * 5, "last")
    for share in ("", SHARE):
        block = ClosingBlock("a " * 60, "b " * 50, defects, "k " * 50, list_command("last"), share)
        lines = block.lines()
        assert len(lines) <= 10
        told = sum(line.startswith((" 1 must ", " 2 must ")) for line in lines)
        assert told >= 1
        assert lines[-1].startswith(f"and {5 - told} more")


def test_no_headline_is_cut_in_the_middle_of_what_it_says() -> None:
    said = "sends the members of a group to the coordinator of another one when it has to move"
    lines = ClosingBlock("kio", "9 cases", [Defect("must", said, "26 cases", "again")]).lines()
    assert " ".join(line[10:] for line in lines[3:-1]) == f"{said} (26 cases)"
    assert max(map(len, lines)) <= WIDTH


def test_a_defect_that_is_too_long_loses_whole_clauses() -> None:
    said = "refuses null topics in MetadataRequest, which version 0 did not have, reading alone"
    defect = Defect("must", said, "26 cases", "again")
    line = ClosingBlock("kio", "9 cases", [defect]).lines()[3]
    assert line == " 1 must   refuses null topics in MetadataRequest (26 cases)"


def test_a_rule_that_few_of_the_cases_break_is_not_told() -> None:
    few = msgspec.structs.replace(finding(), count=15, led=1)
    assert in_a_clause(few) == "refuses to read FetchRequest"
    assert in_a_clause(msgspec.structs.replace(few, led=5)) == catalogue()["tags.ascending"].breach


@pytest.mark.parametrize(
    ("unasked", "lacking", "said"),
    [
        (None, {}, "415 cases in 67 s"),
        (0, {"the driver lacks": 0, "the client lacks": 0}, "415 cases in 67 s"),
        (
            8,
            {"the driver lacks": 3, "the client lacks": 5},
            "415 cases in 67 s; 8 could not be asked: the driver lacks 3, the client lacks 5",
        ),
        (
            8,
            {"the driver lacks": 0, "the client lacks": 8},
            "415 cases in 67 s; 8 could not be asked: the client lacks what they ask for",
        ),
    ],
)
def test_what_could_not_be_asked_is_counted_as_the_cases_are(unasked, lacking, said) -> None:
    assert measured(415, 0, 67.0, unasked, lacking) == said
