"""A client that exists logs in to our own broker: kafka-python, by each mechanism, through TLS."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from conformance.brokers.connection.security import unsecured_token
from conformance.reference.broker.connections.server import serving
from tests.brokers.connection.secured import MECHANISMS, PASSWORD, USER, Authority, broker

kafka: Any = pytest.importorskip("kafka")
oauth: Any = pytest.importorskip("kafka.net.sasl.oauth")


class Bearer(oauth.AbstractTokenProvider):  # type: ignore[misc]
    def token(self) -> str:
        return unsecured_token({"unsecuredLoginStringClaim_sub": USER})


@pytest.fixture(params=[False, True], ids=["plaintext", "tls"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dict[str, Any]]:
    """How a client reaches the broker."""
    authority = Authority()
    (tmp_path / "ca.pem").write_text(authority.pem)
    served = broker(super_users=frozenset({f"User:{USER}"}))
    with serving(served, tls=authority.server() if request.param else None) as port:
        yield {
            "bootstrap_servers": f"127.0.0.1:{port}",
            "bootstrap_timeout_ms": 5000,
            "request_timeout_ms": 5000,
            "security_protocol": "SASL_SSL" if request.param else "SASL_PLAINTEXT",
            "ssl_cafile": str(tmp_path / "ca.pem"),
            "sasl_plain_username": USER,
            "sasl_plain_password": PASSWORD,
            "sasl_oauth_token_provider": Bearer(),
        }


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_it_logs_in_and_is_served(settings: dict[str, Any], mechanism: str) -> None:
    with closing(kafka.KafkaAdminClient(**settings, sasl_mechanism=mechanism)) as client:
        client.create_topics([kafka.admin.NewTopic("a", 1, 1)])
        assert client.list_topics() == ["a"]


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_it_is_refused_with_a_wrong_password(settings: dict[str, Any], mechanism: str) -> None:
    wrong = {**settings, "sasl_plain_password": "wrong", "bootstrap_timeout_ms": 1000}
    begun = time.monotonic()
    with pytest.raises(kafka.errors.KafkaError):
        kafka.KafkaAdminClient(**wrong, sasl_mechanism=mechanism)
    assert time.monotonic() - begun < 10
