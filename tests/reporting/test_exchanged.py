"""The page that says what a client would notice where one broker takes the place of another."""

from __future__ import annotations

from conformance.reporting.differences import Difference
from conformance.reporting.exchanged import page
from conformance.rules import catalogue

NAMES = ("new", "old")
MUST, KAFKA = "metadata.empty-asks-for-none", "framing.answered-after-half-close"
CASE = "MetadataRequest-v{}/no-topics"


def told(*differences: Difference, new=None, old=None) -> list[str]:
    return list(page(NAMES, (new or {}, old or {}), differences, catalogue()))


def test_what_can_be_asked_no_longer_is_told_first() -> None:
    new, old = {"Fetch": range(4, 9), "Vote": range(1)}, {"Fetch": range(12), "EndTxn": range(3)}
    assert told(new=new, old=old)[1:] == [
        "",
        "It can ask no longer: EndTxn",
        "",
        "It can ask no longer in the versions: Fetch v0 to v3 and v9 to v11",
        "",
        "It can ask as well: Vote",
    ]


def test_a_rule_is_told_once_with_all_its_versions_and_whom_it_hurts() -> None:
    cases = [Difference(MUST, CASE.format(n), "fail: the topics", "pass") for n in (4, 5, 6, 9)]
    rule = catalogue()[MUST]
    assert told(*cases)[1:] == [
        "",
        "new breaks the protocol, and old does not:",
        f"  {rule.breach}: Metadata v4 to v6 and v9",
        f"    {rule.harm}",
    ]


def test_what_is_mended_is_told_of_the_other_broker() -> None:
    mended = Difference(MUST, CASE.format(4), "pass", "fail: the topics")
    assert "old breaks the protocol, and new does not:" in told(mended)


def test_a_crash_stands_before_what_breaks_a_rule() -> None:
    crash = Difference(MUST, CASE.format(4), "crash: gone", "pass")
    other = Difference(KAFKA, "ApiVersionsRequest/end", "note: closed", "pass")
    headings = [line for line in told(other, crash) if line.endswith(":")]
    assert headings == [
        "new ends its process or stays silent, and old does not:",
        "new does otherwise than Apache Kafka, and old does not:",
    ]


def test_right_answers_that_differ_and_what_could_not_be_told_are_counted() -> None:
    codes = [Difference(MUST, CASE.format(n), "pass: error 3", "pass: no error") for n in (1, 2)]
    unclear = Difference(MUST, CASE.format(3), "fail: one", "fail: another")
    assert told(*codes, unclear)[2:] == [
        "Both are right, and answer otherwise:",
        "  error 3 UNKNOWN_TOPIC_OR_PARTITION, where it was no error: Metadata v1 to v2",
        "",
        "In 1 case both are wrong, or one of them could not be judged: -v shows them",
    ]
