"""Apache Kafka itself, logged in to by every mechanism at every listener, and refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.brokers.connection.endpoint import (
    Address,
    Endpoint,
    LoginFailed,
    NoBroker,
    Security,
    TlsFailed,
)
from conformance.brokers.started.kafka import RunningKafka, running_kafka
from conformance.targets.errors import TargetError
from tests.brokers.connection.secured import login, security, trusting
from tests.reference.broker.asking import frame, read, sized

pytestmark = pytest.mark.java

SASL = ("SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")
PATIENCE_S = 10.0
FILTER = {"resourceTypeFilter": 2, "resourceNameFilter": None, "patternTypeFilter": 1}
ASK = frame(
    "DescribeAcls",
    1,
    {**FILTER, "principalFilter": None, "hostFilter": None, "operation": 1, "permissionType": 1},
)
ALLOWED, REFUSED = 0, 31


@pytest.fixture(scope="module", params=["4.3.1", "3.9.2"])
def kafka(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningKafka]:
    folder = tmp_path_factory.mktemp("kafka")
    with running_kafka(folder, request.param, secured=True) as running:
        yield running


def reached(
    kafka: RunningKafka, listener: str, login: Security | None, other: Security | None = None
) -> Endpoint:
    return Endpoint(Address.parse(kafka.address_of(listener)), PATIENCE_S, login, other)


def said_to(endpoint: Endpoint, who) -> int:
    """The error that this principal is answered, who asks for ACLs."""
    with endpoint.connect(who) as line:
        line.send(ASK)
        received = line.hear()
    return int(read("DescribeAcls", 1, sized(received.frame))[1]["errorCode"])


def told(kafka: RunningKafka, listener: str, login: Security | None) -> TargetError:
    with pytest.raises(TargetError) as error:
        reached(kafka, listener, login)
    return error.value


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("listener", SASL)
def test_each_principal_logs_in(kafka: RunningKafka, listener: str, mechanism: str) -> None:
    admin, other = (
        Security.read(kafka.client_properties(listener, mechanism, user))
        for user in ("admin", "other")
    )
    endpoint = reached(kafka, listener, admin, other)
    assert endpoint.other_principal == "User:other"
    assert [said_to(endpoint, who) for who in ("self", "other")] == [ALLOWED, REFUSED]


def test_a_certificate_tells_the_principal(kafka: RunningKafka) -> None:
    admin, other = (
        Security.read(kafka.certificate_properties(user)) for user in ("admin", "other")
    )
    endpoint = reached(kafka, "SSL", admin, other)
    assert [said_to(endpoint, who) for who in ("self", "other")] == [ALLOWED, REFUSED]


def test_nobody_is_not_answered(kafka: RunningKafka) -> None:
    admin = Security.read(kafka.client_properties("SASL_SSL", "PLAIN", "admin"))
    with reached(kafka, "SASL_SSL", admin).connect("nobody") as line:
        line.send(ASK)
        assert line.hear().kind == "closed"


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("listener", SASL)
def test_wrong_credentials(
    kafka: RunningKafka, listener: str, mechanism: str, tmp_path: Path
) -> None:
    assert kafka.authority is not None
    pem = kafka.authority.read_text() if listener == "SASL_SSL" else ""
    wrong = {"sasl_oauthbearer_token": "a.b.c"} if mechanism == "OAUTHBEARER" else {}
    error = told(kafka, listener, login(tmp_path, mechanism, pem, **wrong))
    assert isinstance(error, LoginFailed)
    assert "refuses" in error.message


def test_a_mechanism_that_is_not_offered(kafka: RunningKafka) -> None:
    error = told(kafka, "SASL_PLAINTEXT", Security(mechanism="NONE", username="a", password="b"))
    assert isinstance(error, LoginFailed)
    assert "has no SASL mechanism NONE: it offers " in error.message
    assert all(mechanism in error.message for mechanism in MECHANISMS)


def test_no_login(kafka: RunningKafka) -> None:
    error = told(kafka, "SASL_PLAINTEXT", None)
    assert isinstance(error, LoginFailed)
    assert "demands a login: it offers SASL " in error.message


def test_a_login_where_there_is_none(kafka: RunningKafka) -> None:
    shown = Security.read(kafka.certificate_properties("admin"))
    both = Security(shown.tls, shown.subject, "PLAIN", "admin", "secret")
    error = told(kafka, "SSL", both)
    assert isinstance(error, LoginFailed)
    assert "its listener has no SASL" in error.message


def test_a_certificate_that_is_missing(kafka: RunningKafka, tmp_path: Path) -> None:
    assert kafka.authority is not None
    trusted = security(tmp_path, **trusting(kafka.authority.read_text()))
    error = told(kafka, "SSL", trusted)
    assert isinstance(error, TlsFailed)
    assert "demands a certificate" in error.message


def test_tls_and_plaintext_the_wrong_way_round(kafka: RunningKafka) -> None:
    plaintext = Security.read(kafka.client_properties("SASL_PLAINTEXT", "PLAIN", "admin"))
    secured = Security.read(kafka.client_properties("SASL_SSL", "PLAIN", "admin"))
    assert "looks like TLS" in told(kafka, "SASL_SSL", plaintext).message
    assert "speaks Kafka in plaintext" in told(kafka, "SASL_PLAINTEXT", secured).message
    assert isinstance(told(kafka, "SSL", None), NoBroker)


@pytest.mark.parametrize("listener", SASL)
def test_who_has_finished_is_still_answered(kafka: RunningKafka, listener: str) -> None:
    admin = Security.read(kafka.client_properties(listener, "PLAIN", "admin"))
    endpoint = reached(kafka, listener, admin)
    with endpoint.connect() as line:
        line.send(ASK * 2)
        line.finish()
        assert [line.hear().kind for _ in range(3)] == ["reply", "reply", "closed"]
    with endpoint.connect() as line:
        line.send(ASK[:5])
        line.reset()
    assert said_to(endpoint, "self") == ALLOWED
