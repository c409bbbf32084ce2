"""Log dirs are described, and committed offsets deleted."""

import pytest

from conformance import error_codes
from conformance.reference.broker.admin.log_dirs import LOG_DIR
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.releases import FOR_ADMINS, IMPLEMENTED, stored_versions
from tests.reference.broker.asking import ask, create, topic

EVERYTHING = stored_versions(names=IMPLEMENTED | FOR_ADMINS)
LOW, HIGH = EVERYTHING[35]


def dirs(version=HIGH, topics=None, **settings):
    broker = Broker(EVERYTHING, **settings)
    create(broker, topic("a", 2, 1), topic("b", 1, 1))
    return ask(broker, "DescribeLogDirs", version, {"topics": topics})


def partitions_of(answer):
    (log_dir,) = answer["results"]
    assert (log_dir["logDir"], log_dir["errorCode"]) == (LOG_DIR, error_codes.NONE)
    return {
        each["name"]: [one["partitionIndex"] for one in each["partitions"]]
        for each in log_dir["topics"]
    }


@pytest.mark.parametrize("version", range(LOW, HIGH + 1))
def test_null_asks_for_all_topics(version):
    assert partitions_of(dirs(version)) == {"a": [0, 1], "b": [0]}


def test_the_partitions_that_are_asked_for_are_told_and_no_others():
    asked = [{"topic": "a", "partitions": [1, 7]}, {"topic": "gone", "partitions": [0]}]
    assert partitions_of(dirs(topics=asked)) == {"a": [1]}


def test_no_topics_are_none():
    assert partitions_of(dirs(topics=[])) == {}


def test_who_may_not_describe_the_cluster_is_told_of_no_dir():
    broker = Broker(EVERYTHING, super_users=frozenset())
    told = ask(broker, "DescribeLogDirs", HIGH, {"topics": None})
    assert (told["errorCode"], told["results"]) == (error_codes.CLUSTER_AUTHORIZATION_FAILED, [])


def test_each_offset_that_is_to_be_deleted_is():
    asked = [{"name": "a", "partitions": [{"partitionIndex": 0}, {"partitionIndex": 1}]}]
    told = ask(Broker(EVERYTHING), "OffsetDelete", 0, {"groupId": "g", "topics": asked})
    assert told["errorCode"] == error_codes.NONE
    assert [one["errorCode"] for one in told["topics"][0]["partitions"]] == [0, 0]


def test_a_broker_that_is_judged_lists_neither():
    assert Broker().versions.keys().isdisjoint(FOR_ADMINS)
