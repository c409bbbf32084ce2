"""What a run prepares is created in a version that works, and why nothing is written is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.brokers.dialogues import UNWRITABLE, not_asked
from conformance.brokers.dialogues.cleaning import permission
from conformance.brokers.dialogues.talk import ONE_FOR_EACH, SERVED, Facts, Talk
from conformance.brokers.exchange import exchange
from conformance.brokers.mutants import stocked
from conformance.brokers.score import SessionEndpoint, verdicts_of
from conformance.error_codes import (
    POLICY_VIOLATION,
    TOPIC_AUTHORIZATION_FAILED,
    UNKNOWN_SERVER_ERROR,
)
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.server import serving
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.releases import stored_versions
from conformance.results.files import read_lines
from conformance.results.lines import Verdict
from conformance.rules import catalogue
from tests.cli.conftest import Ended, run

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
    unable = replace(facts, unwritable=found.broken.detail)
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


class CreatesAnother(Broker):
    """Answers the creation of each topic with success, and with the name of another topic."""

    def create_topics(self, request: Request) -> Value:
        answer = super().create_topics(request)
        for each in answer["topics"]:
            each |= {"name": "default-topic", "errorCode": 0}
        return answer


class CreatesNone(Broker):
    """Answers the creation of each topic with one error."""

    error = UNKNOWN_SERVER_ERROR

    def create_topics(self, request: Request) -> Value:
        answer = super().create_topics(request)
        for each in answer["topics"]:
            each["errorCode"] = self.error
        return answer


class RefusesByPolicy(CreatesNone):
    """Creates no topic since it is configured so."""

    error = POLICY_VIOLATION


class DeniesCreation(CreatesNone):
    """Lets no user create a topic."""

    error = TOPIC_AUTHORIZATION_FAILED


def written_to(broker: Broker, results: Path, *rules: str) -> tuple[Ended, set[tuple[str, str]]]:
    chosen = [part for rule in rules for part in ("--rule", rule)]
    with serving(stocked(broker)) as port:
        options = ("--allow-writes", *chosen, "--results", results)
        ended = run("broker", f"127.0.0.1:{port}", *options)
    lines = read_lines(results) if results.exists() else ()
    return ended, {(line.rule, line.verdict) for line in lines if isinstance(line, Verdict)}


@pytest.mark.parametrize(
    ("broker", "finding"),
    [
        (CreatesAnother, ONE_FOR_EACH),
        (CreatesUnreadably, SERVED),
        (CreatesNone, "topics.controller-or-handed-on"),
        (RefusesByPolicy, ""),
    ],
)
def test_a_broker_that_creates_no_topic_is_judged_by_what_needs_none(
    broker: type[Broker], finding: str, tmp_path: Path
) -> None:
    rules = ("acls.created-is-listed", "topics.deleted-is-gone", "topics.created-has-leaders")
    chosen = (*rules, finding) if finding else rules
    ended, found = written_to(broker(stored_versions()), tmp_path / "results.ndjson", *chosen)
    assert ended.code == bool(finding), ended.out + ended.err
    assert ("acls.created-is-listed", "pass") in found
    assert {rule for rule, verdict in found if verdict == "fail"} == {finding} - {""}
    assert not any(rule == "topics.deleted-is-gone" for rule, _ in found)
    assert "no topic was prepared" in ended.out
    assert "--allow-writes:" not in ended.out


def test_a_user_that_may_create_no_topic_gets_the_remedy(tmp_path: Path) -> None:
    ended, _ = written_to(
        DeniesCreation(stored_versions()), tmp_path / "results.ndjson", "acls.created-is-listed"
    )
    assert ended.code == 3
    assert "TOPIC_AUTHORIZATION_FAILED" in ended.error
    assert "log in as a user that may create topics" in ended.error


def test_why_nothing_is_asked_names_no_option_that_was_given(tmp_path: Path) -> None:
    ended, _ = written_to(CreatesNone(), tmp_path / "results.ndjson", "topics.deleted-is-gone")
    assert ended.code == 3
    assert "UNKNOWN_SERVER_ERROR" in ended.error
    assert "--allow-writes" not in ended.error
