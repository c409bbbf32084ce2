"""A good proxy is accused of nothing, however busy the machine is. `tox run -e load`."""

from __future__ import annotations

import pytest

from tests.cli.conftest import run

RUNS = 10
TIMED = ("proxy-frames.*", "proxy-hardening.*", "proxy-security.*", "proxy-versions.*")
"""The rules whose dialogues pause, wait for silence, or look at several connections."""


@pytest.mark.load
@pytest.mark.parametrize("attempt", range(RUNS))
@pytest.mark.parametrize("name", ["reference", "secured-reference"])
def test_the_reference_proxy_fails_nothing_beside_busy_loops(busy, name, attempt):
    rules = [word for rule in TIMED for word in ("--rule", rule)]
    ended = run("proxy", "--start", name, *rules, timeout_s=900)
    assert ended.code == 0, ended.out
    assert "no failure" in ended.out
