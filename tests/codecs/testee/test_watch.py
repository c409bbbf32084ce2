"""What a process takes is seen from outside, touched or not."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from conformance.targets.watch import Watch

MIB = 1024 * 1024
DOES = "import mmap, os, sys\nkept = []\nfor line in sys.stdin: exec(line); print(flush=True)\n"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nothing tells it elsewhere")


class Child:
    """A Python that does what it is told, one line at a time, and a look at it."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-S", "-c", DOES],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.does("pass")
        self.watch = Watch(self.process.pid)

    def does(self, line: str) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def child() -> Iterator[Child]:
    child = Child()
    yield child
    child.watch.close()
    child.end()


@pytest.mark.parametrize(
    ("line", "low", "high"),
    [
        ("bytes(2**28)", 256, 260),
        ("kept.append(bytes(2**28))", 256, 260),
        ("b'x' * 2**27", 128, 132),
        ("[bytes(1000) for _ in range(100_000)]", 96, 120),
        ("bytes(1000)", 0, 1),
    ],
    ids=["untouched and given back", "untouched", "touched", "in small pieces", "little"],
)
def test_a_rise_is_what_was_asked_for(child: Child, line: str, low: int, high: int) -> None:
    child.does(line)
    assert low * MIB <= child.watch.rise() <= high * MIB


def test_a_rise_is_told_once(child: Child) -> None:
    child.does("kept.append(bytes(2**28))")
    child.watch.rise()
    assert child.watch.rise() == 0


def test_address_space_that_nobody_may_touch_is_no_memory(child: Child) -> None:
    flags = "mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS"
    child.does(f"kept.append(mmap.mmap(-1, 2**30, {flags}, 0))")
    assert child.watch.rise() < MIB


def test_what_was_reserved_long_ago_counts_when_it_is_touched(child: Child) -> None:
    """As the heap of a runtime that takes its whole address space at the start."""
    child.does("heap = mmap.mmap(-1, 2**28, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)")
    child.watch.rise()
    child.does("heap[:2**27] = b'x' * 2**27")
    assert child.watch.rise() >= 120 * MIB


def test_resident_is_what_is_touched_now(child: Child) -> None:
    before = child.watch.resident()
    child.does("kept.append(bytes(2**28))")
    assert child.watch.resident() - before < 2 * MIB
    child.does("kept.append(b'x' * 2**26)")
    assert child.watch.resident() - before >= 64 * MIB
    child.does("kept.clear()")
    assert child.watch.resident() - before < 2 * MIB


def test_open_files_are_counted(child: Child) -> None:
    before = child.watch.files()
    child.does("kept.extend(os.open(os.devnull, os.O_RDONLY) for _ in range(50))")
    assert child.watch.files() == before + 50


def test_of_a_process_that_is_gone_nothing_is_told(child: Child) -> None:
    child.end()
    assert (child.watch.rise(), child.watch.resident(), child.watch.files()) == (0, 0, 0)


def test_a_closed_watch_tells_nothing_and_may_be_closed_again(child: Child) -> None:
    child.watch.close()
    child.watch.close()
    assert (child.watch.rise(), child.watch.resident()) == (0, 0)
