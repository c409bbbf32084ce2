"""Two runs beside each other: what broke, what was mended, and what can't be told."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from conformance.campaigns.storage.compare_sources import sources
from conformance.cli import main
from conformance.reporting.comparing import Change, Comparison
from conformance.results.files import write_results
from conformance.results.lines import Run, Summary, Verdict

SUMMARY = Summary(cases=1, verdicts={}, seconds=0.0, exit_code=0)
RUN = Run(
    target="kio",
    target_version="kio 1",
    language="python",
    definitions="4.4.0",
    suite_version="0.1.0",
    profile="spec",
    started="2026-01-01T00:00:00+00:00",
    selection={},
)


def verdict(case: str, name: str = "pass", **more: Any) -> Verdict:
    plain: dict[str, Any] = {"rule": "r", "class_": "must", "message": "M", "version": 1}
    outcome = {"op": "decode", "outcome": "value", "verdict": name}
    return Verdict(case=case, **plain | outcome | more)


def results(path: Path, *verdicts: Verdict, **run: Any) -> Path:
    write_results(path, msgspec.structs.replace(RUN, **run), verdicts, [], SUMMARY)
    return path


def compared(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["compare", *map(str, arguments)])
    return done.exit_code, done.output


def changes(old: Path, new: Path) -> list[Change]:
    [before], [after] = sources(old).values(), sources(new).values()
    with Comparison(before, after) as comparison:
        return list(comparison.changes())


@pytest.fixture
def old(tmp_path) -> Path:
    return results(
        tmp_path / "old.ndjson",
        verdict("stays-right"),
        verdict("breaks"),
        verdict("is-mended", "fail"),
        verdict("stays-wrong", "fail", first_difference="a: expected 1, got 2"),
        verdict("is-wrong-otherwise", "fail", first_difference="a: expected 1, got 2"),
        verdict("crashes-now", "fail"),
        verdict("is-not-asked-again", "fail"),
    )


@pytest.fixture
def new(tmp_path) -> Path:
    return results(
        tmp_path / "new.ndjson",
        verdict("stays-right"),
        verdict("breaks", "fail"),
        verdict("is-mended"),
        verdict("stays-wrong", "fail", first_difference="a: expected 1, got 2"),
        verdict("is-wrong-otherwise", "fail", first_difference="b: missing"),
        verdict("crashes-now", "crash"),
        verdict("appears", "fail"),
    )


def test_each_change_is_told_with_what_was_and_what_is(old, new):
    told = {each.case: (each.kind, each.old, each.new) for each in changes(old, new)}
    assert told == {
        "appears": ("new", "not asked", "fail"),
        "breaks": ("new", "pass", "fail"),
        "crashes-now": ("changed", "fail", "crash"),
        "is-mended": ("gone", "fail", "pass"),
        "is-not-asked-again": ("gone", "fail", "not asked"),
        "is-wrong-otherwise": ("changed", "fail", "fail"),
    }


def test_what_broke_ends_with_1(old, new):
    code, output = compared(old, new)
    assert code == 1
    assert "   is-wrong-otherwise: b: missing\n" in output
    assert "2 new, 2 changed, 0 flaky, 2 gone, 1 same" in output


def test_nothing_new_ends_with_0(tmp_path, old):
    mended = results(tmp_path / "mended.ndjson", verdict("stays-right"))
    assert compared(old, old)[0] == 0
    assert compared(old, mended)[0] == 0


def test_a_failure_that_ends_the_target_now_is_worse(tmp_path):
    failed = results(tmp_path / "failed.ndjson", verdict("1", "fail"))
    hung = results(tmp_path / "hung.ndjson", verdict("1", "hang"))
    assert compared(failed, hung)[0] == 1
    assert compared(hung, failed)[0] == 0


def test_every_case_is_a_line_of_json(old, new):
    _, output = compared(old, new, "--json")
    *lines, summary = map(json.loads, output.splitlines())
    assert {line["case"] for line in lines if line["kind"] == "new"} == {"appears", "breaks"}
    assert {line["rule"] for line in lines} == {"r"}
    assert (summary["old_target"], summary["new_target"]) == ("kio", "kio")
    assert (summary["new"], summary["worse"], summary["same"]) == (2, 3, 1)


def test_what_was_answered_in_two_ways_is_flaky(tmp_path, old):
    said = "flaky: answered '00', then '01'"
    dice = results(tmp_path / "dice.ndjson", verdict("breaks", "fail", detail=said))
    told = {each.case: each.kind for each in changes(old, dice)}
    assert told["breaks"] == "flaky"


def test_a_case_that_passes_and_fails_in_one_run_is_flaky(tmp_path, old):
    both = results(tmp_path / "both.ndjson", verdict("breaks", "fail"), verdict("breaks"))
    (change,) = (each for each in changes(old, both) if each.case == "breaks")
    assert (change.kind, change.new) == ("flaky", "fail")


def test_two_versions_of_a_target_are_compared(tmp_path):
    before = results(tmp_path / "1", verdict("1"), target="kio@1")
    after = results(tmp_path / "2", verdict("1", "fail"), target="kio@2", target_version="kio 2")
    code, output = compared(before, after)
    assert code == 1
    assert "kio 1, 2026-01-01 → kio 2, 2026-01-01: 1 new" in output


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"selection": {"messages": ["M"]}}, 'another selection: everything and {"messages"'),
        ({"suite_version": "0.2.0"}, "another suite version: 0.1.0 and 0.2.0"),
        ({"profile": "kafka"}, "another profile: spec and kafka"),
        ({"target": "sarama"}, "two targets: kio and sarama"),
    ],
)
def test_runs_that_were_not_asked_the_same_are_one_clear_line(tmp_path, old, other, said):
    another = results(tmp_path / "another.ndjson", verdict("stays-right"), **other)
    code, output = compared(old, another)
    assert code == 2
    assert said in output
    assert len(output.splitlines()) == 1
    assert "--anyway" in output
    assert compared(old, another, "--anyway")[0] == 0


def test_what_is_no_run_is_one_clear_line(tmp_path, old):
    (tmp_path / "empty").mkdir()
    (tmp_path / "text").write_text("nothing\n")
    for path, said in (("empty", "has no run in it"), ("text", "text:1: ")):
        code, output = compared(old, tmp_path / path)
        assert code == 2
        assert said in output
        assert len(output.splitlines()) == 1


def test_files_need_no_spark(old, new):
    without = "import sys; sys.modules.update(dict.fromkeys(('pyspark', 'pyarrow', 'pandas')));"
    program = f"{without} from conformance.cli import main; main()"
    command = [sys.executable, "-c", program, "compare", str(old), str(new)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "2 new" in done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_memory_does_not_grow_with_the_files(tmp_path):
    path = tmp_path / "large.ndjson"
    names = ("pass" if number % 1000 else "fail" for number in range(200_000))
    some = (verdict(str(number), name) for number, name in enumerate(names))
    write_results(path, RUN, some, [], SUMMARY)
    program = (
        "import sys; from conformance.cli import main\n"
        "main(['compare', *sys.argv[1:]], standalone_mode=False)\n"
        "print(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0])"
    )
    command = [sys.executable, "-c", program, str(path), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    told, peak = done.stdout.splitlines()
    assert told.endswith("200 same")
    assert int(peak) < 80 * 1024
