"""What a run prepares is created in a version that works, and why nothing is written is said."""

from __future__ import annotations

from dataclasses import replace

from conformance.brokers.dialogues import UNWRITABLE, not_asked
from conformance.brokers.dialogues.cleaning import permission
from conformance.brokers.dialogues.talk import Facts, Talk
from conformance.brokers.exchange import exchange
from conformance.brokers.mutants import stocked
from conformance.brokers.score import SessionEndpoint, verdicts_of
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.releases import stored_versions
from conformance.rules import catalogue

RULES = ("log.base-offset-told", "topics.created-has-leaders")


class _Newest(Session):
    def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
        frame = super().write(name, version, correlation_id, body)
        newest = self.broker.versions[19][1] if name == "CreateTopics" else None
        return frame[:4] if version == newest else frame


class NewestCreatesUnreadably(Broker):
    """Answers the newest CreateTopics by the correlation id alone."""

    sessions = _Newest


class _None(Session):
    def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
        frame = super().write(name, version, correlation_id, body)
        return frame[:4] if name == "CreateTopics" else frame


class CreatesUnreadably(Broker):
    """Answers each CreateTopics by the correlation id alone."""

    sessions = _None


def test_topics_are_created_in_the_newest_version_that_works() -> None:
    broker = stocked(NewestCreatesUnreadably())
    facts, usable = Facts(broker.versions, writes=True), dict[str, int]()
    found = exchange(permission(Talk(facts), usable), SessionEndpoint(broker))
    assert found.broken is None
    newest = facts.range_of("CreateTopics")[1]
    assert usable["CreateTopics"] == newest - 1
    assert replace(facts, usable=usable).newest("CreateTopics") == newest - 1
    assert replace(facts, usable=usable).newest("Metadata") == facts.range_of("Metadata")[1]


def test_where_no_version_works_that_is_the_reason_and_not_a_missing_option() -> None:
    broker = stocked(CreatesUnreadably())
    facts, usable = Facts(broker.versions, writes=True), dict[str, int]()
    found = exchange(permission(Talk(facts), usable), SessionEndpoint(broker))
    assert found.broken is not None
    assert found.broken.unanswered is not None
    unable = replace(facts, writes=False, unwritable=found.broken.detail)
    rules = {name: catalogue()[name] for name in RULES}
    assert not_asked(unable, rules) == {UNWRITABLE: list(RULES)}
    assert "--allow-writes" not in UNWRITABLE


class TakesTakenNames(Broker):
    """Answers the creation of a topic that exists without an error, in version 0 too."""

    def create_topics(self, request: Request) -> Value:
        answer = super().create_topics(request)
        for each in answer["topics"]:
            each["errorCode"] = 0
        return answer


def test_a_topic_that_is_not_the_run_s_is_not_deleted_whatever_a_broker_answers() -> None:
    """In version 0 what was created has to be deleted again."""
    broker = stocked(TakesTakenNames({**stored_versions(), 19: (0, 7)}))
    before = set(broker.topics)
    verdicts = verdicts_of(broker, "topics.existing-name-refused")
    assert {(each.version, each.verdict) for each in verdicts} >= {(0, "fail"), (2, "fail")}
    assert set(broker.topics) >= before
