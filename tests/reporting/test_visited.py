"""Findings of clients: a request shows a cause, and how a driver ended shows none."""

from __future__ import annotations

import pytest

from conformance.reporting.breaches import in_a_clause
from conformance.reporting.findings import Causes
from conformance.results.lines import ONE_ALONE, VISIT, Finding, Verdict

READS = "client-versions.each-version-read"
TAGS = "tags.unknown-skipped"
READABLE = "client-requests.readable"
GIVEN = "client-records.given-as-held"
CLOSES = "client-fallback.closed-steps-down"


def verdict(rule: str, case: str, detail: str, how: str = "fail", class_: str = "must") -> Verdict:
    message = case.partition("/")[0]
    return Verdict(
        rule=rule,
        class_=class_,
        case=case,
        message=message,
        version=-1,
        op=VISIT,
        outcome="error",
        verdict=how,  # type: ignore[arg-type]
        input="It is played.",
        detail=detail,
    )


def findings(*verdicts: Verdict) -> list[Finding]:
    causes = Causes()
    for each in verdicts:
        causes.take(each)
    return causes.findings()


def test_how_a_driver_ended_makes_no_cause() -> None:
    [found] = findings(
        verdict(READS, "FetchRequest/a", "the client failed (DriverTimeout no record in 8 s)"),
        verdict(READS, "FetchRequest/b", "the client failed (the broker hung up)"),
        verdict(READS, "FetchRequest/c", "the client did not come to an end (after 10 s)", "hang"),
    )
    assert (found.count, found.ends) == (3, "hang")


def test_two_rules_are_two_causes_though_the_driver_ended_alike() -> None:
    said = "the client failed (DriverTimeout no record in 8 s)"
    found = findings(verdict(READS, "FetchRequest/a", said), verdict(TAGS, "FetchRequest/b", said))
    assert len(found) == 2


def test_one_malformed_request_is_one_cause_whatever_was_played() -> None:
    what = "Metadata v{}: 3 bytes behind the last field"
    found = findings(
        verdict(READABLE, "MetadataRequest/a", what.format(13)),
        verdict(READABLE, "FetchRequest/b", what.format(13)),
        verdict(READABLE, "ProduceRequest/c", what.format(12)),
        verdict(READABLE, "ProduceRequest/d", "AlterConfigs v2: 1 byte behind the last field"),
    )
    assert sorted(each.count for each in found) == [1, 3]


def test_what_rests_on_a_driver_stands_after_what_a_request_shows() -> None:
    found = findings(
        verdict(GIVEN, "FetchRequest/a", "it gives nothing more, and the log holds 4/k/v"),
        verdict(READABLE, "ProduceRequest/b", "Produce v9: 1 byte behind the last field"),
    )
    assert [each.rules[0] for each in found] == [READABLE, GIVEN]


def test_what_keeps_a_client_from_connecting_stands_first() -> None:
    found = findings(
        verdict(READABLE, "ProduceRequest/b", "Produce v9: 1 byte behind the last field"),
        verdict(CLOSES, "ApiVersionsRequest/c", "ApiVersions was not asked again"),
    )
    assert [each.rules[0] for each in found] == [CLOSES, READABLE]


@pytest.mark.parametrize(
    "said",
    [
        "the client failed (OffsetOutOfRange)",
        "it gives nothing more, and the log holds 4/k/v",
        "it tells the offsets 1 2, and the records are at 1 3",
        "the second transaction was aborted",
        "the application was told COORDINATOR_LOAD_IN_PROGRESS",
    ],
)
def test_one_case_that_a_driver_can_bring_about_says_so(said: str) -> None:
    [found] = findings(verdict(GIVEN, "FetchRequest/a", said))
    assert found.cause.endswith(ONE_ALONE)
    assert in_a_clause(found).startswith("(or its driver) ")


def test_two_cases_or_a_request_do_not() -> None:
    said = "it gives nothing more, and the log holds 4/k/v"
    both = [verdict(GIVEN, f"FetchRequest/{each}", said) for each in "ab"]
    [twice] = findings(*both)
    asked = verdict(READABLE, "ProduceRequest/c", "Produce v9: 1 byte behind the last field")
    assert [each.rules[0] for each in findings(*both, asked)] == [GIVEN, READABLE]
    [shown] = findings(verdict(READABLE, "FetchRequest/a", "Fetch v4: 1 byte behind the last"))
    assert not twice.cause.endswith(ONE_ALONE)
    assert not shown.cause.endswith(ONE_ALONE)
    assert not in_a_clause(shown).startswith("(or")


RUSH = "{} requests on {} connections without waiting, and it was hung up on"
HOSTILE, OLD = "client-records.hostile-survived", "client-records.messages-read"


def test_a_client_that_asks_without_waiting_is_told_so_and_not_by_one_of_its_rules() -> None:
    rushes = [
        verdict(HOSTILE, "FetchRequest/a", RUSH.format(415, 2599), "hang", "harden"),
        verdict(HOSTILE, "FetchRequest/b", RUSH.format(415, 2599), "hang", "harden"),
        verdict(OLD, "FetchRequest/c", RUSH.format(602, 1), "hang"),
    ]
    [found] = findings(*rushes)
    assert in_a_clause(found) == "asks again and again without waiting, in the cases of 2 rules"
    assert "Wait before asking again" in found.remedy
    [of_one_rule] = findings(*rushes[:2])
    assert in_a_clause(of_one_rule) == "can hang on a batch that lies about a length"


def test_the_case_that_is_shown_is_one_of_the_rule_that_the_words_are_of() -> None:
    said = "the client crashed (thread 'main' panicked at src/lib.rs)"
    found = findings(
        verdict(OLD, "FetchRequest/z", said, "crash"),
        verdict(READS, "FetchRequest/a", said, "crash"),
        verdict(OLD, "FetchRequest/y", said, "crash"),
    )
    for each in found:
        of_rule = {OLD: ("FetchRequest/y", "FetchRequest/z"), READS: ("FetchRequest/a",)}
        assert each.case in of_rule[each.rules[0]]


NO_ASSIGNMENT = "SyncGroup v{} has what is no ConsumerProtocolAssignment v0: offset 2"
MEMBERS = "client-groups.protocol-readable"


def test_what_a_request_holds_wrong_is_one_cause_whatever_was_played() -> None:
    [found] = findings(
        verdict(MEMBERS, "SyncGroupRequest/a", NO_ASSIGNMENT.format(0)),
        verdict(MEMBERS, "FetchRequest/b", NO_ASSIGNMENT.format(5)),
        verdict(MEMBERS, "HeartbeatRequest/c", NO_ASSIGNMENT.format(5)),
    )
    assert found.count == 3


def test_a_hang_is_another_cause_than_what_is_wrong_with_a_request_of_its_visit() -> None:
    found = findings(
        verdict(MEMBERS, "FetchRequest/a", NO_ASSIGNMENT.format(5)),
        verdict(OLD, "FetchRequest/a", RUSH.format(200, 3704), "hang"),
    )
    assert sorted((each.rules[0], each.ends) for each in found) == [(MEMBERS, ""), (OLD, "hang")]


PANIC = "exited with status 101: thread 'main' panicked at "


@pytest.mark.parametrize(
    ("end", "is_doubted"),
    [
        (f"{PANIC}registry/bytes-1.12.2/src/lib.rs:207:5:", False),
        (f"{PANIC}src/main.rs", True),
        ("killed by SIGABRT: memory allocation of 2147483647 bytes failed", False),
    ],
)
def test_an_end_that_no_driver_can_bring_about_is_not_doubted(end: str, is_doubted: bool) -> None:
    said = f"the client crashed ({end})"
    [found] = findings(verdict(READS, "MetadataRequest/a", said, "crash"))
    assert found.cause.endswith(ONE_ALONE) == is_doubted


def test_the_visit_that_is_shown_is_one_where_nothing_is_wrong_if_there_is_one() -> None:
    [found] = findings(
        verdict(MEMBERS, "HeartbeatRequest/heartbeat-missing", NO_ASSIGNMENT.format(5)),
        verdict(MEMBERS, "ApiVersionsRequest/serves-members", NO_ASSIGNMENT.format(5)),
    )
    assert found.case == "ApiVersionsRequest/serves-members"
