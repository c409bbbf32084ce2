"""A group of one whose coordinator shares out."""

import pytest

from conformance import error_codes
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.cluster import Topic
from conformance.reference.broker.releases import FOR_CONSUMERS, stored_versions
from conformance.schema.filling import filled
from tests.reference.broker.asking import CODEC, ask

HEARTBEAT = "ConsumerGroupHeartbeat"
TOPIC_ID = "AAAAAAAAAAAAAAAAAAAAAQ"
JOINS = {
    "groupId": "g",
    "memberId": "m",
    "rebalanceTimeoutMs": 1000,
    "subscribedTopicNames": ["t"],
    "topicPartitions": [],
}
IS_THERE = {"groupId": "g", "memberId": "m", "memberEpoch": 1}


@pytest.fixture
def broker():
    broker = Broker(stored_versions(names=FOR_CONSUMERS))
    broker.add_topic(Topic("t", TOPIC_ID, [[1], [1]]))
    return broker


def beat(broker, wanted, version=1):
    value = filled(CODEC.form(f"{HEARTBEAT}Request", version).layout, wanted)
    return ask(broker, HEARTBEAT, version, value)


def test_who_joins_is_given_every_partition_and_an_epoch(broker):
    answer = beat(broker, JOINS)
    assert (answer["errorCode"], answer["memberId"], answer["memberEpoch"]) == (0, "m", 1)
    (topic,) = answer["assignment"]["topicPartitions"]
    assert topic == {"topicId": TOPIC_ID, "partitions": [0, 1]}


def test_in_the_first_version_it_is_given_an_id_as_well(broker):
    assert beat(broker, {**JOINS, "memberId": ""}, 0)["memberId"]


def test_what_it_was_told_it_is_not_told_again(broker):
    beat(broker, JOINS)
    assert beat(broker, IS_THERE)["assignment"] is None


def test_who_says_all_of_itself_is_told_all(broker):
    beat(broker, JOINS)
    again = {**JOINS, "memberEpoch": 1}
    assert beat(broker, again)["assignment"] is not None


def test_who_left_is_not_known(broker):
    beat(broker, JOINS)
    left = beat(broker, {**IS_THERE, "memberEpoch": -1})
    assert (left["errorCode"], left["memberEpoch"]) == (error_codes.NONE, -1)
    assert beat(broker, IS_THERE)["errorCode"] == error_codes.UNKNOWN_MEMBER_ID


def test_who_has_another_epoch_is_fenced(broker):
    beat(broker, JOINS)
    refused = beat(broker, {**IS_THERE, "memberEpoch": 2})
    assert refused["errorCode"] == error_codes.FENCED_MEMBER_EPOCH


@pytest.mark.parametrize(
    "wrong",
    [
        {"groupId": ""},
        {"memberId": ""},
        {"rebalanceTimeoutMs": -1},
        {"subscribedTopicNames": None},
        {"topicPartitions": None},
        {"topicPartitions": [{"topicId": TOPIC_ID, "partitions": [0]}]},
        {"memberEpoch": -2},
        {"memberEpoch": -3},
    ],
)
def test_what_no_member_may_say_is_an_invalid_request(broker, wrong):
    assert beat(broker, {**JOINS, **wrong})["errorCode"] == error_codes.INVALID_REQUEST


def test_an_assignor_that_is_none_is_refused(broker):
    refused = beat(broker, {**JOINS, "serverAssignor": "by-chance"})
    assert refused["errorCode"] == error_codes.UNSUPPORTED_ASSIGNOR


def test_who_may_not_read_the_group_is_refused(broker):
    broker.super_users = frozenset()
    assert beat(broker, JOINS)["errorCode"] == error_codes.GROUP_AUTHORIZATION_FAILED


def test_no_broker_that_is_judged_lists_it():
    assert Broker().versions.keys().isdisjoint(FOR_CONSUMERS)
