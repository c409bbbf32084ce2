"""`serve` tells what a call of a Python codec allocated, whether or not it kept or touched it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conformance.codecs.testee import serve as serve_function
from conformance.codecs.testee.testee import Testee
from conformance.testee_protocol import Outcome, Request

MIB = 1024 * 1024
SERVE = sys.modules[serve_function.__module__].__file__ or ""
CODEC = """
import mmap


class Codec:
    def hello(self):
        return {"name": "toy", "version": "1", "ops": ["roundtrip", "decode"],
                "messages": {"XRequest": [0, 0]}}

    def roundtrip(self, message, version, data):
        size = int(data) * 2**20
        bytearray(size)
        return b""

    def decode(self, message, version, data):
        exec(data)
        return {}, 0
"""
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nothing tells it elsewhere")
Ask = Callable[..., list[Outcome]]


@pytest.fixture
def ask(nothing_stays: None, tmp_path: Path) -> Iterator[Ask]:
    """Ask a codec in a process of its own to execute these statements, or to take these MiB."""
    (tmp_path / "toy.py").write_text(CODEC)
    with Testee([sys.executable, SERVE, "toy:Codec"], cwd=tmp_path) as testee:

        def ask(*whats: str | int) -> list[Outcome]:
            return list(testee.ask(map(_request, whats)))

        ask("pass", 1)
        yield ask


def _request(what: str | int) -> Request:
    op = "decode" if isinstance(what, str) else "roundtrip"
    return Request(op=op, message="XRequest", bytes=str(what).encode())  # type: ignore[arg-type]


def mib(outcome: Outcome) -> int:
    return (outcome.allocated or 0) // MIB


@pytest.mark.parametrize(
    ("statement", "least", "most"),
    [
        ("bytes(2**29)", 512, 520),
        ("b'x' * 2**27", 128, 136),
        ("x = [bytes(1000) for _ in range(100_000)]", 96, 120),
        ("x = bytes(2**26); del x; y = bytes(2**26)", 64, 70),
        ("x = bytes(2**26); y = bytes(2**26)", 128, 134),
        ("mmap.mmap(-1, 2**30, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 0)", 0, 1),
        ("x = 1", 0, 1),
    ],
    ids=["untouched", "touched", "pieces", "one by one", "at a time", "reserved", "nothing"],
)
def test_a_call_tells_its_peak(ask: Ask, statement: str, least: int, most: int) -> None:
    [outcome] = ask(statement)
    assert least <= mib(outcome) <= most


def test_after_a_high_peak_the_same_and_less_still_show(ask: Ask) -> None:
    taken = [mib(outcome) for outcome in ask(400, 400, 60, 200, 0, 30)]
    assert [round(each, -1) for each in taken] == [400, 400, 60, 200, 0, 30]


def test_a_refused_call_tells_as_well(ask: Ask) -> None:
    [outcome] = ask("bytes(2**29); raise ValueError('too long')")
    assert (outcome.outcome, mib(outcome)) == ("rejected", 512)


def test_what_a_call_keeps_is_not_the_next_ones(ask: Ask) -> None:
    _, outcome = ask("global kept; kept = bytes(2**28)", "pass")
    assert mib(outcome) == 0


def test_a_call_beyond_the_limit_is_a_crash_and_the_next_is_measured(ask: Ask) -> None:
    first, second = ask("bytes(2**40)", 100)
    assert (first.outcome, first.text) == ("crashed", "MemoryError: ")
    assert mib(second) == 100
