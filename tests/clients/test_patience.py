"""A program that had to be ended: the client hangs, its driver sets no limit, or ours is short."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from conformance.clients.program import VisitEnded
from conformance.clients.time_limit import FACTOR, Patience
from conformance.results.files import read_lines
from conformance.results.lines import Summary, Verdict
from tests.cli.conftest import run

CASES = ("--case", "MetadataRequest/null-brokers", "--rule", "client-answers.*")
DRIVER = """
import os, sys, time
from conformance.reference.client import Client, Failed
from conformance.reference.client.program import run

class Hasty(Client):
    patience_s, again, backoff_s = 0.2, 1, 0.0

action, bootstrap, times, stays = sys.argv[1:]
host, _, port = bootstrap.rpartition(":")
try:
    run(Hasty(), action, (host, int(port)))
    print("ok")
except Failed as failed:
    while "can't be read" in str(failed) and stays == "stays":
        time.sleep(1)
    time.sleep(float(times) * (1 + time.time() - os.stat("/proc/self").st_ctime))
    print("error", failed)
"""


def judged(tmp_path: Path, times: float, stays: str, timeout_s: float):
    """The one verdict on a driver that takes many times as long where its client fails."""
    driver, results = tmp_path / "driver.py", tmp_path / "results.ndjson"
    driver.write_text(DRIVER)
    words = (sys.executable, driver, "{action}", "{bootstrap}", times, stays)
    options = (*CASES, "--timeout", timeout_s, "--results", results)
    ended = run("client", *map(str, (*options, "--", *words)))
    lines = list(read_lines(results))
    verdicts = [line for line in lines if isinstance(line, Verdict)]
    [verdict] = [each for each in verdicts if each.case == CASES[1]]
    [summary] = [line for line in lines if isinstance(line, Summary)]
    assert all(note[:40] in ended.out for note in summary.notes)
    return verdict, summary.notes


def test_a_limit_that_is_too_short_is_told_and_makes_no_verdict(tmp_path: Path) -> None:
    verdict, [note] = judged(tmp_path, 6, "ends", 4)
    assert verdict.verdict == "pass"
    assert note.startswith("the limit was too short, and the client is not to blame: topics gives")
    assert ": MetadataRequest/" in note


def test_a_driver_without_a_limit_is_told_and_proves_nothing(tmp_path: Path) -> None:
    verdict, notes = judged(tmp_path, 9999, "ends", 1)
    assert verdict.verdict == "not-proven"
    assert "as the driver sets no time limit" in verdict.detail
    assert any(note.startswith("the driver sets no time limit") for note in notes)


def test_a_client_that_hangs_is_told_as_one(tmp_path: Path) -> None:
    verdict, [note] = judged(tmp_path, 0, "stays", 1)
    assert verdict.verdict == "hang"
    assert "asked again alone; the client hangs" in verdict.detail
    assert note.startswith("the client hangs, and neither the limit nor the driver is to blame")


def patient(**given: float) -> Patience:
    """With a least of 10 s, and what a control case and a silent broker took."""
    patience = Patience(10.0)
    patience.took("topics", VisitEnded("ok", seconds=given.get("usual", 0.5)))
    if "silent" in given:
        patience.unanswered["topics"] = VisitEnded("error", seconds=given["silent"])
    return patience


@pytest.mark.parametrize("own_s", [0.1, 3.0, 8.0, 10.0, 31.0])
def test_a_hang_is_told_behind_three_times_what_the_driver_waits(own_s: float) -> None:
    patience = patient(silent=own_s)
    assert patience.alone_s("topics") >= FACTOR * own_s
    assert patience.alone_s("topics") >= FACTOR * patience.limit_s("topics")


@pytest.mark.parametrize("usual_s", [0.1, 3.0, 8.0, 25.0])
def test_a_visit_may_take_three_times_what_one_takes_where_nothing_is_wrong(usual_s: float) -> None:
    assert patient(usual=usual_s).limit_s("topics") >= FACTOR * usual_s


def test_a_driver_whose_limit_is_ours_is_given_a_wider_one() -> None:
    assert patient(silent=8.0).limit_s("topics") == 10.0
    assert patient(silent=31.0).limit_s("topics") == 93.0


def test_what_another_action_takes_does_not_count() -> None:
    assert patient(usual=9.0, silent=31.0).limit_s("groups") == 10.0
    assert patient(silent=31.0).gives_up_s("groups") is None


def test_nobody_is_to_blame_where_all_came_to_an_end() -> None:
    assert patient(usual=9.0).notes() == []
