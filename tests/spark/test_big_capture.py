"""Captures far larger than the memory of whoever audits them, with violations planted in them."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.captures.large import Written, write_large
from tests.machine import lacking
from tests.spark.watching import PROC, Watched, watched

pytest.importorskip("pyspark", reason="needs the extra `pipeline`")

pytestmark = [
    pytest.mark.java,
    pytest.mark.spark,
    pytest.mark.skipif(not PROC.is_dir(), reason="memory is read from /proc"),
]

FILES, BYTES = 4, 500_000_000
"""A rotation of captures, 2 GB in all."""
ROOM = 5_000_000_000
MOST_MEMORY = 512 * 1024 * 1024
"""Of a process, a quarter of what it goes over."""
WORKER = "pyspark.daemon"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder with room, which is not left behind."""
    free = shutil.disk_usage(tmp_path).free
    if free < ROOM:
        lacking(f"needs {ROOM // 10**9} GB of disk, {free // 10**9} are free")
    monkeypatch.setenv("COLUMNS", "160")
    made = tmp_path / "captures"
    made.mkdir()
    yield made
    shutil.rmtree(made)


def audit(folder: Path, said: Path, *more: str) -> Watched:
    return watched([sys.executable, "-m", "conformance.cli", "audit", str(folder), *more], said)


def broken(report: str) -> set[tuple[str, str]]:
    """Rules, and who broke each once, as the report lists them."""
    found = re.findall(r"^│ ([a-z-]+\.[a-z-]+) *│[^│]*│[^│]*│ (.+?) +│ +1 │$", report, re.M)
    listed = re.findall(r"^│ [a-z-]+\.[a-z-]+ ", report, re.M)
    assert len(found) == len(listed)
    return set(found)


def counted(written: Written) -> re.Pattern[str]:
    return re.compile(rf"on {written.connections} connections, in {written.packets} packets;")


def test_two_gigabytes_are_audited_in_little_memory_alone_and_on_spark(folder, tmp_path):
    written = write_large([folder / f"{number}.pcap" for number in range(FILES)], BYTES)
    assert sum(each.stat().st_size for each in folder.iterdir()) >= 2_000_000_000

    alone = audit(folder, tmp_path / "alone.txt")
    assert alone.code == 1
    assert broken(alone.said) == written.broken
    assert counted(written).search(alone.said.replace("\n", " "))
    assert "skipped" not in alone.said
    assert alone.most("conformance.cli audit") < MOST_MEMORY

    shared = audit(folder, tmp_path / "spark.txt", "--master", "local[2]")
    assert shared.code == 1
    assert shared.said == alone.said
    assert shared.most("conformance.cli audit") < MOST_MEMORY
    assert shared.most(WORKER) < MOST_MEMORY
    assert sum(WORKER in command for _, command in shared.peaks) >= 3  # the daemon and its two
