"""The time that is printed is that of the command: of what comes before a run and after it too."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from conformance import clock


@pytest.fixture
def times(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    given: list[float] = []
    monkeypatch.setattr(time, "monotonic", lambda: given.pop(0))
    yield given
    clock.end()


def test_a_run_took_what_passed_since_the_command_began(times: list[float]) -> None:
    times += [100.0, 160.0]
    clock.begin()
    assert clock.lap(own=150.0) == 60.0


def test_the_second_of_several_runs_took_what_passed_since_the_first(times: list[float]) -> None:
    times += [100.0, 160.0, 170.0]
    clock.begin()
    assert [clock.lap(own=0.0), clock.lap(own=0.0)] == [60.0, 10.0]


def test_a_run_without_a_command_took_its_own_time(times: list[float]) -> None:
    times += [160.0, 200.0]
    clock.end()
    assert [clock.lap(own=150.0), clock.lap(own=190.0)] == [10.0, 10.0]
