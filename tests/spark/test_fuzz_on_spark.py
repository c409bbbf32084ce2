"""Fuzzing on Spark: shards find what is planted, share what they find, and lose nothing."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

pytest.importorskip("pyspark", reason="needs the extra `pipeline`")
pytest.importorskip("atheris", reason="needs atheris: Linux")

import pyarrow as pa
from rich.console import Console

from conformance.campaigns.fuzzing.merge import carry_over, merge_shard
from conformance.campaigns.fuzzing.plan import Shard, dealt, merges
from conformance.campaigns.fuzzing.shard import Common, by_name, input_rows, put, start_of
from conformance.campaigns.fuzzing.task_folder import PREFIX, private_folder
from conformance.campaigns.storage.compare_sources import sources
from conformance.campaigns.storage.folder import FolderError
from conformance.campaigns.storage.tables import FUZZ_SCHEMAS, TableError, partition, read_rows
from conformance.cli import main
from conformance.fuzzing.campaign import DiskFull
from conformance.fuzzing.inputs import InputSubject
from conformance.fuzzing.triage import Triage
from conformance.results.files import read_lines
from conformance.results.lines import Finding
from conformance.spark.fuzzing import workers as fuzz_workers
from conformance.spark.fuzzing.closing import close
from conformance.spark.fuzzing.run import FuzzRun, FuzzRunOptions, fuzz_rounds, prepare
from conformance.spark.fuzzing.task import done_on_spark
from conformance.spark.fuzzing.triage import TriageResults, judge_suspects, settings_of
from conformance.spark.jobs.workers import Unfit

pytestmark = [
    pytest.mark.java,
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # PySpark's own sockets
]

HEARTBEAT = "HeartbeatResponse"
FIND = "FindCoordinatorRequest"
HEAD = InputSubject(HEARTBEAT, 0).head
CODEC = """
import os, signal, struct, sys
from pathlib import Path

decoded = 0

class Codec:
    def hello(self):
        about = {"protocol": 1, "name": "mine", "version": "1", "ops": ["decode"]}
        return {**about, "messages": {"HeartbeatResponse": [0, 0]}}

    def decode(self, message, version, data):
        (code,) = struct.unpack_from(">h", data)
        if "atheris" in sys.modules:
            obey()
        if code == 27 and Path(__file__).with_name("mortal").exists():
            os._exit(9)
        if code > 2000:
            return far(code), len(data) - 2
        if code > 300:
            return {"errorCode": code + FLAW}, len(data) - 2
        return {"errorCode": code}, len(data) - 2

def far(code):
    return {"errorCode": code}

def obey():
    global decoded
    decoded += 1
    for often in ("once", "always"):
        order = Path(__file__).with_name(f"{Path(__file__).stem}-kill-{often}")
        if decoded == 20 and order.exists():
            if often == "once":
                order.unlink()
            os.kill(os.getppid(), signal.SIGKILL)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch) -> Path:
    """A folder with a codec that is sound, and one that is not; what is beside them is obeyed."""
    for name, flaw in (("sound", 0), ("flawed", 1)):
        (tmp_path / f"{name}.py").write_text(CODEC.replace("FLAW", str(flaw)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """No test leaves inputs on the disks of workers, or processes that fuzz on."""
    before = left_behind()
    yield
    deadline = time.monotonic() + 20
    while left := left_behind() - before:
        assert time.monotonic() < deadline, left
        time.sleep(0.2)


def left_behind() -> set[str]:
    found = {str(path) for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*")}
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if PREFIX in line.read_text(errors="replace"):
                found.add(str(line))
    return found


def options(folder: Path, **more: Any) -> FuzzRunOptions:
    return FuzzRunOptions(
        folder=folder, **{"time": 3.0, "messages": (HEARTBEAT,), "ui": False, **more}
    )


def quiet_console() -> Console:
    return Console(file=io.StringIO(), width=120)


def fuzzed(session: Any, how: FuzzRunOptions, *targets: str) -> FuzzRun:
    run = prepare(targets, how)
    fuzz_rounds(run, session, how, quiet_console())
    return run


def closed(session: Any, run: FuzzRun, how: FuzzRunOptions) -> tuple[int, TriageResults, str]:
    """The exit code, what was found, and what is shown."""
    shown = quiet_console()
    judged = judge_suspects(run, session, how, quiet_console())
    code = close(run, judged, shown, None, verbose=False)
    return code, judged, shown.file.getvalue()  # type: ignore[attr-defined]


def rows(run: FuzzRun, table: str) -> list[dict[str, Any]]:
    return list(read_rows(run.folder.root / table, table))


def code(number: int) -> bytes:
    return HEAD + number.to_bytes(2, "big")


def test_a_planted_mutant_is_found_and_told_once(session, place):
    how = options(place / "run", time=5.0, messages=(HEARTBEAT, FIND))
    run = fuzzed(session, how, "sound:Codec", "mutant:TakesWhatIsThere")
    ended, judged, shown = closed(session, run, how)
    assert ended == 1
    (finding,) = judged.found["mutant:TakesWhatIsThere"].findings
    assert finding.rules == ["primitives.length-beyond-input-refused"]
    assert judged.found["sound:Codec"].findings == []
    assert ": nothing found" in shown
    assert (place / "run").stat().st_mode & 0o777 == 0o700
    runs = sources(place / "run")
    assert [each.case for each in runs["mutant:TakesWhatIsThere"].verdicts()]
    again = finding.reproduce.split()[1:]
    assert CliRunner().invoke(main, again).exit_code == 1


def test_rounds_go_on_from_each_other_and_shards_find_one_cause_once(session, place):
    how = options(place / "run", rounds=1, shards=2)
    run = fuzzed(session, how, "flawed:Codec")
    assert {row["shard"] for row in rows(run, "shards")} == {0, 1}
    kept = {row["sha1"] for row in rows(run, "corpus")}
    left = run.folder.root / "inputs" / f"run={run.about.run}" / "target=x" / "round=1"
    left.mkdir(parents=True)  # of a round that was killed before its marker
    how = options(place / "run", rounds=2, shards=2, resume=True)
    run = fuzzed(session, how, "flawed:Codec")
    assert not left.exists()
    assert [each.number for each in run.rounds] == [0, 1]
    assert len(rows(run, "shards")) == 4
    new = run.folder.root / "inputs" / f"run={run.about.run}" / "target=flawed%3ACodec/round=1"
    assert kept.isdisjoint(row["sha1"] for row in read_rows(new, "inputs"))
    ended, judged, _ = closed(session, run, how)
    assert ended == 1
    (finding,) = judged.found["flawed:Codec"].findings
    assert finding.rules == ["versions.field-types"]


def test_a_killed_worker_is_replaced_and_nothing_is_doubled(session, place):
    (place / "sound-kill-once").touch()
    run = fuzzed(session, options(place / "run"), "sound:Codec", "flawed:Codec")
    assert not (place / "sound-kill-once").exists()
    assert run.aside == 0
    assert sorted(row["shard"] for row in rows(run, "shards")) == [0, 1]
    for target in run.about.targets:
        folder = partition(run.folder.root, "inputs", run.about.run, target)
        names = [row["sha1"] for row in read_rows(folder, "inputs")]
        assert len(names) == len(set(names)) == run.fuzzed(target).inputs


def test_a_shard_that_kills_its_worker_always_is_set_aside(session, place):
    (place / "flawed-kill-always").touch()
    how = options(place / "run", time=2.0)
    run = fuzzed(session, how, "flawed:Codec", "sound:Codec")
    (row,) = [row for row in rows(run, "set_aside") if "merge" not in row["reason"]]
    assert row["reason"] == "its worker died 3 times"
    assert run.fuzzed("flawed:Codec").executions == 0
    assert run.fuzzed("flawed:Codec").corpus > 0, "what it had is there for another round"
    assert run.fuzzed("sound:Codec").executions > 0
    ended, _, shown = closed(session, run, how)
    assert ended == 3
    assert "set aside" in shown


def test_a_full_disk_ends_the_run_and_is_no_matter_of_the_shard(session, place):
    def full(_task: int):
        raise DiskFull("less than 64 MiB are free")

    with pytest.raises(TableError, match=r"64 MiB are free \(free some room"):
        done_on_spark(session, "full", 2, full)


def common(place: Path, *targets: str) -> Common:
    return Common(
        run="r", folder=str(place / "run"), targets=targets, seconds=1.0, place=str(place)
    )


def merge_of(target: str, number: int = 0) -> Shard:
    return Shard(target=target, round=0, number=number, messages=(HEARTBEAT,))


def test_a_merge_takes_what_another_target_found_and_drops_what_reaches_nothing(place):
    what = common(place, "sound:Codec", "flawed:Codec")
    many, far = [code(number) for number in range(200, 400)], code(3000)
    put(what, merge_of("sound:Codec"), "inputs", list(input_rows(by_name(many))))
    put(what, merge_of("flawed:Codec", 1), "inputs", list(input_rows(by_name([far]))))
    merged = merge_shard(what, merge_of("sound:Codec"))
    kept = [row["bytes"] for row in read_rows(what.part("corpus", "sound:Codec", 0), "corpus")]
    assert merged.corpus == len(kept) < len(many)
    assert {branch(data) for data in kept if len(data) == len(far)} == {0, 1, 2}


def branch(data: bytes) -> int:
    """Which way the codec goes."""
    number = int.from_bytes(data[4:6], "big", signed=True)
    return (number > 300) + (number > 2000)


def test_what_ends_a_target_is_a_suspicion_and_not_given_to_it_again(place):
    (place / "mortal").touch()
    what = common(place, "sound:Codec", "reference")
    deadly, far = code(27), code(3000)
    found = list(input_rows(by_name([deadly, far])))
    put(what, merge_of("reference", 1), "inputs", found)
    assert merge_shard(what, merge_of("sound:Codec")).suspects == 1
    (suspect,) = read_rows(what.part("suspects", "sound:Codec"), "suspects")
    assert (suspect["bytes"], bool(suspect["ended"])) == (deadly, True)
    next_round = Shard(target="sound:Codec", round=1, number=0, messages=(HEARTBEAT,))
    assert far in start_of(what, next_round).values()
    assert deadly not in start_of(what, next_round).values()
    carried = Shard(target="reference", round=1, number=1, messages=(HEARTBEAT,))
    carry_over(what, merge_of("reference", 1))
    assert deadly in start_of(what, carried).values()


def test_a_private_folder_goes_when_its_holder_is_killed():
    with private_folder() as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "input").write_bytes(b"x")
    assert not folder.exists()
    pid = os.fork()
    if pid == 0:
        with private_folder():
            os.kill(os.getpid(), signal.SIGKILL)
    assert os.waitpid(pid, 0)[1] == signal.SIGKILL  # the fixture waits for its folder to be gone


def test_shards_are_dealt_fairly_and_otherwise_each_round():
    messages = {"one": ("A", "B", "C"), "other": ("A", "B")}
    rounds = [dealt(messages, number, 5, seed=1) for number in range(4)]
    assert rounds[0] == dealt(messages, 0, 5, seed=1)
    for shards in rounds:
        assert [each.number for each in shards] == [0, 1, 2, 3, 4]
        assert len({each.seed for each in shards}) == 5
        for target, all_of_it in messages.items():
            given = [each.messages for each in shards if each.target == target]
            assert {name for group in given for name in group} == set(all_of_it)
    counts = [sum(each.target == "one" for each in shards) for shards in rounds]
    assert set(counts) == {2, 3}
    assert len(dealt(messages, 0, 1, seed=1)) == 2, "at least one a target"
    many = dealt({"one": ("A",)}, 0, 3, seed=1)
    assert [each.messages for each in many] == [("A",)] * 3
    assert len(merges(many)) == 1


def test_the_tables_have_the_columns_that_the_page_says():
    page = (Path(__file__).parents[2] / "fuzz" / "README.md").read_text("utf-8")
    told = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \|$", page, re.M)
    said = {name: columns.split(", ") for name, columns in told}
    assert said == {name: schema.names for name, schema in FUZZ_SCHEMAS.items()}


def test_workers_without_atheris_are_told_in_a_line(session, place, monkeypatch):
    run = prepare(["sound:Codec"], options(place / "run"))

    def lacking(batches):
        for _ in batches:
            yield pa.RecordBatch.from_pylist([{"lacks": True}])

    monkeypatch.setattr(fuzz_workers, "_lacking", lacking)
    settings = settings_of(run, options(place / "run"))
    with pytest.raises(Unfit, match="the workers have no package 'atheris'") as raised:
        fuzz_workers.check_fuzzing_workers(session, settings, run.about.targets)
    assert "\n" not in str(raised.value)


def test_a_folder_with_another_run_is_left_alone(place):
    prepare(["sound:Codec"], options(place / "run"))
    with pytest.raises(FolderError, match="has another run in it"):
        prepare(["sound:Codec"], options(place / "run"))
    with pytest.raises(FolderError, match="another seed"):
        prepare(["sound:Codec"], options(place / "run", seed=2, resume=True))
    asked = ["campaign", "reference", "--cases", "10", "-o", str(place / "run")]
    ended = CliRunner().invoke(main, asked)
    assert ended.exit_code == 2
    assert "another run in it, of the command `fuzz`" in ended.output


def test_nothing_executed_is_no_success(place):
    run = prepare(["sound:Codec"], options(place / "run"))
    judged = TriageResults(found={"sound:Codec": Triage()})
    assert close(run, judged, quiet_console(), None, verbose=False) == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["reference", "kio"], "several targets go with --master"),
        (["reference", "--rounds", "2"], "--rounds goes with --master"),
        (["reference", "--resume"], "--resume goes with --master"),
        (["reference", "--master", "local[2]"], "give -o with --master"),
        (["reference", "--master", "local[2]", "--jobs", "2", "-o", "r"], "--jobs goes without"),
        (["reference", "--master", "local[2]", "--message", "No", "-o", "r"], "no message 'No'"),
        (["nothing", "--master", "local[2]", "-o", "r"], "nothing"),
        (["mutant:No", "--master", "local[2]", "-o", "r"], "there is no mutant 'No'"),
    ],
)
def test_what_can_not_be_done_is_one_line(place, arguments, said):
    ended = CliRunner().invoke(main, ["fuzz", *arguments])
    assert ended.exit_code in (2, 3)
    assert said in ended.output
    assert not (place / "r").exists()


def command(*more: str) -> list[str]:
    asked = [sys.executable, "-m", "conformance.cli", "fuzz", "flawed:Codec", "-o", "run"]
    return [*asked, "--message", HEARTBEAT, "--results", "found.ndjson", *more]


def test_after_ctrl_c_the_rounds_that_are_done_are_kept_and_gone_on_with(place):
    asked = command("--master", "local[2]", "--time", "2")
    with subprocess.Popen([*asked, "--rounds", "1000"], stdout=subprocess.PIPE) as process:
        deadline = time.monotonic() + 300
        while not (place / "run" / "rounds" / "00000.json").exists():
            assert time.monotonic() < deadline
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        shown, _ = process.communicate(timeout=300)
    assert process.returncode == 130, shown
    assert b"--resume goes on with them" in shown
    done = len(list((place / "run" / "rounds").iterdir()))
    again = subprocess.run([*asked, "--rounds", str(done), "--resume"], check=False)
    assert again.returncode == 1
    (finding,) = [line for line in read_lines(place / "found.ndjson") if isinstance(line, Finding)]
    assert finding.rules == ["versions.field-types"]


def test_a_cluster_fuzzes_with_the_code_that_it_was_sent(cluster, place):
    asked = command(
        "mutant:TakesWhatIsThere", "--message", FIND, "--master", cluster, "--time", "5"
    )
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    shards = list(read_rows(place / "run" / "shards", "shards"))
    assert len(shards) == 2
    assert all(row["edges"] > 0 for row in shards), "what is imported from a zip is not watched"
    findings = list(read_rows(place / "run" / "findings", "findings"))
    assert {row["rules"][0] for row in findings} == {
        "versions.field-types",
        "primitives.length-beyond-input-refused",
    }
