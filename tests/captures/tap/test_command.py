"""What a tap says to its user, and when it ends: an audit of its capture says the same."""

from __future__ import annotations

import io
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from conformance.brokers.mutants import broker_mutants, stocked
from conformance.captures.audit.auditing import Auditor, audited
from conformance.captures.audit.judging import Judge
from conformance.captures.audit.tables import FrameVerdict, Tables
from conformance.captures.tap.terminal_view import LiveTable
from conformance.reference.broker.broker import Broker, play
from conformance.reference.broker.connections.server import serving
from conformance.results.files import read_lines
from conformance.results.lines import Finding, Run, Summary
from tests.captures.speaking import greeting, hello, sized
from tests.captures.tap.lines import (
    HOST,
    PATIENCE_S,
    connected,
    exactly,
    exchange,
    judged,
    listening,
    running,
    tapping,
    to_the_end,
)

DEFECT = "ApiVersionsWithTaggedHeader"
STAYS_V0 = "response-header.api-versions-stays-v0"
HELLO, GREETING = sized(hello()), sized(greeting())
WRONG = sized(hello() + b"\0")


@pytest.fixture
def broker() -> Iterator[socket.socket]:
    with listening() as there:
        yield there


def lists_topics(address: tuple[str, int]) -> None:
    where = f"{address[0]}:{address[1]}"
    client = [sys.executable, "-m", "conformance.reference.client.program", "topics", where]
    subprocess.run(client, capture_output=True, check=False, timeout=60)


def cli(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "conformance.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(
    ("played", "code", "broken"),
    [(play("newest"), 0, set()), (stocked(broker_mutants()[DEFECT]()), 1, {STAYS_V0})],
    ids=["proper", "faulty"],
)
@pytest.mark.parametrize("options", [(), ("--secrets",)], ids=["masked", "with secrets"])
def test_it_says_what_an_audit_of_its_own_capture_says(
    tmp_path: Path, played: Broker, code: int, broken: set[str], options: tuple[str, ...]
) -> None:
    results, capture, again = (tmp_path / name for name in ("t.ndjson", "t.pcapng", "a.ndjson"))
    played.port = 0
    files = ("--results", results, "--pcapng", capture)
    with serving(played) as port, running(port, *files, *options) as run:
        played.port = run.address[1]
        lists_topics(run.address)
        lists_topics(run.address)
        assert run.interrupt() == code
    audit = cli("audit", capture, "--results", again)
    assert audit.returncode == code
    assert judged(results) == judged(again)
    assert (
        audit.stdout.replace("t.pcapng:", f"{HOST}:{port}:").split("mend")[0]
        == run.out.split("mend")[0].split("all that passed")[0]
    )
    found = {rule for line in judged(results) if isinstance(line, Finding) for rule in line.rules}
    assert found == broken
    assert run.err == ""


def test_a_finding_has_the_command_that_shows_its_frame(
    tmp_path: Path, broker: socket.socket
) -> None:
    results, capture = tmp_path / "t.ndjson", tmp_path / "t.pcapng"
    port = broker.getsockname()[1]
    with running(port, "--results", results, "--pcapng", capture, "--connections", 2) as run:
        exchange(run, broker, (HELLO, GREETING))
        exchange(run, broker, (HELLO, GREETING), (WRONG, GREETING))
        assert run.ended() == 1
    first, *middle, last = read_lines(results)
    assert isinstance(first, Run)
    assert first.target == f"{HOST}:{port}"
    assert isinstance(last, Summary)
    assert (last.cases, last.exit_code) == (6, 1)
    (finding,) = [line for line in middle if isinstance(line, Finding)]
    assert finding.rules == ["framing.nothing-after-end"]
    shown = cli(*finding.reproduce.split()[1:])
    assert shown.stdout.count("-- capture/") == 1
    assert "left over" in shown.stdout


def test_without_a_capture_no_command_is_told(tmp_path: Path, broker: socket.socket) -> None:
    results = tmp_path / "t.ndjson"
    with running(broker.getsockname()[1], "--results", results, "--connections", 1) as run:
        exchange(run, broker, (WRONG, GREETING))
        assert run.ended() == 1
    (finding,) = [line for line in read_lines(results) if isinstance(line, Finding)]
    assert finding.reproduce == ""
    assert "1 defect breaks the protocol" in run.out
    assert "kafka-conformance" not in run.out


def test_ctrl_c_ends_it_with_all_that_passed(tmp_path: Path, broker: socket.socket) -> None:
    results, number = tmp_path / "t.ndjson", 2000
    port = broker.getsockname()[1]
    with running(port, "--results", results) as run, connected(run.address, broker) as ends:
        for each in range(1, number + 1):
            ends.client.sendall(sized(hello(each)))
            exactly(ends.broker, len(HELLO))
            ends.broker.sendall(sized(greeting(each)))
            exactly(ends.client, len(GREETING))
        assert run.interrupt() == 0
        assert to_the_end(ends.client) == to_the_end(ends.broker) == b""
    assert f"{number:,} requests and {number:,} responses on 1 connection" in run.out
    *_, last = read_lines(results)
    assert isinstance(last, Summary)
    assert (last.cases, last.exit_code, last.notes) == (2 * number, 0, [])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_other_signals_end_it_as_well(broker: socket.socket, number: int) -> None:
    with running(broker.getsockname()[1], "--quiet") as run:
        exchange(run, broker, (HELLO, GREETING))
        run.process.send_signal(number)
        assert run.ended() == 0
    assert run.out == f"{HOST}:{broker.getsockname()[1]}: no failure\n"


def test_it_ends_after_some_seconds(broker: socket.socket) -> None:
    with running(broker.getsockname()[1], "--for", 1.5) as run:
        exchange(run, broker, (HELLO, GREETING))
        assert run.ended() == 0
    assert "1 request and 1 response on 1 connection" in run.out


def test_connections_end_where_the_judge_is_killed(broker: socket.socket) -> None:
    with running(broker.getsockname()[1]) as run, connected(run.address, broker) as ends:
        ends.client.sendall(b"asked")
        assert exactly(ends.broker, 5) == b"asked"
        os.kill(run.process.pid, signal.SIGKILL)
        assert to_the_end(ends.broker) == b""


def test_nothing_that_passed_is_no_success(broker: socket.socket) -> None:
    with running(broker.getsockname()[1], "--connections", 1) as run:
        exchange(run, broker, (b"GET / HTTP/1.1\r\n\r\n", b"HTTP/1.1 400 Bad Request\r\n\r\n"))
        assert run.ended() == 3
    assert "HTTP" in run.out
    assert "no frame of Kafka passed" in run.err


def test_a_broker_that_is_not_there_is_told_once() -> None:
    with listening() as there:
        port = there.getsockname()[1]
    with running(port, "--connections", 3) as run:
        for _ in range(3):
            with socket.create_connection(run.address, PATIENCE_S) as client:
                assert to_the_end(client) == b""
        assert run.ended() == 3
    assert run.err.count("Connection refused") == 1
    assert "connections that the broker did not take: Connection refused" in run.out


def test_what_can_be_mended_is_told_in_a_line(broker: socket.socket, tmp_path: Path) -> None:
    taken = f"{HOST}:{broker.getsockname()[1]}"
    for arguments, code, says in (
        ((taken, taken), 3, "Address already in use"),
        (("nowhere", taken), 2, "no address"),
        ((f"{HOST}:0", f"{HOST}:0"), 2, "no address"),
        ((f"{HOST}:0", "no-such-host.invalid:9092"), 3, "is the name right?"),
        ((f"{HOST}:0", taken, "--pcapng", tmp_path / "no" / "t.pcapng"), 2, "No such file"),
        ((f"{HOST}:0", taken, "--results", tmp_path / "no" / "t.ndjson"), 2, "No such file"),
    ):
        ended = cli("tap", *arguments, "--for", 1)
        assert ended.returncode == code, ended
        assert says in ended.stderr
        assert len(ended.stderr.splitlines()) == 1


def test_a_terminal_shows_who_speaks_what_while_it_goes_on(broker: socket.socket) -> None:
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=100, height=40)
    ports = frozenset({broker.getsockname()[1]})
    auditor, tables = Auditor(Judge(), ports), Tables()
    with tapping(broker, 1) as tap, LiveTable(console, auditor, tables) as live:
        with connected(tap.address, broker) as ends:
            ends.client.sendall(WRONG)
            for row in audited(auditor, tap.segments(auditor.traffic.told, live.refresh)):
                tables.take(row)
                if isinstance(row, FrameVerdict):
                    break
        live.refresh()
    assert "black" in shown.getvalue()
    assert "ApiVersions" in shown.getvalue()
    assert "1 request and 0 responses on 1 connection; 1 rule broken" in shown.getvalue()


def test_where_no_terminal_is_nothing_is_shown_on_the_way() -> None:
    shown = io.StringIO()
    with LiveTable(Console(file=shown), Auditor(Judge(), None), Tables()) as live:
        live.refresh()
    assert shown.getvalue() == ""
