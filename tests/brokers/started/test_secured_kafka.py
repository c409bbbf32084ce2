"""A real Apache Kafka that asks who one is: each way to log in, and who may do what."""

from __future__ import annotations

import itertools
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
from kafka.errors import TopicAuthorizationFailedError

from conformance.brokers.started.kafka import RunningKafka
from conformance.brokers.started.kafka_members import listed_brokers
from conformance.brokers.started.kafka_properties import HOST, MECHANISMS, USERS
from tests.brokers.started.real_kafka import (
    PATIENCE_S,
    admin,
    gone_in_the_end,
    mode,
    read,
    wait_for,
)

pytestmark = pytest.mark.java
SASL = ("SASL_SSL", "SASL_PLAINTEXT")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("secured")


@pytest.fixture(scope="module", params=["4.3.1", "3.9.2"])
def kafka(folder: Path, request: pytest.FixtureRequest) -> Iterator[RunningKafka]:
    with gone_in_the_end(folder, request.param, secured=True) as kafka:
        yield kafka


def test_its_admin_may_do_everything(kafka: RunningKafka) -> None:
    assert kafka.address == kafka.address_of("SASL_SSL")
    with admin(kafka.address, kafka.config) as client:
        client.create_topics(["made"])
        wait_for(client.list_topics, ["made"])
        client.delete_topics(["made"])


def test_the_other_may_do_nothing(kafka: RunningKafka) -> None:
    with admin(kafka.address, kafka.other) as client:
        assert client.list_topics() == []
        with pytest.raises(TopicAuthorizationFailedError):
            client.create_topics(["refused"])


@pytest.mark.parametrize(
    ("listener", "mechanism", "user"), list(itertools.product(SASL, MECHANISMS, USERS))
)
def test_every_mechanism_tells_the_users_apart(
    kafka: RunningKafka, listener: str, mechanism: str, user: str
) -> None:
    properties = kafka.client_properties(listener, mechanism, user)
    assert may_create(kafka.address_of(listener), properties) == (user == "admin")


@pytest.mark.parametrize("user", USERS)
def test_a_certificate_tells_the_users_apart(kafka: RunningKafka, user: str) -> None:
    properties = kafka.certificate_properties(user)
    assert may_create(kafka.address_of("SSL"), properties) == (user == "admin")


def test_without_a_certificate_nobody_is_let_in(kafka: RunningKafka) -> None:
    context = ssl.create_default_context(cafile=kafka.authority)
    with (
        socket.create_connection((HOST, kafka.ports["SSL"]), PATIENCE_S) as plain,
        pytest.raises(ssl.SSLError, match=r"(?i)certificate"),
        context.wrap_socket(plain, server_hostname=HOST) as secure,
    ):
        secure.recv(1)


def test_a_wrong_password_is_refused(kafka: RunningKafka) -> None:
    with pytest.raises(ValueError, match="Invalid username or password"):
        listed_brokers(HOST, kafka.ports["SASL_PLAINTEXT"], ("other", "wrong"))


def test_no_secret_can_be_read_by_others_nor_is_logged(kafka: RunningKafka, folder: Path) -> None:
    assert kafka.config is not None
    password = read(kafka.config)["sasl.jaas.config"].split('"')[3]
    home = folder / "kafka"
    assert {mode(each) for each in [home, *home.rglob("node-1"), home / "clients"]} == {0o700}
    knowing = [each for each in home.rglob("*") if each.is_file() and tells(each, password)]
    assert {each.suffix for each in knowing} == {".properties", ".pem"}
    assert {mode(each) for each in knowing} == {0o600}


def tells(path: Path, password: str) -> bool:
    content = path.read_bytes()
    return password.encode() in content or b"PRIVATE KEY" in content


def may_create(address: str, properties: Path) -> bool:
    """Whether one who logs in so may make a topic, had it been meant."""
    with admin(address, properties) as client:
        try:
            client.create_topics(["not-made"], validate_only=True)
        except TopicAuthorizationFailedError:
            return False
        return True
