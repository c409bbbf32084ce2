"""Each API is asked for in a way that changes nothing, or is left out with a reason."""

from base64 import b64decode

import pytest

from conformance.brokers.dialogues import questions
from conformance.brokers.dialogues.harmless import HARMLESS_SINCE, LEFT_OUT, REQUESTS, harmless
from conformance.brokers.dialogues.talk import Facts, Talk, api_keys
from conformance.brokers.dialogues.versions.advertised import RULE
from conformance.dialogue import NotApplicable, Send

PREFIX = "test-"


def talk(**ranges):
    """A dialogue with a broker that lists these versions."""
    return Talk(Facts({api_keys()[api]: versions for api, versions in ranges.items()}, PREFIX))


def asked(api, version, high):
    """The first step of the question whether a version is served."""
    [found] = [each for each in questions() if (each.rule, each.api) == (RULE, api)]
    return next(found.make(talk(**{api: (0, high)}), version))


def test_each_api_is_either_asked_for_or_left_out():
    assert sorted([*REQUESTS, *LEFT_OUT]) == sorted(api_keys())


@pytest.mark.parametrize("api", REQUESTS)
def test_each_version_can_be_written(api):
    here = talk()
    assert here.codec.versions(f"{api}Request")
    for version in here.codec.versions(f"{api}Request"):
        assert here.frame(api, version, harmless(here, api, version), 1)


def test_a_joining_member_has_a_subscription_that_a_coordinator_can_read():
    here = talk()
    for version in here.codec.versions("JoinGroupRequest"):
        for protocol in harmless(here, "JoinGroup", version)["protocols"]:
            subscription = b64decode(protocol["metadata"])
            assert subscription[:2] == bytes(2)
            read = here.codec.decode("ConsumerProtocolSubscription", 0, subscription[2:])
            assert read == ({"topics": [], "userData": None}, 0)


@pytest.mark.parametrize("api", HARMLESS_SINCE)
def test_no_topic_is_named_by_a_version_that_would_create_it(api):
    here, since = talk(), HARMLESS_SINCE[api]
    for version in here.codec.versions(f"{api}Request"):
        topics = harmless(here, api, version)["topics"]
        assert [item["name"] for item in topics] == [f"{PREFIX}absent"] * (version >= since)


def test_what_could_create_a_topic_says_that_it_must_not():
    assert harmless(talk(), "CreateTopics", 7)["validateOnly"] is True
    assert harmless(talk(), "Metadata", 12)["allowAutoTopicCreation"] is False


def test_what_is_never_harmless_is_not_sent():
    with pytest.raises(NotApplicable, match="changes that broker's place in the cluster"):
        asked("UnregisterBroker", 0, 0)


def test_old_produce_is_asked_of_a_broker_that_serves_it():
    assert isinstance(asked("Produce", 0, 11), Send)


def test_old_produce_is_not_asked_of_a_broker_that_lists_it_for_old_clients():
    with pytest.raises(NotApplicable, match="Produce below version 3"):
        asked("Produce", 2, 12)
    assert isinstance(asked("Produce", 3, 12), Send)
