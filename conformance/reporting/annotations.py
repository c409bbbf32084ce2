"""A run as workflow commands of GitHub, which shows them on the page of the run and of a change.

A step may have ten errors and ten warnings; any more are dropped silently. So each finding is one,
the most harmful ones are shown, and the others are counted in a notice. They are warnings if the
run failed nothing, such as a list of known failures that all happened.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.reporting.breaches import breach_of
from conformance.reporting.escaping import one_line, workflow_data, workflow_property
from conformance.reporting.run_report import RunReport
from conformance.results.publish import WITHHELD
from conformance.results.text import counted

MOST = 9
"""The most findings that are shown; the tenth line is the outcome."""


def commands(told: RunReport) -> Iterator[str]:
    """Yield the lines to be printed, without anything that could do harm."""
    level = "error" if told.failed else "warning"
    for finding in told.shown[:MOST]:
        shown = told.public(finding)
        said = f"{shown.cause} ({counted(finding.count, 'case')})"
        if finding.diagnosis:
            said += f"\nlooks like: {finding.diagnosis}"
        elif breach := breach_of(shown):
            said += f"\nit {breach}"
        said += f"\nrules: {', '.join(finding.rules[:MOST])}"
        if shown.reproduce != WITHHELD:
            said += f"\nagain: {shown.reproduce}"
        yield command(level, f"{told.run.short_name}: {finding.rules[0]}", said)
    if told.failed:
        yield command("error", told.run.short_name, told.outcome)
    if more := len(told.shown[MOST:]):
        yield command("notice", told.run.short_name, f"{counted(more, 'finding')} more")


def command(level: str, title: str, message: str) -> str:
    """Return one workflow command; title and message may be any text."""
    return f"::{level} title={workflow_property(one_line(title))}::{workflow_data(message)}"
