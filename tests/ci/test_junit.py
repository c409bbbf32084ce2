"""JUnit XML, as its readers read it."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from junitparser import Error, Failure, JUnitXml, Skipped

from conformance.reporting.junit import junit, write_junit
from conformance.reporting.run_report import RunReport
from tests.ci.making import ALL, CRASHED, FAILED, PASSED, hostile, told
from tests.results.making import verdict

JENKINS = {
    "testsuites": ({"testsuite"}, {"name", "time", "tests", "failures", "errors"}),
    "testsuite": (
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
        {"name", "tests", "failures", "errors", "time", "skipped", "timestamp"},
    ),
    "properties": ({"property"}, set()),
    "property": (set(), {"name", "value"}),
    "testcase": ({"skipped", "error", "failure"}, {"name", "time", "classname"}),
    "failure": (set(), {"type", "message"}),
    "error": (set(), {"type", "message"}),
    "skipped": (set(), set()),
}
"""Of each element the children and the attributes that the schema of Jenkins knows, of ours."""
NEEDED = {"testsuite": {"name", "tests", "failures", "errors"}, "testcase": {"name"}}


def read(run: RunReport, path: Path) -> JUnitXml:
    write_junit(run, path / "junit.xml")
    return JUnitXml.fromfile(str(path / "junit.xml"))


def results(run: RunReport, path: Path) -> dict[str, Any]:
    return {case.name: case.result for suite in read(run, path) for case in suite}


@pytest.mark.parametrize("run", [told(*ALL), told(*ALL, code=None), hostile()])
def test_nothing_is_written_that_jenkins_does_not_know(run: RunReport) -> None:
    for element in junit(run).iter():
        children, attributes = JENKINS[element.tag]
        assert {child.tag for child in element} <= children
        assert set(element.attrib) <= attributes
        assert NEEDED.get(element.tag, set()) <= set(element.attrib)
        assert re.fullmatch(r"\d*(\.\d*)?", element.get("time", ""))


def test_a_reader_counts_what_was_written(tmp_path: Path) -> None:
    document = read(told(*ALL), tmp_path)
    [suite] = document
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (4, 2, 0, 2)
    assert (document.tests, document.failures, document.time) == (4, 2, 1234.5)
    assert suite.name == "small"
    assert {prop.name: prop.value for prop in suite.properties()}["profile"] == "spec"


def test_a_rule_on_a_message_is_one_test_with_one_outcome(tmp_path: Path) -> None:
    found = results(told(*ALL), tmp_path)
    kinds = {name: [type(each) for each in result] for name, result in found.items()}
    assert kinds == {
        "tags.ascending": [Failure],
        "tags.size-beyond-input-refused": [Failure],
        "compact.null-is-zero": [Skipped],
        "primitives.null-array": [Skipped],
    }


def test_a_failure_names_rule_source_and_case(tmp_path: Path) -> None:
    [failure] = results(told(PASSED, FAILED), tmp_path)["tags.ascending"]
    assert isinstance(failure, Failure)
    assert (failure.type, failure.message) == ("fail", "fail: tags.ascending (must) in 1 case")
    for line in ("source:   KIP-482", f"case:     {FAILED.case}", "input:    0102"):
        assert line in failure.text


def test_the_smallest_case_is_shown_and_the_others_counted(tmp_path: Path) -> None:
    larger = verdict(shape="larger", input="010203")
    [failure] = results(told(larger, FAILED), tmp_path)["tags.ascending"]
    assert isinstance(failure, Failure)
    assert FAILED.case in failure.text
    assert "and 1 more" in failure.text


def test_a_test_is_named_the_same_from_run_to_run(tmp_path: Path) -> None:
    [suite] = read(told(FAILED), tmp_path)
    [case] = suite
    assert (case.classname, case.name) == ("MetadataRequest.tags", "tags.ascending")


def test_a_known_failure_is_skipped(tmp_path: Path) -> None:
    found = results(told(FAILED, CRASHED, news=[CRASHED]), tmp_path)
    [skipped] = found["tags.ascending"]
    assert isinstance(skipped, Skipped)
    assert skipped.text.startswith("known: fail: tags.ascending")
    assert isinstance(found["tags.size-beyond-input-refused"][0], Failure)


def test_an_error_of_the_adapter_is_an_error(tmp_path: Path) -> None:
    [error] = results(told(verdict("error", detail="no JSON"), code=3), tmp_path)["tags.ascending"]
    assert isinstance(error, Error)


def test_an_interrupted_run_is_no_pass(tmp_path: Path) -> None:
    assert isinstance(results(told(PASSED, code=None), tmp_path)["is-complete"][0], Error)


def test_what_a_target_says_stays_text(tmp_path: Path) -> None:
    [suite] = read(hostile(), tmp_path)
    [case] = suite
    assert "<script>alert(1)</script>" in case.result[0].text
    assert "\\x00\\x1b[31m\\u202e" in case.result[0].text
    raw = (tmp_path / "junit.xml").read_text("utf-8")
    assert "<script>" not in raw
    assert not re.search(r"[\x00-\x08\x0b-\x1f\u202e\ud800]", raw)


def test_a_run_of_many_rules_and_messages_is_written(tmp_path: Path) -> None:
    many = [
        verdict(rule=f"tags.rule-{rule}", message=f"Message{message}")
        for message in range(50)
        for rule in range(40)
    ]
    assert read(told(*many), tmp_path).tests == 2000


def test_it_is_one_document(tmp_path: Path) -> None:
    write_junit(told(*ALL), tmp_path / "junit.xml")
    text = (tmp_path / "junit.xml").read_text("utf-8")
    assert text.startswith("<?xml version='1.0' encoding='utf-8'?>")
    assert ElementTree.parse(io.StringIO(text)).getroot().tag == "testsuites"
