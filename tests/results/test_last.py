"""The last run is that of the folder, and no other folder's mixes with it."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from conformance.cli import main
from conformance.results import last
from conformance.results.last import LastRun, kept_elsewhere, kept_in, told_before
from conformance.results.lines import Finding, Run, Summary
from tests.results.making import RUN

SUMMARY = Summary(cases=1, verdicts={"fail": 1}, seconds=1, exit_code=1)
RULE = "primitives.null-array"


def run_of(target: str, started: str = RUN.started) -> Run:
    return msgspec.structs.replace(RUN, target=target, started=started)


def finding(cause: str, **fields: str) -> Finding:
    return Finding(
        cause=cause,
        rules=[RULE],
        case="MetadataRequest-v1-null",
        count=1,
        reproduce="again",
        **fields,  # type: ignore[arg-type]
    )


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    monkeypatch.setenv("KAFKA_CONFORMANCE_CACHE", str(tmp_path / "cache"))
    found = {name: tmp_path / name for name in ("one", "two", "three")}
    for path in found.values():
        path.mkdir()
    return found


@pytest.fixture
def judged(folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Both folders have judged a target of the same name, the second later."""
    for hour, name in enumerate(("one", "two"), 10):
        monkeypatch.chdir(folders[name])
        run = run_of("small", f"2026-11-26T{hour}:00:00+00:00")
        LastRun().add(run, [], [finding(f"wrong in {name}")], SUMMARY)
    return folders


def shown(*arguments: str) -> Result:
    done = CliRunner().invoke(main, ["findings", *arguments])
    assert done.exit_code == 0, done.output
    return done


@pytest.mark.parametrize("asked", ["last", "last/small"])
def test_each_folder_has_its_own_last_run(
    judged: dict[str, Path], monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    for name, other in (("one", "two"), ("two", "one")):
        monkeypatch.chdir(judged[name])
        done = shown(asked)
        assert f"wrong in {name}" in done.stdout
        assert other not in done.stdout.replace(str(judged[name]), "")
        assert done.stderr == ""


@pytest.mark.parametrize("asked", ["last", "last/small"])
def test_a_folder_without_a_run_shows_the_accounts_last_and_says_so(
    judged: dict[str, Path], monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    monkeypatch.chdir(judged["three"])
    done = shown(asked)
    assert "wrong in two" in done.stdout
    said = f"in this folder: shown is the run 2026-11-26 11:00 UTC in {judged['two']}"
    assert said in done.stderr


def test_what_was_judged_before_is_that_of_the_folder(
    judged: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(judged["one"])
    LastRun().add(run_of("other"), [], [], SUMMARY)
    before = [line for line in shown("last").stdout.splitlines() if line.startswith("before it:")]
    assert len(before) == 1
    assert before[0].endswith("findings last/small")
    assert "wrong in one" in shown("last/small").stdout


def test_a_case_alone_is_held_against_the_run_of_its_own_folder(
    judged: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    again = [finding("again")]
    assert len(told_before(run_of("small"), again)) == 1
    monkeypatch.chdir(judged["three"])
    assert told_before(run_of("small"), again) == []


def test_what_another_version_wrote_in_another_folder_is_left_out(judged: dict[str, Path]) -> None:
    for path in last._places():
        if path != last._place(str(judged["two"])):
            (path / "last.ndjson").write_text("no results\n")
    assert kept_elsewhere(str(judged["three"])) == [kept_in(str(judged["two"]))]


def test_the_folders_that_are_kept_are_limited(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(last, "MOST_FOLDERS", 2)
    for name, path in folders.items():
        monkeypatch.chdir(path)
        LastRun().add(run_of(name), [], [], SUMMARY)
    assert len(last._places()) == 2
    assert kept_in(str(folders["three"])) is not None


def test_the_class_of_a_finding_is_printed_and_in_json(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folders["one"])
    found = [finding("a", kind="harden"), finding("b", kind="crash", ends="crash"), finding("c")]
    LastRun().add(run_of("small"), [], found, SUMMARY)
    classes = [line for line in shown("last").stdout.splitlines() if "class:" in line]
    assert classes == [
        "   class:    harden",
        "   class:    must, and some cases are a crash",
        "   class:    must",
    ]
    objects = [json.loads(line) for line in shown("last", "--json").stdout.splitlines()]
    assert [each["class"] for each in objects] == ["harden", "must", "must"]
    assert msgspec.convert(objects[0], Finding) == found[0]
