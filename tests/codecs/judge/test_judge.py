"""What an outcome is worth: by itself, among its control cases, and under a profile."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.codecs.cases.case import Case, Family, NotTakenFor, Refuses, RefusesOrWrites
from conformance.codecs.judge.judge import judge_case, judge_family
from conformance.results.lines import Verdict
from conformance.rules import RuleClass
from conformance.testee_protocol import Outcome
from tests.codecs.judge.making import (
    LAYOUT,
    VALUE,
    case,
    changed,
    reads,
    rejected,
    rule,
    value,
    writes,
    wrote,
)

REFUSES = Refuses("the last byte is missing")
LENIENT = RefusesOrWrites("an over-long varint", writes())
OTHER_FORM = NotTakenFor("they are those of version 1", reads())
TAGS = [{"tag": 99, "bytes": "AA=="}]


def verdict_of(expects: Any, outcome: Outcome) -> tuple[str, str]:
    judgement = judge_case(case(expects), outcome)
    return judgement.verdict, judgement.first_difference or judgement.detail


def test_the_expected_value_passes() -> None:
    assert verdict_of(reads(), value(VALUE, remaining=0)) == ("pass", "")


def test_another_value_fails_with_the_path_of_the_first_difference() -> None:
    actual = changed(topics=[{"id": 1, "at": 0}, {"id": 9, "at": 9}])
    verdict, where = verdict_of(reads(), value(actual, remaining=0))
    assert verdict == "fail"
    assert where == "topics[0].at: expected 1152921504606846976, got 0"


def test_bytes_left_unread_fail() -> None:
    assert verdict_of(reads(), value(VALUE, remaining=2)) == ("fail", "2 bytes were left unread")


def test_who_read_beyond_the_end_has_taken_what_is_cut_short() -> None:
    detail = "taken, though the last byte is missing; it read 1 byte beyond the end"
    assert verdict_of(REFUSES, value(VALUE, remaining=-1)) == ("fail", detail)


def test_a_codec_that_reads_beyond_the_end_of_a_whole_message_fails() -> None:
    detail = "it read 1 byte beyond the end"
    assert verdict_of(reads(), value(VALUE, remaining=-1)) == ("fail", detail)


@pytest.mark.parametrize("number", [2**64, -590295810358705651649, 2**1100])
def test_a_number_that_no_field_holds_fails(number: int) -> None:
    verdict, where = verdict_of(reads(), value(changed(count=number, share=number), remaining=0))
    assert (verdict, where[:25]) == ("fail", f"count: expected 7, got {number}"[:25])


def test_a_codec_that_can_not_tell_what_it_left_passes() -> None:
    assert verdict_of(reads(), value(VALUE, remaining=None))[0] == "pass"


def test_a_refusal_fails_with_the_words_of_the_target() -> None:
    assert verdict_of(reads(), rejected()) == ("fail", "refused: ShortRead: too short")
    assert verdict_of(writes(), rejected("encode")) == (
        "fail",
        "refused while it encoded: ShortRead: too short",
    )


def test_a_header_is_compared_as_well() -> None:
    expects = reads(header=VALUE, header_layout=LAYOUT)
    assert verdict_of(expects, value(VALUE, header=dict(VALUE), remaining=0))[0] == "pass"
    verdict, where = verdict_of(expects, value(VALUE, header=changed(count=9), remaining=0))
    assert (verdict, where) == ("fail", "header count: expected 7, got 9")


def test_unknown_tags_must_be_there_only_where_the_target_keeps_them() -> None:
    expected = changed(_unknownTaggedFields=TAGS)
    answer = value(dict(VALUE), remaining=0)
    assert verdict_of(reads(expected), answer)[0] == "fail"
    assert verdict_of(reads(expected, keeps_tags=False), answer)[0] == "pass"


def test_any_of_the_allowed_byte_strings_passes() -> None:
    expects = writes("0000000a0001", "0000000a0002")
    assert verdict_of(expects, wrote("0000000a0002")) == ("pass", "")


def test_other_bytes_fail_with_the_first_that_differs() -> None:
    verdict, where = verdict_of(writes(), wrote("0000000a0003"))
    assert verdict == "fail"
    assert where == "offset 5 (port, int16): expected 01, got 03"


def test_no_bytes_at_all_fail() -> None:
    assert verdict_of(writes(), wrote(""))[0] == "fail"


def test_malformed_bytes_must_be_refused() -> None:
    assert verdict_of(REFUSES, rejected()) == ("pass", "")
    assert verdict_of(REFUSES, value(VALUE)) == ("fail", "taken, though the last byte is missing")


def test_either_answer_to_a_lenient_case_is_a_note_that_tells_which() -> None:
    assert verdict_of(LENIENT, rejected()) == ("note", "refused: an over-long varint")
    verdict, what = verdict_of(LENIENT, wrote("0000000a0001"))
    assert verdict == "note"
    assert what.startswith("accepted")


def test_what_a_lenient_case_is_written_as_still_matters() -> None:
    assert verdict_of(LENIENT, wrote("0000000a000100"))[0] == "fail"


def test_bytes_of_another_form_may_be_refused_or_read_as_anything_but_what_they_say() -> None:
    assert verdict_of(OTHER_FORM, rejected())[0] == "pass"
    assert verdict_of(OTHER_FORM, value(changed(count=9), remaining=0))[0] == "pass"
    assert verdict_of(OTHER_FORM, value(VALUE, remaining=3))[0] == "pass"
    taken = ("fail", "taken for what was asked, though they are those of version 1")
    assert verdict_of(OTHER_FORM, value(VALUE, remaining=0)) == taken
    assert verdict_of(OTHER_FORM, value(VALUE, remaining=None)) == taken


def test_bytes_of_another_form_must_not_be_written_again() -> None:
    expects = NotTakenFor("they are those of version 1", writes())
    assert verdict_of(expects, wrote("0000000a0001"))[0] == "fail"
    assert verdict_of(expects, wrote("0000000a"))[0] == "pass"


@pytest.mark.parametrize(
    ("outcome", "verdict"), [("crashed", "crash"), ("hung", "hang"), ("error", "error")]
)
@pytest.mark.parametrize("expects", [reads(), writes(), REFUSES, LENIENT, OTHER_FORM])
def test_no_answer_is_never_the_right_one(expects: Any, outcome: Any, verdict: str) -> None:
    assert verdict_of(expects, Outcome(outcome=outcome, text="gone")) == (verdict, "gone")


@pytest.mark.parametrize("expects", [reads(), writes(), REFUSES, LENIENT, OTHER_FORM])
def test_what_was_declared_and_then_not_done_fails(expects: Any) -> None:
    assert verdict_of(expects, Outcome(outcome="unsupported", text="later"))[0] == "fail"


def test_what_was_not_declared_is_unsupported_whatever_the_outcome() -> None:
    judged = judge_case(case(reads(), unsupported="not declared"), value({}))
    assert (judged.verdict, judged.detail) == ("unsupported", "not declared")


def family_verdicts(
    *pairs: tuple[Case, Outcome], class_: RuleClass = "must", profile: str = "spec"
) -> list[Verdict]:
    family = Family("M-v0-x", tuple(one for one, _ in pairs))
    names = {name for one in family.cases for name in one.rules}
    rules = {name: rule(name, class_) for name in names}
    return list(judge_family(family, [outcome for _, outcome in pairs], rules, profile))


def names(verdicts: list[Verdict]) -> list[str]:
    return [verdict.verdict for verdict in verdicts]


GOOD, CUT = case(reads(), control_cases=(1,)), case(REFUSES, control_cases=(0,), name="M-v0-x/cut")
RIGHT = value(VALUE, remaining=0)


def test_control_cases_that_both_pass_prove_each_other() -> None:
    assert names(family_verdicts((GOOD, RIGHT), (CUT, rejected()))) == ["pass", "pass"]


def test_a_codec_that_takes_everything_proves_nothing() -> None:
    good, cut = family_verdicts((GOOD, RIGHT), (CUT, RIGHT))
    assert (good.verdict, cut.verdict) == ("not-proven", "fail")
    assert good.detail == "its control case M-v0-x/cut/decode did not pass: fail"
    assert good.control_case == "M-v0-x/cut/decode"


def test_a_codec_that_refuses_everything_proves_nothing() -> None:
    verdicts = family_verdicts((GOOD, rejected()), (CUT, rejected()))
    assert names(verdicts) == ["fail", "not-proven"]


def test_a_refusal_counts_beside_a_control_case_that_was_read_with_one_wrong_value() -> None:
    good, cut = family_verdicts((GOOD, value(changed(count=9), remaining=0)), (CUT, rejected()))
    assert names([good, cut]) == ["fail", "pass"]


@pytest.mark.parametrize(
    "read",
    [
        value(changed(count=9, share=9.5), remaining=0),
        value(changed(name="b"), remaining=0),
        value(changed(topics=[]), remaining=0),
        value(changed(count=9), remaining=1),
        value({}, remaining=0),
        rejected(),
    ],
)
def test_a_refusal_proves_nothing_beside_a_control_case_that_is_wrong_in_more(read: Any) -> None:
    good, cut = family_verdicts((GOOD, read), (CUT, rejected()))
    assert names([good, cut]) == ["fail", "not-proven"]


def test_a_control_case_that_was_not_asked_proves_nothing() -> None:
    unasked = case(REFUSES, unsupported="not declared")
    verdicts = family_verdicts((GOOD, RIGHT), (unasked, Outcome(outcome="unsupported")))
    assert names(verdicts) == ["not-proven", "unsupported"]


def test_a_note_is_proof_enough() -> None:
    lenient = case(LENIENT, op="roundtrip")
    assert names(family_verdicts((GOOD, RIGHT), (lenient, rejected()))) == ["pass", "note"]


def test_a_failure_stays_one_whatever_its_control_case_did() -> None:
    assert names(family_verdicts((GOOD, value({})), (CUT, RIGHT))) == ["fail", "fail"]


def test_each_rule_of_a_case_has_a_verdict_of_its_own() -> None:
    one = case(reads(), rules=("a.one", "b.two"))
    verdicts = family_verdicts((one, RIGHT))
    assert [(verdict.rule, verdict.verdict) for verdict in verdicts] == [
        ("a.one", "pass"),
        ("b.two", "pass"),
    ]


def test_a_case_that_decides_no_rule_has_no_verdict_and_still_proves_its_control_case() -> None:
    silent = case(REFUSES, rules=())
    assert names(family_verdicts((GOOD, RIGHT), (silent, RIGHT))) == ["not-proven"]


@pytest.mark.parametrize(
    ("class_", "profile", "verdict"),
    [
        ("must", "spec", "fail"),
        ("harden", "spec", "fail"),
        ("kafka", "spec", "note"),
        ("lenient", "spec", "note"),
        ("must", "kafka", "fail"),
        ("kafka", "kafka", "fail"),
        ("lenient", "kafka", "note"),
    ],
)
def test_the_profile_says_which_classes_may_fail(
    class_: RuleClass, profile: str, verdict: str
) -> None:
    one = case(reads())
    [found] = family_verdicts((one, value({})), class_=class_, profile=profile)
    assert (found.verdict, found.class_) == (verdict, class_)
    assert found.first_difference == "count: missing"


@pytest.mark.parametrize("class_", ["must", "kafka", "lenient", "harden"])
def test_a_crash_is_a_crash_under_every_class(class_: RuleClass) -> None:
    [found] = family_verdicts((case(reads()), Outcome(outcome="crashed")), class_=class_)
    assert found.verdict == "crash"


def test_a_pass_carries_no_bytes() -> None:
    passed, cut = family_verdicts((GOOD, RIGHT), (CUT, rejected()))
    assert (passed.input, passed.expected, passed.actual) == (None, None, None)
    assert (cut.input, cut.expected, cut.actual) == (None, None, None)


def test_a_failure_carries_what_was_sent_and_what_came_back() -> None:
    [read] = family_verdicts((case(reads()), value({"count": 7})))
    assert (read.input, read.expected, read.actual) == ("0102", VALUE, {"count": 7})
    [written] = family_verdicts((case(writes(), op="roundtrip"), wrote("00")))
    assert (written.expected, written.actual) == ("0000000a0001", "00")
    [refused] = family_verdicts((case(REFUSES), RIGHT))
    assert (refused.expected, refused.actual) == ("refused: the last byte is missing", VALUE)


def test_a_failure_of_a_frame_shows_its_header() -> None:
    expects = reads(header={"correlationId": 1}, header_layout=LAYOUT)
    answer = value(VALUE, header={"correlationId": 2}, remaining=0)
    [found] = family_verdicts((case(expects, op="decode-request"), answer))
    assert found.expected == {"header": {"correlationId": 1}, "value": VALUE}
    assert found.actual == {"header": {"correlationId": 2}, "value": VALUE}
