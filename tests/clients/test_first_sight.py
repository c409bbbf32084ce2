"""One defect of a client is one finding, told by what the client did."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from conformance.clients.doubts import SAYS_OK, Doubts
from conformance.clients.mutants import client_mutants
from conformance.clients.program import VisitEnded
from conformance.clients.scenarios import scenarios
from conformance.clients.scenarios.actions import Action
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit
from conformance.clients.score import meet, verdicts_of
from conformance.clients.visits import play
from conformance.reference.client import Client
from conformance.reporting.breaches import class_of
from conformance.reporting.explained import Explained
from conformance.reporting.findings import Causes
from conformance.reporting.visited import rests_on_driver
from conformance.results.lines import BROKEN, VISIT, Finding, Verdict
from conformance.results.visits import MARK, marked
from conformance.rules import catalogue


def broken(name: str) -> dict[str, set[str]]:
    """Return the details of all broken rules of a mutant, by rule."""
    found: dict[str, set[str]] = {}
    for verdict in verdicts_of(client_mutants()[name]):
        if verdict.verdict in BROKEN:
            found.setdefault(verdict.rule, set()).add(verdict.detail)
    return found


def test_control_records_are_not_told_as_aborted_or_other_ones() -> None:
    found = broken("GivesControlRecords")
    assert list(found) == [CONTROL]
    assert any("which is a control record" in each for each in found.popitem()[1])


def test_an_ok_that_is_said_in_any_case_charges_no_client() -> None:
    doubts = Doubts()
    [verdict] = _said_ok(doubts, lambda action: action == "consume")
    assert verdict.verdict == "not-proven"
    assert doubts.drivers == {"consume": SAYS_OK}


def test_an_ok_of_a_driver_that_knows_errors_does() -> None:
    [verdict] = _said_ok(Doubts(), lambda action: False)
    assert verdict.verdict == "fail"


def _said_ok(doubts: Doubts, always: Callable[[Action], bool]) -> list[Verdict]:
    """Return the verdicts on a client whose driver says `ok` where no record is to be given."""
    scenario = scenarios()["NothingButControl"]
    rules = {rule: catalogue()[rule] for rule in scenario.decides}

    def receive(played: type[Scenario]) -> Visit:
        visit = meet(Client(), played)
        visit.ended = VisitEnded("ok")
        return visit

    return list(
        play([scenario], receive, rules, "kafka", doubts=doubts, says_ok_always=always, at_once=1)
    )


def test_a_batch_that_is_wrong_in_each_action_is_one_finding() -> None:
    two = "Produce v3 has records with the offset deltas [0, 1] in a batch whose last is 2"
    one = "Produce v9 has records with the offset deltas [0] in a batch whose last is 1"
    found = findings(
        wrong("ProduceRequest", RECORDS, two), wrong("ApiVersionsRequest", RECORDS, one)
    )
    assert len(found) == 1


def test_versions_that_are_not_chosen_by_the_list_are_one_finding() -> None:
    groups = "DescribeGroups v0 was sent, which is not served"
    found = findings(
        wrong("DescribeGroupsRequest", VERSIONS, groups),
        wrong("FindCoordinatorRequest", VERSIONS, groups),
        wrong("CreateTopicsRequest", VERSIONS, "CreateTopics v1 was sent, which is not served"),
        wrong("FetchRequest", "client-versions.unlisted-is-not-asked", "Fetch v0 was sent"),
    )
    assert len(found) == 1


def test_a_rule_that_is_kept_nowhere_is_one_finding() -> None:
    verdicts = [
        wrong(message, TAG, f"the client failed ({what})")
        for message, what in (("FetchRequest", "a null"), ("MetadataRequest", "99 elements"))
    ]
    assert len(findings(*verdicts)) == 2
    assert len(findings(*verdicts, everywhere=frozenset({TAG}))) == 1


CONTROL = "client-records.control-not-given"
RECORDS, VERSIONS = "client-requests.records-valid", "client-versions.within-both-ranges"
TAG = "response-header.unknown-tag-skipped"


def wrong(message: str, rule: str, detail: str) -> Verdict:
    return Verdict(
        rule=rule,
        class_="must",
        case=f"{message}/{detail}",
        message=message,
        version=-1,
        op=VISIT,
        outcome="ok",
        verdict="fail",
        detail=detail,
    )


def findings(*verdicts: Verdict, everywhere: frozenset[str] = frozenset()) -> list[Finding]:
    causes = Causes()
    for each in verdicts:
        causes.take(each)
    return causes.findings(explained=Explained(everywhere=everywhere))


def test_a_request_in_place_of_a_bare_token_is_told_as_that() -> None:
    mutant = client_mutants()["AuthenticatesAfterV0"]
    found = [each for each in verdicts_of(mutant, [mutant.breaks]) if each.verdict in BROKEN]
    assert found
    for each in found:
        assert each.detail == "SaslAuthenticate v2 was sent after SaslHandshake v0"
        assert MARK in each.actual


def test_the_answer_that_a_case_is_about_is_marked_where_no_request_breaks_the_rule() -> None:
    verdicts = verdicts_of(client_mutants()["GivesControlRecords"], [CONTROL])
    [found] = [each for each in verdicts if each.case.endswith("/nothing-but-control")]
    lines, at = marked(found.actual)
    assert at is not None
    assert lines[at].endswith(" bytes")
    assert "< answer to Fetch v" in lines[at]
    assert rests_on_driver(found)


def test_the_part_of_a_record_that_differs_is_named() -> None:
    [detail] = broken("NullsWrittenEmpty")["client-produce.records-as-given"]
    assert detail == 'a record was written with the key "" in place of null'


def test_crashes_under_one_rule_are_one_finding_whatever_their_words() -> None:
    rule = "client-answers.hostile-lengths-survived"
    crashes = [
        msgspec.structs.replace(
            wrong("MetadataRequest", rule, f"the client crashed ({words})"),
            verdict="crash",
            outcome="crashed",
        )
        for words in ("IndexError: out of range", "a buffer of 12 bytes", "a negative count")
    ]
    assert len(findings(*crashes)) == 1


def test_the_class_of_a_crash_is_that_of_the_rule_whose_words_describe_it() -> None:
    rules = ("client-answers.hostile-lengths-survived", "client-records.messages-read")
    crashes = [
        msgspec.structs.replace(
            wrong("FetchRequest", rule, "the client crashed (IndexError)"),
            case=f"FetchRequest/{number}",
            class_=catalogue()[rule].class_,
            verdict="crash",
            outcome="crashed",
        )
        for number, rule in enumerate((*rules, rules[0]))
    ]
    [found] = findings(*crashes)
    assert class_of(found) == "harden"
