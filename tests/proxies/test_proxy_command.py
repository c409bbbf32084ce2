"""`kafka-conformance proxy` on proxies that are real processes, and on what is none."""

from __future__ import annotations

import shlex
import socket
import sys
from pathlib import Path

import pytest

from conformance.proxies.upstream import UpstreamServer
from conformance.results.files import read_lines
from conformance.results.lines import Verdict
from tests.cli.conftest import run

FORWARDER = Path(__file__).with_name("forwarder.py")
DYING = Path(__file__).with_name("dying.py")
POOLING = Path(__file__).with_name("pooling.py")
QUICK = ("--message", "ApiVersionsRequest", "--message", "MetadataRequest", "--timeout", "3")


def test_the_reference_passes_over_tcp():
    ended = run("proxy", "--start", "reference", "--profile", "kafka", *QUICK)
    assert ended.code == 0, ended.out
    assert "reference: no failure" in ended.out


def test_the_reference_changes_what_it_is_said_to_change_over_tcp():
    told = ("--rewrites", "addresses,node-ids,client-id,api-versions")
    messages = ("--message", "FindCoordinatorRequest", "--message", "CreatePartitionsRequest")
    ended = run("proxy", "--start", "reference", "--profile", "kafka", *told, *messages)
    assert ended.code == 0, ended.out


@pytest.mark.parametrize(
    ("mutant", "breach"),
    [
        ("MetadataLeft", "tells brokers' own addresses in Metadata"),
        ("BrokersEndIgnored", "keeps a client waiting for a broker that has gone"),
        ("RefusalWrittenAsAsked", "writes a broker's refusal anew"),
    ],
)
def test_a_mutant_fails_over_tcp(mutant, breach):
    ended = run("proxy", "--start", f"mutant:{mutant}", "--profile", "kafka", *QUICK)
    assert ended.code == 1
    assert breach in ended.out


def test_a_program_is_started_between_both_ends(tmp_path):
    results = tmp_path / "results.ndjson"
    command = ["--", sys.executable, str(FORWARDER), "{listen}", "{upstream}"]
    options = ("--rewrites", "none", "--profile", "kafka", "--results", str(results))
    ended = run("proxy", *options, *QUICK, *command)
    assert ended.code == 0, ended.out
    verdicts = [line for line in read_lines(results) if isinstance(line, Verdict)]
    assert {verdict.op for verdict in verdicts} == {"forward"}
    assert "proxy-messages.requests-keep-bytes" in {verdict.rule for verdict in verdicts}


def test_the_proxy_of_the_page_passes_all_that_it_is_asked(tmp_path):
    """It forwards as it reads: what comes out has to be read while more is written."""
    page = (Path(__file__).parents[2] / "docs" / "judge-a-proxy.md").read_text("utf-8")
    program = tmp_path / "my_proxy.py"
    program.write_text(page.partition("```python my_proxy.py\n")[2].partition("```")[0], "utf-8")
    command = ["--", sys.executable, str(program), "{listen}", "{upstream}"]
    ended = run("proxy", "--rewrites", "none", *command, timeout_s=600)
    assert ended.code == 0, ended.out
    assert "no failure" in ended.out


def test_connections_to_the_broker_may_be_pooled(tmp_path):
    results = tmp_path / "results.ndjson"
    command = ["--", sys.executable, str(POOLING), "{listen}", "{upstream}"]
    rules = ("proxy-frames.client-gone-ends-upstream", "proxy-frames.broker-gone-ends-client")
    wanted = [word for rule in rules for word in ("--rule", rule)]
    options = ("--rewrites", "none", "--timeout", "2", "--results", str(results))
    ended = run("proxy", *options, *wanted, *command)
    assert ended.code == 0, ended.out
    verdicts = [line for line in read_lines(results) if isinstance(line, Verdict)]
    assert {(each.rule, each.verdict) for each in verdicts} == {(rule, "pass") for rule in rules}
    assert len(verdicts) == 4


def test_a_finding_is_seen_again_by_the_command_that_it_names():
    command = ["--", sys.executable, str(FORWARDER), "{listen}", "{upstream}"]
    ended = run("proxy", "--profile", "kafka", *QUICK, *command)
    assert ended.code == 1
    lines = [line for line in ended.out.splitlines() if "again:" in line]
    again = next(line for line in lines if "MetadataRequest" in line)  # it leaks addresses
    words = shlex.split(again.partition("again:")[2])
    assert words[:2] == ["kafka-conformance", "proxy"]
    assert run(*words[1:]).code == 1


def test_a_program_that_ends_slowly_is_charged_in_the_case_that_ends_it(tmp_path):
    results = tmp_path / "results.ndjson"
    cases = [f"AddPartitionsToTxnRequest-v5/{kind}-huge-lengths" for kind in ("request", "answer")]
    wanted = [word for case in cases for word in ("--case", case)]
    options = ("--rewrites", "none", "--timeout", "3", "--results", str(results))
    command = ["--", sys.executable, str(DYING), "{listen}", "{upstream}"]
    ended = run("proxy", *options, *wanted, *command)
    assert ended.code == 1
    assert "can be ended by one malformed request" in ended.out
    assert "Check each size and count against the bytes that are left" in ended.out
    lines = [line for line in read_lines(results) if isinstance(line, Verdict)]
    assert {(each.case, each.verdict) for each in lines} == {(case, "crash") for case in cases}


def test_what_forwards_nowhere_is_told():
    with socket.create_server(("127.0.0.1", 0)) as line:
        free = _free()
        address = f"127.0.0.1:{line.getsockname()[1]}"
        ended = run("proxy", address, "--upstream-listens", str(free), "--timeout", "0.5")
    assert ended.code == 3
    assert f"nobody answers ApiVersions v0 through {address}" in ended.err
    assert f"127.0.0.1:{free}" in ended.err


def test_a_port_that_is_taken_is_told():
    with UpstreamServer("x", 1.0) as taken:
        port = taken.brokers[1][1]
        ended = run("proxy", "127.0.0.1:9", "--upstream-listens", str(port))
    assert ended.code == 3
    assert f"127.0.0.1:{port}" in ended.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name a proxy"),
        (("127.0.0.1:9092",), "--upstream-listens PORT"),
        (("--start", "reference", "127.0.0.1:9092"), "name a proxy"),
        (
            ("--start", "reference", "--rewrites", "all"),
            "--rewrites has some of addresses, node-ids",
        ),
        (("--start", "reference", "--rewrites", "none,addresses"), "or is none alone"),
    ],
)
def test_arguments_that_say_too_little_are_told(arguments, said):
    ended = run("proxy", *arguments)
    assert ended.code == 2
    assert said in ended.err


def test_a_name_that_nobody_has_is_told():
    ended = run("proxy", "--start", "nonesuch")
    assert ended.code == 2
    assert "no proxy 'nonesuch' can be started" in ended.err


def test_a_program_that_ends_is_told_with_its_last_words():
    command = ["--", sys.executable, "-c", "raise SystemExit('no configuration {listen}')"]
    ended = run("proxy", *command)
    assert ended.code == 3
    assert "no configuration" in ended.err


def _free() -> int:
    with socket.create_server(("127.0.0.1", 0)) as line:
        return int(line.getsockname()[1])
