"""`schema lint` as a user meets it: findings with lines and remedies, exit codes, results."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from conformance.definitions.mutants import definition_mutants
from conformance.definitions.mutants.sample import SAMPLES
from conformance.results.files import read_lines
from conformance.results.lines import Finding, Run, Summary, Verdict
from tests.cli.conftest import run

BROKEN = definition_mutants()["TagGivenTwice"]
NOTED = definition_mutants()["PlainThenTagged"]
OF_KAFKA = definition_mutants()["TagWithAGap"]


def folder(path: Path, mutant=None) -> Path:
    texts = {each.file: each.text for each in mutant.texts()} if mutant else SAMPLES
    path.mkdir(exist_ok=True)
    for name, text in texts.items():
        (path / name).write_text(text, encoding="utf-8")
    return path


def test_a_folder_that_keeps_every_rule_ends_with_0(tmp_path):
    done = run("schema", "lint", folder(tmp_path / "right"))

    assert done.code == 0
    headline, measured = done.out.splitlines()
    assert headline == "right: no failure"
    assert measured.startswith(f"{len(SAMPLES)} definitions, ")


def test_a_finding_has_file_line_field_rule_reason_and_remedy(tmp_path):
    done = run("schema", "lint", folder(tmp_path / "wrong", BROKEN))

    place, rule, hurts, remedy, *block = done.out.splitlines()
    assert done.code == 1
    assert (
        place == f"SampleRequest.json:{BROKEN.line}: Rows.Size: tag 0 is given twice: Label has it"
    )
    assert rule.startswith("    fail definitions.tag-unique (must): No two fields")
    assert hurts == "    hurts: Generated programs mix up two fields without an error."
    assert remedy == "    remedy: give one of them the next number that is free in this struct"
    assert block[0] == "wrong: 1 defect breaks the protocol"
    assert ": 1 failed, " in block[1]
    assert block[3].startswith(" 1 must   gives two fields of a struct one tag (1 place)")


@pytest.mark.parametrize(
    ("mutant", "profile", "code"),
    [(NOTED, "kafka", 0), (OF_KAFKA, "spec", 0), (OF_KAFKA, "kafka", 1)],
)
def test_the_profile_says_what_fails_a_run(tmp_path, mutant, profile, code):
    done = run("schema", "lint", folder(tmp_path / "one", mutant), "--profile", profile)

    assert done.code == code
    assert mutant.breaks in done.out


def test_a_jar_is_judged_as_its_folder_is(tmp_path):
    jar = tmp_path / "kafka-fork.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        for each in BROKEN.texts():
            archive.writestr(f"common/message/{each.file}", each.text)

    done = run("schema", "lint", jar)

    assert done.code == 1
    assert f"kafka-fork.jar!common/message/SampleRequest.json:{BROKEN.line}: Rows.Size" in done.out


def test_one_file_and_a_stored_release_are_judged_too(tmp_path):
    file = folder(tmp_path / "wrong", BROKEN) / BROKEN.file

    assert run("schema", "lint", file, "--quiet").code == 1
    assert run("schema", "lint", "4.4.0", "--quiet").code == 0


def test_results_have_a_verdict_for_each_definition_and_rule(tmp_path):
    results = tmp_path / "lint.ndjson"

    run("schema", "lint", folder(tmp_path / "wrong", BROKEN), "--results", results)

    run_, *lines = read_lines(results)
    verdicts = [line for line in lines if isinstance(line, Verdict)]
    [finding] = [line for line in lines if isinstance(line, Finding)]
    [failed] = [each for each in verdicts if each.verdict == "fail"]
    assert isinstance(run_, Run)
    assert isinstance(lines[-1], Summary)
    assert len({(each.case, each.rule) for each in verdicts}) == len(verdicts)
    assert (failed.rule, failed.message, failed.op) == (BROKEN.breaks, "SampleRequest", "lint")
    assert failed.detail.startswith(f"line {BROKEN.line}: Rows.Size: ")
    assert finding.reproduce.endswith("--rule definitions.tag-unique")


def test_rules_of_what_could_not_be_read_prove_nothing(tmp_path):
    results = tmp_path / "lint.ndjson"
    (tmp_path / "odd.json").write_text('{"name": "Odd"', encoding="utf-8")

    done = run("schema", "lint", tmp_path / "odd.json", "--results", results)

    lines = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    assert done.code == 1
    assert {line["verdict"] for line in lines if line["type"] == "verdict"} == {
        "fail",
        "not-proven",
    }


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["nowhere"], "no such folder, jar or file"),
        (["."], "holds no definitions"),
        (["4.4.0", "--message", "Nope"], "no definition of Nope"),
        (["4.4.0", "--rule", "tags.ascending"], "no rule of definitions is left"),
    ],
)
def test_where_there_is_nothing_to_judge_it_ends_with_3(tmp_path, arguments, error):
    done = run("schema", "lint", *arguments, cwd=tmp_path)

    assert done.code == 3
    assert error in done.error


def test_the_site_shows_definitions_as_a_kind_of_their_own(tmp_path):
    results = tmp_path / "lint.ndjson"
    run("schema", "lint", folder(tmp_path / "wrong", BROKEN), "--results", results)

    assert run("site", results, "-o", tmp_path / "site").code == 0
    index = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert ">Definitions</h2>" in index


def test_what_a_definition_says_forges_no_line(tmp_path):
    text = SAMPLES["SampleRequest.json"].replace('"topicName"', '"x\\n\\u001b[31mF.json:1: fine"')
    (tmp_path / "Sample.json").write_text(text, encoding="utf-8")
    (tmp_path / "Odd\nF.json").write_text("{", encoding="utf-8")

    said = run("schema", "lint", tmp_path).out

    assert "Odd F.json:1: not JSON" in said
    assert "\n2 definitions, " in said
    assert "\x1b" not in said
    assert not [line for line in said.splitlines() if line.startswith("F.json")]
