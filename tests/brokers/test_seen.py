"""What was seen is told: by the rule that judges it, whatever else is broken beside it."""

from dataclasses import replace

from conformance.brokers.dialogues.talk import ANY_SERVED, ONE_FOR_EACH
from conformance.brokers.mutants import stocked
from conformance.brokers.score import rules_with_questions, verdicts_of
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session

UNASKED = "metadata.operations-only-if-asked"
METADATA = [rule for rule in rules_with_questions() if rule.startswith("metadata.")]


class TellsAllTopicsWithOperations(Broker):
    """Tells all topics, whichever were asked for, and operations unasked (KIP-430)."""

    def metadata(self, request: Request) -> Value:
        """With both."""
        answer = super().metadata(request)
        if request.value["topics"] is not None:
            every = replace(request, value={**request.value, "topics": None})
            answer["topics"] += super().metadata(every)["topics"]
        for topic in answer["topics"]:
            topic["topicAuthorizedOperations"] = 3000
        return answer


def failed(broker: Broker, *rules: str) -> set[str]:
    return {v.rule for v in verdicts_of(stocked(broker), *rules) if v.verdict == "fail"}


def test_operations_given_unasked_are_told_whatever_else_is_broken():
    assert UNASKED in failed(TellsAllTopicsWithOperations(), *METADATA)


class OneByteTooMany(Session):
    """Adds a byte to the answers to CreateTopics that refuse a topic."""

    def write_response(self, request: Request, body: Value) -> bytes:
        """With that byte."""
        answer = super().write_response(request, body)
        refused = request.api_key == 19 and any(each["errorCode"] for each in body["topics"])
        return answer + b"\0" if refused else answer


class RefusesUnreadably(Broker):
    """Can be read where it does as it is asked."""

    sessions = OneByteTooMany


def test_an_answer_that_can_not_be_read_is_told_as_that_whatever_it_was_asked_for():
    kafka_alone = "topics.names-limited"
    verdicts = verdicts_of(stocked(RefusesUnreadably()), kafka_alone, ANY_SERVED)
    [*unread] = (v for v in verdicts if v.verdict == "fail")
    assert {(v.rule, v.message) for v in unread} == {(ANY_SERVED, "CreateTopicsRequest")}
    assert all("1 bytes behind CreateTopicsResponse" in v.detail for v in unread)
    assert all(v.actual and v.input for v in unread)
    assert {v.verdict for v in verdicts if v.rule == kafka_alone} == {"not-proven"}


class CreatedHaveNoResult(Broker):
    """Leaves out of the answer to CreateTopics what was created in earnest."""

    def create_topics(self, request: Request) -> Value:
        """What was refused or only validated."""
        answer = super().create_topics(request)
        if request.value["validateOnly"]:
            return answer
        return {**answer, "topics": [each for each in answer["topics"] if each["errorCode"]]}


def test_a_step_that_breaks_another_rule_is_told_by_that_where_its_own_dialogues_pass():
    verdicts = verdicts_of(stocked(CreatedHaveNoResult()), ONE_FOR_EACH, "partitions.added")
    told = {(v.rule, v.message, v.verdict) for v in verdicts if v.verdict != "pass"}
    assert told == {
        (ONE_FOR_EACH, "CreateTopicsRequest", "fail"),
        ("partitions.added", "CreatePartitionsRequest", "not-proven"),
    }
