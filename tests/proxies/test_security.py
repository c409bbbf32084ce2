"""Proxies that speak TLS on either side, and that demand a login, are judged as all others are."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from conformance.brokers.connection.certificates import Certificates, issue
from conformance.proxies.in_process import OWN
from conformance.proxies.mutants.mutant import USERS
from conformance.proxies.score import rules_of_proxies, verdicts_of
from conformance.reference.proxy.proxy import Proxy
from conformance.results.files import read_lines
from conformance.results.lines import Verdict
from tests.cli.conftest import run

FORWARDER = Path(__file__).with_name("tls_forwarder.py")
QUICK = ("--message", "MetadataRequest", "--profile", "kafka", "--timeout", "5")
KEPT_OUT = "proxy-security.nothing-before-login"


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return issue(tmp_path_factory.mktemp("keys") / "made", ("127.0.0.1",), ("alice",))


def properties(path: Path, **lines: object) -> str:
    text = "".join(f"{name.replace('_', '.')}={value}\n" for name, value in lines.items())
    path.write_text(text, "utf-8")
    return str(path)


def forwarding(keys: Certificates, folder: Path) -> list[str]:
    """The words of a run on a forwarder that speaks TLS on both sides."""
    client = properties(
        folder / "client.properties",
        security_protocol="SSL",
        ssl_truststore_location=keys.authority,
    )
    broker = properties(
        folder / "broker.properties",
        ssl_keystore_location=keys.broker,
        ssl_client_auth="required",
        ssl_truststore_location=keys.authority,
    )
    program = [sys.executable, str(FORWARDER), "{listen}", "{upstream}"]
    files = ["--config", client, "--upstream-config", broker]
    return [*files, "--rewrites", "none", "--", *program, str(keys.broker), str(keys.authority)]


def test_the_reference_passes_over_tls_and_behind_a_login(tmp_path: Path) -> None:
    results = tmp_path / "results.ndjson"
    options = ("--start", "secured-reference", "--results", str(results))
    messages = ("--message", "ProduceRequest", "--message", "AddRaftVoterRequest")
    ended = run("proxy", *options, *QUICK, *messages)
    assert ended.code == 0, ended.out
    verdicts = [line for line in read_lines(results) if isinstance(line, Verdict)]
    unasked = {line.case.partition("/")[2] for line in verdicts if line.verdict == "unsupported"}
    assert unasked == {"half-closed-by-the-client"}
    assert {line.rule for line in verdicts if line.verdict == "pass"} >= {
        KEPT_OUT,
        "proxy-frames.unread-answers-wait",
        "proxy-frames.large-frames-pass",
        "proxy-addresses.lead-to-their-broker",
    }


def test_a_forwarder_passes_that_speaks_tls_on_both_sides(
    keys: Certificates, tmp_path: Path
) -> None:
    ended = run("proxy", *QUICK, *forwarding(keys, tmp_path))
    assert ended.code == 0, ended.out


@pytest.mark.parametrize(
    ("left_out", "said"),
    [("--config", "name --config"), ("--upstream-config", "name --upstream-config")],
)
def test_what_is_missing_of_tls_is_told(
    keys: Certificates, tmp_path: Path, left_out: str, said: str
) -> None:
    words = forwarding(keys, tmp_path)
    place = words.index(left_out)
    ended = run("proxy", *QUICK, *words[:place], *words[place + 2 :])
    assert ended.code == 3
    assert said in ended.err


def test_a_mutant_that_forwards_too_early_fails_over_tcp() -> None:
    ended = run("proxy", "--start", "mutant:HandshakeIsLogin", *QUICK, "--rule", KEPT_OUT)
    assert ended.code == 1
    assert "a request of a client that has not logged in comes to the broker" in ended.out


def test_who_demands_a_login_passes_all() -> None:
    verdicts = verdicts_of(Proxy(OWN, users=USERS), rules_of_proxies(), quick=True)
    assert {verdict.verdict for verdict in verdicts} == {"pass", "unsupported"}
    assert sum(verdict.rule == KEPT_OUT for verdict in verdicts) > 70


def test_files_are_for_proxies_that_have_none_of_their_own(tmp_path: Path) -> None:
    config = properties(tmp_path / "client.properties", security_protocol="PLAINTEXT")
    ended = run("proxy", "--start", "reference", "--config", config)
    assert ended.code == 2
    assert "--config is for HOST:PORT and commands" in ended.err
