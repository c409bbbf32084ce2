"""A disk that is full ends a command with one clear line, and what was done before is kept."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="needs the extra `pipeline`")

from conformance.campaigns.storage.tables import SCHEMAS, read_rows
from conformance.codecs.cases.vectors import VectorError, read_vectors, write_vectors
from tests.captures.speaking import exchanged, greeting, hello
from tests.captures.writing import pcap, written
from tests.spark.full_disk import small_disk

pytestmark = [pytest.mark.java, pytest.mark.spark]

CODEC = """
from conformance.reference.codec import ReferenceCodec

class Codec(ReferenceCodec):
    name = "mine"

    def decode(self, message, version, data):
        value, left = super().decode(message, version, data)
        if value.get("throttleTimeMs", 0) < 0:
            value["throttleTimeMs"] = 0
        return value, left
"""
CASES = 60_000
"""Of several rounds, each of which has rows to write."""
VARYING = {"run", "microseconds", "peak_memory", "seconds", "cpu_seconds", "started"}


@pytest.fixture
def disk(tmp_path):
    with small_disk(tmp_path / "small") as found:
        yield found


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "conformance.cli", *map(str, arguments)]


def campaign(folder: Path, *more: str) -> list[str]:
    options = ["--master", "local[2]", "--message", "HeartbeatResponse", "--keep", "all"]
    return command("campaign", "mine:Codec", "--cases", CASES, "-o", folder, *options, *more)


def ended(arguments: list[str], place: Path) -> tuple[int, str]:
    """The exit code, and what was said of errors."""
    done = subprocess.run(arguments, cwd=place, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def wait_for(path: Path, process: subprocess.Popen[str], seconds: float = 300) -> None:
    deadline = time.monotonic() + seconds
    while not path.exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)


def rows(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table, but for what is another each time."""
    return {
        table: sorted(
            (
                {name: value for name, value in row.items() if name not in VARYING}
                for row in read_rows(folder / table, table)
            ),
            key=repr,
        )
        for table in SCHEMAS
        if any((folder / table).rglob("*.parquet"))
    }


def rounds(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "rounds").glob("[0-9]*.json")}


def test_a_campaign_on_a_full_disk_keeps_its_rounds_and_is_gone_on_with(tmp_path, disk):
    (tmp_path / "mine.py").write_text(CODEC)
    run = disk.root / "run"
    begun = subprocess.Popen(campaign(run), cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    wait_for(run / "rounds" / "00000.json", begun)
    disk.fill()
    said = begun.communicate()[1]
    kept = rounds(run)
    assert_full(said)
    assert "--resume" in said
    assert begun.returncode == 2
    assert kept

    disk.make_room()
    assert ended(campaign(run, "--resume"), tmp_path)[0] == 1
    assert ended(campaign(tmp_path / "whole"), tmp_path)[0] == 1
    assert kept.items() <= rounds(run).items()
    assert rows(run) == rows(tmp_path / "whole")


@pytest.mark.parametrize("more", [[], ["--master", "local[2]"]], ids=["alone", "on Spark"])
def test_an_audit_without_room_for_its_results_is_one_clear_line(tmp_path, disk, more):
    packets = exchanged(*[(hello(number), greeting(number)) for number in range(500)]).packets
    capture = written(tmp_path / "capture.pcap", pcap(packets))
    disk.fill(but=20_000)
    results = disk.root / "audit.ndjson"
    code, said = ended(command("audit", capture, "--results", results, *more), tmp_path)
    assert code == 2
    assert f"kafka-conformance: {results}: No space left on device (free some room)" in said
    assert_full(said)


def test_vectors_without_room_for_them_stay_as_they_were(disk):
    vectors = read_vectors("ApiVersionsRequest")
    write_vectors(vectors, disk.root)
    disk.fill(but=4096)
    with pytest.raises(VectorError, match=r"No space left on device \(free some room"):
        write_vectors(vectors, disk.root)
    assert read_vectors("ApiVersionsRequest", disk.root) == vectors
    assert {each.name for each in disk.root.iterdir()} == {"ApiVersionsRequest.jsonl", "ballast"}


def assert_full(said: str) -> None:
    """One line about the room, and none of a traceback."""
    lines = [line for line in said.splitlines() if "No space left" in line]
    assert len(lines) == 1, said
    assert "free some room" in lines[0]
    assert "Traceback" not in said
