"""`kafka-conformance client` on programs of all sorts: what each is told, and that none stays."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conformance.results.files import read_lines
from conformance.results.lines import Summary, Verdict
from tests.cli.conftest import COMMAND, environment, mark, nothing_stays, run

__all__ = ["mark", "nothing_stays"]

LONG_S = 600
"""For a hundred scenarios, on a machine that has other work."""
OF_EVERY_ACTION = [
    word
    for name in ("ApiVersions", "CreateTopics", "DescribeGroups", "InitProducerId", "ListOffsets")
    for word in ("--message", f"{name}Request")
]
PROGRAM = (sys.executable, "-c")
CASE = ("--case", "ApiVersionsRequest/hints-to")
IMPORTS = "import os, socket, subprocess, sys, time\nhost, port = sys.argv[1].rsplit(':', 1)\n"
REFERENCE = f"{sys.executable} -m conformance.reference.client.program topics"


def judged(code: str, *options: str, results: Path) -> tuple[int, str, list[Verdict]]:
    """A program that is given HOST:PORT as its only argument."""
    program = [*PROGRAM, IMPORTS + code, "{bootstrap}"]
    ended = run("client", *CASE, *options, "--results", results, "--", *program)
    found = [line for line in read_lines(results) if isinstance(line, Verdict)]
    return ended.code, ended.out + ended.err, found


@pytest.fixture
def results(tmp_path: Path, nothing_stays: None) -> Path:
    return tmp_path / "results.ndjson"


def test_the_reference_client_passes(results: Path) -> None:
    """In scenarios of every action; `tox run -e clients` plays all to it, one after another."""
    arguments = ("reference", "--profile", "kafka", "--results", results)
    ended = run("client", *arguments, *OF_EVERY_ACTION, timeout_s=LONG_S)
    assert ended.code == 0, ended.out
    *_, summary = read_lines(results)
    assert isinstance(summary, Summary)
    assert set(summary.verdicts) == {"pass"}


def test_the_control_case_that_a_verdict_names_can_be_chosen(results: Path) -> None:
    """It decides no rule of its own, but those that hold in each scenario."""
    case = ("--case", "ApiVersionsRequest/serves-members")
    ended = run("client", "reference", *case, "--results", results)
    assert ended.code == 0, ended.out
    cases = {line.case for line in read_lines(results) if isinstance(line, Verdict)}
    assert "ApiVersionsRequest/serves-members" in cases


def test_a_mutant_breaks_its_rule(results: Path) -> None:
    case = ("--case", "ApiVersionsRequest/hints-from1-to2")
    ended = run("client", "mutant:FallsToZero", *case, "--results", results)
    assert ended.code == 1
    broken = [line for line in read_lines(results) if isinstance(line, Verdict)]
    assert {each.rule for each in broken if each.verdict == "fail"} == {
        "client-fallback.hint-is-followed"
    }
    assert "again:    kafka-conformance client mutant:FallsToZero --case" in ended.out


@pytest.mark.parametrize(
    "code",
    [
        "print('ok')",
        "print('ok'); socket.create_connection((host, int(port))).sendall(b'GET / HTTP/1.1\\r\\n')",
        "time.sleep(60)",
        "sys.stdout.write('x' * 10 ** 9)",
        "while True: print('ok')",
        "sys.stdin.read(); assert sys.stdin.isatty(); print('ok')",
        "socket.create_connection(('127.0.0.1', 1)); print('ok')",
        "os.kill(os.getpid(), 9)",
    ],
    ids=[
        "never-connects",
        "speaks-http",
        "never-ends",
        "writes-a-gigabyte",
        "floods",
        "needs-a-terminal",
        "goes-elsewhere",
        "is-killed",
    ],
)
def test_a_program_that_is_no_client_passes_nothing(code: str, results: Path) -> None:
    exit_code, said, found = judged(code, "--timeout", "1", results=results)
    assert exit_code in (1, 3), said
    assert "pass" not in {each.verdict for each in found}


def test_what_a_program_started_and_left_behind_is_ended(results: Path) -> None:
    code = "subprocess.Popen(['sleep', '600'], stdout=subprocess.DEVNULL)\nprint('ok')"
    exit_code, said, _ = judged(code, results=results)
    assert exit_code == 3, said  # `nothing_stays` looks for the rest


def test_a_plain_program_is_told_by_its_exit_status(results: Path) -> None:
    words = [*REFERENCE.split(), "{bootstrap}"]
    ended = run("client", *CASE, "--results", results, "--", *words)
    assert ended.code == 0, ended.out
    found = [line for line in read_lines(results) if isinstance(line, Verdict)]
    assert {each.verdict for each in found} == {"pass"}


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("--", "/no/such/program", "{bootstrap}"), 2, "there is no program /no/such/program"),
        (("--", "sh", "-c", "true"), 2, "no client"),
        (("nobody",), 2, "no client 'nobody' is known"),
        (("mutant:Nobody",), 2, "no client 'mutant:Nobody' is known"),
        ((), 2, "name a client"),
        (("reference", "--listen", "127.0.0.1:1"), 2, "name a client"),
        (("--listen", "nowhere"), 2, "is no address"),
    ],
)
def test_what_can_not_be_started_is_told(arguments: tuple[str, ...], code: int, says: str) -> None:
    ended = run("client", *arguments)
    assert ended.code == code, ended.out + ended.err
    assert says in ended.out + ended.err


def test_a_port_in_use_is_told_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        ended = run("client", "--listen", address, *CASE)
    assert ended.code == 3
    assert "Address already in use" in ended.out + ended.err


def test_nobody_who_comes_is_told_in_one_line() -> None:
    ended = run("client", "--listen", f"127.0.0.1:{free_port()}", "--timeout", "0.5", *CASE)
    assert ended.code == 3
    assert "no client came to" in ended.out + ended.err


def test_a_client_that_is_started_elsewhere_is_judged_by_what_it_sends(results: Path) -> None:
    address = f"127.0.0.1:{free_port()}"
    options = ("--listen", address, "--timeout", "4", *CASE, "--results", str(results))
    started = subprocess.Popen([*COMMAND, "client", *options], env=environment())
    while started.poll() is None:
        subprocess.run([*REFERENCE.split(), address], stdout=subprocess.DEVNULL, check=False)
        time.sleep(0.5)
    assert started.returncode == 0
    found = {line.rule: line.verdict for line in read_lines(results) if isinstance(line, Verdict)}
    assert found["client-fallback.hint-is-followed"] == "pass"
    assert found["client-fallback.answer-read-as-asked"] == "unsupported"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def test_what_a_mutant_stumbles_over_ends_it_as_a_panic_does(results: Path) -> None:
    case = ("--case", "MetadataRequest/array-of-one-more")
    run("client", "mutant:ElementsWithinTheAnswer", *case, "--results", results)
    verdicts = [line for line in read_lines(results) if isinstance(line, Verdict)]
    crashed = {each.rule: each.detail for each in verdicts if each.verdict == "crash"}
    assert list(crashed) == ["client-answers.hostile-lengths-survived"]
    assert "panic: IndexError(2)" in crashed["client-answers.hostile-lengths-survived"]


def test_a_driver_without_an_action_is_told_from_a_client_that_never_asks(tmp_path: Path) -> None:
    code = "print('unsupported it has no fetch') if sys.argv[2] == 'consume' else print('ok')"
    driver = [*PROGRAM, f"import sys; {code}", "{bootstrap}", "{action}"]
    case = ("--case", "FetchRequest/null-in-place-of-records")
    asked = run("client", *case, "--", *driver)
    assert "1 case in " in asked.out
    assert "1 could not be asked: the driver lacks what" in asked.out


def test_a_case_is_counted_once_whatever_is_judged_on_every_visit(results: Path) -> None:
    ended = run("client", "reference", *CASE, "--results", results)
    verdicts = [line for line in read_lines(results) if isinstance(line, Verdict)]
    *_, summary = read_lines(results)
    assert isinstance(summary, Summary)
    assert (summary.cases, summary.unasked) == (len({each.case for each in verdicts}), 0), ended
