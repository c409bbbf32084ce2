"""DescribeConfigs, AlterConfigs and IncrementalAlterConfigs."""

import pytest

from conformance.reference.broker.broker import Broker, play
from tests.reference.broker.asking import ask, create, topic, with_topics

TOPIC, BROKER, LOGGER, METRICS, GROUP = 2, 4, 8, 16, 32
SET, DELETE, APPEND, SUBTRACT = range(4)


def describe(broker, *resources, version=4, synonyms=False, documentation=False):
    value = {
        "resources": [
            {"resourceType": kind, "resourceName": name, "configurationKeys": keys}
            for kind, name, keys in resources
        ],
    }
    if version >= 1:
        value["includeSynonyms"] = synonyms
    if version >= 3:
        value["includeDocumentation"] = documentation
    return ask(broker, "DescribeConfigs", version, value)["results"]


def values(broker, kind, name, *keys):
    (result,) = describe(broker, (kind, name, list(keys)))
    assert result["errorCode"] == 0
    return {each["name"]: each["value"] for each in result["configs"]}


def alter(broker, *resources, validate=False, version=2):
    value = {
        "resources": [
            {
                "resourceType": kind,
                "resourceName": name,
                "configs": [{"name": key, "value": value} for key, value in configs],
            }
            for kind, name, configs in resources
        ],
        "validateOnly": validate,
    }
    return codes(ask(broker, "AlterConfigs", version, value)["responses"], resources)


def change(broker, *resources, validate=False, version=1):
    value = {
        "resources": [
            {
                "resourceType": kind,
                "resourceName": name,
                "configs": [
                    {"name": key, "configOperation": operation, "value": value}
                    for key, operation, value in configs
                ],
            }
            for kind, name, configs in resources
        ],
        "validateOnly": validate,
    }
    responses = ask(broker, "IncrementalAlterConfigs", version, value)["responses"]
    return codes(responses, resources)


def codes(responses, resources):
    asked = [(kind, name) for kind, name, _ in resources]
    assert [(each["resourceType"], each["resourceName"]) for each in responses] == asked
    return [each["errorCode"] for each in responses]


@pytest.fixture
def broker():
    broker = with_topics("other")
    create(broker, topic("t", configs={"retention.ms": "5"}))
    return broker


def test_all_configs_are_shown_for_null_and_as_apache_kafka_has_it_for_none(broker):
    all_of_them, none = describe(broker, (TOPIC, "t", None), (TOPIC, "t", []))
    assert all_of_them == none
    assert len(none["configs"]) == 33


def test_keys_that_nobody_knows_are_left_out(broker):
    assert values(broker, TOPIC, "t", "retention.ms", "no.such") == {"retention.ms": "5"}


def test_each_resource_has_an_error_of_its_own(broker):
    asked = [(TOPIC, "nope"), (TOPIC, "bad name"), (TOPIC, "t"), (BROKER, "2"), (BROKER, "one")]
    results = describe(broker, *((kind, name, None) for kind, name in asked))
    assert [each["errorCode"] for each in results] == [3, 17, 0, 42, 42]


@pytest.mark.parametrize("kind", [0, 3, 99, -1])
def test_a_type_that_is_none_ruins_the_whole_request(broker, kind):
    results = describe(broker, (kind, "x", None), (TOPIC, "t", None))
    assert [each["errorCode"] for each in results] == [42, 42]


def test_a_resource_asked_twice_has_two_results(broker):
    assert len(describe(broker, (TOPIC, "t", ["retention.ms"]), (TOPIC, "t", None))) == 2


def test_synonyms_and_documentation_are_shown_only_if_asked(broker):
    (plain,) = describe(broker, (TOPIC, "t", ["flush.messages"]))
    assert plain["configs"][0]["synonyms"] == []
    assert plain["configs"][0]["documentation"] is None
    assert plain["configs"][0]["configType"] == 5
    asked = (TOPIC, "t", ["flush.messages"])
    (full,) = describe(broker, asked, synonyms=True, documentation=True)
    names = [each["name"] for each in full["configs"][0]["synonyms"]]
    assert names == ["log.flush.interval.messages"]
    assert full["configs"][0]["documentation"]


def test_what_is_set_of_the_broker_counts_for_its_topics_most_special_first(broker):
    key = "log.flush.interval.messages"
    assert change(broker, (BROKER, "", [(key, SET, "7")])) == [0]
    assert values(broker, TOPIC, "t", "flush.messages") == {"flush.messages": "7"}
    assert change(broker, (BROKER, "1", [(key, SET, "8")])) == [0]
    (result,) = describe(broker, (TOPIC, "t", ["flush.messages"]), synonyms=True)
    assert [(each["value"], each["source"]) for each in result["configs"][0]["synonyms"]] == [
        ("8", 2),
        ("7", 3),
        ("9223372036854775807", 5),
    ]
    assert values(broker, BROKER, "") == {key: "7"}


def test_a_secret_is_never_shown(broker):
    assert change(broker, (BROKER, "1", [("ssl.keystore.password", SET, "secret")])) == [0]
    (result,) = describe(broker, (BROKER, "1", ["ssl.keystore.password"]), synonyms=True)
    (config,) = result["configs"]
    assert config["isSensitive"]
    assert config["value"] is None
    assert [each["value"] for each in config["synonyms"]] == [None]


def test_a_config_of_somebodys_own_is_relayed_and_taken_for_a_secret(broker):
    assert alter(broker, (BROKER, "1", [("my.own", "x")])) == [0]
    assert values(broker, BROKER, "1", "my.own") == {"my.own": None}


def test_version_0_says_whether_it_is_the_default():
    broker = play("2.3")
    create(broker, topic("t", configs={"retention.ms": "5"}), version=3)
    (result,) = describe(broker, (TOPIC, "t", ["retention.ms", "cleanup.policy"]), version=0)
    shown = {each["name"]: each["isDefault"] for each in result["configs"]}
    assert shown == {"cleanup.policy": True, "retention.ms": False}


def test_to_alter_replaces_all_that_was_set(broker):
    assert alter(broker, (TOPIC, "t", [("cleanup.policy", "compact")])) == [0]
    assert broker.configs[TOPIC, "t"] == {"cleanup.policy": "compact"}


def test_to_change_leaves_the_others(broker):
    assert change(broker, (TOPIC, "t", [("cleanup.policy", SET, "compact")])) == [0]
    assert broker.configs[TOPIC, "t"] == {"cleanup.policy": "compact", "retention.ms": "5"}
    assert change(broker, (TOPIC, "t", [("retention.ms", DELETE, None)])) == [0]
    assert broker.configs[TOPIC, "t"] == {"cleanup.policy": "compact"}


def test_a_list_is_added_to_and_taken_from(broker):
    def policy(operation, value):
        assert change(broker, (TOPIC, "t", [("cleanup.policy", operation, value)])) == [0]
        return values(broker, TOPIC, "t", "cleanup.policy")["cleanup.policy"]

    assert policy(APPEND, "compact,compact") == "delete,compact"
    assert policy(SUBTRACT, "delete") == "compact"
    assert policy(SUBTRACT, "compact") == ""


def test_of_a_resource_all_is_done_or_nothing(broker):
    changes = [("segment.bytes", SET, "2000000"), ("retention.ms", APPEND, "1")]
    assert change(broker, (TOPIC, "t", changes), (TOPIC, "other", changes[:1])) == [40, 0]
    assert broker.configs[TOPIC, "t"] == {"retention.ms": "5"}
    assert broker.configs[TOPIC, "other"] == {"segment.bytes": "2000000"}


@pytest.mark.parametrize("operation", [4, -1, 99])
def test_an_operation_that_is_none_is_an_error_of_the_resource(broker, operation):
    changes = [("retention.ms", operation, "1")]
    assert change(broker, (TOPIC, "t", changes), (BROKER, "1", changes)) == [42, 42]


def test_what_can_not_be_altered(broker):
    twice = [("retention.ms", "1"), ("retention.ms", "1")]
    assert alter(
        broker,
        (TOPIC, "nope", []),
        (TOPIC, "t", twice),
        (TOPIC, "other", [("retention.ms", None)]),
        (BROKER, "2", []),
        (BROKER, "one", []),
        (BROKER, "1", [("node.id", "5")]),
        (LOGGER, "1", [("no.logger", "INFO")]),
        (99, "x", []),
        (0, "x", []),
    ) == [3, 42, 42, 42, 42, 42, 40, 42, 42]
    assert alter(broker, (TOPIC, "t", [("no.such", "1")])) == [40]
    assert alter(broker, (TOPIC, "t", [("retention.ms", "soon")])) == [40]
    assert broker.configs[TOPIC, "t"] == {"retention.ms": "5"}


def test_a_resource_given_twice_is_refused_and_the_others_go_on(broker):
    twice = (TOPIC, "t", [("retention.ms", SET, "1")])
    once = (TOPIC, "other", [("retention.ms", SET, "1")])
    assert change(broker, twice, once, twice) == [42, 0, 42]
    assert alter(broker, (TOPIC, "t", []), (TOPIC, "other", []), (TOPIC, "t", [])) == [42, 0, 42]


def test_to_validate_changes_nothing(broker):
    assert alter(broker, (TOPIC, "t", []), validate=True) == [0]
    assert change(broker, (TOPIC, "t", [("retention.ms", SET, "9")]), validate=True) == [0]
    assert change(broker, (TOPIC, "t", [("retention.ms", SET, "?")]), validate=True) == [40]
    assert broker.configs[TOPIC, "t"] == {"retention.ms": "5"}


def test_groups_and_client_metrics_have_configs_without_being_there():
    broker = Broker()
    assert change(broker, (GROUP, "g", [("consumer.session.timeout.ms", SET, "50000")])) == [0]
    assert change(broker, (METRICS, "m", [("interval.ms", SET, "1000")])) == [0]
    defaults = {"interval.ms": "300000", "match": "", "metrics": ""}
    assert values(broker, METRICS, "m") == defaults | {"interval.ms": "1000"}
    assert values(broker, METRICS, "none") == defaults
    assert values(broker, GROUP, "g", "consumer.session.timeout.ms") == {
        "consumer.session.timeout.ms": "50000"
    }


def test_client_metrics_have_no_other_configs():
    assert change(Broker(), (METRICS, "m", [("no.such", SET, "1")])) == [42]


def test_all_topics_together_can_not_be_altered(broker):
    assert change(broker, (TOPIC, "", [])) == [42]
    assert alter(broker, (TOPIC, "", []), (TOPIC, "bad name", [])) == [42, 17]


@pytest.mark.parametrize("operation", [APPEND, SUBTRACT])
def test_null_is_no_entry_of_a_list(broker, operation):
    assert change(broker, (TOPIC, "t", [("cleanup.policy", operation, None)])) == [42]


def test_a_config_that_nobody_knows_can_be_deleted(broker):
    assert change(broker, (TOPIC, "t", [("no.such", DELETE, None)])) == [0]
    assert broker.configs[TOPIC, "t"] == {"retention.ms": "5"}
