"""ApiVersions: what is advertised, and what is said of versions that are not (KIP-511)."""

import struct

import pytest

from conformance.reference.broker.broker import Broker, play
from conformance.reference.broker.cluster import Cluster
from conformance.reference.broker.releases import Feature
from tests.reference.broker.asking import ask, bare

NAMED = {"clientSoftwareName": "test", "clientSoftwareVersion": "1.0"}
OWN = {"clusterId": None, "nodeId": -1}


def test_the_newest_definitions_are_served_by_default():
    found = ask(Broker(), "ApiVersions", 0, {})["apiKeys"]
    assert {"apiKey": 18, "minVersion": 0, "maxVersion": 5} in found
    assert [each["apiKey"] for each in found] == sorted({each["apiKey"] for each in found})


@pytest.mark.parametrize("version", [5, 6, 100, 32767, -1, -32768])
def test_a_version_that_is_not_served_gets_the_error_in_version_0_with_the_range(version):
    session = play("4.x").session()
    (answer,) = session.receive(bare(18, version, b"\0"))
    assert answer == struct.pack(">iihihhh", 16, 7, 35, 1, 18, 0, 4)
    assert ask(session, "ApiVersions", 4, NAMED)["errorCode"] == 0


def test_its_body_is_not_looked_at():
    (answer,) = play("4.x").session().receive(bare(18, 100, b"\0\xff\xff\xff"))
    assert answer[8:10] == b"\0\x23"


@pytest.mark.parametrize("data", [bare(18, 100), bare(18, 100, b"\1\5\5x")])
def test_its_header_has_to_be_one_all_the_same(data):
    session = play("4.x").session()
    assert session.receive(data) == []
    assert session.closed


def test_a_broker_of_before_the_kip_gives_no_range():
    (answer,) = play("2.3").session().receive(bare(18, 3))
    assert answer == struct.pack(">iihi", 10, 7, 35, 0)


@pytest.mark.parametrize("text", ["", "a b", "-a", "a-", ".", "a\n", "ä", "a_b"])
@pytest.mark.parametrize("field", list(NAMED))
def test_software_that_has_no_name_is_refused_in_the_version_asked(field, text):
    found = ask(Broker(), "ApiVersions", 3, NAMED | {field: text})
    assert found["errorCode"] == 42
    assert found["apiKeys"] == []


@pytest.mark.parametrize("text", ["a", "A9", "a.b-c", "1--2"])
def test_software_that_has_one_is_served(text):
    named = {"clientSoftwareName": text, "clientSoftwareVersion": text}
    assert ask(Broker(), "ApiVersions", 3, named)["errorCode"] == 0


def test_a_client_of_another_cluster_is_sent_back_to_its_bootstrap():
    broker = Broker()
    right = OWN | {"clusterId": broker.cluster_id, "nodeId": broker.node_id}
    assert ask(broker, "ApiVersions", 5, NAMED | right)["errorCode"] == 0
    assert ask(broker, "ApiVersions", 5, NAMED | OWN)["errorCode"] == 0
    assert ask(broker, "ApiVersions", 5, NAMED | right | {"clusterId": "other"})["errorCode"] == 129
    assert ask(broker, "ApiVersions", 5, NAMED | right | {"nodeId": 77})["errorCode"] == 129


@pytest.mark.parametrize("half", [{"clusterId": "other"}, {"clusterId": ""}, {"nodeId": 1}])
def test_a_client_that_names_a_cluster_or_a_node_alone_is_refused(half):
    assert ask(Broker(), "ApiVersions", 5, NAMED | OWN | half)["errorCode"] == 42


def test_a_feature_that_begins_with_0_is_left_out_below_version_4():
    features = (Feature("old", 1, 2, 2), Feature("new", 0, 1, 0))
    broker = Broker(features=features)
    for version, names in ((3, ["old"]), (4, ["old", "new"])):
        found = ask(broker, "ApiVersions", version, NAMED)
        assert [each["name"] for each in found["supportedFeatures"]] == names
        assert [each["name"] for each in found["finalizedFeatures"]] == ["old"]


def test_one_overridden_method_is_one_misbehaviour():
    class Forgetful(Broker):
        def versions_to_retry(self):
            return []

    (answer,) = Forgetful().session().receive(bare(18, 100, b"\0"))
    assert answer == struct.pack(">iihi", 10, 7, 35, 0)
    assert ask(Forgetful(), "ApiVersions", 3, NAMED) == ask(Broker(), "ApiVersions", 3, NAMED)


def test_two_brokers_share_nothing():
    assert Cluster(versions={}).topics is not Cluster(versions={}).topics
