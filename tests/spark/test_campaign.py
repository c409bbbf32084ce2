"""Campaigns on Spark: findings from broken codecs, and the same rows whatever was killed."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

pytest.importorskip("pyspark", reason="needs the extra `pipeline`")

import pyarrow as pa
from rich.console import Console

from conformance.campaigns.chunk import ChunkSettings, case_again, close_targets, judge, target_of
from conformance.campaigns.generate import SLOTS
from conformance.campaigns.rounds import RunPlan
from conformance.campaigns.storage.folder import FolderError
from conformance.campaigns.storage.results_files import tables_to_results
from conformance.campaigns.storage.tables import SCHEMAS, TableError, read_rows
from conformance.cli import main
from conformance.results.files import read_lines
from conformance.results.lines import Summary, Verdict
from conformance.spark.campaign import task
from conformance.spark.campaign.campaign import Campaign, CampaignOptions, judge_rounds, prepare
from conformance.spark.campaign.closing import close
from conformance.spark.jobs.faults import explained
from conformance.spark.jobs.requirements import NoSpark, check_installed
from conformance.spark.jobs.session import NoMaster, open_session
from conformance.spark.jobs.workers import Unfit
from conformance.targets.toolchains import Extra

pytestmark = [
    pytest.mark.java,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # PySpark's own sockets
]

CASES = 3000
CODEC = """
import os, signal
from pathlib import Path
from conformance.reference.codec import ReferenceCodec

class Codec(ReferenceCodec):
    name = "mine"

    def hello(self):
        messages = {"HeartbeatResponse": [0, 4], "FindCoordinatorRequest": [0, 6]}
        return {**super().hello(), "messages": messages}

    def decode(self, message, version, data):
        if message == "HeartbeatResponse" and version == 0 and data == bytes(2):
            self.at_a_certain_case()
        value, left = super().decode(message, version, data)
        if value.get("throttleTimeMs") == -1:
            value["throttleTimeMs"] = 0
        return value, left

    def at_a_certain_case(self):
        for name, once in (("kill-once", True), ("kill-always", False)):
            order = Path(__file__).with_name(name)
            if order.exists():
                if once:
                    order.unlink()
                os.kill(os.getppid(), signal.SIGKILL)
        if Path(__file__).with_name("end").exists():
            os._exit(9)
"""
HEARTBEAT = ("HeartbeatResponse",)
VARYING = {"microseconds", "peak_memory", "seconds", "cpu_seconds", "started"}


@pytest.fixture
def mine(tmp_path, monkeypatch) -> None:
    """A codec that takes one number for another; what is beside it has it do worse."""
    in_folder_of_codec(tmp_path, monkeypatch)


def in_folder_of_codec(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "mine.py").write_text(CODEC)
    monkeypatch.chdir(folder)


class Run(NamedTuple):
    """A run that is over, which tests only look at."""

    folder: Path
    campaign: Campaign
    code: int


@pytest.fixture(scope="module")
def judged_run(session, tmp_path_factory) -> Run:
    """The codec judged alone."""
    return of_module(session, tmp_path_factory.mktemp("judged"), "mine:Codec")


@pytest.fixture(scope="module")
def run_of_two(session, tmp_path_factory) -> Run:
    """The codec and the reference, with every row kept."""
    folder = tmp_path_factory.mktemp("two")
    return of_module(session, folder, "reference", "mine:Codec", keep="all")


def of_module(session, folder: Path, *targets: str, **more: Any) -> Run:
    with pytest.MonkeyPatch.context() as monkeypatch:
        in_folder_of_codec(folder, monkeypatch)
        return Run(folder / "run", *judged(session, folder / "run", *targets, **more))


def options(folder: Path, **more: Any) -> CampaignOptions:
    given = {"cases": CASES, "messages": HEARTBEAT, "ui": False, **more}
    return CampaignOptions(folder=folder, **given)


def judged(session, folder: Path, *targets: str, **more: Any) -> tuple[Campaign, int]:
    chosen = options(folder, **more)
    campaign = prepare(targets, chosen)
    if not campaign.is_over:
        judge_rounds(campaign, session, chosen, Console(file=io.StringIO()))
    return campaign, close(campaign, Console(file=io.StringIO()), None, verbose=False)


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
        if (folder / table).exists()
    }


def test_the_reference_is_found_to_be_right(session, tmp_path):
    campaign, code = judged(
        session, tmp_path / "run", "reference", messages=("FetchRequest", "MetadataResponse")
    )
    assert code == 0
    assert campaign.tally.cases == CASES
    assert set(campaign.tally.verdicts["reference"]) == {"pass", "note"}
    assert list(rows(tmp_path / "run")) == ["runs", "counts", "coverage"]


def test_a_defect_is_found_and_shown_again(judged_run, mine):
    assert judged_run.code == 1
    (finding,) = read_rows(judged_run.folder / "findings", "findings")
    assert finding["rules"][0] == "versions.field-types"
    assert "campaign mine:Codec --message" in finding["reproduce"]
    assert finding["reproduce"].endswith(f" --case {finding['case']}")
    target = target_of("mine:Codec", ChunkSettings(run="", folder="", seed=1))
    (verdict,) = case_again(finding["case"], target, HEARTBEAT)
    close_targets()
    assert verdict.verdict == "fail"
    assert verdict.first_difference == "throttleTimeMs: expected -1, got 0"


def test_all_targets_are_asked_the_same(run_of_two):
    cases = run_of_two.folder / "cases"
    asked = {
        target: [
            (row["id"], row["bytes"], row["value"])
            for row in read_rows(next(cases.glob(f"*/target={name}")), "cases")
        ]
        for target, name in (("reference", "reference"), ("mine", "mine%3ACodec"))
    }
    assert asked["reference"] == asked["mine"]
    assert len(asked["mine"]) == CASES


def test_kept_rows_go_together(judged_run):
    found = rows(judged_run.folder)
    verdicts = {row["case"] for row in found["verdicts"]}
    assert verdicts
    assert verdicts == {row["id"] for row in found["cases"]}
    assert verdicts == {row["case"] for row in found["observations"]}


def test_counts_are_those_of_every_verdict(run_of_two):
    found = rows(run_of_two.folder)
    assert sum(row["count"] for row in found["counts"]) == len(found["verdicts"]) == 2 * CASES
    verdicts = run_of_two.campaign.tally.verdicts["mine:Codec"]
    assert verdicts["fail"] == sum(row["verdict"] == "fail" for row in found["verdicts"])


def test_spark_does_what_a_process_does(judged_run, tmp_path, mine):
    by_spark = rows(judged_run.folder)
    settings = ChunkSettings(
        run="alone", folder=str(tmp_path / "alone"), seed=1, messages=HEARTBEAT
    )
    for chunk in RunPlan(CASES, ("mine:Codec",)).chunks(0):
        judge(settings, chunk, target_of("mine:Codec", settings))
    close_targets()
    alone = rows(tmp_path / "alone")
    assert alone
    assert alone == {table: by_spark[table] for table in alone}


def test_a_results_file_has_what_was_kept(judged_run, tmp_path):
    path = tmp_path / "results.ndjson"
    tables_to_results(judged_run.folder, judged_run.campaign.about.run, "mine:Codec", path)
    *lines, summary = read_lines(path)
    assert isinstance(summary, Summary)
    assert summary.cases == CASES
    broken = sum(isinstance(line, Verdict) and line.verdict == "fail" for line in lines)
    assert broken == summary.verdicts["fail"]


def test_a_codec_that_ends_its_process_costs_verdicts_not_tasks(session, tmp_path, mine):
    (tmp_path / "end").touch()
    campaign, code = judged(session, tmp_path / "run", "mine:Codec", cases=600)
    assert code == 1
    assert campaign.tally.verdicts["mine:Codec"]["crash"] > 0
    assert campaign.tally.set_aside == 0


def test_a_killed_worker_changes_no_row(session, judged_run, tmp_path, mine):
    (tmp_path / "kill-once").touch()
    judged(session, tmp_path / "run", "mine:Codec")
    assert not (tmp_path / "kill-once").exists()
    assert rows(tmp_path / "run") == rows(judged_run.folder)


@pytest.mark.spark
def test_what_kills_its_worker_always_is_set_aside_with_its_reason(session, tmp_path, mine):
    (tmp_path / "kill-always").touch()
    campaign, code = judged(session, tmp_path / "run", "mine:Codec")
    assert code == 3
    aside = rows(tmp_path / "run")["set_aside"]
    assert {row["reason"] for row in aside} == {"its worker died 3 times"}
    counted = sum(row["count"] for row in rows(tmp_path / "run").get("counts", []))
    assert counted + sum(row["count"] for row in aside) == campaign.tally.cases == CASES


@pytest.mark.spark
def test_a_killed_driver_is_gone_on_with(session, tmp_path, mine):
    cases = 60_000
    command = [sys.executable, "-m", "conformance.cli", "campaign", "mine:Codec"]
    command += ["--cases", str(cases), "-o", "run", "--master", "local[2]", "--message", *HEARTBEAT]
    driver = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
    wait_for(tmp_path / "run" / "rounds" / "00000.json", driver)
    os.kill(driver.pid, signal.SIGKILL)
    driver.wait()
    assert not (tmp_path / "run" / "rounds" / "00001.json").exists()
    judged(session, tmp_path / "run", "mine:Codec", cases=cases, resume=True)
    judged(session, tmp_path / "whole", "mine:Codec", cases=cases)
    assert rows(tmp_path / "run") == rows(tmp_path / "whole")


@pytest.mark.spark
def test_a_cluster_of_two_workers_gives_the_same_tables(session, cluster, tmp_path, mine):
    command = [sys.executable, "-m", "conformance.cli", "campaign", "reference", "mine:Codec"]
    command += ["--cases", str(CASES), "-o", "run", "--master", cluster, "--message", *HEARTBEAT]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    judged(session, tmp_path / "here", "reference", "mine:Codec")
    assert rows(tmp_path / "run") == rows(tmp_path / "here")


def wait_for(path: Path, process: subprocess.Popen[bytes], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not path.exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_what_an_unfinished_round_left_is_removed(session, judged_run, tmp_path, mine):
    shutil.copytree(judged_run.folder, tmp_path / "run")
    before = rows(tmp_path / "run")
    (tmp_path / "run" / "rounds" / "00000.json").unlink()
    left = next((tmp_path / "run" / "verdicts").rglob("*.parquet"))
    left.with_name("999999999999.parquet").write_bytes(left.read_bytes())
    judged(session, tmp_path / "run", "mine:Codec", resume=True)
    assert rows(tmp_path / "run") == before


def test_a_run_that_is_done_is_shown_again_without_spark(judged_run, tmp_path, mine):
    shutil.copytree(judged_run.folder, tmp_path / "run")
    campaign = prepare(["mine:Codec"], options(tmp_path / "run", resume=True))
    assert campaign.is_over
    assert close(campaign, Console(file=io.StringIO()), None, verbose=False) == judged_run.code
    assert rows(tmp_path / "run") == rows(judged_run.folder)


def test_it_ends_when_nothing_new_comes(session, tmp_path, monkeypatch):
    monkeypatch.setattr("conformance.campaigns.rounds.CHUNKS_A_ROUND", 8)
    cases = 90_000
    chosen = {"cases": cases, "messages": ("HeartbeatRequest",), "versions": (0,)}
    campaign, code = judged(session, tmp_path / "run", "reference", until_quiet=True, **chosen)
    assert code == 0
    assert campaign.tally.cases < cases
    assert campaign.tally.rounds[-1].new_features == 0


def test_coverage_of_the_definitions_is_a_table(judged_run):
    found = rows(judged_run.folder)["coverage"]
    assert len(found) == len(judged_run.campaign.tally.reached)
    wanted = {"message": "HeartbeatResponse", "version": 4, "field": ".errorCode"}
    classes = {row["value_class"] for row in found if wanted.items() <= row.items()}
    assert classes == {"0", "1", "-1", "positive", "negative"}


@pytest.mark.parametrize(
    ("change", "said"),
    [({}, "has another run in it"), ({"resume": True, "seed": 2}, "has another seed")],
)
def test_a_folder_with_another_run_is_refused(judged_run, mine, change, said):
    with pytest.raises(FolderError, match=said):
        prepare(["mine:Codec"], options(judged_run.folder, **change))


def test_a_folder_that_is_no_campaigns_is_refused(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(FolderError, match="not empty"):
        prepare(["reference"], options(tmp_path))


def test_nothing_to_go_on_with_is_refused(tmp_path):
    with pytest.raises(FolderError, match="no run to go on with"):
        prepare(["reference"], options(tmp_path / "run", resume=True))


def test_no_java_is_one_clear_line(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(NoSpark, match="no Java in JAVA_HOME"):
        check_installed()


def test_an_old_java_is_one_clear_line(monkeypatch, tmp_path):
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(NoSpark, match="Java is of version 11"):
        check_installed()


def test_a_missing_package_is_one_clear_line(monkeypatch):
    monkeypatch.setattr(
        "conformance.spark.jobs.requirements.PIPELINE",
        Extra("pipeline", ("pyspark", "no_such_package")),
    )
    with pytest.raises(NoSpark, match="no_such_package: not installed"):
        check_installed()


def test_a_target_that_the_workers_have_not_is_one_clear_line(session, tmp_path, mine):
    chosen = options(tmp_path / "run")
    campaign = prepare(["mine:Codec"], chosen)
    (tmp_path / "mine.py").unlink()
    with pytest.raises(Unfit, match="the workers can't open mine:Codec"):
        judge_rounds(campaign, session, chosen, Console(file=io.StringIO()))


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        ("ModuleNotFoundError: No module named 'msgspec.json'", "have no package 'msgspec'"),
        ("[PYTHON_VERSION_MISMATCH] worker has 3.12, driver has 3.11", "3.12 and 3.11"),
        ("x.PythonException: y\na.b.TableError: d: No space left", "d: No space left"),
        ("Job 3 cancelled", "Spark gave up: An exception was thrown:"),
    ],
)
def test_what_spark_raises_is_one_clear_line(raised, said):
    error = explained(RuntimeError(f"An exception was thrown:\n{raised}\n at java.base"))
    assert said in str(error)
    assert "\n" not in str(error)


def test_a_chunk_without_room_for_its_rows_is_not_set_aside(monkeypatch):
    def full(*_: object) -> None:
        raise TableError("run/verdicts: No space left on device", "free some room")

    monkeypatch.setattr(task, "target_of", lambda *_: None)
    monkeypatch.setattr(task, "judge", full)
    known: Any = SimpleNamespace(value=frozenset())
    chunk: Any = SimpleNamespace(target="mine:Codec")
    work = task.task(ChunkSettings(run="", folder="", seed=0), [chunk], known)
    [answer] = work(iter([pa.RecordBatch.from_pydict({"index": [0]})]))
    [row] = answer.to_pylist()
    with pytest.raises(TableError, match="No space left on device"):
        task.outcome(row)


def test_no_master_at_the_address_is_one_clear_line():
    with pytest.raises(NoMaster, match="no Spark master answers"):
        open_session("spark://127.0.0.1:1")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["reference"], "give --cases and -o"),
        (["reference", "--cases", "many", "-o", "run"], "no number of cases"),
        (["reference", "--cases", "10", "-o", "run", "--master", "x"], "no master of Spark"),
        (["no-such", "--cases", "10", "-o", "run"], "no target"),
    ],
)
def test_wrong_usage_is_one_clear_line(tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["campaign", *arguments])
    assert done.exit_code in (2, 3)
    assert said in done.output
    assert "Traceback" not in done.output


def test_one_case_alone_needs_no_spark(tmp_path, mine):
    done = CliRunner().invoke(
        main, ["campaign", "mine:Codec", "--case", "1/6", "--message", *HEARTBEAT]
    )
    assert done.exit_code == 0
    assert "pass" in done.output


def test_a_plan_has_every_family_once():
    for cases in (1, 5, SLOTS, 47_999, 100_000, 5_000_000):
        plan = RunPlan(cases, ("one", "other"))
        found = [
            index
            for number in range(plan.rounds)
            for chunk in plan.chunks(number)
            if chunk.target == "one"
            for index in range(chunk.first, chunk.first + chunk.count)
        ]
        assert found
        assert found == list(range(plan.families))


def test_spark_reads_the_tables(session, judged_run):
    frame = session.read.parquet(str(judged_run.folder / "verdicts"))
    found = [json.loads(row["expected"]) for row in frame.where("verdict = 'fail'").collect()]
    assert found
    assert {"run", "target", "round"} <= set(frame.columns)
