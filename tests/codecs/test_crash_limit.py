"""What crashes a target again and again is not asked for ever."""

from __future__ import annotations

import pytest

from conformance.codecs.cases.case import Case, Family, Survives
from conformance.codecs.crash_limit import MOST_CRASHES, CrashLimit, is_skipped
from conformance.codecs.judge.judge import judge_family
from conformance.results.lines import Verdict
from conformance.rules import catalogue
from conformance.testee_protocol import Outcome, Request

RULE, OTHER = "primitives.short-input-refused", "tags.order"


def family(message: str, *rules: str) -> Family:
    request = Request(op="decode", message=message, version=0, bytes=b"")
    return Family("v", (Case("v/decode", request, Survives("it may"), rules),))


def crash(message: str = "A", rule: str = RULE, verdict: str = "crash", outcome: str = "crashed"):
    return Verdict(
        rule=rule,
        class_="must",
        case="v/decode",
        message=message,
        version=0,
        op="decode",
        outcome=outcome,
        verdict=verdict,  # type: ignore[arg-type]
    )


def skipped(limit: CrashLimit, message: str, *rules: str) -> str:
    (case,) = limit.limit(family(message, *rules)).cases
    return case.skipped


def count(limit: CrashLimit, times: int, verdict: Verdict) -> None:
    for _ in range(times):
        limit.count(verdict)


def test_a_rule_that_crashed_often_is_skipped_for_every_message():
    limit = CrashLimit()
    count(limit, MOST_CRASHES - 1, crash("A"))
    assert skipped(limit, "A", RULE) == ""
    limit.count(crash("B", verdict="hang", outcome="hung"))
    assert skipped(limit, "C", RULE) == "not asked: 10 cases of this rule have crashed or hung"
    assert skipped(limit, "C", RULE, OTHER) == ""


def test_by_message_another_message_is_asked_still():
    limit = CrashLimit(by_message=True)
    count(limit, MOST_CRASHES, crash("A"))
    assert skipped(limit, "A", RULE)
    assert skipped(limit, "B", RULE) == ""


def test_what_is_skipped_from_the_start_is_never_asked():
    assert skipped(CrashLimit(by_message=True, skipped=[("A", RULE)]), "A", RULE)


@pytest.mark.parametrize(
    ("ended", "outcome", "over"), [(1, "hung", True), (9, "crashed", False), (20, "value", False)]
)
def test_all_ends_together_may_cost_so_much(ended: int, outcome: str, over: bool):
    limit = CrashLimit(by_message=True, most=10)
    for number in range(ended):
        limit.count(crash(str(number), outcome=outcome))
    assert bool(skipped(limit, "another", RULE)) is over


def test_a_failure_is_no_crash_though_the_program_ended():
    limit = CrashLimit()
    count(limit, MOST_CRASHES, crash(verdict="fail"))
    assert skipped(limit, "A", RULE) == ""


def test_what_is_skipped_is_not_proven():
    limit = CrashLimit(skipped=[("", RULE)])
    limited = limit.limit(family("A", RULE))
    (verdict,) = judge_family(limited, [Outcome(outcome="unsupported")], catalogue(), "spec")
    assert verdict.verdict == "not-proven"
    assert is_skipped(verdict)
