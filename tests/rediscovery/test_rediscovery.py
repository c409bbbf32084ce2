"""The gate finds defects again that others have found: the releases are real, pinned and old.

They are fetched and built, so that these tests are no part of the usual run.
"""

import json
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass

import pytest

from .pins import PINS, Pin


@dataclass(frozen=True)
class Judged:
    """What the gate says of a release: its exit code, and the verdicts by rule and case."""

    code: int
    out: str
    verdicts: dict[tuple[str, str], str]

    @property
    def failed(self) -> set[tuple[str, str]]:
        return {key for key, verdict in self.verdicts.items() if verdict in ("fail", "crash")}

    def count(self, verdict: str, rule: str) -> int:
        return Counter(said for (of, _), said in self.verdicts.items() if of == rule)[verdict]


def judge(target: str, pin: Pin, results) -> Judged:
    """Judge by the pin's two rules, on its messages; building the release may take minutes."""
    options = [part for rule in (pin.rule, pin.keeps) for part in ("--rule", rule)]
    options += [part for message in pin.messages for part in ("--message", message)]
    command = [sys.executable, "-m", "conformance.cli", "codec", target, *options]
    run = subprocess.run(
        [*command, "--results", str(results)],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    lines = results.read_text("utf-8").splitlines() if results.exists() else []
    said = [line for line in map(json.loads, lines) if line["type"] == "verdict"]
    verdicts = {(line["rule"], line["case"]): line["verdict"] for line in said}
    return Judged(run.returncode, run.stdout + run.stderr, verdicts)


@pytest.fixture(scope="module", params=PINS, ids=str)
def pin(request):
    return request.param


@pytest.fixture(scope="module")
def broken(pin, tmp_path_factory) -> Judged:
    return judge(pin.broken, pin, tmp_path_factory.mktemp("broken") / "results.ndjson")


@pytest.fixture(scope="module")
def fixed(pin, tmp_path_factory) -> Judged:
    return judge(pin.fixed, pin, tmp_path_factory.mktemp("fixed") / "results.ndjson")


def test_the_broken_release_fails_its_rule(pin, broken):
    assert broken.code == 1, f"{pin.what} ({pin.public})\n{broken.out}"
    assert {rule for rule, _ in broken.failed} == {pin.rule}


def test_the_broken_release_keeps_another_rule_on_the_same_messages(pin, broken):
    assert broken.count("pass", pin.keeps) > 0, broken.out


def test_the_fixed_release_fails_nothing(pin, fixed):
    assert fixed.code == 0, fixed.out
    assert not fixed.failed


def test_what_the_broken_release_failed_passes_in_the_fixed_one(pin, broken, fixed):
    assert broken.failed
    assert {fixed.verdicts.get(key) for key in broken.failed} == {"pass"}
