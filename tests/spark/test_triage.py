"""What many runs found as few causes: across targets, with the shortest bytes that show each."""

from __future__ import annotations

import io
import json
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from conformance.campaigns.triage.lines import line_of
from conformance.campaigns.triage.triage import TriagedDefect, defects, given_runs
from conformance.cli import main
from conformance.codecs.cases.golden import families
from conformance.codecs.cases.vectors import read_vectors
from conformance.codecs.mutants import mutants
from conformance.codecs.run import run as judged_by_run
from conformance.codecs.testee.in_process import ObjectTarget
from conformance.fuzzing.campaign import Suspected
from conformance.fuzzing.inputs import HEAD_BYTES, InputSubject, seeds, split
from conformance.fuzzing.triage import confirmed, triage, verdicts_on_input
from conformance.reference.codec import ReferenceCodec
from conformance.results.files import write_results
from conformance.results.lines import BROKEN, Finding, Run, Summary, Verdict
from conformance.rules import catalogue
from conformance.rules.selection import Selection
from conformance.testee_protocol import Target

on_spark = [
    pytest.mark.java,
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # PySpark's own sockets
]
MESSAGE = "HeartbeatRequest"
NULL_STRINGS, NUL = "NullStringIsEmpty", "NulOfTwoBytes"
SUMMARY = Summary(cases=1, verdicts={}, seconds=0.0, exit_code=0)
RUN = Run(
    target="kio",
    target_version="kio 1",
    language="python",
    definitions="4.4.0",
    suite_version="0.1.0",
    profile="spec",
    started="2026-01-01T00:00:00+00:00",
)
DIES = """
import os, time
from conformance.reference.codec import ReferenceCodec

class Codec(ReferenceCodec):
    name = "mine"

    def hello(self):
        return {**super().hello(), "messages": {"HeartbeatResponse": [0, 4]}}

    def decode(self, message, version, data):
        if version == 0 and data[:1] == b"\\x7f":
            os._exit(9)
        if version == 0 and data[:1] == b"\\x7e":
            time.sleep(60)
        return super().decode(message, version, data)
"""


def verdict(case: str, name: str = "fail", **more: Any) -> Verdict:
    plain: dict[str, Any] = {"rule": "r", "class_": "must", "message": "M", "version": 1}
    outcome = {"op": "decode", "outcome": "value", "verdict": name, "input": "00"}
    return Verdict(case=case, **plain | outcome | more)


def differs(case: str, field: str = "a", **more: Any) -> Verdict:
    said = f"{field}: expected 1, got 2"
    return verdict(case, detail="another value was read", first_difference=said, **more)


def refused(case: str, words: str, **more: Any) -> Verdict:
    return verdict(case, outcome="rejected", detail=f"refused: {words}", **more)


def results(path: Path, *verdicts: Verdict, findings: Any = (), **run: Any) -> Path:
    write_results(path, msgspec.structs.replace(RUN, **run), verdicts, findings, SUMMARY)
    return path


def of(*paths: Path) -> list[TriagedDefect]:
    return defects(given_runs(paths))


def who(defect: TriagedDefect) -> list[str]:
    return [each.who[0] for each in defect.affected]


def triaged(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["triage", *map(str, arguments)])
    return done.exit_code, done.output


def mutant(name: str) -> Target:
    return ObjectTarget(mutants()[name]())


def gate(path: Path, name: str, target: Target, **run: Any) -> Path:
    """What the gate's cases of one message find in a codec."""
    cases = families(read_vectors(MESSAGE), target.hello, Selection(rules=dict(catalogue())))
    hello = target.hello
    version = f"{hello.name} {hello.version}"
    verdicts = judged_by_run(cases, target, catalogue())
    return results(path, *verdicts, target=name, target_version=version, **run)


def test_the_same_difference_in_two_targets_is_one_cause(tmp_path):
    kio = results(tmp_path / "kio", differs("1"), differs("2", "b", message="N", rule="s"))
    other = results(tmp_path / "other", differs("3"), target="sarama")
    found = of(kio, other)
    assert [who(each) for each in found] == [["kio", "sarama"], ["kio"]]
    assert [each.rules for each in found] == [("r",), ("s",)]


def test_two_versions_of_a_target_are_told_apart_in_one_cause(tmp_path):
    old = results(tmp_path / "old", differs("1"), target_version="kio 1")
    new = results(tmp_path / "new", differs("1"), target_version="kio 2")
    [found] = of(new, old)
    assert [each.who for each in found.affected] == [("kio", "kio 1"), ("kio", "kio 2")]


def test_words_are_a_targets_own(tmp_path):
    said = "index out of range"
    old = results(tmp_path / "old", refused("1", said, rule="r"), target="kio@1")
    new = results(tmp_path / "new", refused("2", said, rule="s"), target="kio@2")
    third = results(tmp_path / "third", refused("3", said, rule="t"), target="sarama")
    fourth = results(tmp_path / "fourth", refused("4", said, rule="t"), target="franz-go")
    assert [who(each) for each in of(old, new, third, fourth)] == [
        ["kio@1", "kio@2"],
        ["franz-go", "sarama"],
    ]


def finding(*rules: str, diagnosis: str = "") -> Finding:
    return Finding(
        cause="c", rules=list(rules), case="1", count=1, reproduce="again", diagnosis=diagnosis
    )


def test_one_diagnosis_is_one_cause_whatever_the_words(tmp_path):
    explained = finding("r", diagnosis="looks like this")
    one = results(tmp_path / "one", refused("1", "no"), findings=[explained])
    other = results(tmp_path / "two", differs("2"), findings=[explained], target="sarama")
    [found] = of(one, other)
    assert found.diagnosis == "looks like this"
    assert who(found) == ["kio", "sarama"]


def test_what_a_diagnosis_explains_it_explains_in_campaigns_too(tmp_path):
    gated = results(tmp_path / "g", differs("1"), findings=[finding("r", diagnosis="this")])
    campaign = results(tmp_path / "c", differs("1/7", rule="s"), differs("1/8", "b", rule="s"))
    found = {each.diagnosis: each.cases for each in of(campaign, gated)}
    assert found == {"this": 2, "": 1}


def test_runs_are_counted_with_the_first_and_the_last(tmp_path):
    later, earlier = "2026-03-01T00:00:00+00:00", "2026-02-01T00:00:00+00:00"
    one = results(tmp_path / "one", differs("1"), differs("2", input="0000"), started=later)
    other = results(tmp_path / "other", differs("3", input="000000"), started=earlier)
    [line] = [line_of(each) for each in of(one, other)]
    [told] = line.targets
    assert (told.cases, told.first_seen, told.last_seen) == (3, earlier, later)
    assert told.runs == [str(one), str(other)]
    assert (told.case, told.input) == ("1", "00")


def test_a_run_that_is_given_twice_counts_once(tmp_path):
    path = results(tmp_path / "one", differs("1"))
    [found] = of(path, tmp_path / "." / "one")
    assert found.cases == 1


def test_a_mutant_is_one_cause_in_each_that_has_its_defect(tmp_path):
    paths = [
        gate(tmp_path / "a", "one", mutant(NULL_STRINGS)),
        gate(tmp_path / "b", "same", mutant(NULL_STRINGS)),
        gate(tmp_path / "c", "other", mutant(NUL)),
        gate(tmp_path / "d", "reference", ObjectTarget(ReferenceCodec())),
    ]
    found = [who(each) for each in of(*paths)]
    assert ["one", "same"] in found
    assert ["other"] in found
    assert {name for names in found for name in names} == {"one", "same", "other"}
    assert not any({"one", "other"} <= set(names) for names in found)


def longest_broken(target: Target) -> tuple[bytes, Verdict]:
    """The longest of the inputs that a fuzzer begins with and that a target answers wrongly."""
    longest = {}
    for data in seeds([MESSAGE]):
        for each in verdicts_on_input(data, target, "spec"):
            if each.verdict in BROKEN and not each.case.endswith("well-formed"):
                longest[len(data)] = data, each
    return longest[max(longest)]


def test_a_shorter_input_breaks_the_same_rule_in_the_same_way():
    target = mutant(NULL_STRINGS)
    data, before = longest_broken(target)
    found = confirmed(data, target, "spec")
    assert found is not None
    assert len(found.shortest) < len(data)
    own = [(each.rule, each.verdict) for each in found.broken]
    assert (before.rule, before.verdict) in own
    parted = split(found.shortest)
    assert parted is not None
    assert b"\xff\xff" in parted[1]


def test_a_line_has_the_shortest_input_and_its_command(tmp_path, monkeypatch):
    pytest.importorskip("pyspark", reason="needs the extra `pipeline`")
    from conformance.campaigns.chunk import ChunkSettings
    from conformance.spark.triage import shortened as shortened_rows
    from conformance.spark.triage.shortening import Shortened

    def one_by_one(_session: Any, suspects: list[Any], profile: str, *_: Any, **__: Any) -> Any:
        for place, each in enumerate(suspects):
            found = confirmed(each.data, mutant(NULL_STRINGS), profile, each.like)
            assert found is not None
            made: Any = {"shortest": found.shortest, "broken": found.broken}
            yield place, Shortened(target=each.target, suspect=each.data, **made)

    monkeypatch.setattr(shortened_rows, "each_on_spark", one_by_one)
    name, target = f"mutant:{NULL_STRINGS}", mutant(NULL_STRINGS)
    _, broken = longest_broken(target)
    version = f"{target.hello.name} {target.hello.version}"
    path = results(tmp_path / "run", broken, target=name, target_version=version)
    settings = ChunkSettings(run="", folder="", seed=0)
    plan = shortened_rows.planned([line_of(each) for each in of(path)], settings)
    [suspect] = plan.suspects["spec"].values()
    no_session: Any = None
    [line] = shortened_rows.shortened(no_session, plan, settings, None, quiet_console())
    [told] = line.targets
    short = told.fuzz_input or ""
    assert told.minimised == "shortened"
    assert len(short) < len(suspect.data.hex())
    assert short[2 * HEAD_BYTES :] == told.shortest
    assert told.reproduce.endswith(f"--input {short}")


def test_lines_are_told_and_the_exit_code_says_that_rules_were_broken(tmp_path):
    path = results(tmp_path / "one", differs("1"), refused("2", "no", input={"a": 1}, op="encode"))
    code, output = triaged(path, "--no-minimise")
    assert code == 1
    assert "kio 1: 1 case in 1 run, 2026-01-01" in output
    assert "as it was: its input is no bytes that a codec reads" in output
    assert "again:    kafka-conformance codec kio --case 1" in output
    assert output.splitlines()[-1] == "2 causes, 1 target, 1 run, 2 cases; made short: 0"


def test_json_is_an_object_a_line(tmp_path):
    path = results(tmp_path / "one", differs("1"))
    code, output = triaged(path, "--no-minimise", "--json")
    line, summary = map(json.loads, output.splitlines())
    assert code == 1
    assert (line["type"], line["class"], line["rules"]) == ("cause", "must", ["r"])
    assert line["targets"][0]["fuzz_input"] == InputSubject("M", 1).head.hex() + "00"
    assert (summary["type"], summary["causes"], summary["cases"]) == ("summary", 1, 1)


def test_where_no_rule_was_broken_it_ends_with_0(tmp_path):
    path = results(tmp_path / "one", verdict("1", "pass"), verdict("2", "note"))
    assert triaged(path, "--no-minimise") == (0, "1 run: no rule was broken\n")


def test_what_is_no_run_is_one_clear_line(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "nothing").touch()
    (tmp_path / "text").write_text("nothing\n")
    run = results(tmp_path / "run", differs("1"))
    other = results(tmp_path / "other", differs("1"), suite_version="0.2.0")
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine").touch()
    for arguments, said in (
        ([tmp_path / "empty"], "has no run in it"),
        ([tmp_path / "nothing"], "does not begin with a run"),
        ([tmp_path / "text"], "text:1: "),
        ([run, other], "runs of different suites: 0.1.0, 0.2.0 (--anyway"),
        ([run, "-o", full], "holds something else: mine"),
    ):
        code, output = triaged("--no-minimise", *arguments)
        assert code == 2
        assert said in output
        assert len(output.splitlines()) == 1
    assert triaged("--no-minimise", "--anyway", run, other)[0] == 1


def test_a_target_that_is_not_here_is_left_as_it_was_without_starting_spark(tmp_path):
    pytest.importorskip("pyspark", reason="needs the extra `pipeline`")
    path = results(tmp_path / "one", differs("1", message=MESSAGE), target="nobody")
    code, output = triaged(path, "--master", "local[1]")
    assert code == 1
    assert "as it was: not to be opened here: there is no target 'nobody'" in output


def test_a_target_of_another_version_is_left_as_it_was(tmp_path):
    pytest.importorskip("pyspark", reason="needs the extra `pipeline`")
    path = results(tmp_path / "one", differs("1", message=MESSAGE), target="reference")
    assert "as it was: what is here is reference " in triaged(path)[1]


def test_grouping_needs_no_spark(tmp_path):
    path = results(tmp_path / "one", differs("1"))
    without = "import sys; sys.modules.update(dict.fromkeys(('pyspark', 'pyarrow', 'pandas')));"
    program = f"{without} from conformance.cli import main; main()"
    command = [sys.executable, "-c", program, "triage", str(path), "--no-minimise"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "1 cause, 1 target" in done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_memory_does_not_grow_with_the_files(tmp_path):
    path = tmp_path / "large.ndjson"
    some = (differs(str(number), input="00" * 100) for number in range(200_000))
    write_results(path, RUN, some, [], SUMMARY)
    program = (
        "import sys; from conformance.cli import main\n"
        "main(['triage', '--no-minimise', *sys.argv[1:]], standalone_mode=False)\n"
        "print(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0])"
    )
    command = [sys.executable, "-c", program, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    *_, told, peak = done.stdout.splitlines()
    assert told == "1 cause, 1 target, 1 run, 200,000 cases; made short: 0"
    assert int(peak) < 80 * 1024


def test_a_table_and_inputs_are_kept_for_nobody_else_to_read(tmp_path):
    pytest.importorskip("pyarrow", reason="needs the extra `pipeline`")
    from conformance.campaigns.storage.tables import read_file
    from conformance.campaigns.triage.files import keep

    data = InputSubject(MESSAGE, 3).head + b"\1"
    [line] = [line_of(each) for each in of(results(tmp_path / "one", differs("1")))]
    short = msgspec.structs.replace(line.targets[0], shortest="01", fuzz_input=data.hex())
    root = tmp_path / "kept"
    root.mkdir()
    for _ in range(2):
        keep(root, [msgspec.structs.replace(line, targets=[short])])
    assert stat.S_IMODE(root.stat().st_mode) == stat.S_IMODE((root / "inputs").stat().st_mode)
    assert stat.S_IMODE(root.stat().st_mode) == 0o700
    assert [path.read_bytes() for path in (root / "inputs").iterdir()] == [data]
    [row] = read_file(root / "triage" / "triage.parquet", "triage")
    assert (row["position"], row["target"], row["rules"]) == (0, "kio", ["r"])
    assert (row["shortest"], row["fuzz_input"], row["input"]) == (b"\1", data, "00")


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """The folder of a codec that dies of one byte and hangs of another."""
    (tmp_path / "mine.py").write_text(DIES)
    return tmp_path


def ends_it(first: str, *more: str) -> list[bytes]:
    return [
        InputSubject("HeartbeatResponse", 0).head + bytes.fromhex(first + each) for each in more
    ]


def quiet_console() -> Any:
    from rich.console import Console

    return Console(file=io.StringIO())


class TestOnSpark:
    """Suspicions made short by tasks."""

    pytestmark = on_spark

    def test_any_number_of_parts_gives_what_one_process_does(self, session):
        from conformance.spark.triage.shortening import shortened_on_spark

        names = [f"mutant:{NULL_STRINGS}", f"mutant:{NUL}", "reference"]
        inputs = [data + bytes(3) for data in seeds([MESSAGE])[::6]] + seeds([MESSAGE])[::6]
        suspects = [(name, data) for data in inputs for name in names]
        found = [
            list(shortened_on_spark(session, suspects, parts=parts, console=quiet_console()))
            for parts in (1, 4)
        ]
        assert found[0] == found[1]
        alone = triage(map(Suspected, inputs), mutant(NULL_STRINGS), names[0], "spec")
        of_one = [each for each in found[0] if each.target == names[0]]
        assert alone.inputs
        assert [each.shortest for each in of_one if each.broken] == list(alone.inputs.values())
        assert sum(each.confirmed is None for each in of_one) == len(alone.unconfirmed)
        assert not any(each.broken for each in found[0] if each.target == "reference")

    def test_a_target_that_ends_costs_verdicts_and_no_task(self, session, mine):
        from conformance.campaigns.chunk import ChunkSettings
        from conformance.spark.triage.shortening import shortened_on_spark

        inputs = ends_it("7f", "000000", "00000000aa") + ends_it("7e", "000000")
        suspects = [("mine:Codec", data) for data in inputs]
        suspects += [("nowhere:Codec", inputs[0])]
        settings = ChunkSettings(run="", folder="", seed=0, place=str(mine), timeout=0.5)
        found = list(
            shortened_on_spark(session, suspects, "spec", settings, 2, console=quiet_console())
        )
        told = {(each.target, each.suspect): each for each in found}
        died = told["mine:Codec", inputs[0]]
        assert {each.verdict for each in died.broken} == {"crash"}
        assert died.shortest[4:5] == b"\x7f"
        assert {each.verdict for each in told["mine:Codec", inputs[2]].broken} == {"hang"}
        assert "cannot import 'nowhere'" in told["nowhere:Codec", inputs[0]].lost

    def test_parts_that_are_set_aside_say_so_for_each_suspect(self, session, monkeypatch):
        from conformance.spark.jobs.parts import SetAside
        from conformance.spark.triage import shortening

        aside = [SetAside(1, "its worker died 3 times")]
        monkeypatch.setattr(shortening, "in_parts", lambda *_: iter(aside))
        suspects = [("reference", bytes([number])) for number in range(5)]
        found = shortening.shortened_on_spark(session, suspects, parts=2, console=quiet_console())
        assert [(each.suspect, each.lost) for each in found] == [
            (bytes([number]), "its worker died 3 times") for number in (1, 3)
        ]

    def test_campaigns_of_mutants_and_the_reference_are_few_causes_with_short_cases(
        self, session, tmp_path, monkeypatch
    ):
        from conformance.campaigns.chunk import ChunkSettings, close_targets
        from conformance.spark.campaign.campaign import CampaignOptions, judge_rounds, prepare
        from conformance.spark.campaign.closing import close
        from conformance.spark.triage.shortened import planned, shortened
        from conformance.spark.triage.shortening import opened

        monkeypatch.chdir(tmp_path)
        name = f"conformance.codecs.mutants:{NULL_STRINGS}"
        chosen: dict[str, Any] = {"cases": 3000, "messages": (MESSAGE,), "ui": False}
        for folder, targets in (("one", (name, "reference")), ("two", (name,))):
            options = CampaignOptions(
                folder=tmp_path / folder, seed=len(folder + targets[0]), **chosen
            )
            campaign = prepare(targets, options)
            judge_rounds(campaign, session, options, quiet_console())
            close(campaign, quiet_console(), None, verbose=False)
        lines = [line_of(each) for each in of(tmp_path / "one", tmp_path / "two")]
        assert {each.target for line in lines for each in line.targets} == {name}
        assert all(len(each.runs) == 2 for line in lines for each in line.targets)
        settings = ChunkSettings(run="", folder="", seed=0, place=str(tmp_path))
        plan = planned(lines, settings)
        found = [shortened(session, plan, settings, parts, quiet_console()) for parts in (1, 4)]
        assert found[0] == found[1]
        told = [each for line in found[0] for each in line.targets]
        short = [each for each in told if each.shortest is not None]
        assert short
        target = opened(name, settings)
        for each in short:
            assert each.shortest_rule == each.rule
            again = verdicts_on_input(bytes.fromhex(each.fuzz_input or ""), target, "spec")
            assert (each.rule, each.verdict) in {(it.rule, it.verdict) for it in again}
        close_targets()
        assert {each.why for each in told if each not in short} <= {
            "its input is no bytes that a codec reads"
        }

    def test_the_command_makes_short_what_it_tells(self, tmp_path):
        target = mutant(NULL_STRINGS)
        path = gate(tmp_path / "run", f"mutant:{NULL_STRINGS}", target)
        command = [sys.executable, "-m", "conformance.cli", "triage", str(path)]
        command += ["--master", "local[2]", "-o", str(tmp_path / "kept")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 1, done.stderr
        assert " bytes)" in done.stdout
        kept = [each.read_bytes() for each in (tmp_path / "kept" / "inputs").iterdir()]
        assert kept
        for data in kept:
            assert f"fuzz mutant:{NULL_STRINGS} --input {data.hex()}" in done.stdout
            assert any(each.verdict in BROKEN for each in verdicts_on_input(data, target, "spec"))
