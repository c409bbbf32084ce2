"""Many verdicts make few findings: one for each cause."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest

from conformance.reporting.breaches import harm_of, in_a_clause, remedy_of
from conformance.reporting.explained import Explained
from conformance.reporting.findings import Causes
from conformance.results.lines import Annotated, Finding, Verdict
from conformance.rules import catalogue
from tests.results.making import verdict


def refused(text: str, **fields: Any) -> Verdict:
    return verdict(outcome="rejected", detail=f"refused: ValueError: {text}", **fields)


def taken(why: str, rule: str = "a.one", **fields: Any) -> Verdict:
    given = {"detail": f"taken, though {why}", "expected": f"refused: {why}", **fields}
    return verdict(rule=rule, **given)


def other_value(path: str, type_: str = "int32", **fields: Any) -> Verdict:
    """A verdict of a value that was read as another, at a field of this type."""
    return verdict(
        detail="another value was read",
        first_difference=f"{path}: expected 1, got 2",
        annotated=[Annotated(offset=4, path=path, type=type_, differs=True)],
        **fields,
    )


def findings(*verdicts: Verdict, diagnoses: Mapping[str, str] | None = None) -> list[Finding]:
    causes = Causes()
    for one in verdicts:
        causes.take(one)
    texts = {
        sort: text
        for sort in causes.sorts()
        for rule, text in (diagnoses or {}).items()
        if rule in sort[0]
    }
    return causes.findings(["codec", "small"], Explained(texts))


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
    assert found.cause == (
        "decode of A and B: refused: ValueError: tag … in … of … "
        "(refused: ValueError: tag 10000 in 'topics' of A)"
    )
    assert found.rules == ["b.two", "a.one"]


def test_words_that_never_vary_are_shown_as_they_are() -> None:
    [found] = findings(refused("tag 10000", message="A"), refused("tag 10000", message="B"))
    assert found.cause == "decode of A and B: refused: ValueError: tag 10000"


def test_other_words_are_another_cause() -> None:
    assert len(findings(refused("tag 1"), refused("no such tag", shape="two"))) == 2


def test_a_sentence_in_quotes_is_told_apart_from_another() -> None:
    one, other = refused("'no such tag'"), refused("'not enough bytes'", shape="two")
    assert len(findings(one, other)) == 2


def test_one_thing_and_several_of_it_are_one_cause() -> None:
    [found] = findings(
        refused("'ascii' codec can't encode character '\\xe9' in position 0: not in range(128)"),
        refused(
            "'ascii' codec can't encode characters in position 0-1: not in range(128)", shape="b"
        ),
    )
    assert found.count == 2
    assert "codec can't encode … in position …" in found.cause


def test_one_byte_and_several_bytes_that_were_left_are_one_cause() -> None:
    assert len(findings(refused("1 byte is left"), refused("7 bytes are left", shape="b"))) == 1


@pytest.mark.parametrize("second", ["compact", "nullable-structs"])
def test_null_that_is_written_is_one_cause_whatever_the_field_s_type(second: str) -> None:
    [found] = findings(
        taken("x is null", f"{second}.null-not-written", op="encode"),
        taken("y.z is null", "primitives.null-not-written", op="encode", shape="b"),
    )
    assert in_a_clause(found) == "writes null where the field is not nullable"
    assert remedy_of(found) == f"{catalogue()['primitives.null-not-written'].remedy}"
    assert harm_of(found) == catalogue()[found.rules[0]].harm


@pytest.mark.parametrize("is_of_rule", [True, False])
def test_null_that_is_written_is_one_cause_though_a_mutant_breaks_one_of_its_rules(
    is_of_rule: bool,
) -> None:
    one, other = "compact.null-not-written", "primitives.null-not-written"
    causes = Causes()
    causes.take(taken("x is null", one, op="encode"))
    causes.take(taken("y.z is null", other, op="encode", shape="b"))
    texts = {s: "a codec that errs" for s in causes.sorts() if one in s[0] or not is_of_rule}
    breaks = {"a codec that errs": one if is_of_rule else "compact.empty-is-one"}
    [found] = causes.findings((), Explained(texts, breaks))
    said = "writes null where the field is not nullable" if is_of_rule else "errs"
    assert in_a_clause(found) == said


def test_null_of_one_rule_has_the_words_of_that_rule() -> None:
    [found] = findings(taken("x is null", "compact.null-not-written", op="encode"))
    assert in_a_clause(found) == catalogue()["compact.null-not-written"].breach


def test_the_same_words_are_one_cause_whatever_was_asked() -> None:
    [found] = findings(
        refused("no such tag 5"),
        verdict(
            op="roundtrip",
            outcome="rejected",
            detail="refused while it decoded: ValueError: no such tag 7",
        ),
    )
    assert found.cause == (
        "decode and roundtrip of MetadataRequest: refused: ValueError: no such tag … "
        "(refused: ValueError: no such tag 5)"
    )


def test_many_operations_are_counted() -> None:
    ops = ("decode", "roundtrip", "decode-request", "decode-response")
    [found] = findings(*(refused("x", op=op) for op in ops))
    assert found.cause == "4 operations of MetadataRequest: refused: ValueError: x"


def test_a_number_below_zero_is_a_number() -> None:
    assert len(findings(refused("year 1 in utf-8"), refused("year -1 in utf-8", shape="b"))) == 1


def test_a_refusal_without_words_is_told_apart_by_its_rules() -> None:
    silent: dict[str, Any] = {"outcome": "rejected", "detail": "refused: AssertionError:"}
    found = findings(
        verdict(rule="a.one", **silent),
        verdict(rule="a.one", op="roundtrip", **silent),
        verdict(rule="b.two", shape="two", **silent),
    )
    assert [(one.count, one.rules) for one in found] == [(2, ["a.one"]), (1, ["b.two"])]


def test_what_the_same_rule_has_refused_is_one_cause_wherever_it_stood() -> None:
    [found] = findings(
        taken("topics is null"),
        taken("groups.members is null", message="B"),
        taken("an element of topics is null", shape="element"),
    )
    assert found.count == 3
    assert found.cause == (
        "decode of B and MetadataRequest: taken, though … is null "
        "(taken, though groups.members is null)"
    )


def test_what_another_rule_has_refused_is_another_cause() -> None:
    assert len(findings(taken("x is null"), taken("x is null", rule="b.two", shape="two"))) == 2


def test_wrong_values_have_one_cause_where_they_break_the_same_rules() -> None:
    found = findings(
        other_value("x", rule="a.one", message="A"),
        other_value("y", rule="a.one", message="B"),
        other_value("y", rule="b.two", message="C"),
    )
    assert [(one.count, one.rules) for one in found] == [(2, ["a.one"]), (1, ["b.two"])]
    assert found[0].cause == (
        "decode of A and B: another value was read: x: expected 1, got 2, and more"
    )
    assert found[1].cause == "decode of C: another value was read: y: expected 1, got 2"


def test_a_field_is_named_with_its_message_where_a_finding_has_several() -> None:
    [one] = findings(other_value("x", rule="a.one", message="A"))
    assert in_a_clause(one) == "misreads x as 2, not 1, in A"
    [two] = findings(
        other_value("x", rule="a.one", message="A"),
        other_value("longer", rule="a.one", message="B", input="00" * 9),
    )
    said = "misreads a field, such as x of A, as 2, not 1, in A and B"
    assert in_a_clause(two) == said


def test_the_rule_on_all_types_joins_no_messages() -> None:
    rule = "versions.field-types"
    found = findings(
        other_value("x", rule=rule, message="A"), other_value("y", rule=rule, message="B")
    )
    assert len(found) == 2


def test_wrong_values_have_one_cause_at_the_same_field_of_a_message() -> None:
    found = findings(
        other_value("topics[0].x", rule="a.one"),
        other_value("topics[3].x", rule="b.two", shape="two"),
        other_value("topics[0].y", rule="c.three", shape="three"),
    )
    assert [one.count for one in found] == [2, 1]


def test_wrong_values_at_fields_of_other_types_are_two_causes() -> None:
    found = findings(other_value("x"), other_value("y", type_="string", shape="two"))
    assert len(found) == 2


def test_a_missing_field_is_another_cause_than_a_wrong_one() -> None:
    wrong: dict[str, Any] = {"detail": "another value was read"}
    found = findings(
        verdict(first_difference="x: expected 1, got 2", **wrong),
        verdict(first_difference="y: missing", shape="two", **wrong),
    )
    assert len(found) == 2


def test_alike_to_a_third_is_alike() -> None:
    [found] = findings(
        other_value("x", rule="a.one"),
        other_value("x", rule="b.two", shape="two"),
        other_value("y", rule="b.two", shape="three"),
    )
    assert (found.count, found.rules) == (3, ["b.two", "a.one"])


LOOK = {"a.one": "a codec that takes five for four"}


def test_cases_of_one_diagnosis_are_one_finding() -> None:
    [found] = findings(
        refused("x", rule="a.one", shape="large", input="00" * 9),
        other_value("x", rule="a.one", shape="small"),
        other_value("x", rule="b.two", shape="small"),
        diagnoses=LOOK,
    )
    assert (found.count, found.rules) == (2, ["a.one", "b.two"])
    assert found.diagnosis == "a codec that takes five for four"
    assert found.case == "MetadataRequest-v9-small/decode"
    assert found.cause == (
        "decode of MetadataRequest: another value was read: x: expected 1, got 2, and more"
    )


def test_a_name_that_is_not_printed_separates_no_cases_of_one_wording() -> None:
    causes = Causes()
    for rule, shape in (("a.one", "one"), ("b.two", "two"), ("c.three", "three")):
        words = "tag 1" if shape != "three" else "too short"
        causes.take(refused(words, rule=rule, shape=shape))
    near = {sort: "a habit" for sort in causes.sorts() if sort[0] != ("b.two",)}
    [found] = causes.findings((), Explained(near=near))
    assert found.count == 3


def test_cases_of_other_rules_are_not_drawn_in_by_their_words() -> None:
    found = findings(
        refused("x", rule="a.one"),
        refused("x", rule="a.one", shape="two"),
        refused("x", rule="b.two", shape="three"),
        diagnoses=LOOK,
    )
    assert [(one.count, one.diagnosis) for one in found] == [(2, LOOK["a.one"]), (1, "")]


def test_findings_are_the_same_in_whatever_order_the_cases_came() -> None:
    cases = [
        *(taken(f"x{n} is null", "c.two", shape=f"t{n}", input="0" * n) for n in range(9)),
        *(refused(f"tag {n}", shape=f"r{n}", rule=f"a.r{n % 3}") for n in range(9)),
        *(other_value(f"x[{n}].y", shape=f"v{n}", rule=f"b.v{n}") for n in range(9)),
        *(refused(f"tag {n}", shape=f"r{n}", rule="a.one") for n in range(9, 12)),
    ]
    forth = findings(*cases, diagnoses=LOOK)
    random.Random(2).shuffle(cases)
    assert findings(*cases, diagnoses=LOOK) == forth
    assert len(forth) == 4


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


def test_a_wrong_byte_that_was_written_is_shown_before_a_shorter_refusal() -> None:
    row = Annotated(offset=4, bytes="02", actual="01", path="a", type="uvarint", differs=True)
    written: dict[str, Any] = {
        "op": "roundtrip",
        "detail": "written differently",
        "annotated": [row],
    }
    [found] = findings(
        refused("not enough bytes", shape="short", input="00"),
        verdict(shape="long", input="00" * 9, **written),
        verdict(shape="longer", input="00" * 10, **written),
        diagnoses={"tags.ascending": "a codec that writes N for N + 1"},
    )
    assert (found.case, found.count) == ("MetadataRequest-v9-long/roundtrip", 3)


def test_there_is_an_example_for_every_finding() -> None:
    causes = Causes()
    for one in (refused("a"), refused("b", shape="two")):
        causes.take(one)
    assert causes.examples().keys() == {one.case for one in causes.findings()}


def test_nothing_broken_makes_no_finding() -> None:
    assert findings() == []


def exchange(rule: str, message: str, detail: str) -> Verdict:
    return verdict(op="exchange", rule=rule, message=message, detail=detail, case="same/case")


def test_a_rule_that_a_broker_breaks_is_one_finding_whatever_it_was_asked() -> None:
    found = findings(
        exchange("tags.unknown-skipped", "A", "no answer to A v1: the connection was closed"),
        exchange("tags.unknown-skipped", "B", "no answer to B v2: nothing came"),
        exchange("metadata.empty", "A", "no answer to A v1: the connection was closed"),
    )
    assert [(each.count, each.rules) for each in found] == [
        (2, ["tags.unknown-skipped"]),
        (1, ["metadata.empty"]),
    ]


def test_an_api_that_a_broker_does_not_serve_is_a_finding_of_its_own() -> None:
    served = "api-versions.advertised-is-served"
    closed = "no answer: the connection was closed"
    found = findings(exchange(served, "A", closed), exchange(served, "B", closed))
    assert [(each.count, each.rules) for each in found] == [(1, [served]), (1, [served])]


@pytest.mark.parametrize("is_true", [True, False])
def test_what_messages_have_in_common_is_said_if_it_is_true_of_all_cases(
    is_true: bool,
) -> None:
    causes = Causes()
    causes.take(refused("a", rule="a.one", shape="short", input="00"))
    causes.take(refused("b", rule="b.two", shape="long", input="00" * 9))
    short, long = sorted(causes.sorts(), key=lambda sort: sort[0])
    lacking = frozenset([] if is_true else [long])
    where = dict.fromkeys((short, long), "a string is empty")
    [found] = causes.findings((), Explained(where=where, lacking=lacking))
    assert found.count == 2
    assert ("where a string is empty" in found.cause) == is_true


ARRAY = "primitives.empty-array-not-null"
BOOLEAN = "primitives.boolean-one-or-zero"


def of_two_rules(case: str, **more: Any) -> list[Verdict]:
    """The verdicts on a case that decides a rule on arrays and one on booleans."""
    return [verdict(rule=rule, case=case, **more) for rule in (ARRAY, BOOLEAN)]


def test_a_rule_about_other_bytes_than_those_that_differ_is_not_charged() -> None:
    sides = {"bytes": "00 00 00 00", "actual": "ff ff ff ff"}
    row = Annotated(offset=0, path="topics(length)", type="int32", differs=True, **sides)
    [found] = findings(*of_two_rules("a", op="encode", annotated=[row]))
    assert found.rules == [ARRAY]
    assert found.unproven == [BOOLEAN]


def test_a_refusal_shows_no_place_and_so_charges_every_rule() -> None:
    [found] = findings(*of_two_rules("a", outcome="rejected", detail="refused: no"))
    assert sorted(found.rules) == [BOOLEAN, ARRAY]
    assert found.unproven == []
