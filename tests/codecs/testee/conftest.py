"""Faulty testees as fixtures, and the certainty that none of them outlives its test."""

from __future__ import annotations

import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.codecs.testee.testee import Testee
from conformance.testee_protocol import Request

WRONG = Path(__file__).parent / "wrong"
_MARK = "CONFORMANCE_TEST_MARK"


def marked_processes(mark: str) -> list[int]:
    """The ids of living processes with `mark` in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch) -> str:
    """Put into the environment of whatever the test starts."""
    value = uuid.uuid4().hex
    monkeypatch.setenv(_MARK, value)
    return value


@pytest.fixture
def nothing_stays(mark: str) -> Iterator[None]:
    """The test fails if a process that it started is there after it."""
    yield
    deadline = time.monotonic() + 2
    while (left := marked_processes(mark)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not left, "processes are left behind"


@pytest.fixture
def wrong(nothing_stays: None) -> Iterator[Callable[..., Testee]]:
    """Start `tests/codecs/testee/wrong/<name>.py` with arguments."""
    started: list[Testee] = []

    def start(name: str, *arguments: object, **options: Any) -> Testee:
        options.setdefault("timeout_s", 5.0)
        testee = Testee(wrong_command(name, *arguments), **options)
        started.append(testee)
        return testee

    yield start
    for testee in started:
        testee.close()


def wrong_command(name: str, *arguments: object) -> list[str]:
    return [sys.executable, "-S", str(WRONG / f"{name}.py"), *map(str, arguments)]


def good(data: bytes = b"\1") -> Request:
    return Request(op="roundtrip", message="GoodRequest", bytes=data)


BAD = Request(op="roundtrip", message="BadRequest", bytes=b"\2")
