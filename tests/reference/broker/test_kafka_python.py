"""A real client as the broker's user: what kafka-python creates, lists, describes and deletes."""

import pytest

from conformance.reference.broker.broker import play
from conformance.reference.broker.connections.server import serving

kafka = pytest.importorskip("kafka")
admin = pytest.importorskip("kafka.admin")


@pytest.fixture
def broker():
    return play("4.x", users={"alice": "secret"}, super_users=frozenset({"User:alice"}))


@pytest.fixture
def client(broker):
    with serving(broker) as port:
        client = kafka.KafkaAdminClient(
            bootstrap_servers=f"127.0.0.1:{port}",
            request_timeout_ms=5000,
            security_protocol="SASL_PLAINTEXT",
            sasl_mechanism="PLAIN",
            sasl_plain_username="alice",
            sasl_plain_password="secret",
        )
        try:
            yield client
        finally:
            client.close()


def test_it_creates_and_lists_and_describes_and_deletes_topics(client):
    client.create_topics([admin.NewTopic("a", 2, 1), admin.NewTopic("b", 1, 1)])
    assert sorted(client.list_topics()) == ["a", "b"]
    (described,) = client.describe_topics(["a"])
    assert len(described["partitions"]) == 2
    client.delete_topics(["a"])
    assert client.list_topics() == ["b"]


def test_it_describes_and_alters_configs(client):
    client.create_topics([admin.NewTopic("a", 1, 1)])
    topic = admin.ConfigResourceType.TOPIC
    changed = admin.ConfigResource(topic, "a", configs={"retention.ms": "5"})
    client.alter_configs([changed])
    described = client.describe_configs([admin.ConfigResource(topic, "a")])
    assert described["topic"]["a"]["retention.ms"]["value"] == "5"


def test_it_creates_finds_and_deletes_acls(client):
    acl = admin.ACL(
        "User:bob",
        "*",
        admin.ACLOperation.READ,
        admin.ACLPermissionType.ALLOW,
        admin.ResourcePattern(admin.ResourceType.TOPIC, "a"),
    )
    assert client.create_acls([acl]) == {"succeeded": [acl], "failed": []}
    found, _ = client.describe_acls(acl)
    assert found == [acl]
    client.delete_acls([acl])
    found, _ = client.describe_acls(acl)
    assert found == []


def test_it_is_told_who_the_cluster_is(client, broker):
    described = client.describe_cluster()
    assert described["cluster_id"] == broker.cluster_id
    assert [each["broker_id"] for each in described["brokers"]] == [1]


def test_it_is_refused_with_a_wrong_password(broker):
    with serving(broker) as port, pytest.raises(kafka.errors.KafkaError):
        kafka.KafkaAdminClient(
            bootstrap_servers=f"127.0.0.1:{port}",
            bootstrap_timeout_ms=1000,
            security_protocol="SASL_PLAINTEXT",
            sasl_mechanism="PLAIN",
            sasl_plain_username="alice",
            sasl_plain_password="wrong",
        )


@pytest.mark.parametrize("release", ["0.10", "2.3", "2.4", "3.9", "newest"])
def test_it_speaks_with_every_release_that_is_played(release):
    with serving(play(release)) as port:
        client = kafka.KafkaAdminClient(bootstrap_servers=f"127.0.0.1:{port}")
        try:
            client.create_topics([admin.NewTopic("a", 1, 1)])
            assert client.list_topics() == ["a"]
        finally:
            client.close()
