"""A finding on a broker shows and says what belongs to one verdict, and one cause is one."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.reporting.breaches import harm_of, in_a_clause, remedy_of
from conformance.reporting.explained import Explained
from conformance.reporting.findings import Causes
from conformance.results.case_examples import example_of
from conformance.results.lines import EXCHANGE, Finding, Verdict
from conformance.rules import catalogue
from tests.results.making import verdict

SERVED = "api-versions.advertised-is-served"
ANY = "api-versions.any-request-served"
EACH = "results.one-for-each"
MINUS, HUGE = "framing.negative-size-closes", "framing.huge-size-closes"
SHORT, LONG = "primitives.short-input-refused", "primitives.length-beyond-input-refused"
NEGATIVE = "request-header.negative-version-survived"
TAKES_ALL = "a broker that checks nothing of what CreateTopics asks"


def exchanged(rule: str, case: str = "malformed", **fields: Any) -> Verdict:
    """A verdict on a dialogue, which broke a rule."""
    message, version = fields.pop("message", "CreateTopicsRequest"), fields.pop("version", 1)
    given = {"case": f"{message}-v{version}/{case}", "class_": catalogue()[rule].class_, **fields}
    given = {"outcome": "reply", **given}
    return verdict(rule=rule, message=message, version=version, op=EXCHANGE, **given)


def silent(rule: str, case: str = "malformed", **fields: Any) -> Verdict:
    return exchanged(rule, case, outcome="silent", detail="it is odd: nothing came", **fields)


def found(*verdicts: Verdict, explained: Explained | None = None) -> tuple[list[Finding], Causes]:
    causes = Causes()
    for each in verdicts:
        causes.take(each)
    return causes.findings(["broker"], explained or Explained()), causes


def test_the_case_and_the_words_of_a_finding_on_several_rules_are_of_one_verdict() -> None:
    """The smallest case is of another rule than the one whose words the finding has."""
    rules = ("topics.assignments-exclude-counts", "topics.impossible-factor-refused")
    both = [exchanged(rules[0], "with-counts", input="00" * 90), exchanged(rules[1], "no-replicas")]
    causes = Causes()
    for each in both:
        causes.take(each)
    explained = Explained(dict.fromkeys(causes.sorts(), TAKES_ALL))
    [finding] = causes.findings(["broker"], explained)
    shown = example_of(causes.examples(), finding)
    assert shown is not None
    assert shown.rule == finding.rules[0]
    assert shown.case == finding.case
    assert finding.case in finding.reproduce


def test_the_bytes_are_those_of_the_rule_where_two_rules_share_the_name_of_a_case() -> None:
    """Both are cases of CreateTopics v1, malformed."""
    one, other = exchanged(SHORT, input="aa", actual="1"), exchanged(LONG, input="bb", actual="1")
    both, causes = found(one, other)
    shown = {each.rules[0]: example_of(causes.examples(), each) for each in both}
    assert {rule: each.input for rule, each in shown.items() if each} == {SHORT: "aa", LONG: "bb"}


def test_silence_on_what_cannot_be_read_is_one_cause_whatever_is_wrong_in_it() -> None:
    [finding], causes = found(silent(SHORT), silent(LONG), silent(NEGATIVE, "versions-below-zero"))
    assert sorted(finding.rules) == sorted([SHORT, LONG, NEGATIVE])
    assert in_a_clause(finding) == "leaves requests that it cannot read in silence"
    assert remedy_of(finding).startswith("Close the connection, or answer with an error")
    assert harm_of(finding).startswith("The client waits for an answer")
    shown = example_of(causes.examples(), finding)
    assert shown is not None
    assert shown.rule == finding.rules[0]


def test_silence_is_one_cause_though_a_mutant_is_like_one_of_its_rules() -> None:
    causes = Causes()
    for each in (silent(SHORT), silent(LONG)):
        causes.take(each)
    texts = {sort: "a broker that waits" for sort in causes.sorts() if SHORT in sort[0]}
    assert len(causes.findings((), Explained(texts))) == 1


def test_what_is_taken_as_if_nothing_were_wrong_is_no_silence() -> None:
    taken = exchanged(LONG, detail="answered as if nothing were wrong", actual="0000")
    both, _ = found(silent(SHORT), taken)
    remedies = {each.rules[0]: remedy_of(each) for each in both}
    assert remedies[SHORT].startswith("Close the connection")
    assert remedies[LONG] == catalogue()[LONG].remedy


def unserved(version: int, detail: str, **fields: Any) -> Verdict:
    return exchanged(SERVED, "valid-request", version=version, detail=detail, **fields)


def test_versions_of_an_api_that_fail_in_different_ways_have_different_causes() -> None:
    cut = "the answer can not be read as CreateTopicsResponse v1: offset 4, topics: 0 left"
    other = "the answer can not be read as CreateTopicsResponse v2: it is a whole v5"
    both, _ = found(unserved(1, cut, actual="00000001"), unserved(2, other, actual="00" * 20))
    assert sorted(each.count for each in both) == [1, 1]


def test_versions_of_an_api_that_fail_in_one_way_have_one_cause() -> None:
    said = "the answer can not be read as JoinGroupResponse v{}: it is a whole v2 to v4"
    [finding], _ = found(*(unserved(v, said.format(v), actual="00" * 20) for v in (0, 1)))
    assert finding.count == 2


def without_results(version: int, actual: str) -> Verdict:
    said = f"the answer to OffsetCommit v{version} has no result for name 'a'"
    return exchanged(EACH, "several", version=version, detail=said, actual=actual)


@pytest.mark.parametrize("stub", ["0000" * 4, "0000" * 16 + "ff"])
def test_versions_that_are_answered_by_the_same_bytes_have_one_cause(stub: str) -> None:
    """In a version of their form they lack results, in another they cannot be read."""
    cut = "4 bytes behind CreateTopicsResponse v0"
    cases = (
        *(unserved(v, cut, actual=f"0000000{v}{stub}") for v in (0, 1)),
        *(without_results(v, f"0000000{v}{stub}") for v in (3, 4)),
    )
    [finding], _ = found(*cases)
    assert finding.what == "does not serve CreateTopics v0 to v1 and v3 to v4"
    assert finding.rules[0] == SERVED
    assert finding.case.endswith("/valid-request")


def test_versions_that_are_answered_by_other_bytes_have_causes_of_their_own() -> None:
    cut = "4 bytes behind CreateTopicsResponse v0"
    both, _ = found(
        unserved(0, cut, actual="00000001" + "aa" * 20), without_results(3, "00000001" + "bb" * 20)
    )
    assert sorted(each.count for each in both) == [1, 1]


def size(rule: str, **fields: Any) -> Verdict:
    said = "a size was announced, and the connection stays: nothing came"
    given = {"message": "ApiVersionsRequest", "outcome": "silent", "detail": said, **fields}
    return exchanged(rule, rule, **given)


def test_sizes_that_are_refused_without_an_end_are_one_cause() -> None:
    [finding], _ = found(size(MINUS), size(HUGE))
    assert finding.what == "does not just hang up on a size that no frame can have"
    assert "before you allocate" in finding.remedy


def test_a_size_that_ends_the_broker_is_a_cause_of_its_own() -> None:
    both, _ = found(size(MINUS), size(HUGE, name="crash", detail="nobody answers any more"))
    assert sorted(each.rules for each in both) == [[HUGE], [MINUS]]


def test_a_field_that_is_not_read_is_named() -> None:
    said = "CreateTopics v{}: topics[].assignments is not read: it can not be read"
    cases = (exchanged(ANY, "request-of-several", version=v, detail=said.format(v)) for v in (1, 2))
    [finding], _ = found(*cases)
    assert in_a_clause(finding) == "does not read topics[].assignments of CreateTopics"
    assert remedy_of(finding).startswith("Read topics[].assignments at its place")


@pytest.mark.parametrize(
    ("outcome", "harm"),
    [
        ("closed", "A client that asks so loses its connection, and gets no answer."),
        ("silent", "A client that asks so waits for an answer until its time is up."),
        ("reply", catalogue()["metadata.empty-asks-for-none"].harm),
    ],
)
def test_the_harm_is_that_of_what_was_seen(outcome: str, harm: str) -> None:
    detail = "no answer to Metadata v1: it ended" if outcome != "reply" else "the topics: got all"
    rule = "metadata.empty-asks-for-none"
    [finding], _ = found(exchanged(rule, outcome=outcome, detail=detail))
    assert finding.harm == harm
