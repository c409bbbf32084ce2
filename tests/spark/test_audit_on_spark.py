"""The audit on Spark: what one process says, in parts, with everything that was planted."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

pytest.importorskip("pyspark", reason="needs the extra `pipeline`")

from rich.console import Console

from conformance.captures.audit.auditing import audit_part
from conformance.captures.audit.report import show
from conformance.captures.audit.tables import FrameVerdict, Tables
from conformance.captures.errors import CaptureError
from conformance.captures.streams.traffic import files_of
from conformance.cli import main
from conformance.results.files import read_lines
from conformance.results.lines import Verdict
from conformance.spark.audit.auditing import AuditPlan, audit_on_spark, part_rows, to_be_taken
from conformance.spark.jobs.parts import SetAside, in_parts
from tests.captures.speaking import greeting, hello, sized
from tests.captures.writing import Line, Tcp, pcap, snapped, written
from tests.machine import lacking, released_pythons

pytestmark = [
    pytest.mark.java,
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # PySpark's own sockets
]

CONNECTIONS, FAULTY = 60, 7
"""Connections of a request and an answer each, and how many of them have a byte too many."""


@pytest.fixture
def capture(tmp_path) -> Path:
    return written(tmp_path / "capture.pcap", pcap(packets()))


def packets() -> list[Tcp]:
    """Connections one over another, some faulty, some never closed, some of other ports."""
    lines = [line(number) for number in range(CONNECTIONS)]
    longest = max(len(each.packets) for each in lines)
    return [
        each.packets[turn]
        for turn in range(longest)
        for each in reversed(lines)
        if turn < len(each.packets)
    ]


def line(number: int) -> Line:
    port = 80 if number % 5 == 1 else 9092
    found = Line(client=(f"10.0.{number}.5", 1024 + number), broker=("10.0.0.1", port)).opens()
    extra = b"\0" * (port == 9092 and number // 5 < FAULTY and number % 5 == 0)
    found.asks(sized(hello(number) + extra)).answers(sized(greeting(number)))
    if number % 4 == 0:
        found.packets[-1] = snapped(found.packets[-1], 9)
        found.asks(sized(hello(number)))
    return found if number % 3 == 0 else found.closes()


def alone(*files: Path) -> Tables:
    tables = Tables()
    for row in audit_part(files):
        tables.take(row)
    return tables


def asked(*files: Path, **more) -> AuditPlan:
    return AuditPlan(files=tuple(str(path) for path in files), **{"parts": 4, **more})


def on_spark(session, what: AuditPlan) -> Tables:
    tables = Tables()
    for row in to_be_taken(tables, audit_on_spark(session, what, quiet_console())):
        tables.take(row)
    return tables


def quiet_console() -> Console:
    return Console(file=io.StringIO())


def report(tables: Tables) -> str:
    written_to = io.StringIO()
    show(Console(file=written_to, width=120), tables, "capture", [])
    return written_to.getvalue()


def test_four_parts_report_what_one_process_does(session, capture):
    expected = alone(capture)
    found = on_spark(session, asked(capture))
    assert found == expected
    assert report(found) == report(expected)


def test_every_planted_violation_is_found(session, capture):
    found = on_spark(session, asked(capture))
    (violation,) = [v for v in found.broken if v.rule == "framing.nothing-after-end"]
    assert violation.count == FAULTY
    assert found.connections == CONNECTIONS - CONNECTIONS // 5
    elsewhere = [each for each in packets() if 80 in (each.source[1], each.target[1])]
    assert found.passed["packets of other ports"] == sum(bool(each.payload) for each in elsewhere)


@pytest.mark.parametrize("parts", [1, 3, 16])
def test_any_number_of_parts_adds_up(capture, parts):
    what = asked(capture)
    given = [pair for part in range(parts) for pair in part_rows(what, part, parts)]
    tables = Tables()
    ordered = (counted for _, counted in sorted(given, key=lambda pair: pair[0]))
    for row in to_be_taken(tables, ordered):
        tables.take(row)
    assert report(tables) == report(alone(capture))


def test_each_verdict_comes_in_the_order_of_the_packets(session, capture):
    what = asked(capture, each=True)
    rows = [each.row for each in audit_on_spark(session, what, quiet_console())]
    verdicts = [row.verdict for row in rows if isinstance(row, FrameVerdict)]
    assert verdicts == [
        row.verdict for row in audit_part([capture]) if isinstance(row, FrameVerdict)
    ]


def test_little_travels_where_nobody_wants_each_verdict(capture):
    given = [counted for _, counted in part_rows(asked(capture), 0, 1)]
    judged = [each for each in given if isinstance(each.row, FrameVerdict)]
    assert len(judged) < 10
    assert sum(each.times for each in judged) == sum(alone(capture).verdicts.values())


def test_files_are_one_traffic(session, tmp_path):
    whole = packets()
    half = len(whole) // 2
    one = written(tmp_path / "1.pcap", pcap(whole[:half]))
    other = written(tmp_path / "2.pcap", pcap(whole[half:]))
    assert report(on_spark(session, asked(one, other))) == report(alone(one, other))


def test_a_capture_that_only_the_driver_has_is_one_clear_line(session, capture):
    what = replace(asked(capture), files=(str(capture), "/nowhere/capture.pcap"))
    with pytest.raises(CaptureError, match="workers read captures themselves") as raised:
        on_spark(session, what)
    assert "\n" not in str(raised.value)


KILLS = """
import os, signal
from pathlib import Path

def work(part):
    once = Path(__file__).with_name("kill-once")
    if part == 1 and once.exists():
        once.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    if part == 2:
        raise ValueError("never works")
    yield part, b"one"
    yield part, b"two"
"""


def test_a_killed_worker_doubles_nothing_and_what_always_fails_is_set_aside(session, tmp_path):
    module = tmp_path / "kills.py"
    module.write_text(KILLS)
    (tmp_path / "kill-once").touch()

    def work(part: int):
        space: dict[str, Any] = {"__file__": str(module)}
        exec(module.read_text(), space)
        yield from space["work"](part)

    given = list(in_parts(session, work, 3, quiet_console(), "parts"))
    assert not (tmp_path / "kill-once").exists()
    assert [each for each in given if isinstance(each, bytes)] == [b"one", b"two"] * 2
    assert [each for each in given if isinstance(each, SetAside)] == [
        SetAside(2, "ValueError: never works")
    ]


def test_what_was_not_audited_is_told(session, capture, monkeypatch):
    aside = [SetAside(1, "its worker died 3 times")]
    monkeypatch.setattr("conformance.spark.audit.auditing.in_parts", lambda *_: iter(aside))
    found = on_spark(session, asked(capture))
    assert found.lost == 1
    assert "its worker died 3 times" in report(found)
    assert "1 part of the traffic not judged" in report(found)
    assert found.examples == {"parts of the traffic: its worker died 3 times": "part 2 of 4"}


def test_the_command_gives_the_same_report_and_results(capture, tmp_path):
    def run(name: str, *more: str) -> tuple[int, str, list[Verdict]]:
        command = [sys.executable, "-m", "conformance.cli", "audit", str(capture), *more]
        command += ["--results", str(tmp_path / name)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        lines = [line for line in read_lines(tmp_path / name) if isinstance(line, Verdict)]
        return done.returncode, done.stdout, lines

    assert run("spark", "--master", "local[2]", "--parts", "4") == run("alone")


def test_workers_with_another_python_are_one_clear_line(cluster, capture, monkeypatch):
    monkeypatch.setenv("PYSPARK_PYTHON", another_python())
    code, said = refused(capture, "--master", cluster)
    assert code == 3
    assert "the workers run another Python than the driver: 3." in said
    assert "PYSPARK_PYTHON" in said


def another_python() -> str:
    """A Python of another minor version, of those that the suite runs on."""
    found = [
        program
        for version, program in released_pythons()
        if version >= (3, 11) and version[:2] != sys.version_info[:2]
    ]
    return found[0] if found else lacking("there is no other Python here")


def refused(*arguments: object) -> tuple[int, str]:
    """The exit code of an audit that ends with one line, and that line."""
    command = [sys.executable, "-m", "conformance.cli", "audit", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in done.stderr.splitlines() if not line.startswith("Spark shows")]
    assert len(lines) == 1, done.stderr
    return done.returncode, lines[0]


def test_a_capture_that_ends_early_is_told_as_by_one_process(session, capture):
    whole = capture.read_bytes()
    capture.write_bytes(whole[: len(whole) // 2 + 5])
    found = on_spark(session, asked(capture))
    assert report(found) == report(alone(capture))
    assert [why for why in found.passed if why.startswith("the rest of capture.pcap")]


def test_a_folder_of_captures_is_one_traffic(session, tmp_path):
    whole, folder = packets(), tmp_path / "captures"
    folder.mkdir()
    for number in range(10):
        some = whole[number * len(whole) // 10 : (number + 1) * len(whole) // 10]
        written(folder / f"{number}.pcap", pcap(some))
    files = files_of([folder])
    assert len(files) == 10
    assert report(on_spark(session, asked(*files))) == report(alone(*files))


def test_a_torn_file_in_a_folder_is_told_before_spark_starts(tmp_path):
    written(tmp_path / "1.pcap", pcap(packets()))
    written(tmp_path / "2.pcap", [b"\xd4\xc3\xb2\xa1"])
    code, said = refused(tmp_path, "--master", "local[2]")
    assert code == 2
    assert re.fullmatch(r".*2\.pcap: the file ends within its header.*", said)


def test_what_is_no_capture_is_told_before_spark_starts(tmp_path):
    path = written(tmp_path / "text.pcap", [b"hello, world"])
    ended = CliRunner().invoke(main, ["audit", str(path), "--master", "local[2]"])
    assert ended.exit_code == 2
    assert re.fullmatch(r".*text\.pcap: no capture.*\n", ended.output)


def test_parts_need_a_master(capture):
    ended = CliRunner().invoke(main, ["audit", str(capture), "--parts", "2"])
    assert ended.exit_code == 2
    assert "--parts goes with --master" in ended.output
