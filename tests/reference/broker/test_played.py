"""Advertised means served: every version of every release that the broker plays."""

import pytest

from conformance.reference.broker.broker import Broker, play
from conformance.reference.broker.releases import IMPLEMENTED, PLAYED
from tests.reference.broker.asking import ask, bare, with_topics

CODES = {"patternTypeFilter": 3, "resourceTypeFilter": 2, "operation": 1, "permissionType": 1}


def smallest(broker, name, version):
    """A valid request that asks for as little as there is."""
    value = broker.reads.form(f"{name}Request", version).layout.default_value()
    named = {"clientSoftwareName": "a", "clientSoftwareVersion": "1", "acks": 1, **CODES}
    return {key: named.get(key, given) for key, given in value.items()}


@pytest.mark.parametrize("release", PLAYED)
def test_every_advertised_version_is_answered_in_that_version(release):
    for api_key, (low, high) in PLAYED[release].ranges.items():
        for version in range(low, high + 1):
            broker, name = play(release), IMPLEMENTED[api_key]
            answer = ask(broker, name, version, smallest(broker, name, version))
            assert answer is not None, (name, version)


@pytest.mark.parametrize("release", PLAYED)
def test_what_is_advertised_is_what_is_played(release):
    found = ask(play(release), "ApiVersions", 0, {})["apiKeys"]
    shown = {each["apiKey"]: (each["minVersion"], each["maxVersion"]) for each in found}
    assert shown == PLAYED[release].ranges


@pytest.mark.parametrize(("low", "high"), [(0, 1), (3, 3), (9, 13)])
def test_the_versions_served_can_be_chosen(low, high):
    broker = Broker({3: (low, high), 18: (0, 0)})
    assert broker.session().receive(bare(3, high + 1)) == []
    assert broker.session().receive(bare(10, 0, b"\0\0")) == []
    assert ask(broker, "Metadata", high, smallest(broker, "Metadata", high)) is not None


def test_topics_outlive_a_session():
    broker = with_topics("a")
    assert ask(broker, "Metadata", 1, {"topics": None})["topics"][0]["name"] == "a"
