"""CreatePartitions and AlterPartitionReassignments: partitions that come to be, and that move."""

import pytest

from conformance.reference.broker.broker import Broker
from conformance.reference.broker.cluster import Topic
from tests.reference.broker.asking import ask, create, topic, with_topics


def grow(broker, *asked, validate=False, version=3, timeout_ms=1000):
    topics = [
        {
            "name": name,
            "count": count,
            "assignments": replicas and [{"brokerIds": each} for each in replicas],
        }
        for name, count, replicas in asked
    ]
    value = {"topics": topics, "timeoutMs": timeout_ms, "validateOnly": validate}
    results = ask(broker, "CreatePartitions", version, value)["results"]
    return [(each["name"], each["errorCode"]) for each in results]


def reassign(broker, *asked, version=0, timeout_ms=1000):
    topics = [
        {"name": name, "partitions": [{"partitionIndex": index, "replicas": replicas}]}
        for name, index, replicas in asked
    ]
    value = {"timeoutMs": timeout_ms, "topics": topics}
    if version:
        value["allowReplicationFactorChange"] = True
    return ask(broker, "AlterPartitionReassignments", version, value)


def codes(answer):
    return [each["errorCode"] for item in answer["responses"] for each in item["partitions"]]


@pytest.mark.parametrize("version", range(4))
def test_a_topic_grows_to_the_partitions_that_are_asked_for(version):
    broker = with_topics("a")
    assert grow(broker, ("a", 3, None), version=version) == [("a", 0)]
    assert broker.topics["a"].replicas == [[1], [1], [1]]


def test_new_partitions_have_the_replicas_that_are_assigned():
    broker = Broker(other_nodes=(2, 3))
    create(broker, topic("a", assignments=[(0, [1, 2])]))
    assert grow(broker, ("a", 3, [[3, 2], [2, 1]])) == [("a", 0)]
    assert broker.topics["a"].replicas == [[1, 2], [3, 2], [2, 1]]


@pytest.mark.parametrize(
    ("count", "replicas", "expected"),
    [
        (2, None, 37),
        (1, None, 37),
        (0, None, 37),
        (-1, None, 37),
        (2**31 - 1, None, 37),
        (3, [[1, 1]], 39),
        (3, [[9]], 39),
        (3, [[]], 39),
        (3, [], 39),
        (3, [[1], [1]], 39),
        (3, [[1]], 0),
        (4, [[1], [1]], 0),
    ],
)
def test_what_becomes_of_a_topic_that_is_to_grow(count, replicas, expected):
    broker = Broker()
    create(broker, topic("a", 2, 1))
    assert grow(broker, ("a", count, replicas), validate=True) == [("a", expected)]
    assert len(broker.topics["a"].replicas) == 2


def test_a_topic_that_can_not_grow_does_not_keep_others_from_it():
    broker = with_topics("a", "b", "c")
    asked = [("a", 2, None), ("nope", 2, None), ("b", 1, None), ("c", 2, None), ("c", 3, None)]
    assert grow(broker, *asked) == [("a", 0), ("nope", 3), ("b", 37), ("c", 42)]
    assert [len(each.replicas) for each in broker.topics.values()] == [2, 1, 1]


def test_the_cluster_takes_only_so_many_new_partitions():
    broker = with_topics("a")
    assert grow(broker, ("a", 10_001, None)) == [("a", 37)]
    assert grow(broker, ("a", 10_000, None)) == [("a", 0)]
    assert grow(broker, ("a", 10_001, None)) == [("a", 37)]


def test_without_time_nothing_grows_or_moves():
    broker = with_topics("a")
    assert grow(broker, ("a", 2, None), timeout_ms=0) == [("a", 7)]
    assert reassign(broker, ("a", 0, [1]), timeout_ms=0)["errorCode"] == 7


@pytest.mark.parametrize("version", range(2))
def test_each_partition_is_reassigned_by_itself(version):
    broker = Broker(other_nodes=(2,))
    create(broker, topic("a", assignments=[(0, [1]), (1, [1]), (2, [1])]))
    asked = [("a", 0, [2]), ("a", 1, [9]), ("a", 7, [1]), ("nope", 0, [1]), ("a", 2, None)]
    answer = reassign(broker, *asked, version=version)
    assert answer["errorCode"] == 0
    assert codes(answer) == [0, 39, 3, 3, 85]
    assert broker.topics["a"].replicas == [[2], [1], [1]]


def test_no_reassignment_is_ever_listed():
    value = {"timeoutMs": 1000, "topics": None}
    found = ask(with_topics("a"), "ListPartitionReassignments", 0, value)
    assert (found["errorCode"], found["topics"]) == (0, [])


def test_a_node_that_is_not_the_controller_refuses_what_it_does_not_hand_on():
    broker = Broker(controller=2, forwards=False)
    broker.add_topic(Topic("a", broker.new_topic_id(), [[1]]))
    assert create(broker, topic("b"))["b"]["errorCode"] == 41
    assert grow(broker, ("a", 2, None)) == [("a", 41)]
    assert reassign(broker, ("a", 0, [1]))["errorCode"] == 41
    assert list(broker.topics) == ["a"]


def test_a_node_that_is_not_the_controller_hands_on():
    broker = Broker(controller=2)
    assert create(broker, topic("a"))["a"]["errorCode"] == 0
