"""The fields of an item in an Allure report: its rules, each with class, source and bytes.

allure-pytest makes a result of each item. This module gives it a place in the report's three trees,
a label for each rule, class and source to filter by, and a step for each rule, which holds class,
statement, source, counts, and the smallest case that went wrong as an attachment.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from conformance.reporting.escaping import markdown, one_line, seen
from conformance.reporting.run_report import Cell
from conformance.results.lines import BROKEN, Run, Verdict
from conformance.results.text import failure_text
from conformance.rules import catalogue
from conformance.testee_protocol import Hello

ENVIRONMENT = "environment.properties"
_SEVERITIES = {"must": "critical", "harden": "blocker", "kafka": "normal", "lenient": "minor"}
_WEIGHT = ("blocker", "critical", "normal", "minor")


class _WentWrong(AssertionError):
    """An error that marks a step as failed."""


def tell(hello: Hello, message: str, group: str, verdicts: Sequence[Verdict]) -> None:
    """Give the current item its fields."""
    import allure  # only if a report is wanted

    dynamic: Any = allure.dynamic
    target = one_line(f"{hello.name} {hello.version}")
    dynamic.title(f"{message}: {group}")
    dynamic.parent_suite(target)
    dynamic.suite(message)
    dynamic.sub_suite(group)
    dynamic.epic(target)
    dynamic.feature(group)
    cells = _by_rule(verdicts)
    dynamic.story(*cells)
    classes = dict.fromkeys(cell.class_ for cell in cells.values())
    dynamic.label("rule", *cells)
    dynamic.label("class", *classes)
    dynamic.label("source", *dict.fromkeys(filter(None, map(_source, cells))))
    weights = {_SEVERITIES.get(name, "normal") for name in classes}
    dynamic.severity(min(weights, key=_WEIGHT.index, default="normal"))
    dynamic.description("\n".join(f"- {_about(rule)}" for rule in cells))
    for rule, cell in cells.items():
        _step(rule, cell)


def write_environment(folder: Path, run: Run) -> None:
    """Write the data about the run for the report's front page. Raises OSError."""
    about = {
        "Target": run.target,
        "Version": run.target_version,
        "Definitions": run.definitions,
        "Profile": run.profile,
        "Suite": f"kafka-conformance {run.suite_version}",
        "Started": run.started,
    }
    lines = (f"{name}={_property(value)}\n" for name, value in about.items() if value)
    (folder / ENVIRONMENT).write_text("".join(lines), "latin-1")


def _by_rule(verdicts: Iterable[Verdict]) -> dict[str, Cell]:
    cells: dict[str, Cell] = {}
    for verdict in verdicts:
        if verdict.rule not in cells:
            cells[verdict.rule] = Cell(verdict.class_)
        cells[verdict.rule].take(verdict)
    return cells


def _step(rule: str, cell: Cell) -> None:
    """Add a step for one rule, with an attachment if a case went wrong."""
    import allure
    from allure_commons import _allure

    step: Any = _allure.StepContext
    counts = ", ".join(f"{count} {name}" for name, count in cell.counts.items())
    fields = {"class": cell.class_, "verdicts": counts, "source": _source(rule)}
    with suppress(_WentWrong), step(rule, fields):
        if cell.example is None:
            return
        text = failure_text(cell.example, cell.wrong - 1)
        kind = allure.attachment_type.TEXT
        allure.attach(seen(text), one_line(cell.example.case), kind)
        if cell.example.verdict in BROKEN:
            raise _WentWrong(seen(text))


def _source(rule: str) -> str:
    about = catalogue().get(rule)
    return about.source if about else ""


def _about(rule: str) -> str:
    about = catalogue().get(rule)
    if about is None:
        return markdown(rule)
    told = f"{about.id} ({about.class_}): {about.statement} Source: {about.source}"
    return markdown(told)


def _property(value: str) -> str:
    """Return a value for a file of Java properties: one line of Latin-1."""
    text = one_line(value).replace("\\", "\\\\")
    return "".join(sign if ord(sign) < 0x100 else _escaped(sign) for sign in text)


def _escaped(sign: str) -> str:
    """Return a character as escaped UTF-16 units."""
    units = sign.encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
