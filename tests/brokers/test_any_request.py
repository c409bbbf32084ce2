"""Requests that are not the plainest: charged to what differs in them, and nothing else hidden."""

from __future__ import annotations

from conformance.brokers.dialogues import asked_of
from conformance.brokers.dialogues.any_request import _empty_arrays
from conformance.brokers.dialogues.entries import entries_of
from conformance.brokers.dialogues.harmless import harmless
from conformance.brokers.dialogues.plainness import is_plain, rests_on_any
from conformance.brokers.dialogues.results import several
from conformance.brokers.dialogues.talk import ANY_SERVED, SERVED, Facts, Talk
from conformance.brokers.exchange import Exchange
from conformance.brokers.mutants import broker_mutants, stocked
from conformance.brokers.score import verdicts_of
from conformance.dialogue import Broken
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.cluster import Value
from conformance.rules import catalogue

TOPICS = (
    "topics.assignments-exclude-counts",
    "topics.impossible-factor-refused",
    "topics.no-partitions-refused",
)


class ChecksNoFactor(broker_mutants()["AssignmentsUnread"]):  # type: ignore[misc]
    """Does not read assignments, and takes any factor."""

    def check_numbers(self, partitions: int, factor: int) -> None:
        """All numbers will do."""


def by_rule(broker: Broker, *rules: str) -> dict[str, set[str]]:
    """The verdicts on version 2 of CreateTopics, by rule."""
    found: dict[str, set[str]] = {}
    for each in verdicts_of(stocked(broker), *rules):
        if (each.message, each.version) == ("CreateTopicsRequest", 2):
            found.setdefault(each.rule, set()).add(each.verdict)
    return found


def test_a_field_that_is_not_read_is_named_and_the_version_is_said_to_be_served() -> None:
    broker = stocked(broker_mutants()["AssignmentsUnread"]())
    verdicts = verdicts_of(broker, SERVED, ANY_SERVED)
    [failed] = [each for each in verdicts if each.verdict != "pass"]
    assert failed.rule == ANY_SERVED
    assert failed.detail.startswith("CreateTopics v2: topics[].assignments is not read: ")


def test_the_request_that_failed_stands_last_and_not_a_draft_of_it() -> None:
    broker = stocked(broker_mutants()["AssignmentsUnread"]())
    [failed] = [each for each in verdicts_of(broker, ANY_SERVED) if each.verdict != "pass"]
    facts = Facts(broker.versions)
    last, answer = map(bytes.fromhex, failed.step)
    _, value, left = facts.codec.decode_request(last[4:])
    assert not left
    assert len(value["topics"]) == 3
    assert len(answer) == 4


def test_an_unread_field_hides_no_rule_whose_request_does_not_have_it() -> None:
    found = by_rule(ChecksNoFactor(), *TOPICS)
    assert found["topics.assignments-exclude-counts"] == {"not-proven"}
    assert found["topics.impossible-factor-refused"] == {"fail"}


def test_drafts_leave_out_nothing_but_empty_lists_inside_of_entries() -> None:
    """A broker that reads the field would take what follows for a count that can't be."""
    talk = Talk(Facts(Broker().versions))
    entries = entries_of("CreateTopics", 2)
    assert entries is not None
    value: Value = several(talk, entries, 2)
    layout = talk.codec.form("CreateTopicsRequest", 2).layout
    assert list(_empty_arrays(layout, value)) == ["topics[].assignments", "topics[].configs"]


def test_a_request_with_more_elements_than_the_plain_one_is_not_plain() -> None:
    facts = Facts(Broker().versions)
    talk = Talk(facts)
    entries = entries_of("CreateTopics", 2)
    assert entries is not None
    whole = several(talk, entries, 2)
    one = {**whole, "topics": whole["topics"][:1]}
    assert is_plain(facts, talk.frame("CreateTopics", 2, one, 1))
    assert not is_plain(facts, talk.frame("CreateTopics", 2, whole, 1))
    assert not is_plain(facts, b"\0\0\0\1\0")


def test_what_other_requests_of_a_dialogue_hold_counts_as_well() -> None:
    """In version 0 the topic is deleted again, so that another request stands last."""
    facts = Facts(Broker().versions)
    talk = Talk(facts)
    entries = entries_of("CreateTopics", 2)
    assert entries is not None
    rich = talk.frame("CreateTopics", 2, several(talk, entries, 2), 1)
    plain = talk.frame("CreateTopics", 2, harmless(talk, "CreateTopics", 2), 1)
    last = talk.frame("Metadata", 4, harmless(talk, "Metadata", 4), 2)
    rule = {ANY_SERVED: catalogue()[ANY_SERVED]}
    [basic] = [
        each for each in asked_of(facts, rule) if each.id.startswith("CreateTopicsRequest-v2/")
    ]
    for sent, rests in ((rich, True), (plain, False)):
        found = Exchange(bytearray(sent + last), last, broken=Broken("the errors: got 0"))
        assert rests_on_any(basic, found, facts) is rests
