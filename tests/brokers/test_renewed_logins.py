"""A login that ends may be renewed on its connection (KIP-368), and one for good may not."""

from pathlib import Path

import pytest

from conformance.brokers.mutants import stocked
from conformance.brokers.mutants.sasl.order import RenewalRefused
from conformance.brokers.score import verdicts_of
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.connections.server import serving
from tests.brokers.connection.secured import PASSWORD, USER, written
from tests.cli.conftest import run

RULES = ("sasl.login-is-over", "sasl.login-renewed")
USERS = {"alice": "wonderland"}


def asked(lifetime_ms: int) -> set[tuple[str, str]]:
    """What comes of the handshake of each rule with a broker that keeps both."""
    broker = Broker(users=USERS, session_lifetime_ms=lifetime_ms)
    verdicts = verdicts_of(stocked(broker), *RULES)
    return {(v.rule, v.verdict) for v in verdicts if v.message == "SaslHandshakeRequest"}


def test_a_login_with_a_lifetime_is_renewed_and_never_refused_for_being_there():
    assert asked(3_600_000) == {(RULES[0], "unsupported"), (RULES[1], "pass")}


def test_a_login_for_good_is_over():
    assert asked(0) == {(RULES[0], "pass"), (RULES[1], "unsupported")}


@pytest.mark.parametrize(("broker", "code"), [(Broker, 0), (RenewalRefused, 1)])
def test_a_broker_is_asked_as_its_logins_are_over_tcp(
    tmp_path: Path, broker: type[Broker], code: int
) -> None:
    properties = {
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": "PLAIN",
        "sasl_jaas_config": f'x required username="{USER}" password="{PASSWORD}";',
    }
    config = str(written(tmp_path, properties))
    with serving(broker(users={USER: PASSWORD}, session_lifetime_ms=3_600_000)) as port:
        options = ("--config", config, "--rule", "sasl.login-*", "--profile", "kafka")
        ended = run("broker", f"127.0.0.1:{port}", *options)
    assert ended.code == code, ended.out + ended.error
    assert ("sasl.login-renewed" in ended.out) == bool(code)
