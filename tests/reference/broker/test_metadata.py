"""Metadata: which topics are shown, and what stands for those that are not."""

from conformance.reference.broker.broker import Broker
from conformance.schema.layout import ZERO_UUID
from tests.reference.broker.asking import ask, metadata, with_topics

OTHER_ID = "AAAAAAAAAAAAAAAAAAAAAQ"


def shown(broker, topics, version=9, **more):
    found = ask(broker, "Metadata", version, metadata(topics, version, **more))["topics"]
    return {each["name"]: each["errorCode"] for each in found}


def test_version_0_asks_for_all_with_an_empty_array():
    assert shown(with_topics("a", "b"), [], 0) == {"a": 0, "b": 0}


def test_version_1_asks_for_all_with_null_and_for_none_with_an_empty_array():
    broker = with_topics("a", "b")
    assert shown(broker, None, 1) == {"a": 0, "b": 0}
    assert shown(broker, [], 1) == {}


def test_each_topic_has_an_error_of_its_own():
    asked = ["a", "nope", "bad name", "", ".", "x" * 250]
    codes = shown(with_topics("a"), asked)
    assert codes == {"a": 0, "nope": 3, "bad name": 17, "": 17, ".": 17, "x" * 250: 17}


def test_a_name_asked_twice_is_shown_once():
    found = ask(with_topics("a"), "Metadata", 9, metadata(["a", "a"]))
    assert len(found["topics"]) == 1


def test_a_topic_that_is_created_by_asking_is_shown_the_next_time():
    broker = Broker()
    assert shown(broker, ["new", "bad name"], auto=True) == {"new": 3, "bad name": 17}
    assert shown(broker, ["new"], 9) == {"new": 0}


def test_below_version_4_a_topic_is_created_by_asking_unless_the_broker_does_not():
    broker = Broker()
    shown(broker, ["new"], 3)
    assert "new" in broker.topics
    broker = Broker(auto_create_topics=False)
    shown(broker, ["new"], 3)
    assert not broker.topics


def test_before_version_12_no_topic_is_asked_by_id():
    for asked in ({"name": None}, {"name": "a", "topicId": OTHER_ID}):
        found = ask(with_topics("a"), "Metadata", 11, metadata([asked], 11))
        assert [each["errorCode"] for each in found["topics"]] == [42]
        assert found["brokers"] == []


def test_a_topic_is_found_by_its_id_and_an_unknown_id_has_no_name():
    broker = with_topics("a")
    own = broker.topics["a"].topic_id
    asked = [{"topicId": own}, {"topicId": OTHER_ID}, {"name": "b"}]
    found = ask(broker, "Metadata", 12, metadata(asked, 12))["topics"]
    seen = [(each["name"], each["topicId"], each["errorCode"]) for each in found]
    assert seen == [("a", own, 0), (None, OTHER_ID, 100)]


def test_operations_are_told_only_if_asked():
    broker = with_topics("a")
    found = ask(broker, "Metadata", 8, metadata(["a"], 8))
    assert found["topics"][0]["topicAuthorizedOperations"] == -(2**31)
    assert found["clusterAuthorizedOperations"] == -(2**31)
    both = {"includeTopicAuthorizedOperations": True, "includeClusterAuthorizedOperations": True}
    found = ask(broker, "Metadata", 8, metadata(["a"], 8, **both))
    assert found["topics"][0]["topicAuthorizedOperations"] == 3576
    assert found["clusterAuthorizedOperations"] == 8096


def test_every_leader_is_among_the_brokers():
    found = ask(with_topics("a"), "Metadata", 13, metadata(None, 13))
    assert [each["nodeId"] for each in found["brokers"]] == [1]
    assert [each["leaderId"] for each in found["topics"][0]["partitions"]] == [1]
    assert found["topics"][0]["topicId"] != ZERO_UUID


def test_the_controller_is_the_node_that_was_named():
    assert ask(Broker(), "Metadata", 9, metadata([]))["controllerId"] == 1
    assert ask(Broker(controller=7), "Metadata", 9, metadata([]))["controllerId"] == 7
