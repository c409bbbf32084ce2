"""CreateTopics and DeleteTopics: each topic by itself."""

import pytest

from conformance import error_codes
from conformance.brokers.mutants import stocked
from conformance.brokers.score import rules_with_questions, verdicts_of
from conformance.reference.broker.broker import Broker, play
from conformance.reference.broker.errors import Refused
from conformance.schema.layout import ZERO_UUID
from tests.reference.broker.asking import ask, create, topic, with_topics

DELETE_TOPICS = 20
OTHER_ID = "AAAAAAAAAAAAAAAAAAAAAQ"


def code(spec, **settings):
    return create(Broker(**settings), spec)[spec["name"]]["errorCode"]


def delete(broker, *asked, version=6, timeout_ms=1000):
    if version < 6:
        value = {"topicNames": list(asked), "timeoutMs": timeout_ms}
    else:
        topics = [{"name": each} if isinstance(each, str) else each for each in asked]
        topics = [{"name": None, "topicId": ZERO_UUID, **each} for each in topics]
        value = {"topics": topics, "timeoutMs": timeout_ms}
    return ask(broker, "DeleteTopics", version, value)["responses"]


def codes(results):
    return [(each["name"], each["errorCode"]) for each in results]


def test_a_topic_that_is_wrong_does_not_keep_others_from_being_created():
    broker = Broker()
    results = create(broker, topic("bad name"), topic("good", 2, 1), topic("far", 1, 5))
    assert {name: each["errorCode"] for name, each in results.items()} == {
        "bad name": 17,
        "good": 0,
        "far": 38,
    }
    assert list(broker.topics) == ["good"]
    assert results["good"]["topicId"] == broker.topics["good"].topic_id
    assert results["good"]["numPartitions"] == 2


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (topic(""), 17),
        (topic(".."), 17),
        (topic("x" * 250), 17),
        (topic("x" * 249), 0),
        (topic("__cluster_metadata"), 42),
        (topic("t", 0, 1), 37),
        (topic("t", -2, 1), 37),
        (topic("t", 1, 0), 38),
        (topic("t", 1, -2), 38),
        (topic("t", 1, 2), 38),
        (topic("t", 10_001, 1), 44),
        (topic("t", 2**31 - 1, 1), 44),
        (topic("t", assignments=[(0, [1]), (1, [1])]), 0),
        (topic("t", 1, assignments=[(0, [1])]), 42),
        (topic("t", -1, 1, assignments=[(0, [1])]), 42),
        (topic("t", assignments=[(1, [1])]), 39),
        (topic("t", assignments=[(0, [1]), (0, [1])]), 39),
        (topic("t", assignments=[(0, [1, 1])]), 39),
        (topic("t", assignments=[(0, [9])]), 39),
        (topic("t", assignments=[(0, [])]), 39),
        (topic("t", configs={"retention.ms": "1"}), 0),
        (topic("t", configs={"retention.ms": None}), 40),
        (topic("t", configs={"retention.ms": "soon"}), 40),
        (topic("t", configs={"no.such": "1"}), 40),
        (topic("t", configs={"cleanup.policy": "burn"}), 40),
        (topic("t", configs={"cleanup.policy": "compact,delete"}), 0),
    ],
    ids=str,
)
def test_what_becomes_of_a_topic(spec, expected):
    assert code(spec) == expected


def test_a_name_given_twice_has_one_result_and_nothing_is_created_for_it():
    broker = Broker()
    results = create(broker, topic("twice"), topic("once"), topic("twice"))
    assert results["twice"]["errorCode"] == 42
    assert list(broker.topics) == ["once"]


def test_a_topic_that_exists_or_that_metrics_would_mix_up_is_refused():
    broker = with_topics("a.b")
    assert create(broker, topic("a.b"))["a.b"]["errorCode"] == 36
    assert create(broker, topic("a_b"))["a_b"]["errorCode"] == 17


def test_to_validate_changes_nothing():
    broker = Broker()
    results = create(broker, topic("a"), topic("b", 0, 1), validate=True)
    assert [each["errorCode"] for each in results.values()] == [0, 37]
    assert not broker.topics


def test_no_time_means_nothing_is_done():
    broker = with_topics("old")
    assert create(broker, topic("a"), timeout_ms=0)["a"]["errorCode"] == 7
    assert codes(delete(broker, "old", timeout_ms=0)) == [("old", 7)]
    assert list(broker.topics) == ["old"]


def test_configs_are_shown_with_their_sources_from_version_5():
    result = create(Broker(), topic("a", configs={"retention.ms": "5"}))["a"]
    sources = {each["name"]: (each["value"], each["configSource"]) for each in result["configs"]}
    assert sources["retention.ms"] == ("5", 1)
    assert sources["cleanup.policy"] == ("delete", 5)


def test_the_cluster_takes_only_so_many_partitions():
    broker = Broker()
    assert create(broker, topic("a", 9_999, 1))["a"]["errorCode"] == 0
    assert create(broker, topic("b", 2, 1))["b"]["errorCode"] == 44


@pytest.mark.parametrize("version", [1, 4, 5, 6])
def test_each_name_is_deleted_by_itself(version):
    broker = with_topics("a", "b")
    asked = ("a", "nope", "b", "b", "bad name")
    expected = [("a", 0), ("nope", 3), ("b", 42), ("bad name", 3)]
    assert codes(delete(broker, *asked, version=version)) == expected
    assert list(broker.topics) == ["b"]


def test_a_topic_is_deleted_by_its_id():
    broker = with_topics("a")
    topic_id = broker.topics["a"].topic_id
    (result,) = delete(broker, {"topicId": topic_id})
    assert (result["name"], result["topicId"], result["errorCode"]) == ("a", topic_id, 0)
    assert not broker.topics


def test_name_and_id_go_not_together_and_one_is_needed():
    broker = with_topics("a")
    topic_id = broker.topics["a"].topic_id
    results = delete(broker, {"name": "a", "topicId": topic_id}, {}, {"topicId": OTHER_ID})
    assert codes(results) == [("a", 42), (None, 42), (None, 100)]
    assert list(broker.topics) == ["a"]


def test_a_name_and_the_id_that_it_belongs_to_are_one_topic_given_twice():
    broker = with_topics("a")
    topic_id = broker.topics["a"].topic_id
    (result,) = delete(broker, "a", {"topicId": topic_id})
    assert (result["name"], result["topicId"], result["errorCode"]) == ("a", topic_id, 42)
    assert list(broker.topics) == ["a"]


@pytest.mark.parametrize(("version", "expected"), [(2, 42), (3, 73), (6, 73)])
def test_where_deletion_is_off_each_version_has_its_code(version, expected):
    broker = with_topics("a", delete_topics_enabled=False)
    assert codes(delete(broker, "a", version=version)) == [("a", expected)]


@pytest.mark.parametrize("newest", [2, 6])
def test_where_deletion_is_off_no_rule_is_said_to_be_broken(newest):
    broker = stocked(Broker(delete_topics_enabled=False))
    broker.versions = {**broker.versions, DELETE_TOPICS: (1, newest)}
    verdicts = verdicts_of(broker, *rules_with_questions())
    about = [each for each in verdicts if each.message == "DeleteTopicsRequest"]
    assert {each.verdict for each in verdicts} <= {"pass", "note", "unsupported"}
    assert {each.verdict for each in about if each.rule == "topics.deleted-is-gone"} == {
        "unsupported"
    }


class DeletesFromVersion3(Broker):
    """Says below version 3 alone that it deletes no topics."""

    def check_deletion_enabled(self, version):
        """Raise Refused."""
        if version < 3:
            raise Refused(error_codes.INVALID_REQUEST)


def test_deletion_that_is_off_in_old_versions_alone_is_told():
    verdicts = verdicts_of(stocked(DeletesFromVersion3()), "topics.deletion-disabled-error")
    failed = {each.version for each in verdicts if each.verdict == "fail"}
    assert failed == {1, 2}


def test_a_topic_that_is_created_again_has_another_id_and_no_configs():
    broker = Broker()
    create(broker, topic("a", configs={"retention.ms": "5"}))
    first = broker.topics["a"].topic_id
    delete(broker, "a")
    create(broker, topic("a"))
    assert broker.topics["a"].topic_id != first
    assert not broker.configs


def test_version_0_creates_and_deletes_for_a_broker_of_then():
    broker = play("0.10")
    assert create(broker, topic("a", 1, 1), version=0)["a"]["errorCode"] == 0
    assert codes(delete(broker, "a", version=0)) == [("a", 0)]
