"""A run as JUnit XML: a test per rule and message, as GitLab, Jenkins and GitHub read that form.

The three agree on less than its many schemas have. A test has one outcome and one text, so all
cases of a rule on a message are one test, which shows the smallest that went wrong. It is named by
class and name in one suite, and these stay the same from run to run, since histories are kept by
them. Nothing is written that the schema of Jenkins does not allow.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent

from conformance.reporting.escaping import one_line, xml
from conformance.reporting.run_report import Cell, RunReport
from conformance.results.text import counted, failure_text
from conformance.rules import catalogue

_TAGS = {"crash": "failure", "hang": "failure", "fail": "failure", "error": "error"}
_MOST_LETTERS = 20_000


def write_junit(told: RunReport, path: Path) -> None:
    """Write the file. Raises OSError."""
    tree = ElementTree(junit(told))
    indent(tree, " ")
    tree.write(path, "utf-8", xml_declaration=True)


def junit(told: RunReport) -> Element:
    """Return the whole document."""
    suites = Element("testsuites", name="kafka-conformance")
    suite = SubElement(suites, "testsuite", name=_text(told.run.short_name))
    properties = SubElement(suite, "properties")
    for name, value in _properties(told):
        SubElement(properties, "property", name=name, value=_text(value))
    for (rule, message), cell in told.cells.items():
        _add_test(suite, rule, message, cell, told.is_known(rule, message))
    if told.summary is None:
        test = SubElement(suite, "testcase", classname="run", name="is-complete")
        SubElement(test, "error", type="interrupted", message="not everything was judged")
    _count(suites, suite, told)
    return suites


def _properties(told: RunReport) -> Iterator[tuple[str, str]]:
    run = told.run
    yield "target", run.target
    yield "target_version", run.target_version
    yield "language", run.language
    yield "definitions", run.definitions
    yield "suite_version", run.suite_version
    yield "profile", run.profile
    for name, values in run.selection.items():
        yield f"selection.{name}", " ".join(map(str, values))
    for note in told.summary.notes if told.summary else ():
        yield "note", note


def _add_test(suite: Element, rule: str, message: str, cell: Cell, known: bool) -> None:
    group = rule.partition(".")[0]
    test = SubElement(suite, "testcase", classname=_text(f"{message}.{group}"), name=_text(rule))
    if cell.example is not None:
        says = f"{cell.worst}: {rule} ({cell.class_}) in {counted(cell.wrong, 'case')}"
        if known and cell.worst != "error":
            SubElement(test, "skipped").text = _text(f"known: {says}")
            return
        failure = SubElement(test, _TAGS[cell.worst], type=cell.worst, message=_text(says))
        failure.text = xml(_failure(rule, cell))[:_MOST_LETTERS]
    elif not cell.counts["pass"] and not cell.counts["note"]:
        why = f"not proven: {cell.unproven}" if cell.counts["not-proven"] else "not declared"
        SubElement(test, "skipped").text = _text(why)


def _failure(rule: str, cell: Cell) -> str:
    """Return the rule and its source, then the smallest case with its bytes."""
    assert cell.example is not None
    about = catalogue().get(rule)
    says = f"{about.statement}\nsource:   {about.source}\n" if about else ""
    return says + failure_text(cell.example, cell.wrong - 1)


def _count(suites: Element, suite: Element, told: RunReport) -> None:
    counts = {
        "tests": len(suite.findall("testcase")),
        "failures": len(suite.findall("testcase/failure")),
        "errors": len(suite.findall("testcase/error")),
    }
    for name, count in counts.items():
        suites.set(name, str(count))
        suite.set(name, str(count))
    suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
    suite.set("timestamp", told.run.started[:19])
    if told.summary is not None:
        seconds = f"{told.summary.seconds:.3f}"
        suites.set("time", seconds)
        suite.set("time", seconds)


def _text(text: str) -> str:
    return xml(one_line(text))
