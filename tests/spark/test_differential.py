"""Targets against each other: who answers what, counted by cause; and a limit on deaths."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

pytest.importorskip("pyspark", reason="needs the extra `pipeline`")

from rich.console import Console

from conformance.campaigns.chunk import ChunkSettings, close_targets, judge, target_of
from conformance.campaigns.rounds import RunPlan
from conformance.campaigns.storage.compare_sources import sources
from conformance.campaigns.storage.rows import from_json
from conformance.campaigns.storage.tables import read_rows
from conformance.cli import main
from conformance.reporting.comparing import Comparison
from conformance.results.lines import NOT_ASKED
from conformance.spark.campaign.campaign import (
    Campaign,
    CampaignOptions,
    compare_targets,
    is_compared,
    judge_rounds,
    prepare,
)
from conformance.spark.campaign.closing import close

pytestmark = [
    pytest.mark.java,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # PySpark's own sockets
]

CASES = 600
ENDERS_CASES = 120
"""Few: each death is the start of another process."""
CODECS = """
import os
from conformance.reference.codec import ReferenceCodec
from conformance.wire.errors import DecodeError

class Codec(ReferenceCodec):
    name = "right"

    def hello(self):
        return {**super().hello(), "messages": {"HeartbeatResponse": [0, 4]}}

class Zero(Codec):
    def decode(self, message, version, data):
        value, left = super().decode(message, version, data)
        if value["throttleTimeMs" if version else "errorCode"] == -1:
            value["throttleTimeMs" if version else "errorCode"] = 0
        return value, left

class AlsoZero(Zero):
    pass

class Refuser(Codec):
    def decode(self, message, version, data):
        value, left = super().decode(message, version, data)
        if value["errorCode"] < 0:
            raise ValueError(f"{value['errorCode']} is no code of {message}")
        return value, left

class Ender(Codec):
    def decode(self, message, version, data):
        if len(data) == 2:
            return super().decode(message, version, data)
        os._exit(9)
"""
HEARTBEAT = ("HeartbeatResponse",)


@pytest.fixture(autouse=True)
def codecs(tmp_path, monkeypatch) -> None:
    """Codecs with a defect each, in a module of their own."""
    (tmp_path / "mine.py").write_text(CODECS)
    monkeypatch.chdir(tmp_path)


def options(folder: Path, **more: Any) -> CampaignOptions:
    given = {"cases": CASES, "messages": HEARTBEAT, "ui": False, "differential": True, **more}
    return CampaignOptions(folder=folder, **given)


def compared(session, folder: Path, *targets: str, **more: Any) -> tuple[Campaign, str]:
    chosen = options(folder, **more)
    campaign = prepare(targets, chosen)
    judge_rounds(campaign, session, chosen, Console(file=io.StringIO()))
    compare_targets(campaign, session, chosen)
    shown = io.StringIO()
    close(campaign, Console(file=shown, width=200), None, verbose=True)
    return campaign, shown.getvalue()


def disagreements(folder: Path) -> list[dict[str, Any]]:
    return list(read_rows(folder / "disagreements", "disagreements"))


def sides(row: dict[str, Any]) -> dict[str, list[str]]:
    return {side["answer"]: side["targets"] for side in row["sides"]}


def test_another_value_is_told_with_its_field_and_who_read_it(session, tmp_path):
    run = tmp_path / "run"
    _, shown = compared(session, run, "reference", "mine:Zero", "mine:AlsoZero")
    row = next(row for row in disagreements(run) if row["field"] == "throttleTimeMs")
    assert (row["message"], row["rule"]) == ("HeartbeatResponse", "versions.field-types")
    assert sides(row) == {
        "as expected": ["reference"],
        "otherwise": ["mine:AlsoZero", "mine:Zero"],
    }
    said = from_json(row["said"])
    assert said["reference"] == "as expected"
    assert said["mine:Zero"].startswith("throttleTimeMs: expected -1, got 0; it says {")
    assert "AlsoZero, Zero otherwise; reference as expected" in shown


def test_every_case_that_differs_is_counted(session, tmp_path):
    run = tmp_path / "run"
    compared(session, run, "reference", "mine:Zero")
    verdicts = read_rows(run / "verdicts", "verdicts")
    differing = [row for row in verdicts if row["verdict"] in ("fail", "note")]
    assert differing
    assert sum(row["count"] for row in disagreements(run)) == len(differing)


def test_refusals_are_told_apart_by_their_words(session, tmp_path):
    run = tmp_path / "run"
    compared(session, run, "reference", "mine:Refuser")
    told = {tuple(sorted(sides(row))) for row in disagreements(run)}
    assert ("as expected", "refused: ValueError: … is no code of …") in told


def test_targets_that_agree_are_said_to(session, tmp_path):
    run = tmp_path / "run"
    campaign, shown = compared(session, run, "reference", "mine:Codec")
    assert "no disagreement" in shown
    assert disagreements(run) == []
    assert is_compared(campaign)


def test_who_was_not_asked_does_not_disagree(session, tmp_path):
    run = tmp_path / "run"
    messages = (*HEARTBEAT, "MetadataRequest")
    compared(session, run, "reference", "mine:Zero", messages=messages)
    assert {row["message"] for row in disagreements(run)} == set(HEARTBEAT)


def test_where_both_are_right_is_said_so(session, tmp_path):
    run = tmp_path / "run"
    _, shown = compared(session, run, "reference", "reference-lenient")
    row = disagreements(run)[0]
    assert sides(row) == {"refused": ["reference"], "taken": ["reference-lenient"]}
    assert row["expected"].startswith("either is legal: ")
    assert "(both are legal)" in shown


def test_a_run_that_was_not_compared_yet_is_compared_when_gone_on_with(session, tmp_path):
    run = tmp_path / "run"
    compared(session, run, "reference", "mine:Zero")
    before = disagreements(run)
    for path in sorted((run / "disagreements").rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    campaign, _ = compared(session, run, "reference", "mine:Zero", resume=True)
    assert campaign.seconds == 0.0
    assert disagreements(run) == before


def test_one_target_alone_is_one_clear_line(tmp_path):
    command = ["campaign", "reference", "--cases", "10", "-o", "run", "--differential"]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 2
    assert "give two or more" in done.output


def test_two_campaigns_are_compared_by_their_tables(session, tmp_path):
    chosen = {"differential": False}
    compared(session, tmp_path / "old", "mine:Codec", **chosen)
    compared(session, tmp_path / "new", "mine:Zero", **chosen)
    [old] = sources(tmp_path / "old").values()
    [new] = sources(tmp_path / "new").values()
    with Comparison(old, new) as comparison:
        changes = list(comparison.changes())
    assert {(each.kind, each.old, each.new) for each in changes} == {("new", "not failed", "fail")}
    arguments = ["compare", str(tmp_path / "old"), str(tmp_path / "new")]
    done = CliRunner().invoke(main, arguments)
    assert (done.exit_code, "two targets: mine:Codec and mine:Zero" in done.output) == (2, True)
    again = ["compare", str(tmp_path / "new"), str(tmp_path / "new")]
    assert CliRunner().invoke(main, again).exit_code == 0


def judged(tmp_path: Path, skipped: tuple[tuple[str, str], ...] = ()) -> Any:
    settings = ChunkSettings(
        run="alone",
        folder=str(tmp_path / "tables"),
        seed=1,
        messages=HEARTBEAT,
        skipped={"mine:Ender": skipped},
    )
    (chunk,) = RunPlan(ENDERS_CASES, ("mine:Ender",)).chunks(0)
    done, _ = judge(settings, chunk, target_of("mine:Ender", settings))
    close_targets()
    return done


def deaths(done: Any) -> int:
    return sum(count for (*_, verdict), count in done.counts.items() if verdict == "crash")


def test_what_ends_a_target_again_and_again_is_not_asked_any_more(tmp_path, monkeypatch):
    monkeypatch.setattr("conformance.codecs.crash_limit.MOST_CRASHES", 2)
    done = judged(tmp_path)
    died = Counter[str]()
    for (rule, *_, verdict), count in done.counts.items():
        if verdict == "crash":
            died[rule] += count
    assert died
    assert max(died.values()) <= 3  # one more may have been handed over
    rows = list(read_rows(tmp_path / "tables" / "verdicts", "verdicts"))
    spared = [row["detail"] for row in rows if row["detail"].startswith(NOT_ASKED)]
    assert f"{NOT_ASKED}2 cases of this rule and message have crashed or hung" in spared
    assert len(spared) <= len(died)  # one stands for all of them
    assert done.asked < ENDERS_CASES


def test_a_chunk_ends_a_target_so_often_and_no_more(tmp_path, monkeypatch):
    monkeypatch.setattr("conformance.campaigns.chunk.MOST_ENDS", 4)
    assert 4 <= deaths(judged(tmp_path)) <= 5


def test_what_ended_it_in_earlier_rounds_is_not_asked_at_all(tmp_path, monkeypatch):
    monkeypatch.setattr("conformance.codecs.crash_limit.MOST_CRASHES", 2)
    rules = ("versions.field-types", "primitives.short-input-refused")
    done = judged(tmp_path, tuple((HEARTBEAT[0], rule) for rule in rules))
    assert not {rule for rule, *_, verdict in done.counts if verdict == "crash"} & set(rules)
