"""A broker with one defect is charged with that one: no rule fails for what another judges."""

from functools import cache

import pytest

from conformance import error_codes
from conformance.brokers.converse import converse
from conformance.brokers.dialogues import asked_of, questions
from conformance.brokers.dialogues.controls import LAYERS, Controls, foundations
from conformance.brokers.dialogues.talk import SERVED, Facts
from conformance.brokers.mutants import broker_mutants, stocked
from conformance.brokers.score import SessionEndpoint, rules_with_questions, verdicts_of
from conformance.dialogue import Broken
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.cluster import Request, Topic, Value
from conformance.reference.broker.errors import Hangup, Refused
from conformance.rules import catalogue
from conformance.schema.layout import ZERO_UUID
from tests.proof.charges import main, wrongly_charged

SOME = [
    "EmptyCloses",
    "ThrottleTimeInVersion0",
    "HighestVersionNotServed",
    "FlexibleHeaderWithoutTags",
    "CorrelationIdCounted",
    "UnknownTopicEndsList",
    "DenialMadeAllowance",
    "UnknownTopicLeftOut",
    "MalformedBeforeLoginEndsBroker",
    "ValidatedIsRefused",
]
"""Mutants whose defect was once charged to a dozen rules, the worst of them."""


@pytest.mark.parametrize("name", SOME)
def test_a_defect_is_charged_to_its_own_rule_alone(name):
    assert wrongly_charged(name) == {}


def test_the_measure_says_what_is_charged_and_how_often(capsys):
    assert main(["EmptyCloses"]) == 0
    assert "1 broker mutants judged by all rules: 0 wrong charges" in capsys.readouterr().out


def test_what_a_mutant_implies_is_another_rule_of_brokers():
    every, rules = broker_mutants().items(), set(rules_with_questions())
    assert [name for name, mutant in every if mutant.breaks in mutant.implies] == []
    assert [name for name, mutant in every if not rules.issuperset(mutant.implies)] == []


class GainsTopics(Broker):
    """Has one more topic whenever it is asked which there are."""

    def metadata(self, request: Request) -> Value:
        """The topics, before that one."""
        answer = super().metadata(request)
        self.add_topic(Topic(f"topic-{len(self.topics)}", self.new_topic_id(), [[self.node_id]]))
        return answer


def test_topics_that_others_make_meanwhile_accuse_nobody():
    verdicts = verdicts_of(stocked(GainsTopics()), "metadata.null-asks-for-all")
    assert {verdict.verdict for verdict in verdicts} == {"unsupported"}


class DescribesNoConfigs(Broker):
    """Hangs up on DescribeConfigs."""

    def describe_configs(self, request: Request) -> Value:
        """No answer."""
        raise Hangup


@cache
def _verdicts():
    return verdicts_of(stocked(DescribesNoConfigs()), *rules_with_questions(), quick=True)


def test_an_api_that_closes_is_charged_to_that_alone():
    assert {verdict.rule for verdict in _verdicts() if verdict.verdict == "fail"} == {SERVED}


def test_a_control_case_that_is_not_selected_is_reported_by_its_rule():
    facts = Facts(Broker().versions)
    rule = "configs.unknown-key-left-out"
    asked = list(asked_of(facts, {rule: catalogue()[rule]}))
    selected = {(each.rule, each.id) for each in asked}
    controls = Controls(facts, selected)
    host = SessionEndpoint(stocked(DescribesNoConfigs()))
    found = list(converse(asked, host, catalogue(), "spec", None, controls))
    assert {each.verdict for each in found if each.rule == rule} == {"not-proven"}
    failed = [each for each in found if each.verdict == "fail"]
    assert {(each.rule, each.message) for each in failed} == {(SERVED, "DescribeConfigsRequest")}


def test_what_could_not_be_told_names_what_failed_first():
    told = {v.rule: v.detail for v in _verdicts() if v.verdict == "not-proven"}
    basic = "results.one-for-each"
    assert told[basic].startswith(f"{SERVED} is broken first: no answer")
    assert told["configs.unknown-key-left-out"].startswith(f"{SERVED} is broken first: no answer")
    assert "metadata.auto-creation" not in told


class ChoosesBrokersItself(Broker):
    """Takes no notice of assignments, nor of what stands beside them."""

    def assigned_replicas(self, item: Value) -> list[list[int]]:
        """As where none are given."""
        return self.replicas_of({**item, "assignments": [], "numPartitions": 3})

    def check_numbers(self, partitions: int, factor: int) -> None:
        """All numbers will do."""


class KnowsNoErrorOfIds(Broker):
    """Answers for ids that nothing has as for names that nothing has."""

    def topic_to_delete(self, request: Request, item: Value) -> Topic:
        """The topic. Raises Refused."""
        try:
            return super().topic_to_delete(request, item)
        except Refused:
            raise Refused(error_codes.UNKNOWN_TOPIC_OR_PARTITION) from None

    def topic_error(self, code: int, name: str | None, topic_id: str = ZERO_UUID) -> Value:
        """With the older code."""
        known = (
            error_codes.UNKNOWN_TOPIC_OR_PARTITION if code == error_codes.UNKNOWN_TOPIC_ID else code
        )
        return super().topic_error(known, name, topic_id)


@pytest.mark.parametrize(
    ("broker", "charged", "spared"),
    [
        (
            ChoosesBrokersItself,
            "topics.assignment-followed",
            "topics.assignments-exclude-counts",
        ),
        (KnowsNoErrorOfIds, "metadata.unknown-topic-id-error", "topics.unknown-id-to-delete"),
    ],
)
def test_a_cause_that_shows_in_two_rules_is_charged_to_one(broker, charged, spared):
    found = {verdict.rule: verdict for verdict in verdicts_of(stocked(broker()), charged, spared)}
    assert found[charged].verdict == "fail"
    assert found[spared].verdict == "not-proven"
    assert found[spared].detail.startswith(f"{charged} is broken first")


class CountsReplicas(Broker):
    """Remembers how many replicas it was asked for at the most."""

    most = 0

    def create_topics(self, request: Request) -> Value:
        """The results."""
        asked = (item["replicationFactor"] for item in request.value["topics"])
        self.most = max(self.most, *asked, 0)
        return super().create_topics(request)


def test_a_broker_that_believes_an_impossible_factor_is_not_weighed_down():
    broker = CountsReplicas()
    verdicts_of(stocked(broker), *(rule for rule in rules_with_questions() if "topics." in rule))
    assert 1 < broker.most < 1000


def test_control_cases_are_rules_that_dialogues_decide():
    named = {rule for _, basics in LAYERS for rule in basics}
    named |= {rule for each in catalogue().values() for rule in each.rests_on}
    assert named <= {question.rule for question in questions()}


def test_no_rule_rests_on_itself():
    assert [rule for rule in rules_with_questions() if rule in foundations(rule)] == []


def test_a_failed_dialogue_has_its_request_asked_without_what_the_rule_asks():
    facts = Facts(Broker().versions, writes=True)
    controls = Controls(facts)
    [item] = [
        each
        for each in controls.cases("configs.types-told")
        if each.version == facts.range_of("DescribeConfigs")[1]
    ]
    broken = Broken("no answer", unanswered=("CreateTopics", 7))
    basics = list(controls.of(item, broken, sent=(19, 32)))
    served = {(each.message, each.version) for each in basics if each.rule == SERVED}
    assert served == {("CreateTopicsRequest", 7), (item.message, item.version)}
    assert all(each.rule in catalogue() for each in basics)
